"""The loop on a world that is one node at a time: modes, decisions, control, retries, doubt (S1, S9)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from execution.actions import control
from execution.actions.decide import decide
from execution.choices import ExecutionState, Outcome, PauseReason, PromptKind, StepPhase
from execution.exceptions import LeaseLost
from execution.models import Execution, LearnedCorrection, Prompt
from execution.turn.performing import Performer
from execution.types import Box, DecisionSource, ResolveStatus, ScreenState, TextLine
from sentences.said import say, worded
from tests.doubles.stage import EDGES, Killed, Stage, edge, kill
from tests.doubles.world import World
from workflows.exceptions import PictureAway
from workflows.models import Correction
from workflows.picture_files import PictureFiles, StoreAway

pytestmark = pytest.mark.django_db


def test_an_automatic_run_acts_to_the_end_without_a_person(stage: Any) -> None:
    """S1.5, S1.12: it completes at the end node; the terminal step counts as executed, not as the robot's success."""
    s = stage()
    execution = s.run()
    assert execution.state == ExecutionState.COMPLETED
    assert s.world.acts == ["ab", "bc", "cd"]
    assert s.outcomes() == ["succeeded"] * 3 + ["terminal"]
    assert (execution.steps_executed, execution.steps_succeeded, execution.steps_failed) == (4, 3, 0)
    assert execution.steps.last().message == "No next action (terminal node)"
    assert s.asked == []


def test_events_are_gapless_and_end_with_the_final_state(stage: Any) -> None:
    """S9.5"""
    s = stage()
    execution = s.run()
    events = list(execution.events.order_by("seq"))
    assert [e.seq for e in events] == list(range(1, len(events) + 1))
    assert (events[-1].kind, events[-1].payload["status"]) == ("state", "completed")


def test_coaching_takes_every_answer(stage: Any) -> None:
    """S1.9, S1.10, S1.12, S1.13 in one run: accept, correct, manual."""
    s = stage("coaching")

    def by_hand(prompt: Prompt) -> None:
        s.world.node = "d"
        decide(prompt_id=prompt.pk, choice="manual", source=DecisionSource.PROGRAM)

    correction = {"target": {"point": [0.5, 0.25]}, "params": {"speed": "slow"}}
    execution = s.run("accept", {"choice": "correct", "correction": correction, "feedback": "left of it"}, by_hand)
    assert execution.state == ExecutionState.COMPLETED
    assert s.world.acts == ["ab", "bc"]
    assert s.outcomes() == ["succeeded", "succeeded", "manual", "terminal"]
    stats = execution.coaching_stats()
    assert stats == {
        "suggestions_made": 3,
        "accepted": 1,
        "rejected": 0,
        "corrected": 1,
        "manual_executions": 1,
        "skipped": 0,
        "acceptance_rate": pytest.approx(1 / 3),
        "correction_rate": pytest.approx(1 / 3),
    }
    assert (execution.steps_executed, execution.steps_succeeded) == (4, 2)
    kept = Correction.objects.get()
    assert (kept.edge_id, kept.correction_type, kept.feedback) == ("bc", "target+params", "left of it")
    assert kept.corrected_params == {"speed": "slow"}
    place, rule = LearnedCorrection.objects.order_by("kind").reverse()
    assert (place.of, place.payload["target"]["label"]) == ("t_bc", "bc"), "what was shown is taught"
    assert (rule.of, rule.payload) == ({"speed": None}, {"params": {"speed": "slow"}})


def test_correct_without_a_correction_executes_the_suggestion(stage: Any) -> None:
    """S1.10"""
    s = stage("coaching")
    s.run("correct", "accept", "accept")
    assert s.world.acts == ["ab", "bc", "cd"]
    assert not Correction.objects.exists()


