"""What the loop asks right before an action, dialogs that come in between, and scrolling to what is not in sight."""

from __future__ import annotations

from typing import Any

import pytest

from execution.actions import control
from execution.actions.decide import decide
from execution.choices import ExecutionState, Outcome, PauseReason, PromptKind
from execution.matching.dialogs import Dialog
from execution.models import Prompt
from execution.types import Box, DecisionSource, Match, Recognition, ResolveStatus
from sentences.said import from_json
from tests.doubles.stage import EDGES, Stage, edge
from tests.doubles.world import World

pytestmark = pytest.mark.django_db

IDENTITY = [{"label": "Patient", "value": "Ada"}]
OURS = [edge("ab", "a", "b", identity=IDENTITY, settle_timeout_ms=0), *EDGES[1:]]
UPDATE = {"name": "Update", "window_title": "Update*", "keys": "escape"}


# --- identity and what must be seen before -------------------------------------------------------------------------
@pytest.mark.parametrize("mode", ["automatic", "coaching"])
def test_another_record_is_not_acted_on_in_any_mode(stage: Any, mode: str) -> None:
    """S9.6: no act, a prompt that says which check failed; without an answer it is rejected."""
    s = stage(mode, OURS, coaching_timeout_s=None if mode == "automatic" else 60)
    s.world.shown = "Bob"
    accepted = [] if mode == "automatic" else ["accept"]
    execution = s.run(*accepted, "reject")
    asked = s.asked[-1]
    assert s.world.acts == []
    assert asked.kind == PromptKind.IDENTITY
    assert (asked.choices, asked.timeout_choice) == (("retry", "manual", "skip", "reject"), "reject")
    assert "Ada" in asked.message
    assert "record" in asked.message
    step = execution.steps.first()
    assert step.outcome == Outcome.REJECTED
    assert "Ada" in step.message
    assert (execution.state, execution.pause_reason) == (ExecutionState.PAUSED, PauseReason.REJECTED)


def test_looking_again_finds_the_record_that_a_person_opened(stage: Any) -> None:
    s = stage("automatic", OURS)
    s.world.shown = "Bob"

    def opened(prompt: Prompt) -> None:
        s.world.shown = "Ada"
        decide(prompt_id=prompt.pk, choice="retry", source=DecisionSource.PROGRAM)

    assert s.run(opened).state == ExecutionState.COMPLETED
    assert s.world.acts == ["ab", "bc", "cd"]


@pytest.mark.parametrize(("choice", "outcome"), [("manual", "manual"), ("skip", "skipped")])
def test_a_person_can_do_it_or_skip_it_where_the_robot_may_not(stage: Any, choice: str, outcome: str) -> None:
    s = stage("automatic", OURS)
    s.world.shown = "Bob"

    def answer(prompt: Prompt) -> None:
        s.world.node = "b"
        decide(prompt_id=prompt.pk, choice=choice, source=DecisionSource.PROGRAM)

    assert s.run(answer).state == ExecutionState.COMPLETED
    assert s.outcomes()[0] == outcome
    assert s.world.acts == ["bc", "cd"]


def test_the_record_is_checked_after_the_person_said_yes(stage: Any) -> None:
    """S9.6: what was right when the question was put may not be when it is answered."""
    s = stage("supervised", OURS)
    s.world.shown = "Ada"

    def slowly(prompt: Prompt) -> None:
        s.world.shown = "Bob"
        decide(prompt_id=prompt.pk, choice="accept", source=DecisionSource.PROGRAM)

    s.run(slowly, "reject")
    assert s.world.acts == []
    assert s.asked[-1].kind == PromptKind.IDENTITY


def test_a_late_screen_is_acted_on_once_it_shows_what_it_must(stage: Any) -> None:
    s = stage("automatic", [edge("ab", "a", "b", identity=IDENTITY, settle_timeout_ms=60_000), *EDGES[1:]])
    looks = iter(range(100))
    s.world.on_observe = lambda world: setattr(world, "shown", "Ada" if next(looks) > 5 else "")
    assert s.run().state == ExecutionState.COMPLETED
    assert s.asked == []


@pytest.mark.parametrize("wish", [control.pause, control.stop])
def test_waiting_for_what_must_be_seen_ends_at_once_when_asked_to(stage: Any, wish: Any) -> None:
    """S1.7"""
    s = stage("automatic", [edge("ab", "a", "b", identity=IDENTITY, settle_timeout_ms=600_000), *EDGES[1:]])
    looks = iter(range(10_000))

    def asked_for(world: World) -> None:
        if next(looks) == 4:
            wish(execution_id=s.execution.execution_id)

    s.world.on_observe = asked_for
    execution = s.run()
    assert execution.state == (ExecutionState.PAUSED if wish is control.pause else ExecutionState.STOPPED)
    assert s.outcomes() == ["interrupted"]
    assert s.world.acts == []


