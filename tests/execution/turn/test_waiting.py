"""Waiting as an action, and what the loop does in several steps: conditions, time-outs, stopping (S1.20, S5.1)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, cast

import pytest

from execution.choices import Wish
from execution.desktop.base import DesktopLost
from execution.exceptions import LeaseLost
from execution.navigation.hands import Hands, Stopped
from execution.turn import server_side, waiting
from execution.turn.holding import Hold
from execution.turn.unchanged import Glance
from execution.types import (
    ActionResult,
    ActionStatus,
    Box,
    Match,
    Point,
    Recognition,
    Resolution,
    ResolveStatus,
    ScreenState,
    Suggestion,
)
from tests.execution.screens import line, screen
from workflows.graph import EdgeSpec, GraphSpec, NodeSpec

GRAPH = GraphSpec(
    workflow_id="wf",
    name="wf",
    learning_state="COACHING",
    nodes=(NodeSpec(node_id="a", name="Form", texts=("Save",)), NodeSpec(node_id="b", name="Saved", texts=("Done",))),
)
FORM, SAVED = screen(line("Save", 10, 10)), screen(line("Done", 10, 10), title="Saved")


class Row:
    """A journal whose run nobody has asked anything of."""

    def __init__(self) -> None:
        self.wish, self.execution_id = Wish.NONE, "exec_1"

    @property
    def execution(self) -> Row:
        return self

    def refresh(self) -> Row:
        return self


class Stages:
    """Screens that come one after the other, each when the desktop is looked at."""

    def __init__(self, *screens: ScreenState, variables: Mapping[str, str] | None = None) -> None:
        self.screens, self.graph, self.variables = list(screens), GRAPH, dict(variables or {})
        self.reads, self.wholes = 0, list[bool]()
        self.log: list[Any] = []
        self.doubted: dict[str, str] = {}  # nodes that the screen is known as by a look on trial alone

    @property
    def eyes(self) -> Stages:
        return self

    @property
    def desktop(self) -> Stages:
        return self

    @property
    def looked_at(self) -> float:
        return time.monotonic()

    def glance(self) -> Glance:
        if len(self.screens) > 1:
            self.screens.pop(0)
        return Glance(frame=self.screens[0].frame, window=self.screens[0].window)

    def grab(self) -> Any:
        return self.glance().frame

    def observe(self, *, whole: bool = False) -> ScreenState:
        self.reads += 1
        self.wholes.append(whole)
        return self.screens[0]

    def settle(self, edge: EdgeSpec, *, enough: object = None) -> ScreenState:
        return self.observe()

    def look_again(self, state: ScreenState, *, until: float, hold: Hold) -> ScreenState | None:
        return waiting.look_again(cast(Any, self), state, until=until, hold=hold)

    def recognise(self, state: ScreenState, *, last_node: str | None, expected: str | None) -> Recognition:
        texts = {line.text for line in state.texts}
        found = next((n.node_id for n in GRAPH.nodes if set(n.texts) <= texts), None)
        return Recognition(match=Match(node_id=found, confidence=1.0) if found else None)

    def screen_doubt(self, node_id: str, state: ScreenState) -> str:
        return self.doubted.get(node_id, "")

    def click(self, point: Point) -> None:
        self.log.append(("click", point))

    def type_text(self, text: str) -> None:
        self.log.append(("type", text))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "LOOK_EVERY_S", 0.0)


def hold(may_act: Callable[[], None] = lambda: None, journal: Row | None = None) -> Hold:
    return Hold(cast(Any, journal or Row()), leave=threading.Event(), may_act=may_act)


def suggestion(action_type: str, *, settle_ms: int = 0, **params: Any) -> Suggestion:
    edge = EdgeSpec(
        edge_id="e", source="a", destination="b", action_type=action_type, params=params, settle_ms=settle_ms
    )
    none = Resolution(status=ResolveStatus.NOT_NEEDED)
    return Suggestion(edge=edge, node_id="a", sentence=action_type, params=params, resolution=none)


def wait(stages: Stages, action_type: str, *, by: Hold | None = None, **params: Any) -> ActionResult:
    return server_side.perform(cast(Any, stages), suggestion(action_type, **params), by or hold())


@pytest.mark.parametrize(
    ("action_type", "params"),
    [
        ("wait_text", {"text": "Done"}),
        ("wait_text_gone", {"text": "Save"}),
        ("wait", {}),
        ("wait_node", {"node": "b"}),
    ],
)
def test_each_wait_ends_when_its_condition_holds(action_type: str, params: dict[str, Any]) -> None:
    stages = Stages(FORM, screen(line("Save", 10, 10), line("…", 50, 10), title="busy"), SAVED)
    assert wait(stages, action_type, **params).status is ActionStatus.DONE
    assert stages.screens == [SAVED]


@pytest.mark.parametrize(
    ("action_type", "params", "says"),
    [
        ("wait_text", {"text": "Done"}, "“Done” was not seen within 0.02 s. The screen is “Form”."),
        ("wait_text_gone", {"text": "Save"}, "“Save” was still there after 0.02 s. The screen is “Form”."),
        ("wait", {}, "The screen “Saved” did not show within 0.02 s. The screen is “Form”."),
        ("wait_node", {"node": "b"}, "The screen “Saved” did not show within 0.02 s. The screen is “Form”."),
    ],
)
def test_a_time_out_says_what_was_waited_for_and_what_is_seen(
    action_type: str, params: dict[str, Any], says: str
) -> None:
    result = wait(Stages(FORM), action_type, timeout_s=0.02, **params)
    assert (result.status, result.message) == (ActionStatus.FAILED, says)


@pytest.mark.parametrize(("action_type", "params"), [("wait", {}), ("wait_node", {"node": "b"})])
def test_a_screen_known_by_a_look_on_trial_alone_has_not_come(action_type: str, params: dict[str, Any]) -> None:
    stages = Stages(SAVED)
    stages.doubted["b"] = "It is known only by a look on trial."
    result = wait(stages, action_type, timeout_s=0.02, **params)
    assert (result.status, str(result.message).endswith(stages.doubted["b"])) == (ActionStatus.FAILED, True)


def test_the_screen_is_read_again_only_when_it_has_changed() -> None:
    stages = Stages(*[FORM] * 50, SAVED)
    assert wait(stages, "wait_text", text="Done").status is ActionStatus.DONE
    assert stages.reads == 2


def test_what_a_variable_stands_for_is_compared_exactly() -> None:
    longer = screen(line("Invoice 123", 10, 10))
    stages = Stages(longer, variables={"number": "12"})
    edge = suggestion("wait_text", text="Invoice {{number}}", timeout_s=0.02)
    filled = Suggestion(
        edge=edge.edge,
        node_id="a",
        sentence="",
        params={"text": "Invoice 12", "timeout_s": 0.02},
        resolution=edge.resolution,
    )
    assert server_side.perform(cast(Any, stages), filled, hold()).status is ActionStatus.FAILED


def test_a_screen_that_is_not_read_never_counts_as_a_text_that_is_gone() -> None:
    unread = screen(method="")
    result = wait(Stages(unread), "wait_text_gone", text="Save", timeout_s=0.02)
    assert result.status is ActionStatus.FAILED
    assert "was not read" in result.message


def test_waiting_for_stillness_ends_when_nothing_moves_and_fails_when_it_never_does() -> None:
    assert wait(Stages(FORM), "wait_stable", timeout_s=5).status is ActionStatus.DONE
    restless = Stages(*[FORM, SAVED] * 400)
    result = wait(restless, "wait_stable", timeout_s=0.05, settle_ms=60_000)
    assert (result.status, result.message) == (ActionStatus.FAILED, "The screen did not stand still within 0.05 s.")


@pytest.mark.parametrize(
    ("action_type", "params", "says"),
    [("wait_node", {"node": "zz"}, "no screen “zz”"), ("wait_text", {"text": "  "}, "no text to wait for")],
)
def test_what_cannot_be_waited_for_fails_at_once(action_type: str, params: dict[str, Any], says: str) -> None:
    result = wait(Stages(FORM), action_type, **params)
    assert result.status is ActionStatus.FAILED
    assert says in result.message


@pytest.mark.parametrize(("given", "seconds"), [(5, 5), (0, 30), (-3, 30), ("x", 30), (True, 30), (99_999, 3600)])
def test_a_time_out_that_makes_no_sense_is_the_default(given: object, seconds: float) -> None:
    assert waiting.timeout_of({"timeout_s": given}) == seconds


@pytest.mark.parametrize("wish", [Wish.PAUSE, Wish.STOP])
@pytest.mark.parametrize("action_type", ["wait_text", "wait_stable"])
def test_waiting_heeds_pause_and_stop_at_once(wish: Wish, action_type: str) -> None:
    """S1.7: well before the ten minutes are over."""
    row = Row()
    stages = Stages(*[FORM, SAVED] * 100)
    looks = iter(range(1000))
    grab = stages.glance

    def asked() -> Glance:
        if next(looks) == 5:
            row.wish = wish
        return grab()

    stages.glance = asked  # type: ignore[method-assign]
    with pytest.raises(Stopped):
        wait(stages, action_type, by=hold(journal=row), text="Never", timeout_s=600, settle_ms=60_000)
    assert next(looks) <= 7, "with the look that heard of it, or the next"


def test_waiting_ends_when_the_lease_is_lost() -> None:
    """S9.4"""
    calls = iter(range(100))

    def may_act() -> None:
        if next(calls) == 3:
            raise LeaseLost("somebody else has it")

    with pytest.raises(LeaseLost):
        wait(Stages(FORM), "wait_text", by=hold(may_act), text="Never", timeout_s=600)


# --- handlers --------------------------------------------------------------------------------------------------------
@pytest.fixture
def handler(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What `navigate` does, as the test says."""
    does: dict[str, Any] = {}
    monkeypatch.setattr(server_side, "HANDLERS", {"navigate": f"{__name__}.handle"})
    globals()["_does"] = does
    return does