def test_a_skipped_edge_is_passed_and_the_next_edge_of_the_node_is_suggested(stage: Any) -> None:
    """S1.9: the screen cannot be the destination, so the node's next edge comes."""
    s = stage("coaching", [edge("ab", "a", "b"), edge("ac", "a", "c", order=5), *EDGES[1:]])
    execution = s.run("skip", "accept", "accept")
    assert s.world.acts == ["ac", "cd"]
    assert s.outcomes() == ["skipped", "succeeded", "succeeded", "terminal"]
    assert execution.skipped == 1


def test_skipping_everything_asks_and_never_suggests_in_a_ring(stage: Any) -> None:
    """S1.9"""
    s = stage("coaching")
    execution = s.run("skip")
    assert (execution.state, execution.pause_reason) == (ExecutionState.PAUSED, PauseReason.SKIPPED)
    assert len(s.asked) == 1


def test_no_answer_in_time_is_a_skip_in_coaching(stage: Any) -> None:
    """S1.9"""
    s = stage("coaching", coaching_timeout_s=0)
    execution = s.run()
    assert s.outcomes()[0] == "skipped"
    assert execution.steps.first().message == "Nobody answered in 0 seconds: skipped."
    assert s.world.acts == []


def test_no_answer_in_time_is_a_rejection_when_supervised(stage: Any) -> None:
    """S1.8"""
    s = stage("supervised", confirmation_timeout_s=0)
    execution = s.run()
    step = execution.steps.first()
    said = "Nobody answered in 0 seconds: rejected."
    assert (step.outcome, step.message, step.success) == ("rejected", said, False)
    assert s.world.acts == []
    assert (execution.state, execution.pause_reason) == (ExecutionState.PAUSED, PauseReason.REJECTED)


def test_a_rejection_touches_nothing_and_suggests_the_other_edge(stage: Any) -> None:
    """S1.8, S1.9, S1.12: a rejected step is not an executed one."""
    s = stage("coaching", [edge("ab", "a", "b"), edge("ac", "a", "c", order=5), *EDGES[1:]])
    execution = s.run("reject", "accept", "accept")
    assert s.world.acts == ["ac", "cd"]
    assert execution.steps.first().message == "Action rejected by user in COACHING mode"
    assert execution.steps_executed == 3


def test_what_follows_a_rejected_step_is_asked_about_in_automatic_too(stage: Any) -> None:
    """S1.8: a text that would have gone into the field whose click was rejected is not typed without a word."""
    s = stage(edges=[edge("ab", "a", "b"), edge("ac", "a", "c", order=5), *EDGES[1:]])
    s.world.unresolved["ab"] = ResolveStatus.NOT_FOUND
    s.run("reject", "reject")
    assert [p.kind for p in s.asked] == [PromptKind.TARGET, PromptKind.CONFIRMATION]
    assert s.world.acts == []


def test_of_a_screen_that_it_stands_still_at_what_is_masked_is_not_kept(stage: Any) -> None:
    """S10.4"""

    class Read(World):
        def observe(self, *, whole: bool = False) -> ScreenState:
            lines = (TextLine(text=text, box=Box(2, 9, 20, 3), confidence=1.0) for text in self.texts)
            return replace(super().observe(), texts=tuple(lines), text_method="test")

    s = stage(fields={"mask_patterns": ["email"]}, world=Read)
    s.world.node, s.world.texts = None, ("Serveur indisponible", "ada.m@example.fr")
    kept = s.run().pause_detail["perception"]
    assert "Serveur indisponible" in kept["detected_text"]
    assert not [text for text in kept["detected_text"] if "example" in text]
    assert len(kept["text_boxes"]) == len(kept["detected_text"]) == 2


def test_an_unknown_screen_pauses_after_the_fifth_look(stage: Any) -> None:
    """S1.6"""
    s = stage()
    looks = []
    s.world.node, s.world.on_observe = None, lambda world: looks.append(1)
    execution = s.run()
    assert (execution.state, execution.pause_reason) == (ExecutionState.PAUSED, PauseReason.NO_MATCH)
    assert len(looks) == 5
    assert execution.pause_detail["picture"]
    assert s.resume(node_id="b").state == ExecutionState.COMPLETED
    assert s.world.acts == ["bc", "cd"]


