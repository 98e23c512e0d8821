"""What shows that an option is chosen, and what only reads like it (S6.12)."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from execution.turn.options import _joined
from execution.types import Answer, Box, Element, ElementRole, Frame, ScreenState, TextLine
from execution.verification.chosen import stands_as_wanted

PLACE = Box(100, 60, 120, 30)


def screen(text: str, role: ElementRole | None) -> ScreenState:
    """One text, in a control of that role or in none."""
    line = TextLine(text=text, box=Box(108, 66, 12 * len(text), 18))
    elements = (Element(box=PLACE, role=role, text=text),) if role else ()
    frame = Frame(pixels=np.full((200, 400, 3), 240, np.uint8), taken_at=datetime.now(UTC))
    return ScreenState(frame=frame, texts=(line,), elements=elements, text_method="known")


@pytest.mark.parametrize(
    ("role", "caption", "answer"),
    [
        (ElementRole.FIELD, "", Answer.YES),
        (ElementRole.BUTTON, "", Answer.YES),  # as eyes see a list that is closed
        (ElementRole.BUTTON, "High", Answer.CANNOT_TELL),  # a button of that name
        (None, "", Answer.CANNOT_TELL),  # the caption of a radio button, say
    ],
)
def test_a_text_that_reads_like_the_option_is_not_yet_the_choice(
    role: ElementRole | None, caption: str, answer: Answer
) -> None:
    """Only a control that shows its value says what is chosen in it."""
    seen = screen("High", role)
    got = stands_as_wanted("choose", {"option": "High"}, PLACE, seen, seen, caption=caption)
    assert got.answer is answer, got


@pytest.mark.parametrize("shown", ["Ward 1", "Ward 100", "Ward"])
def test_another_option_is_not_the_choice(shown: str) -> None:
    """To the letter: “Ward 10” is neither “Ward 1” nor “Ward 100”."""
    seen = screen(shown, ElementRole.FIELD)
    assert stands_as_wanted("choose", {"option": "Ward 10"}, PLACE, seen, seen).answer is not Answer.YES


@pytest.mark.parametrize(
    ("read", "page", "joined"),
    [
        (["a", "b", "c"], ["b", "c", "d"], ["a", "b", "c", "d"]),
        (["a", "b", "c"], ["a", "b", "c"], ["a", "b", "c"]),
        (["a", "b", "c", "d", "cut"], ["b", "c", "d", "e", "f"], ["a", "b", "c", "d", "e", "f"]),
        (["a", "b"], ["d", "e"], None),  # rows were left out
    ],
)
def test_pages_of_a_list_are_joined_where_they_share_rows(
    read: list[str], page: list[str], joined: list[str] | None
) -> None:
    assert _joined(read, page) == joined
