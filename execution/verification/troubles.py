"""Texts that came with an action and speak against it: doubts, errors, complaints of a form, and "please wait"."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from textwrap import shorten

from execution.language.denials import any_of, complaint_word, error_word, is_waiting
from execution.language.doubts import doubt_word
from execution.language.fuzzy import folded
from execution.types import Answer, ElementRole, TextLine
from execution.verification.change import Change
from execution.verification.facts import DOUBT, ERROR, WAITING, Fact
from sentences.said import say

# A page full of new lines is another page: that one of them speaks of an error does not make it a message.
_MESSAGE_LINES = 15
_LONGEST_SAID = 200  # characters of a message that a person is shown
_CLOSING = frozenset(
    {
        "ok", "close", "cancel", "later", "not now", "no", "dismiss", "skip", "retry", "try again", "fermer", "annuler",
        "plus tard", "non", "ignorer", "reessayer", "remind me later", "me le rappeler plus tard",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Troubles:
    """Each fact None where there is no such text. `sure`: they are messages, not words of another page.

    `said` is the first of those messages as it stands there, without what was typed: for a person to read.
    """

    doubt: Fact | None = None
    error: Fact | None = None
    complaint: Fact | None = None
    waiting: Fact | None = None
    sure: bool = False
    asks: bool = False  # a new dialog stands there
    said: str = ""

    @property
    def facts(self) -> tuple[Fact, ...]:
        return tuple(f for f in (self.doubt, self.error, self.complaint, self.waiting) if f)


def troubles_of(change: Change, *, declared: Iterable[str], data: Collection[str]) -> Troubles:
    """What came with the action and speaks against it. `declared` are the texts that are hoped for, `data` what was
    typed and the variables' values: neither is a message."""
    if not (change.now.was_read and change.then.was_read):
        return Troubles()
    hoped = tuple(declared)
    new = [line for line in change.new_lines if not _is_data(line, change, data)]
    sure = len(change.new_lines) <= _MESSAGE_LINES
    sentences = [change.now.sentence((line,)) for line in new]
    doubt, error, complaint = (
        ("", "") if any(word_of(text) for text in hoped) else _first(sentences, word_of)
        for word_of in (doubt_word, error_word, complaint_word)
    )
    waiting = any(is_waiting(line.text) for line in new) and not any(is_waiting(text) for text in hoped)
    return Troubles(
        doubt=Fact(
            sign=DOUBT,
            answer=Answer.CANNOT_TELL,
            note=say("verification.unknown_result", word=doubt[0]),
        )
        if doubt[0]
        else None,
        error=_against("verification.error_came", error[0]),
        complaint=_against("verification.complaint_came", _without(data, complaint[1]) if sure else complaint[0]),
        waiting=Fact(sign=WAITING, answer=Answer.CANNOT_TELL, note=say("verification.under_way")) if waiting else None,
        sure=sure,
        asks=any(folded(line.text) in _CLOSING or _is_button(line, change) for line in new),
        said=_without(data, doubt[1] or error[1] or complaint[1]) if sure else "",
    )


def _first(sentences: Iterable[str], word_of: Callable[[str], str]) -> tuple[str, str]:
    """The word that tells of it and the sentence that holds it; both "" where none does."""
    return next(((word, sentence) for sentence in sentences if (word := word_of(sentence))), ("", ""))


def _without(data: Collection[str], sentence: str) -> str:
    """The sentence with what was typed and the variables' values left out: they may be nobody's to read."""
    for value in sorted((text.strip() for text in data if text.strip()), key=len, reverse=True):
        sentence = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", "…", sentence, flags=re.IGNORECASE)
    return shorten(sentence, _LONGEST_SAID, placeholder=" …")


def _against(code: str, word: str) -> Fact | None:
    return Fact(sign=ERROR, answer=Answer.NO, note=say(code, word=word)) if word else None


def _is_button(line: TextLine, change: Change) -> bool:
    """Whether a thing to press came with the action, under a name that nothing had before."""
    buttons = (e for e in change.after.elements if e.role is ElementRole.BUTTON)
    return any(e.box.contains(line.box.center) for e in buttons)


def _is_data(line: TextLine, change: Change, data: Collection[str]) -> bool:
    return change.is_entry(line.box) or any_of([text for text in data if text], [line.text])