def test_a_match_resets_the_count_of_misses(stage: Any) -> None:
    """S1.6"""
    s = stage("observation", max_no_match_retries=3)
    plan = [None, None, "a", None, None, "b", None, None, "c", "d", "d"]
    s.world.on_observe = lambda world: setattr(world, "node", plan.pop(0) if plan else "d")
    assert s.run().state == ExecutionState.COMPLETED


def test_observation_never_acts_and_says_whether_the_person_agreed(stage: Any) -> None:
    """S1.1, S1.18: one step per visit."""
    s = stage("observation", [*EDGES, edge("bd", "b", "d", order=9)])
    plan = ["a", "a", "b", "b", "b", "d"]
    s.world.on_observe = lambda world: setattr(world, "node", plan.pop(0) if plan else "d")
    execution = s.run()
    assert s.world.acts == []
    observed = execution.steps.filter(outcome=Outcome.OBSERVED)
    assert [(x.node_id, x.agreed) for x in observed] == [("a", True), ("b", False)]
    assert execution.steps_executed == 3
    assert execution.steps_succeeded == 0


@pytest.mark.parametrize("why", [ResolveStatus.AMBIGUOUS, ResolveStatus.NOT_FOUND])
@pytest.mark.parametrize("mode", ["automatic", "supervised"])
def test_a_target_that_is_not_certain_becomes_a_prompt_and_is_not_guessed(stage: Any, mode: str, why: Any) -> None:
    """S5.3: ambiguity is not a guess."""
    s = stage(mode)
    s.world.unresolved["ab"] = why

    def point(prompt: Prompt) -> None:
        assert prompt.kind == PromptKind.TARGET
        assert "accept" not in prompt.choices
        assert s.world.acts == []
        decide(
            prompt_id=prompt.pk,
            choice="correct",
            correction={"target": {"point": [0.1, 0.1]}},
            source=DecisionSource.PROGRAM,
        )

    execution = s.run(point, "accept", "accept")
    assert execution.state == ExecutionState.COMPLETED


def test_what_was_done_is_not_done_again_because_the_screen_still_looks_like_before(stage: Any) -> None:
    """S9.3: recognition that contradicts what was seen done is a screen not known, never a second act."""
    s = stage()
    s.world.on_observe = lambda world: setattr(world, "node", "a") if "ab" in world.acts and world.verified else None
    s.world.verified = False
    verify = s.world.verify

    def seen_once(*args: Any) -> Any:
        s.world.verified = True
        return verify(*args)

    s.world.verify = seen_once
    execution = s.run()
    assert s.world.acts == ["ab"]
    assert (execution.state, execution.pause_reason) == (ExecutionState.PAUSED, PauseReason.NO_MATCH)


def test_a_new_loop_knows_what_the_one_before_it_had_done(stage: Any) -> None:
    """S9.3: told to leave after an action; the next loop finds the screen as before it, and does not do it again."""
    s = stage()
    s.left_after(1)
    assert s.world.acts == ["ab"]
    s.world.node = "a"
    execution = s.run()
    assert s.world.acts == ["ab"]
    assert (execution.state, execution.pause_reason) == (ExecutionState.PAUSED, PauseReason.NO_MATCH)
    assert s.resume().state == ExecutionState.PAUSED, "going on is no leave to do it again; picking the screen is"
    assert s.resume(node_id="a").state == ExecutionState.COMPLETED
    assert s.world.acts == ["ab", "ab", "bc", "cd"]


def test_seen_untouched_it_is_done_once_more_where_nobody_called_it_opaque(stage: Any) -> None:
    """S9.3, S1.16"""
    s = stage(edges=[edge("ab", "a", "b", effect_class="observable"), *EDGES[1:]])
    s.world.effects["ab"], s.world.untouched = ["nothing", "done"], True
    assert s.run().state == ExecutionState.COMPLETED
    assert s.world.acts == ["ab", "ab", "bc", "cd"]


