"""S6.4, S9.2: a loop that dies with corrections on trial leaves nothing decided; whoever goes on asks, and does nothing
on the word of what is off meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from execution.actions.corrections import put_correction
from execution.actions.decide import decide
from execution.choices import CorrectionState, ExecutionState, PromptKind, PromptState, UseOutcome
from execution.models import CorrectionUse, Execution, LearnedCorrection, Prompt, Step
from execution.record import corrections
from execution.types import DecisionSource, ResolveStatus
from tests.doubles.stage import Killed, Stage

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("tried_on_one")]

SHOWN = {"choice": "correct", "correction": {"target": {"point": [0.5, 0.25]}}}
NOT_FOUND = ResolveStatus.NOT_FOUND


@pytest.fixture
def again(stage: Any) -> Callable[..., Stage]:
    made: list[Stage] = []

    def begin(mode: str = "automatic") -> Stage:
        made.append(Stage.again(made[-1], mode) if made else stage(mode))
        made[-1].world.unresolved["bc"] = NOT_FOUND
        return made[-1]

    return begin


def learned() -> LearnedCorrection:
    return LearnedCorrection.objects.get()


def dies(prompt: Prompt) -> None:
    raise Killed


def killed(one: Stage, *answers: Any) -> None:
    """It runs until it is killed, and its lease is over."""
    with pytest.raises(Killed):
        one.run(*answers)
    Execution.objects.filter(pk=one.execution.pk).update(lease_until=None)
    one.leave.clear()


def goes_on(one: Stage, *answers: Any) -> Execution:
    one.begin()
    assert one.taken_over
    return one.run(*answers)


def kinds(one: Stage) -> list[str]:
    return [prompt.kind for prompt in one.asked if prompt.step.edge_id == "bc"]


def test_a_question_about_one_on_trial_is_asked_again(again: Any) -> None:
    again().run(SHOWN)
    second = again()
    killed(second, dies)
    assert goes_on(second, "accept").state == ExecutionState.COMPLETED
    assert kinds(second) == [PromptKind.CONFIRMATION] * 2
    assert second.world.acts == ["ab", "bc", "cd"]
    assert learned().streak == 1, "the one that was never answered proves nothing"
    assert sorted(CorrectionUse.objects.filter(ordered=False).values_list("acted", "outcome")) == [
        (False, UseOutcome.UNKNOWN), (True, UseOutcome.RIGHT)
    ]  # fmt: skip


@pytest.mark.parametrize("state", ["off", "trusted"])
def test_an_answer_from_before_counts_only_for_what_it_was_given_for(again: Any, state: str) -> None:
    """Somebody agrees while no loop is there; somebody else switches the correction off."""
    again().run(SHOWN)
    second = again()
    killed(second, dies)
    prompt = second.asked[0]
    assert prompt.state == PromptState.OPEN
    decide(prompt_id=prompt.pk, choice="accept", source=DecisionSource.COACH)
    put_correction(correction_id=learned().pk, state=state, reason="seen")
    goes_on(second, "reject")
    if state == "off":
        assert second.world.acts == ["ab"]
        assert kinds(second)[-1] == PromptKind.TARGET
    else:
        assert second.world.acts.count("bc") == 1


def test_what_was_shown_and_not_done_is_on_trial_and_asked_about(again: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The correction is kept, then the loop dies before its act."""
    one = again()
    perform = one.loop.performer.perform

    def die(step: Step, *args: Any) -> Any:
        if step.edge_id == "bc":
            raise Killed
        return perform(step, *args)

    with monkeypatch.context() as patch:
        patch.setattr(one.loop.performer, "perform", die)
        killed(one, SHOWN)
    assert (learned().state, one.world.acts) == (CorrectionState.ON_TRIAL, ["ab"])
    assert goes_on(one, "accept").state == ExecutionState.COMPLETED
    assert kinds(one) == [PromptKind.TARGET, PromptKind.CONFIRMATION]
    assert one.world.acts == ["ab", "bc", "cd"]
    assert (learned().state, learned().streak) == (CorrectionState.ON_TRIAL, 1)
    assert CorrectionUse.objects.get(ordered=True).outcome == UseOutcome.UNKNOWN


@pytest.mark.parametrize("shown", [True, False], ids=["ordered", "suggested"])
def test_an_act_in_doubt_that_is_seen_undone_is_asked_about(again: Any, shown: bool) -> None:
    """It may not have come to what was meant on its word: it is off until a person says otherwise."""
    one = again()
    if not shown:
        one.run(SHOWN)
        one = again()

    def die(edge_id: str) -> None:
        if edge_id == "bc":
            raise Killed

    one.world.on_act = die
    killed(one, SHOWN if shown else "accept")
    one.world.on_act, one.world.node = None, "a"
    goes_on(one, "done")
    assert [prompt.kind for prompt in one.asked][-1] == PromptKind.IN_DOUBT
    use = CorrectionUse.objects.order_by("pk").last()
    assert use is not None
    assert (use.outcome, learned().state) == (UseOutcome.UNKNOWN, CorrectionState.ON_TRIAL), "nobody saw what it did"


def test_what_the_run_itself_has_proved_is_on_trial_after_its_death_too(again: Any) -> None:
    again().run(SHOWN)
    again().run("accept")
    second = again()
    second.world.unresolved["cd"] = NOT_FOUND
    killed(second, "accept", dies)
    assert learned().state == CorrectionState.TRUSTED
    second.world.node = "b"
    goes_on(second, "reject")
    assert second.world.acts.count("bc") == 1
    assert corrections.in_force(second.execution.version.workflow.workflow_id)[0].trusted_in
