"""What an answer may be, what is kept of it, and what whoever is late is told (S1.6, S1.9 to S1.11, S11.3)."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest

from execution.actions.decide import check_correction, check_params, decide, decide_open
from execution.choices import EventKind, ExecutionState, Origin, PromptKind, PromptState
from execution.exceptions import AlreadyDecided, BadDecision, NothingToDecide
from execution.models import Decision, Prompt, Step
from execution.types import DecisionSource
from tests.execution.api.test_decide_api import make_prompt

pytestmark = pytest.mark.django_db


@pytest.fixture
def prompt() -> Prompt:
    """A question about a step of the workflow, on its first screen."""
    asked = make_prompt()
    asked.step.edge_id, asked.step.node_id, asked.step.action_type = "type_patient", "empty_note", "type_text"
    asked.step.save()
    return asked


def state_of(prompt: Prompt) -> str:
    return Prompt.objects.get(pk=prompt.pk).state


# --- what a correction may be ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["box", "point"])
@pytest.mark.parametrize(
    ("value", "fits"),
    [
        (0, True),
        (1, True),
        (0.5, True),
        (-0.001, False),
        (1.001, False),
        ("0.5", False),
        (None, False),
        (float("nan"), False),
    ],
)
def test_a_corrected_place_is_within_the_picture(name: str, value: Any, fits: bool) -> None:
    """S1.10: fractions of the picture; its edges belong to it, and every number counts."""
    length = {"box": 4, "point": 2}[name]
    for place in range(length):
        target = {name: [*[0.5] * place, value, *[0.5] * (length - place - 1)]}
        if fits:
            assert check_correction({"target": target})["target"] == target
        else:
            with pytest.raises(BadDecision, match=f"The {name} of a corrected target is {length} numbers"):
                check_correction({"target": target})


@pytest.mark.parametrize(
    "target",
    [{"box": [0.5] * 3}, {"box": [0.5] * 5}, {"point": [0.5]}, {"point": [0.5] * 3}, {"point": "ab"}, {"point": 7}],
)
def test_a_corrected_place_has_all_its_numbers_and_no_more(target: dict[str, Any]) -> None:
    """S1.10"""
    with pytest.raises(BadDecision, match="of a corrected target"):
        check_correction({"target": target})


def test_a_point_is_looked_at_although_no_box_comes_before_it() -> None:
    with pytest.raises(BadDecision, match="The point"):
        check_correction({"target": {"label": "Save", "point": [7, 7]}})


@pytest.mark.parametrize("name", ["wait_before", "wait_after"])
@pytest.mark.parametrize(
    ("seconds", "kept"), [(0, 0), (1.5, 1.5), ("2", 2), (None, 0), (60, 60), (60.5, None), (-1, None), ("soon", None)]
)
def test_a_wait_is_at_most_a_minute(name: str, seconds: Any, kept: float | None) -> None:
    """S1.10"""
    correction = {"params": {"speed": "slow"}, name: seconds}
    if kept is None:
        with pytest.raises(BadDecision, match=f"{name} is a number of seconds from 0 to 60"):
            check_correction(correction)
    else:
        assert check_correction(correction)[name] == kept


def test_a_wait_that_is_no_number_at_all_is_refused() -> None:
    with pytest.raises(BadDecision, match="wait_after is a number"):
        check_correction({"wait_after": [1]})


def test_without_anything_in_it_there_is_no_correction() -> None:
    """S1.10: the suggestion is executed as it is."""
    assert check_correction({}) == {}
    assert check_correction({"target": {}, "params": {}, "wait_after": 0}) == {}


def test_the_corrected_target_wins_and_parameters_are_merged() -> None:
    """S1.10, S11.11"""
    kept = check_correction(
        {
            "target": {"point": [0.1, 0.1]},
            "corrected_target": {"point": [0.9, 0.9]},
            "params": {"text": "Ada", "speed": "slow"},
            "corrected_params": {"text": "Zoë"},
        }
    )
    assert kept["target"] == {"point": [0.9, 0.9]}
    assert kept["params"] == {"text": "Zoë", "speed": "slow"}


@pytest.mark.parametrize("correction", [["target"], "target", 7])
def test_a_correction_is_an_object(correction: Any) -> None:
    with pytest.raises(BadDecision, match="A correction is an object"):
        check_correction(correction)


@pytest.mark.parametrize("part", ["target", "corrected_target", "params", "corrected_params"])
def test_its_parts_are_objects(part: str) -> None:
    with pytest.raises(BadDecision, match="JSON objects"):
        check_correction({part: [1]})


def test_what_nobody_knows_is_named_and_refused() -> None:
    with pytest.raises(BadDecision, match="has no colour, shape. It may have: action, "):
        check_correction({"shape": 1, "colour": "red", "action": "click"})


@pytest.mark.parametrize("action", ["explode", ["click"], 7])
def test_an_action_that_nobody_knows_is_refused(action: Any) -> None:
    with pytest.raises(BadDecision, match="is no action"):
        check_correction({"action": action})


@pytest.mark.parametrize(
    ("action", "params", "taken"),
    [
        ("", {}, True),
        ("type_text", {}, True),
        ("", {"text": ""}, False),
        ("wait_text", {"text": "Saved"}, True),
        ("wait_text", {}, False),
    ],
    ids=["nothing new", "the same action", "a text taken away", "another action", "another without its text"],
)
def test_another_action_has_all_that_it_takes_and_of_the_same_one_only_what_changed_is_looked_at(
    action: str, params: dict[str, Any], taken: bool
) -> None:
    """S1.10"""
    step = Step(action_type="type_text", suggestion={"params": {}})
    with nullcontext() if taken else pytest.raises(BadDecision, match="must be given"):
        check_params(step, {"action": action, "params": params})


def test_a_programs_own_action_may_be_named_where_it_is_given() -> None:
    """S11.3"""
    assert check_correction({"action": "explode"}, own_actions=["explode"])["action"] == "explode"
    assert check_correction({"action": "double_click"}, own_actions=["explode"])["action"] == "double_click"


# --- what is kept ---------------------------------------------------------------------------------------------------
def test_an_answer_closes_the_question_and_is_told(prompt: Prompt, operator: Any) -> None:
    """S1.9, S8.2"""
    made = decide(prompt_id=prompt.pk, choice="skip", user=operator, feedback="not today", origin=Origin.PAGE)
    assert state_of(prompt) == PromptState.ANSWERED
    assert (made.choice, made.source, made.name, made.feedback) == ("skip", "coach", operator.username, "not today")
    event = prompt.execution.events.get()
    assert (event.kind, event.payload["choice"]) == (EventKind.DECISION, "skip")
    assert event.payload["decided_by"] == operator.username


@pytest.mark.parametrize("source", list(DecisionSource))
def test_only_people_answer_with_a_name(prompt: Prompt, operator: Any, source: DecisionSource) -> None:
    """S1.24, S11.3: a program answers as a program, a time-out as nobody."""
    made = decide(prompt_id=prompt.pk, choice="reject", user=operator, source=source)
    people = source in (DecisionSource.COACH, DecisionSource.STOP)
    assert made.name == (operator.username if people else "")


def test_a_correction_goes_with_a_correcting_answer_alone(prompt: Prompt) -> None:
    """S1.10: with another answer it is left out, and not checked either."""
    made = decide(prompt_id=prompt.pk, choice="accept", correction={"colour": "red"})
    assert made.correction == {}


def test_a_correction_that_is_refused_leaves_the_question_open(prompt: Prompt) -> None:
    with pytest.raises(BadDecision):
        decide(prompt_id=prompt.pk, choice="correct", correction={"colour": "red"})
    assert state_of(prompt) == PromptState.OPEN


@pytest.mark.parametrize(
    ("source", "own_executor", "allowed"),
    [
        (DecisionSource.COACH, False, False),
        (DecisionSource.PROGRAM, False, False),  # Surehand would have to carry it out
        (DecisionSource.PROGRAM, True, True),
    ],
)
def test_only_who_carries_it_out_names_actions_of_its_own(
    prompt: Prompt, source: DecisionSource, own_executor: bool, allowed: bool
) -> None:
    """S11.3, S11.9: everybody else has the catalogue's."""
    answer = {
        "prompt_id": prompt.pk,
        "choice": "correct",
        "correction": {"action": "explode"},
        "source": source,
        "own_executor": own_executor,
    }
    if allowed:
        assert decide(**answer).correction["action"] == "explode"
    else:
        with pytest.raises(BadDecision, match="explode"):
            decide(**answer)


