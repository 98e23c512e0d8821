"""S6.4: what a coach shows is gone by from the next step on, tried before it is trusted, off once it was wrong."""

from __future__ import annotations

from typing import Any

import pytest

from execution.actions.corrections import put_correction
from execution.actions.decide import decide
from execution.actions.mark import mark
from execution.choices import CorrectionState, ExecutionState, PromptKind, PromptState, UseOutcome
from execution.models import CorrectionUse, Execution, LearnedCorrection, Prompt, Step
from execution.record import corrections
from execution.types import DecisionSource, ResolveStatus
from sentences.said import worded
from tests.doubles.stage import Killed, Stage, edge
from workflows.actions.publish import publish
from workflows.models import Correction, Target

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("tried_on_one")]

SHOWN = {"choice": "correct", "correction": {"target": {"point": [0.5, 0.25]}}}
NOT_FOUND = ResolveStatus.NOT_FOUND


@pytest.fixture
def again(stage: Any) -> Any:
    """Runs of one workflow, one after the other, on a world where the target of "bc" is not found any more."""
    made: list[Stage] = []

    def begin(mode: str = "automatic", **fields: Any) -> Stage:
        one = stage(mode, **fields) if not made else Stage.again(made[-1], mode, **fields)
        made.append(one)
        one.world.unresolved["bc"] = NOT_FOUND
        return one

    return begin


def learned() -> LearnedCorrection:
    return LearnedCorrection.objects.get()


def outcomes() -> list[tuple[bool, str]]:
    return list(CorrectionUse.objects.order_by("pk").values_list("ordered", "outcome"))


def test_what_was_shown_once_is_suggested_the_next_time_and_told_where_it_is_from(again: Any) -> None:
    first = again()
    assert first.run(SHOWN).state == ExecutionState.COMPLETED
    row = learned()
    assert (row.kind, row.edge_id, row.node_id, row.state) == ("target", "bc", "b", CorrectionState.ON_TRIAL)
    second = again()
    execution = second.run("accept")
    assert execution.state == ExecutionState.COMPLETED
    assert [prompt.kind for prompt in second.asked] == [PromptKind.CONFIRMATION], "automatic asks while it is on trial"
    said = worded(second.asked[0].message)
    assert f"Learned from run {first.execution.pk}, step {row.step}, on " in said
    assert "on trial" in said
    kept = execution.steps.get(edge_id="bc").suggestion["learned"]
    assert [(one["correction"], one["part"], one["on_trial"]) for one in kept] == [(row.key, "place", True)]
    assert outcomes() == [(True, UseOutcome.RIGHT), (False, UseOutcome.RIGHT)]


def test_right_twice_in_a_row_it_acts_by_itself(again: Any) -> None:
    again().run(SHOWN)
    for _ in range(2):
        assert learned().state == CorrectionState.ON_TRIAL
        again().run("accept")
    assert (learned().state, learned().streak) == (CorrectionState.TRUSTED, 2)
    alone = again()
    assert alone.run().state == ExecutionState.COMPLETED
    assert alone.asked == []
    assert learned().streak == 3


def test_one_run_proves_it_once_however_often_it_comes_there(again: Any) -> None:
    """What went well three times in one run is one screen of one day: nothing of it acts alone in that run."""
    one = again()
    one.world.unresolved["cd"] = NOT_FOUND
    one.run(SHOWN, "reject")
    for _ in range(3):
        one.resume("accept", "reject", node_id="b")
    assert (learned().state, learned().streak) == (CorrectionState.ON_TRIAL, 1)
    assert [prompt.kind for prompt in one.asked if prompt.step.edge_id == "bc"] == [
        PromptKind.TARGET, *[PromptKind.CONFIRMATION] * 3
    ]  # fmt: skip


