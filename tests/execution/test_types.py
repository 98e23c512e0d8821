"""The values that flow through a turn."""

from __future__ import annotations

from dataclasses import replace

from execution.types import Box, TextLine, Word

LINE = TextLine(text="Mail: anna", box=Box(10, 10, 90, 14), words=(Word("Mail:", 0, 40), Word("anna", 46, 88)))


def test_a_line_that_moves_keeps_its_words() -> None:
    assert replace(LINE, box=Box(40, 60, 90, 14)).words == LINE.words


def test_words_may_be_finer_than_the_blanks_of_the_text() -> None:
    words = (Word("Mail:", 0, 40), Word("anna", 42, 88))
    assert TextLine(text="Mail:anna", box=LINE.box, words=words).words == words


def test_a_line_that_says_something_else_has_none_of_the_words() -> None:
    """S10.4: what was hidden in its text stands nowhere."""
    assert replace(LINE, text="Mail: •••").words == ()


def test_a_line_that_was_cut_has_none_of_the_words() -> None:
    assert replace(LINE, box=Box(10, 10, 50, 14)).words == ()
