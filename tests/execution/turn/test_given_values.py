"""A value that the robot cannot read for certain is read by a person, and the run goes on with it (S1.10, S6.12)."""

from __future__ import annotations

from typing import Any

import pytest

from execution.actions.decide import decide
from execution.choices import ExecutionState, Outcome, PromptKind
from execution.exceptions import BadDecision
from execution.models import Decision, ExecutionEvent, Prompt, ValueRead
from execution.types import DecisionSource, ResolveStatus
from tests.doubles.stage import Stage, edge
from tests.execution.turn.test_loop_rounds import only_if

pytestmark = pytest.mark.django_db


def reading(**params: Any) -> list[dict[str, Any]]:
    """A workflow that reads a value and takes its way by it."""
    read = {**edge("look", "a", "a", action_type="read_value"), "target": None}
    read["params"] = {"name": "blood", "kind": "text", "label": "Group", **params}
    is_known = only_if("blood", "equals", "O pos") if not params else only_if("blood", "not_empty")
    return [
        read,
        edge("ab", "a", "b", order=1, **is_known),
        edge("ac", "a", "c", order=2),
        edge("bd", "b", "d", order=3),
        edge("cd", "c", "d", order=4),
    ]


def given(value: str) -> dict[str, Any]:
    return {"choice": "correct", "correction": {"value": value}}


def unread(stage: Any, **params: Any) -> Stage:
    one: Stage = stage("automatic", reading(**params))
    one.world.unresolved = {"look": ResolveStatus.NOT_FOUND}
    return one


def test_a_value_that_a_person_read_is_the_value_of_the_run(stage: Any) -> None:
    s = unread(stage)
    assert s.run(given(" O pos ")).state == ExecutionState.COMPLETED
    assert s.world.acts == ["ab", "bd"], "its way is taken by what was given"
    read = ValueRead.objects.get()
    assert (read.name, read.text, read.value, read.step.outcome) == ("blood", "O pos", "O pos", Outcome.MANUAL)
    assert Decision.objects.get().correction["value"] == "{{blood}}", "it is kept where values are, and there alone"
    assert "O pos" not in str(list(ExecutionEvent.objects.filter(kind="decision").values_list("payload", flat=True)))


def test_a_reading_that_failed_asks_for_the_value(stage: Any) -> None:
    """S6.20: before it paused the run, and looking again said the same."""
    s = stage("automatic", reading())
    s.world.effects = {"look": ["refused"]}
    assert s.run(given("O pos")).state == ExecutionState.COMPLETED
    assert [prompt.kind for prompt in s.asked] == [PromptKind.TARGET]
    assert ValueRead.objects.get().text == "O pos"
    assert s.outcomes()[0] == Outcome.MANUAL


def test_the_place_of_a_reading_that_failed_can_be_shown(stage: Any) -> None:
    s = stage("automatic", reading())
    s.world.effects, s.world.reads = {"look": ["refused", "done"]}, {"look": ["O pos"]}
    shown = {"choice": "correct", "correction": {"target": {"point": [0.5, 0.25]}}}
    assert s.run(shown).state == ExecutionState.COMPLETED
    assert s.world.acts == ["look", "look", "ab", "bd"]


@pytest.mark.parametrize("choice", ["skip", "reject"])
def test_a_reading_that_failed_can_be_left(stage: Any, choice: str) -> None:
    s = stage("automatic", reading())
    s.world.effects = {"look": ["refused"]}
    s.run(choice)
    assert s.outcomes()[0] == {"skip": Outcome.SKIPPED, "reject": Outcome.REJECTED}[choice]
    assert not ValueRead.objects.exists()


@pytest.mark.parametrize(
    ("params", "correction", "why"),
    [
        ({"kind": "number", "format": "fr"}, {"value": "about ten"}, "no number"),
        ({"kind": "date", "format": "fr"}, {"value": "31/02/2026"}, "no date"),
        ({}, {"value": "O pos", "target": {"point": [0.5, 0.5]}}, "alone"),
        ({}, {"value": ["O pos"]}, "is a text"),
    ],
)
def test_what_is_none_of_its_kind_is_refused_and_asked_on(
    stage: Any, params: dict[str, str], correction: dict[str, Any], why: str
) -> None:
    s = unread(stage, **params)

    def answer(prompt: Prompt) -> None:
        with pytest.raises(BadDecision, match=why):
            decide(prompt_id=prompt.pk, choice="correct", correction=correction, source=DecisionSource.PROGRAM)
        decide(prompt_id=prompt.pk, choice="skip", source=DecisionSource.PROGRAM)

    s.run(answer)
    assert not ValueRead.objects.exists()


def test_a_value_is_given_to_no_other_act(stage: Any) -> None:
    s = stage("coaching", coaching_timeout_s=60)

    def answer(prompt: Prompt) -> None:
        with pytest.raises(BadDecision, match="where a value is to be read"):
            decide(prompt_id=prompt.pk, source=DecisionSource.PROGRAM, **given("O pos"))
        decide(prompt_id=prompt.pk, choice="accept", source=DecisionSource.PROGRAM)

    assert s.run(answer, "accept", "accept").state == ExecutionState.COMPLETED


def test_a_number_is_kept_as_it_is_understood(stage: Any) -> None:
    s = unread(stage, kind="number", format="fr")
    s.run(given("1 287,50 €"))
    assert (ValueRead.objects.get().text, ValueRead.objects.get().value) == ("1 287,50", "1287.50")


@pytest.mark.security
def test_a_value_of_a_masked_shape_is_taken_from_nobody(stage: Any) -> None:
    """S10.4"""
    s = stage("automatic", reading(), fields={"mask_patterns": ["national_number"]})
    s.world.unresolved = {"look": ResolveStatus.NOT_FOUND}

    def answer(prompt: Prompt) -> None:
        with pytest.raises(BadDecision, match="masked"):
            decide(prompt_id=prompt.pk, source=DecisionSource.PROGRAM, **given("1 85 05 78 006 084 36"))
        decide(prompt_id=prompt.pk, choice="skip", source=DecisionSource.PROGRAM)

    s.run(answer)
    assert not ValueRead.objects.exists()
