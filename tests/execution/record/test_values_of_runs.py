"""S6.3, S10.4: what a run read is put back like what it was given, from the beginning, and goes with its texts."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from execution.actions.mark import mark
from execution.models import Decision, Execution, ExecutionEvent, LearnedCorrection, StepMark, TrainingRecord
from execution.record.pruning import drop_texts
from execution.record.training import rebuild
from tests.doubles.stage import edge
from tests.execution.record.test_training import PATIENT, PIN, VARIABLES, records
from workflows.models import Correction

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("tried_at_once")]

READ, TYPED = "Ida Bréard", "wholly other words"
EDGES = [
    edge(
        "ab", "a", "b", action_type="read_value", params={"name": "who", "kind": "text", "label": "Name"}, target=None
    ),
    edge("bc", "b", "c", action_type="type_text", params={"text": "hello"}),
    edge("cd", "c", "d"),
]
LATE = [
    EDGES[1] | {"edge_id": "ab", "source": "a", "destination": "b"},
    EDGES[0] | {"edge_id": "bc", "source": "b", "destination": "c"},
    EDGES[2],
]
SAID = f"BRÉARD Ida, not {PATIENT.upper()}: {TYPED}; {PIN}"


@pytest.fixture
def uncounted() -> None:
    """Here training data is made."""


def correct(name: str = READ) -> dict[str, Any]:
    return {
        "choice": "correct",
        "correction": {
            "target": {"point": [0.5, 0.25], "text": f"Row of {name}"},
            "params": {"text": f"{TYPED} {name}"},
        },
        "feedback": SAID,
    }


def coached(stage: Any, edges: list[dict[str, Any]], *answers: Any) -> Any:
    s = stage("coaching", edges, variables=VARIABLES, values={"patient": PATIENT, "pin": PIN})
    s.world.reads = {one["edge_id"]: [READ] for one in edges if one["action_type"] == "read_value"}
    s.run(*answers)
    return s


def kept() -> str:
    """All that outlives the run's texts."""
    tables = (Correction, LearnedCorrection, TrainingRecord)
    return " ".join(str(row) for table in tables for row in table.objects.values())


def ended(s: Any) -> None:
    Execution.objects.filter(pk=s.execution.pk).update(state="stopped", ended_at=timezone.now())


@pytest.mark.parametrize("edges", [EDGES, LATE])
def test_a_value_that_was_read_is_its_variable_in_all_that_is_kept(stage: Any, edges: Any) -> None:
    """Also where it is read only after somebody wrote it."""
    answers = ["accept", correct(), "accept"] if edges is EDGES else [correct(), "accept", "accept"]
    s = coached(stage, edges, *answers)
    one = TrainingRecord.objects.get(decision="correct")
    assert "{{who}}" in one.corrected_params["text"] and "{{who}}" in one.corrected_target["text"]
    assert "{{who}}" in one.feedback or edges is LATE
    assert LearnedCorrection.objects.filter(payload__params__text=TYPED + " {{who}}").exists()
    mark(step=s.row().steps.get(edge_id="cd"), feedback="incorrect", reason="it is Mme Bréard")
    assert records()["cd"].reason == "it is Mme {{who}}"
    rebuild()
    for value in (READ, "Bréard", "BRÉARD", "Br\\u00e9", PATIENT, PIN):
        assert value not in kept()


def test_of_a_value_that_was_read_twice_neither_is_kept(stage: Any) -> None:
    again = [EDGES[0], EDGES[0] | {"edge_id": "bc", "source": "b", "destination": "c"}, EDGES[2]]
    s = stage("coaching", again, variables=VARIABLES, values={"patient": PATIENT})
    s.world.reads = {"ab": [READ], "bc": ["Ulf Øre"]}
    s.run("accept", "accept", {"choice": "reject", "feedback": f"{READ} and ØRE Ulf"})
    assert records()["cd"].feedback == "{{who}} and {{who}}"


def test_what_people_write_is_told_by_variables_from_the_beginning(stage: Any) -> None:
    """In the answer, in its event, in what is said afterwards; a secret in none of them."""
    s = coached(stage, EDGES, "accept", correct(), "accept")
    mark(step=s.row().steps.get(edge_id="cd"), feedback="incorrect", reason="that is Mme Bréard")
    answer = Decision.objects.get(choice="correct")
    event = ExecutionEvent.objects.get(kind="decision", payload__choice="correct").payload
    for written in (answer.feedback, event["feedback"]):
        assert "{{who}}" in written and "{{patient}}" in written and TYPED in written
    said = str((answer.feedback, answer.correction, event, StepMark.objects.get().reason))
    for value in (READ, "BRÉARD", "Bréard", PATIENT, PATIENT.upper(), PIN):
        assert value not in said
    assert answer.correction["params"] == event["correction"]["params"] == {"text": TYPED + " {{who}}"}
    typed = s.row().steps.get(edge_id="bc").suggestion["params"]["text"]
    assert typed == f"{TYPED} {READ}", "what was typed is what the coach wrote, to the letter"


def test_what_a_coach_wrote_goes_with_the_texts_of_the_run(stage: Any) -> None:
    s = coached(stage, EDGES, "accept", correct(), "accept")
    learned = LearnedCorrection.objects.get(kind="params")
    LearnedCorrection.objects.filter(kind="params").update(state="off")
    assert TYPED in kept()
    ended(s)
    drop_texts([s.execution.pk])
    rebuild()
    for table in (Correction, TrainingRecord, LearnedCorrection, Decision, ExecutionEvent):
        assert TYPED not in str(list(table.objects.values())), table
    one = Correction.objects.get()
    assert (one.feedback, one.corrected_target, one.corrected_params) == ("", {"point": [0.5, 0.25]}, {})
    assert (one.correction_type, one.corrected_action) == ("target+params", "")
    assert records()["bc"].corrected_target == {"point": [0.5, 0.25]}
    learned.refresh_from_db()
    assert learned.payload == {"params": {}}


def test_what_is_written_once_the_texts_are_gone_is_not_kept(stage: Any) -> None:
    """S6.5, S10.4: nobody knows any more which of its words are the run's; the mark itself counts."""
    s = coached(stage, EDGES, "accept", correct(), "accept")
    ended(s)
    step = s.row().steps.get(edge_id="bc")
    assert mark(step=step, feedback="correct", reason=SAID).reason
    drop_texts([s.execution.pk])
    step.refresh_from_db()
    assert mark(step=step, feedback="incorrect", reason=SAID).reason == ""
    assert list(StepMark.objects.values_list("feedback", "reason")) == [("incorrect", ""), ("correct", "")]
    rebuild()
    assert records()["bc"].feedback_type == "incorrect"
    assert "Ida" not in str(list(TrainingRecord.objects.values()))


def test_a_rule_that_runs_go_by_stays(stage: Any) -> None:
    """It is what the workflow does by now; it goes once it is switched off, or with the workflow."""
    s = coached(stage, EDGES, "accept", correct(), "accept")
    ended(s)
    drop_texts([s.execution.pk])
    assert LearnedCorrection.objects.get(kind="params").payload == {"params": {"text": TYPED + " {{who}}"}}