def test_what_was_proved_in_one_theme_is_proved_anew_in_another_and_then_trusted_in_both(again: Any) -> None:
    """As often as at first; meanwhile it stays trusted where it was."""

    def asked(*answers: Any, light: bool = False) -> int:
        one = again()
        one.world.light = light
        assert one.run(*answers).state == ExecutionState.COMPLETED
        return len(one.asked)

    def proved() -> list[tuple[str, int, bool]]:
        return [(one["theme"], one["runs"], one["trusted"]) for one in learned().proved]

    again().run(SHOWN)
    assert [asked("accept"), asked("accept"), asked()] == [1, 1, 0]
    assert asked("accept", light=True) == 1
    assert (proved(), learned().state) == ([("dark", 3, True), ("light", 1, False)], CorrectionState.TRUSTED)
    assert asked() == 0, "where it was proved nobody is asked"
    assert [asked("accept", light=True), asked(light=True), asked()] == [1, 0, 0]
    assert proved() == [("light", 3, True), ("dark", 5, True)], "those used last at the end"


def test_a_run_whose_screen_changes_its_theme_proves_it_once_in_each(again: Any) -> None:
    again().run(SHOWN)
    again().run("accept")
    one = again()
    one.world.unresolved["cd"] = NOT_FOUND
    one.run("accept", "reject")
    one.world.light = True
    for _ in range(2):
        one.resume("accept", "reject", node_id="b")
    assert [(p["theme"], p["runs"], p["trusted"]) for p in learned().proved] == [
        ("dark", 2, True), ("light", 1, False)
    ]  # fmt: skip


def test_what_a_person_trusts_needs_no_other_run(again: Any) -> None:
    one = again()
    one.world.unresolved["cd"] = NOT_FOUND
    one.run(SHOWN, "reject")
    put_correction(correction_id=learned().pk, state="trusted", reason="it is plain")
    one.resume("reject", node_id="b")
    assert one.world.acts == ["ab", "bc", "bc"]
    assert [prompt.step.edge_id for prompt in one.asked] == ["bc", "cd", "cd"]


def test_how_often_is_a_setting(again: Any, settings: Any) -> None:
    settings.LEARNING_PROVED_AFTER = 1
    again().run(SHOWN)
    again().run("accept")
    assert learned().state == CorrectionState.TRUSTED


def test_a_refused_suggestion_is_off_at_once_and_that_is_told(again: Any) -> None:
    again().run(SHOWN)
    second = again()
    execution = second.run("reject")
    assert second.world.acts == ["ab"]
    assert learned().state == CorrectionState.OFF
    told = [e.payload for e in execution.events.filter(kind="error")]
    assert any(one["kind"] == "correction" for one in told)
    third = again()
    third.run("reject")
    assert third.asked[0].kind == PromptKind.TARGET, "it is not suggested any more"


def test_a_coach_who_shows_another_place_switches_it_off_and_teaches_that(again: Any) -> None:
    again().run(SHOWN)
    other = {"choice": "correct", "correction": {"target": {"point": [0.9, 0.9]}}}
    again("coaching").run("accept", other, "accept")
    states = list(LearnedCorrection.objects.order_by("pk").values_list("state", flat=True))
    assert states == [CorrectionState.OFF, CorrectionState.ON_TRIAL]


def test_a_wrong_coach_is_found_out_at_the_first_failed_verification(again: Any) -> None:
    """What he ordered was done once; nothing is done on his word after it was seen to be wrong."""
    first = again()
    first.world.effects["bc"] = ["nothing"] * 9
    first.run(SHOWN, "stop")
    assert first.world.acts == ["ab", "bc"]
    assert learned().state == CorrectionState.OFF, "before anybody answers whether it was done"
    second = again()
    second.run(lambda prompt: second.leave.set())
    assert second.asked[0].kind == PromptKind.TARGET
    assert second.world.acts == ["ab"]


def test_a_trusted_one_that_fails_is_off_before_it_acts_again(again: Any) -> None:
    again().run(SHOWN)
    again().run("accept")
    again().run("accept")
    bad = again()
    bad.world.effects["bc"] = ["nothing"] * 9
    bad.run("retry", lambda prompt: bad.leave.set())
    assert bad.world.acts == ["ab", "bc"], "one act on its word, and none after it"
    assert learned().state == CorrectionState.OFF
    uses = learned().uses.filter(outcome=UseOutcome.WRONG)
    assert [use.step.execution_id for use in uses] == [bad.execution.pk], "what it did is listed"