def test_a_stop_ends_a_wait_at_once_as_a_rejection(stage: Any) -> None:
    """S1.7"""
    s = stage("coaching")
    execution = s.run(lambda prompt: control.stop(execution_id=s.execution.execution_id) and None)
    assert execution.state == ExecutionState.STOPPED
    assert execution.error == "Execution ended in state: stopped"
    assert (s.outcomes(), s.world.acts) == (["rejected"], [])


def test_a_pause_takes_effect_before_the_action(stage: Any) -> None:
    """S1.7"""
    s = stage()
    s.world.on_observe = lambda world: (
        control.pause(execution_id=s.execution.execution_id) if s.row().state == "running" and not world.acts else None
    )
    execution = s.run()
    assert (execution.state, execution.pause_reason) == (ExecutionState.PAUSED, PauseReason.ASKED)
    assert s.world.acts == []
    s.world.on_observe = None
    assert s.resume().state == ExecutionState.COMPLETED


def crash(s: Stage, effect: str) -> None:
    """Run until the act, and die right after it, before its result is recorded."""
    s.world.effects["ab"] = [effect]
    settle = s.world.settle
    s.world.settle = kill  # type: ignore[method-assign]
    with pytest.raises(Killed):
        s.loop.run()
    s.world.settle = settle  # type: ignore[method-assign]
    assert s.row().steps.get().phase == StepPhase.INTENT


@pytest.mark.parametrize(
    ("answer", "acts"), [("done", ["ab", "bc", "cd"]), ("retry", ["ab", "ab", "bc", "cd"]), ("stop", ["ab"])]
)
def test_after_a_crash_in_an_opaque_action_a_person_is_asked(stage: Any, answer: str, acts: list[str]) -> None:
    """S9.2, S9.3: done, retry, stop."""
    s = stage()
    crash(s, "nothing")
    s.begin()

    def say(prompt: Prompt) -> None:
        assert (prompt.kind, prompt.choices) == (PromptKind.IN_DOUBT, ("done", "retry", "stop"))
        assert s.world.acts == ["ab"]
        if answer == "done":
            s.world.node = "b"
        decide(prompt_id=prompt.pk, choice=answer, source=DecisionSource.PROGRAM)

    execution = s.run(say)
    assert s.world.acts == acts
    assert execution.state == (ExecutionState.STOPPED if answer == "stop" else ExecutionState.COMPLETED)


def test_a_loop_that_lost_its_run_stops_acting_at_once(stage: Any) -> None:
    """S9.4"""
    s = stage()
    s.world.on_observe = lambda world: Execution.objects.filter(pk=s.execution.pk).update(epoch=99)
    with pytest.raises(LeaseLost):
        s.loop.run()
    assert s.world.acts == []
    assert s.row().state == ExecutionState.RUNNING