def handle(params: Mapping[str, Any], *, context: Hands) -> ActionResult:
    return globals()["_does"]["it"](params, context)


def test_a_handler_works_with_the_runs_own_eyes_and_hands(handler: dict[str, Any]) -> None:
    stages = Stages(FORM, variables={"who": "Ada"})

    def it(params: Mapping[str, Any], context: Hands) -> ActionResult:
        assert context.observe() is FORM
        assert (context.variables["who"], context.texts, context.stopped()) == ("Ada", ("Save", "Done"), False)
        context.click(Point(3, 4))
        context.type_text(params["place"])
        return ActionResult(status=ActionStatus.DONE, message="there")

    handler["it"] = it
    assert wait(stages, "navigate", place="File").message == "there"
    assert stages.log == [("click", Point(3, 4)), ("type", "File")]


@pytest.mark.parametrize(
    ("error", "status"),
    [(RuntimeError("no screenshot"), ActionStatus.FAILED), (DesktopLost("gone"), ActionStatus.UNCERTAIN)],
)
def test_what_a_handler_raises_becomes_a_result(
    handler: dict[str, Any], error: Exception, status: ActionStatus
) -> None:
    """S5.1: never into the loop."""

    def it(params: Mapping[str, Any], context: Hands) -> ActionResult:
        raise error

    handler["it"] = it
    result = wait(Stages(FORM), "navigate", place="File")
    assert result.status is status
    assert str(error) in result.message