# --- a screen that changes under the action --------------------------------------------------------------------------
def test_an_automatic_click_notices_that_the_screen_changed(stage: Any) -> None:
    """Between looking and acting another screen came: nothing is done there, and nobody leaps (S1.22)."""
    s = stage("automatic")
    moved = iter([True])
    s.world.on_glance = lambda world: setattr(world, "node", "b") if next(moved, False) else None
    execution = s.run()
    assert s.world.acts == []
    assert s.outcomes() == ["interrupted"]
    assert "changed before the action" in execution.steps.first().message
    assert execution.pause_reason == PauseReason.LEAP


def test_a_screen_that_never_stands_still_is_asked_about_in_the_end(stage: Any) -> None:
    s = stage("automatic", max_no_match_retries=3)
    s.world.what_changed = lambda *args, **more: "The place of the target does not look as it did."
    execution = s.run()
    assert s.world.acts == []
    assert (execution.state, execution.pause_reason) == (ExecutionState.PAUSED, PauseReason.FAILED_ACTION)
    assert s.outcomes() == ["interrupted"] * 3


# --- dialogs ---------------------------------------------------------------------------------------------------------
def came_over(s: Stage) -> None:
    s.world.popup, s.world.node = "Update", None


def test_a_dialog_the_workflow_knows_is_closed_and_recorded(stage: Any) -> None:
    s = stage("automatic", popups=[UPDATE])
    s.world.popup = "Update"
    execution = s.run()
    first = execution.steps.first()
    assert execution.state == ExecutionState.COMPLETED
    assert s.world.acts == ["Close “Update”", "ab", "bc", "cd"]
    assert (first.sentence, first.message, first.verified) == ("Close “Update”", "Closed “Update”.", "yes")
    assert first.edge_id == ""
    assert "Closed “Update”." in [from_json(e.payload.get("message")) for e in execution.events.filter(kind="step")]


def test_a_dialog_that_stays_is_tried_three_times_and_then_brought_to_a_person(stage: Any) -> None:
    s = stage("automatic", popups=[UPDATE])
    s.world.popup, s.world.stubborn = "Update", True
    execution = s.run()
    assert s.world.acts == ["Close “Update”"] * 3
    assert s.outcomes() == ["failed"] * 3
    assert (execution.state, execution.pause_reason) == (ExecutionState.PAUSED, PauseReason.DIALOG)
    assert "Update" in from_json(execution.pause_detail["message"])


def test_a_supervised_run_asks_before_it_closes_a_dialog(stage: Any) -> None:
    s = stage("supervised", popups=[UPDATE], max_no_match_retries=1)
    came_over(s)
    execution = s.run("reject")
    assert s.asked[0].message == "Execute action: Close “Update”?"
    assert s.world.acts == []
    assert execution.state == ExecutionState.PAUSED


def test_a_watching_run_never_closes_a_dialog(stage: Any) -> None:
    """S1.1"""
    s = stage("observation", popups=[UPDATE], max_no_match_retries=1)
    came_over(s)
    s.run()
    assert s.world.acts == []


def test_a_dialog_nobody_declared_is_told_as_a_dialog_over_the_screen(stage: Any) -> None:
    s = stage("automatic", max_no_match_retries=2)
    s.journal.on_step.append(lambda step: setattr(s.world, "dialog", "Disk full"))
    s.world.on_observe = lambda world: setattr(world, "node", None) if world.dialog else None
    execution = s.run()
    assert execution.pause_reason == PauseReason.DIALOG
    assert from_json(execution.pause_detail["message"]) == "A dialog came over “A”: “Disk full”: OK"
    assert execution.pause_detail["picture"]


