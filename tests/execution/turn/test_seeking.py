"""When the wheel is turned to find what is not on the screen."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from execution.learning.judging import PLACE
from execution.learning.judging import SCREEN as OF_SCREEN
from execution.turn.seeking import seek, worth_scrolling
from execution.types import Box, CorrectionUsed, Point, Resolution, ResolveStatus, ScreenState, Suggestion
from tests.execution.perception.drawing import Canvas, frame
from workflows.graph import EdgeSpec, TargetSpec

SCREEN = ScreenState(frame=frame(Canvas(400, 300).pixels), text_method="truth")
LIST = TargetSpec(target_id="t", label="Open", scroll_box=(0, 0, 1, 1))


def suggestion(target: TargetSpec | None, status: ResolveStatus = ResolveStatus.NOT_FOUND) -> SimpleNamespace:
    return SimpleNamespace(edge=SimpleNamespace(target=target), resolution=Resolution(status=status, message=""))


@pytest.mark.parametrize(
    ("target", "status", "worth"),
    [
        (LIST, ResolveStatus.NOT_FOUND, True),
        (LIST, ResolveStatus.AMBIGUOUS, False),
        (None, ResolveStatus.NOT_FOUND, False),
        (TargetSpec(target_id="t", label="Open"), ResolveStatus.NOT_FOUND, False),
        # the third row of what was scrolled is not the third row of the list
        (TargetSpec(target_id="t", label="Open", number="{{n}}", scroll_box=(0, 0, 1, 1)),
         ResolveStatus.NOT_FOUND, False),
    ],
)  # fmt: skip
def test_what_is_hidden_in_a_list_is_scrolled_to_unless_it_is_counted(
    target: TargetSpec | None, status: ResolveStatus, worth: bool
) -> None:
    assert worth_scrolling(suggestion(target, status), SCREEN) is worth  # type: ignore[arg-type]


@pytest.mark.parametrize("later", ["", "another place", "line 3 was not finished"])
def test_what_was_doubted_before_the_wheel_was_turned_is_doubted_after_it(later: str) -> None:
    edge = EdgeSpec(edge_id="e", source="a", destination="b", action_type="click", target=LIST)
    screen = CorrectionUsed(key="learned-1", part=OF_SCREEN, on_trial=True)
    place = CorrectionUsed(key="learned-2", part=PLACE, on_trial=True)
    said = {"edge": edge, "node_id": "a", "sentence": "", "params": {}}
    nowhere = Resolution(status=ResolveStatus.NOT_FOUND)
    first = Suggestion(**said, resolution=nowhere, doubt="line 3 was not finished", learned=(screen,))
    there = Resolution(status=ResolveStatus.FOUND, box=Box(0, 0, 5, 5))
    found = Suggestion(**said, resolution=there, doubt=later, learned=(place,))
    wheel, seen = [SimpleNamespace(point=Point(1, 1), dy=3)] * 2, [found, Suggestion(**said, resolution=nowhere)]
    search = SimpleNamespace(next_scroll=wheel.pop, saw=lambda state: None, found=lambda box: True)
    stages = SimpleNamespace(
        scroll_search=lambda target, state: search,
        scroll=lambda point, dy: None,
        settle=lambda edge: SCREEN,
        suggest=lambda edge, node, state: seen.pop(),
    )
    _, got = seek(stages, first, SCREEN, SimpleNamespace(check=lambda: None))  # type: ignore[arg-type]
    assert got.resolution.box == there.box
    assert str(got.doubt).count("line 3 was not finished") == 1
    assert later in str(got.doubt)
    assert set(got.learned) == {screen, place}
