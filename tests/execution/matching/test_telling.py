"""S5.10, S6.10: of two screens that show much the same, what stood in sight on the one and is not there tells."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.matching import Reading, Reference
from execution.matching.telling import shows
from execution.types import Box, ScreenState, Window
from tests.execution.matching.screens import line
from tests.execution.perception.drawing import Canvas
from workflows.graph import NodeSpec

WIDE, HIGH = 1000, 700  # pixels of the window
WINDOW = Window(title="Ward", box=Box(0, 0, WIDE, HIGH))
COMMON = tuple(line(text, 40, 60 + 40 * n) for n, text in enumerate(("Orders", "Patient", "Device", "Hour", "Remarks")))


def screen(*more: tuple[str, Box], window: Window | None = WINDOW) -> ScreenState:
    texts = (*COMMON, *(replace(COMMON[0], text=text, box=box) for text, box in more))
    return replace(Canvas(1280, 800).state(window=window), texts=texts)


def taught(state: ScreenState) -> Reference:
    reading = Reading(picture="p", maker="m", size=state.frame.size, texts=state.texts, elements=())
    return Reference(picture="p", reading=reading)


@pytest.mark.parametrize(
    ("right", "bottom", "window", "told"),
    [
        (WIDE, 300, WINDOW, True),
        (WIDE + 1, 300, WINDOW, False),
        (500, HIGH, WINDOW, True),
        (500, HIGH + 1, WINDOW, False),
        (1280, 800, None, True),
    ],
    ids=["in sight", "cut on the right", "at the bottom", "cut below", "on the screen"],
)
def test_a_line_of_the_other_screen_that_is_missing_tells_where_all_of_it_would_be_in_sight(
    right: int, bottom: int, window: Window | None, told: bool
) -> None:
    plain, other = screen(), screen(("Send to radiology", Box(right - 140, bottom - 16, 140, 16)))
    one, two = NodeSpec(node_id="one", name="One"), NodeSpec(node_id="two", name="Two")
    assert shows(one, taught(plain), two, taught(other), screen(window=window)) is told
