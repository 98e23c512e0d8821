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

WIDE = 1000  # pixels of the window
COMMON = tuple(line(text, 40, 60 + 40 * n) for n, text in enumerate(("Orders", "Patient", "Device", "Hour", "Remarks")))


def screen(*more: tuple[str, Box]) -> ScreenState:
    texts = (*COMMON, *(replace(COMMON[0], text=text, box=box) for text, box in more))
    return replace(Canvas(1280, 800).state(window=Window(title="Ward", box=Box(0, 0, WIDE, 800))), texts=texts)


def taught(state: ScreenState) -> Reference:
    reading = Reading(picture="p", maker="m", size=state.frame.size, texts=state.texts, elements=())
    return Reference(picture="p", reading=reading)


@pytest.mark.parametrize(("right", "told"), [(WIDE, True), (WIDE + 1, False)], ids=["in sight", "cut by the edge"])
def test_a_line_of_the_other_screen_that_is_missing_tells_where_all_of_it_would_be_in_sight(
    right: int, told: bool
) -> None:
    plain, other = screen(), screen(("Send to radiology", Box(right - 140, 300, 140, 16)))
    one, two = NodeSpec(node_id="one", name="One"), NodeSpec(node_id="two", name="Two")
    assert shows(one, taught(plain), two, taught(other), screen()) is told