def test_a_person_who_says_that_it_was_done_counts_more_than_what_was_seen(again: Any) -> None:
    again().run(SHOWN)
    second = again()

    def done(prompt: Prompt) -> None:
        second.world.node = "c"
        decide(prompt_id=prompt.pk, choice="done", source=DecisionSource.PROGRAM)

    second.world.effects["bc"] = ["nothing"] * 9
    second.run("accept", done)
    assert learned().state == CorrectionState.ON_TRIAL
    assert learned().streak == 1


def test_a_mark_afterwards_switches_it_off_and_on_again(again: Any) -> None:
    """S6.5: of several words the newest counts."""
    again().run(SHOWN)
    execution = again().run("accept")
    step = execution.steps.get(edge_id="bc")
    mark(step=step, feedback="incorrect", reason="the other patient")
    assert learned().state == CorrectionState.OFF
    mark(step=step, feedback="correct")
    assert (learned().state, learned().streak) == (CorrectionState.ON_TRIAL, 1)


def test_what_was_taught_is_never_outvoted(again: Any) -> None:
    """Found as it was taught, and elsewhere as it was shown: that is a contradiction, and a person decides."""
    again().run(SHOWN)
    again().run("accept")
    again().run("accept")
    assert learned().state == CorrectionState.TRUSTED
    both = again()
    both.world.unresolved.clear()
    both.world.looks_differ = True
    execution = both.run("accept")
    assert [prompt.kind for prompt in both.asked] == [PromptKind.CONFIRMATION]
    assert "another place than the workflow" in worded(both.asked[0].message)
    assert execution.steps.get(edge_id="bc").suggestion["box"][0] == pytest.approx(5 / 60, abs=0.001), "the taught one"
    assert learned().state == CorrectionState.OFF, "a person took the taught place, and it was right"


def test_a_corrected_parameter_is_a_rule_with_the_variables_put_back(stage: Any) -> None:
    edges = [
        edge("ab", "a", "b", action_type="type_text", params={"text": "fast"}),
        edge("bc", "b", "c", action_type="type_text", params={"text": "for {{patient}}"}),
        edge("cd", "c", "d"),
    ]
    variables = [{"name": "patient", "label": "Patient", "default": "Ana Costa"}]
    answer = {"choice": "correct", "correction": {"params": {"text": "slow, Bob Li"}}}
    note = {"choice": "correct", "correction": {"params": {"text": "for Cy Wu alone"}}}
    s = stage("coaching", edges, variables=variables, values={"patient": "Bob Li"})
    s.run(answer, note, "accept")
    assert s.row().state == ExecutionState.COMPLETED
    rows = list(LearnedCorrection.objects.filter(kind="params"))
    assert [(row.edge_id, row.of, row.payload) for row in rows] == [
        ("ab", {"text": "fast"}, {"params": {"text": "slow, {{patient}}"}})
    ], "what was typed where a variable was taught is this run's data"
    kept = {row.edge_id: row.corrected_params for row in Correction.objects.all()}
    assert kept == {"ab": {"text": "slow, {{patient}}"}, "bc": {}}
    then = Stage.again(s, "coaching", values={"patient": "Dee Ong"})
    then.run("accept", "accept", "accept")
    assert then.row().steps.get(edge_id="ab").suggestion["params"] == {"text": "slow, Dee Ong"}


def test_in_a_version_that_teaches_the_target_anew_it_is_not_gone_by(again: Any) -> None:
    """S6.4: trusted or not. A run of the version that it was learned in still goes by it."""
    first = again()
    first.run(SHOWN)
    LearnedCorrection.objects.update(state=CorrectionState.TRUSTED, began_as=CorrectionState.TRUSTED)
    workflow = first.execution.version.workflow
    Target.objects.filter(workflow=workflow, target_id="t_bc").update(text="Archive")
    publish(workflow=workflow, user=None)
    second = again()
    assert second.execution.version.number == 2
    second.run("reject")
    assert [prompt.kind for prompt in second.asked] == [PromptKind.TARGET]
    assert second.world.acts == ["ab"]
    assert learned().state == CorrectionState.TRUSTED, "nothing was found out about it"
    Target.objects.filter(workflow=workflow, target_id="t_bc").update(text="bc")
    publish(workflow=workflow, user=None)
    third = again()
    assert third.run().state == ExecutionState.COMPLETED, "taught again as it was then"


# S6.4, S9.2: a loop that dies with corrections on trial leaves nothing decided; whoever goes on asks, and does
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