def test_a_handler_that_goes_on_for_too_long_is_ended_and_fails(handler: dict[str, Any]) -> None:
    stages = Stages(FORM)

    def it(params: Mapping[str, Any], context: Hands) -> ActionResult:
        while True:
            context.click(Point(1, 1))

    handler["it"] = it
    result = server_side.perform(cast(Any, stages), suggestion("navigate", place="x"), hold(), limit_s=0.02)
    assert result.status is ActionStatus.FAILED
    assert "was not done within" in result.message


def test_a_handler_that_was_stopped_is_no_failure_even_if_it_says_so(handler: dict[str, Any]) -> None:
    row, stages = Row(), Stages(FORM)

    def it(params: Mapping[str, Any], context: Hands) -> ActionResult:
        row.wish = Wish.PAUSE
        try:
            context.click(Point(1, 1))
        except Stopped:
            return ActionResult(status=ActionStatus.FAILED, message="stopped")
        raise AssertionError("it went on")

    handler["it"] = it
    with pytest.raises(Stopped):
        wait(stages, "navigate", by=hold(journal=row), place="File")
    assert stages.log == []


@pytest.mark.parametrize("at", [Box(10, -30, 20, 20), Box(10, 5000, 20, 20), Box(5000, 10, 20, 20)])
def test_nothing_is_clicked_outside_of_the_picture(at: Box) -> None:
    """Nothing was read there, and so nothing can be drawn as it was read."""
    stages = Stages(FORM)
    hands = server_side.LoopHands(cast(Any, stages), suggestion("pick_date"), hold(), limit_s=10)
    assert hands.click_seen(at, FORM)
    assert stages.log == []
    assert not hands.touched


class Restless(Stages):
    """A screen that is another one at each look."""

    def glance(self) -> Glance:
        self.screens.append(self.screens.pop(0))
        return Glance(frame=self.screens[0].frame, window=self.screens[0].window)


def test_a_screen_that_never_stands_still_ends_no_wait_late() -> None:
    """S2.13: one look is begun after the time is over, and no more."""
    stages = Restless(screen(title="One second"), screen(title="The next one"))
    assert wait(stages, "wait_text", text="never", timeout_s=0.3).status is ActionStatus.FAILED
    assert all(stages.wholes[1:])  # a degraded run waits for what is read, too
    assert stages.reads >= 2