def test_the_action_of_the_step_may_stay_whatever_it_is(prompt: Prompt) -> None:
    """S11.3: what is corrected of a program's own action is done by the program."""
    prompt.step.action_type = "explode"
    prompt.step.save()
    made = decide(prompt_id=prompt.pk, choice="correct", correction={"action": "explode"})
    assert made.correction["action"] == "explode"


# --- what may be answered -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("source", "taken"),
    [
        (DecisionSource.COACH, False),
        (DecisionSource.PROGRAM, False),
        (DecisionSource.POLICY, True),
        (DecisionSource.STOP, True),
    ],
)
def test_people_and_programs_answer_what_was_asked(source: DecisionSource, taken: bool) -> None:
    """S1.9, S1.8: a time-out and a stop end any question."""
    prompt = make_prompt(PromptKind.IN_DOUBT)
    if taken:
        assert decide(prompt_id=prompt.pk, choice="reject", source=source).choice == "reject"
    else:
        with pytest.raises(BadDecision, match="“reject” is no answer to this question. Answers: done, retry, stop"):
            decide(prompt_id=prompt.pk, choice="reject", source=source)
        assert state_of(prompt) == PromptState.OPEN


def test_a_question_that_there_is_not_cannot_be_answered() -> None:
    with pytest.raises(NothingToDecide, match="no question with the number 4711"):
        decide(prompt_id=4711, choice="accept")


