"""When the wheel is turned to find what is not on the screen."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from execution.desktop import capture
from execution.learning.judging import PLACE
from execution.learning.judging import SCREEN as OF_SCREEN
from execution.turn import wheel
from execution.turn.scrolling import ScrollSearch
from execution.turn.seeking import seek, worth_scrolling
from execution.types import Box, CorrectionUsed, Point, Resolution, ResolveStatus, ScreenState, Suggestion
from tests.execution.perception.drawing import Canvas, frame
from tests.execution.turn.test_scrolling import Pane, target
from workflows.graph import EdgeSpec, TargetSpec

SCREEN = ScreenState(frame=frame(Canvas(400, 300).pixels), text_method="truth")
LIST = TargetSpec(target_id="t", label="Open", scroll_box=(0, 0, 1, 1))


def suggestion(of: TargetSpec | None, status: ResolveStatus = ResolveStatus.NOT_FOUND) -> SimpleNamespace:
    return SimpleNamespace(edge=SimpleNamespace(target=of), resolution=Resolution(status=status, message=""))


@pytest.mark.parametrize(
    ("of", "status", "worth"),
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
    of: TargetSpec | None, status: ResolveStatus, worth: bool
) -> None:
    assert worth_scrolling(suggestion(of, status), SCREEN) is worth  # type: ignore[arg-type]


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
    turns, seen = [SimpleNamespace(point=Point(1, 1), dy=3)] * 2, [found, Suggestion(**said, resolution=nowhere)]
    search = SimpleNamespace(
        next_scroll=turns.pop, moved=lambda state: True, saw=lambda state: None, found=lambda box: True
    )
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


def test_a_pane_that_is_scrolled_late_has_not_come_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else what was seen once counts as there once, and its twin below is never seen."""
    pane, edge = Pane(40), EdgeSpec(edge_id="e", source="a", destination="b", action_type="click", target=target())
    nowhere = Resolution(status=ResolveStatus.NOT_FOUND)
    missed = Suggestion(edge=edge, node_id="a", sentence="", params={}, resolution=nowhere)
    waiting, looks = list[int](), 0

    def settle(edge: EdgeSpec) -> ScreenState:
        nonlocal looks
        looks += 1
        if waiting and looks % 4 == 0:
            pane.scroll(waiting.pop(0))
        return pane.state()

    monkeypatch.setattr(capture, "time", SimpleNamespace(monotonic=lambda: looks * wheel.ANSWERS_S / 8))
    stages = SimpleNamespace(
        scroll_search=ScrollSearch,
        scroll=lambda point, dy: waiting.append(dy),
        settle=settle,
        suggest=lambda edge, node, state: missed,
    )
    seek(stages, missed, pane.state(), SimpleNamespace(check=lambda: None))  # type: ignore[arg-type]
    assert pane.shown == set(range(40))