def test_a_dialog_over_a_screen_that_the_run_has_just_come_to_is_told_as_one(stage: Any) -> None:
    """What was known last is the screen before; the most similar one is what it lies over."""
    s = stage("automatic", max_no_match_retries=2)
    recognise, like_b = s.world.recognise, Recognition(match=None, candidates=(Match(node_id="b", confidence=0.0),))
    s.journal.on_step.append(lambda step: setattr(s.world, "dialog", "Disk full"))
    s.world.recognise = lambda *args, **more: like_b if s.world.dialog else recognise(*args, **more)
    s.world.dialog_over_recognised = lambda state, match, known: (
        Dialog(title="Disk full", texts=("OK",), box=Box(0, 0, 9, 9))
        if s.world.dialog and match.node_id == "b"
        else None
    )
    s.world.dialog_over = lambda state, known: None
    execution = s.run()
    assert execution.pause_reason == PauseReason.DIALOG
    assert from_json(execution.pause_detail["message"]) == "A dialog came over “B”: “Disk full”: OK"
    assert s.world.acts == ["ab"]


def test_nothing_is_done_on_a_page_that_can_be_read_behind_a_dialog(stage: Any) -> None:
    """S1.6, S5.2: the page is recognised as ever; what lies over it is named, and given to the pages with its place."""
    s = stage("automatic", max_no_match_retries=2)
    s.journal.on_step.append(lambda step: setattr(s.world, "dialog", "Disk full"))
    execution = s.run()
    assert execution.pause_reason == PauseReason.DIALOG
    assert execution.pause_detail["dialog"]["title"] == "Disk full"
    assert s.world.acts == ["ab"]


def test_a_loop_that_died_while_closing_a_dialog_looks_anew(stage: Any) -> None:
    """S9.1, S9.2: the step in doubt belongs to no edge; whether the dialog is there is seen by looking."""
    s = stage("automatic", popups=[UPDATE])
    s.world.popup = "Update"

    def dies(*args: Any) -> Any:
        raise SystemExit

    act, s.world.act = s.world.act, dies
    with pytest.raises(SystemExit):
        s.run()
    s.robot.delete()
    s.world.act = act
    type(s.execution).objects.filter(pk=s.execution.pk).update(lease_until=None)
    s.robot = type(s.robot).objects.create(name="here:7", desktop="here:7", host="here", pid=2)
    s.begin()
    assert s.run().state == ExecutionState.COMPLETED
    assert s.outcomes()[0] == "interrupted"


# --- scrolling -------------------------------------------------------------------------------------------------------
SCROLLED = [
    edge(
        "ab",
        "a",
        "b",
        target={"target_id": "t_ab", "label": "ab", "text": "ab", "evidence": {"scroll_box": [0, 0, 1, 1]}},
    ),
    *EDGES[1:],
]


@pytest.mark.parametrize("mode", ["automatic", "coaching"])
def test_what_is_not_in_sight_is_scrolled_to_before_anyone_is_asked(stage: Any, mode: str) -> None:
    s = stage(mode, SCROLLED)
    s.world.unresolved["ab"], s.world.scrolls_left = ResolveStatus.NOT_FOUND, 5

    def comes_into_sight(world: World) -> None:
        if world.scrolls_left == 3:
            world.unresolved.clear()

    s.world.on_scroll = comes_into_sight
    answers = [] if mode == "automatic" else ["accept"] * 3
    assert s.run(*answers).state == ExecutionState.COMPLETED
    assert s.world.acts == ["scroll 4", "scroll 4", "ab", "bc", "cd"]
    assert PromptKind.TARGET not in [p.kind for p in s.asked]


def test_what_scrolling_does_not_find_is_asked_about(stage: Any) -> None:
    s = stage("automatic", SCROLLED)
    s.world.unresolved["ab"], s.world.scrolls_left = ResolveStatus.NOT_FOUND, 2
    s.run("reject")
    assert s.world.acts == ["scroll 4", "scroll 4"]
    assert s.asked[0].kind == PromptKind.TARGET
    assert "scrolling, 2 times" in s.asked[0].message


def test_watching_does_not_scroll(stage: Any) -> None:
    s = stage("observation", SCROLLED)
    s.world.unresolved["ab"], s.world.scrolls_left = ResolveStatus.NOT_FOUND, 2
    plan = ["a", "a", "a", "b", "c", "d"]
    s.world.on_observe = lambda world: setattr(world, "node", plan.pop(0) if plan else "d")
    s.run()
    assert s.world.acts == []


def test_scrolling_stops_when_the_run_is_asked_to(stage: Any) -> None:
    """S1.7"""
    s = stage("automatic", SCROLLED)
    s.world.unresolved["ab"], s.world.scrolls_left = ResolveStatus.NOT_FOUND, 50
    s.world.on_scroll = lambda world: control.pause(execution_id=s.execution.execution_id)
    assert s.run().state == ExecutionState.PAUSED
    assert s.world.acts == ["scroll 4"]