@pytest.mark.parametrize("unless_held", [True, False])
def test_whoever_corrects_is_not_overtaken_by_a_time_out(prompt: Prompt, operator: Any, unless_held: bool) -> None:
    """S1.10"""
    prompt.held_by = operator
    prompt.save()
    if unless_held:
        with pytest.raises(NothingToDecide):
            decide(prompt_id=prompt.pk, choice="skip", source=DecisionSource.POLICY, unless_held=True)
        assert state_of(prompt) == PromptState.OPEN
    else:
        assert decide(prompt_id=prompt.pk, choice="skip").choice == "skip"


def test_a_question_that_nobody_holds_times_out(prompt: Prompt) -> None:
    """S1.9"""
    made = decide(prompt_id=prompt.pk, choice="skip", source=DecisionSource.POLICY, unless_held=True)
    assert made.timed_out


# --- who was first --------------------------------------------------------------------------------------------------
def test_whoever_comes_second_is_told_everything_about_the_first(prompt: Prompt, operator: Any) -> None:
    """S1.11"""
    first = decide(prompt_id=prompt.pk, choice="skip", user=operator, origin=Origin.API)
    with pytest.raises(AlreadyDecided, match=operator.username) as refused:
        decide(prompt_id=prompt.pk, choice="accept")
    assert refused.value.args[0].startswith("Your answer was not taken: it had been answered.")
    told = {"choice": "skip", "decided_by": operator.username, "source": "coach", "origin": "api"}
    assert refused.value.details() == {**told, "decided_at": first.decided_at.isoformat()}
    assert Decision.objects.get() == first


def test_an_answer_that_comes_in_the_same_moment_is_told_who_was_first(
    prompt: Prompt, operator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S1.11: both found the question open; the second one finds it closed when it wants to close it."""
    checked = []

    def somebody_answers(*args: Any, **kwargs: Any) -> dict[str, Any]:
        if not checked:
            checked.append(True)
            decide(prompt_id=prompt.pk, choice="skip", user=operator)
        return {}

    monkeypatch.setattr("execution.actions.decide.check_correction", somebody_answers)
    with pytest.raises(AlreadyDecided, match=operator.username):
        decide(prompt_id=prompt.pk, choice="correct")
    assert (Decision.objects.get().choice, prompt.execution.events.count()) == ("skip", 1)


def test_a_withdrawn_question_says_so(prompt: Prompt) -> None:
    Prompt.objects.update(state=PromptState.WITHDRAWN)
    with pytest.raises(NothingToDecide, match="was withdrawn"):
        decide(prompt_id=prompt.pk, choice="accept")


def test_the_run_is_answered_where_it_asks(prompt: Prompt) -> None:
    """S1.11: its open question, and no other run's."""
    other = make_prompt()
    assert decide_open(execution=prompt.execution, choice="accept").prompt == prompt
    assert state_of(other) == PromptState.OPEN
    with pytest.raises(NothingToDecide, match="asks nothing at the moment"):
        decide_open(execution=prompt.execution, choice="accept")


# --- it is another screen -------------------------------------------------------------------------------------------
def test_a_rejection_may_name_another_screen(prompt: Prompt) -> None:
    """S1.6"""
    assert decide(prompt_id=prompt.pk, choice="reject", node_id="save_dialog").node_id == "save_dialog"


@pytest.mark.parametrize(
    ("choice", "edge_id", "node_id", "why"),
    [
        ("accept", "type_patient", "save_dialog", "can only be named where a suggested step is rejected"),
        ("reject", "", "save_dialog", "can only be named where a suggested step is rejected"),
        ("reject", "type_patient", "nowhere", "no screen “nowhere”"),
        ("reject", "type_patient", "empty_note", "takes it for already"),
    ],
)
def test_a_screen_that_cannot_be_meant_is_refused_and_the_question_stays(
    prompt: Prompt, choice: str, edge_id: str, node_id: str, why: str
) -> None:
    """S1.6"""
    prompt.step.edge_id = edge_id
    prompt.step.save()
    with pytest.raises(BadDecision, match=why):
        decide(prompt_id=prompt.pk, choice=choice, node_id=node_id)
    assert state_of(prompt) == PromptState.OPEN
    assert prompt.execution.state == ExecutionState.WAITING_COACHING