def test_a_full_disk_pauses_before_anything_is_done(
    stage: Any, monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Any
) -> None:
    """Bad input: disk full while storing a picture."""
    settings.DATA_DIR = tmp_path
    s = stage()

    def full(*paths: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.replace", full)
        execution = s.run()
    assert (execution.state, execution.pause_reason) == (ExecutionState.PAUSED, PauseReason.STORAGE)
    assert "No space left" in worded(execution.pause_detail["message"])
    assert s.world.acts == []
    assert s.resume().state == ExecutionState.COMPLETED


@pytest.fixture
def store_away(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Any) -> Any:
    """`store_away(True)`: whatever is asked of the store of pictures, it does not answer."""
    settings.DATA_DIR = tmp_path
    away = [False]

    def unless_away(did: Any) -> Any:
        def does(*asked: Any) -> Any:
            if away[0]:
                raise StoreAway(say("pictures.store_silent"))
            return did(*asked)

        return does

    for name in ("touch", "save", "open", "read", "size", "exists"):
        monkeypatch.setattr(PictureFiles, name, unless_away(getattr(PictureFiles, name)))
    return lambda is_so: away.__setitem__(0, is_so)


def test_a_store_that_goes_away_in_an_act_costs_its_picture_and_not_its_result(stage: Any, store_away: Any) -> None:
    """S9.2: what was done is recorded, nothing is done after it, and nothing twice."""
    s = stage()
    s.world.on_act = lambda edge_id: store_away(edge_id == "bc")
    execution = s.run()
    assert (execution.state, execution.pause_reason) == (ExecutionState.PAUSED, PauseReason.STORAGE)
    assert s.world.acts == ["ab", "bc"]
    done = execution.steps.get(edge_id="bc")
    assert (done.outcome, done.phase, done.picture_after) == (Outcome.SUCCEEDED, StepPhase.CLOSED, "")
    store_away(False)
    assert s.resume().state == ExecutionState.COMPLETED
    assert s.world.acts == ["ab", "bc", "cd"]


def test_what_was_begun_when_a_picture_could_not_be_read_is_looked_at_before_anything_else(stage: Any) -> None:
    """S9.2: the step stays in doubt, and a person is asked."""
    s = stage()

    def away(edge_id: str) -> None:
        s.world.on_act = lambda edge_id: None
        raise PictureAway(say("pictures.not_read", where="there", why=say("pictures.store_silent")))

    s.world.on_act = away
    execution = s.run()
    assert (execution.state, execution.pause_reason) == (ExecutionState.PAUSED, PauseReason.STORAGE)
    step = execution.steps.get()
    assert step.phase == StepPhase.INTENT
    assert s.resume("retry").state == ExecutionState.COMPLETED
    step.refresh_from_db()
    assert (step.phase, step.outcome) != (StepPhase.INTENT, "")


def test_an_act_that_came_to_nothing_is_looked_at_again_where_the_store_goes_before_the_next(
    stage: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S9.2: what it did may have come late, meanwhile."""
    s = stage(edges=[edge("ab", "a", "b", effect_class="idempotent", retries=1), *EDGES[1:]])
    s.world.effects["ab"] = ["nothing", "done"]

    def away(*args: Any) -> None:
        monkeypatch.undo()
        raise PictureAway(say("pictures.not_read", where="there", why=say("pictures.store_silent")))

    monkeypatch.setattr(Performer, "_looked_again", away)
    execution = s.run()
    assert (execution.state, execution.pause_reason) == (ExecutionState.PAUSED, PauseReason.STORAGE)
    step = execution.steps.get()
    assert (step.phase, len(step.attempts), s.world.acts) == (StepPhase.INTENT, 1, ["ab"])
    s.world.node = "b"
    assert s.resume().state == ExecutionState.COMPLETED
    assert s.world.acts == ["ab", "bc", "cd"]


def test_a_slow_analysis_degrades_the_steps_after_it_until_a_coach_lifts_it(stage: Any) -> None:
    """S2.4"""
    s = stage()
    s.world.on_act = lambda edge_id: (
        (setattr(s.world, "degraded", True), setattr(s.world, "degraded_reason", "slow"))
        if edge_id == "ab"
        else control.lift_degraded(execution_id=s.execution.execution_id)
    )
    execution = s.run()
    kinds = list(execution.events.values_list("kind", flat=True))
    assert kinds.count("degraded") == 1
    assert not execution.degraded
    assert not s.world.degraded


def test_what_a_loop_that_died_had_put_on_the_screen_is_known_to_the_next(stage: Any) -> None:
    """S9.8: it is looked at before it is saved; what was put on an earlier screen is not."""
    types = {"action_type": "type_text", "params": {"text": "Ann"}}
    s = stage("automatic", [edge("early", "a", "a", **types), EDGES[0], edge("late", "b", "b", **types), *EDGES[1:]])
    s.killed_after(4)
    assert s.world.put == ["late"]
