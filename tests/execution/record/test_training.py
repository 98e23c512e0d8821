"""S6.3: every decision and its outcome is training data, without a value of the run, and made again from the rows."""

from __future__ import annotations

import json
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from execution.actions.mark import mark
from execution.choices import ExecutionState
from execution.execution_loop import CorrectionPack, FeedbackProcessor, TrainingDataCollector
from execution.models import LearnedCorrection, TrainingRecord, TrainingSession
from execution.pages.training import archive
from execution.record.training import lines
from tests.doubles.stage import edge
from tests.factories import make_execution

pytestmark = pytest.mark.django_db(transaction=True)

PATIENT, PIN = "Zoé Marchand", "s3same-0pen"
VARIABLES = (
    {"name": "patient", "label": "Patient", "default": ""},
    {"name": "pin", "label": "PIN", "kind": "secret", "required": False},
)
EDGES = [
    edge("ab", "a", "b", action_type="type_text", params={"text": "for {{patient}}"}),
    edge("bc", "b", "c", action_type="type_text", params={"text": "hello"}),
    edge("cd", "c", "d"),
]
CORRECTED = {
    "choice": "correct",
    "correction": {"target": {"point": [0.5, 0.25], "text": f"Row of {PATIENT}"}, "params": {"text": f"hi {PATIENT}"}},
    "feedback": f"{PATIENT} is in another row, and the word is {PIN}",
}


@pytest.fixture
def uncounted() -> None:
    """Here training data is made."""


@pytest.fixture
def coached(stage: Any) -> Any:
    """A run in which a coach accepted, corrected and rejected."""
    s = stage("coaching", EDGES, variables=VARIABLES, values={"patient": PATIENT, "pin": PIN})
    s.run("accept", CORRECTED, {"choice": "reject", "feedback": ""})
    return s


def records() -> dict[str, TrainingRecord]:
    return {one.edge_id: one for one in TrainingRecord.objects.all()}


def test_every_decision_is_a_record_of_its_session(coached: Any) -> None:
    session = TrainingSession.objects.get()
    assert (session.execution, session.mode) == (coached.execution, "coaching")
    told = {
        name: (one.decision, one.success, one.feedback_type, one.reason, one.correction_type)
        for name, one in records().items()
    }
    assert told["ab"] == ("accept", True, "correct", "", "")
    assert told["bc"][:3] == ("correct", True, "partial")
    assert told["bc"][4] == "target+params"
    assert told["cd"] == ("reject", False, "incorrect", "user_rejected", "")
    one = records()["bc"]
    assert (one.workflow_id, one.node_id, one.step) == (coached.execution.workflow_id, "b", 2)
    assert (one.original_params, one.corrected_params) == ({"text": "hello"}, {"text": "hi {{patient}}"})
    assert (one.original_target["target_id"], one.corrected_target["text"]) == ("t_bc", "Row of {{patient}}")


def test_a_mark_afterwards_counts_more(coached: Any) -> None:
    """S6.5"""
    step = coached.row().steps.get(edge_id="ab")
    mark(step=step, feedback="incorrect", reason=f"not {PATIENT}", confidence=0.5)
    one = records()["ab"]
    assert (one.feedback_type, one.reason, one.confidence) == ("incorrect", "not {{patient}}", 0.5)


def test_they_are_made_again_the_same(coached: Any) -> None:
    before = list(TrainingRecord.objects.order_by("step").values())
    TrainingSession.objects.all().delete()
    call_command("training", "rebuild")
    after = list(TrainingRecord.objects.order_by("step").values())
    assert [{**one, "id": 0, "session_id": 0} for one in after] == [{**one, "id": 0, "session_id": 0} for one in before]


def test_a_run_that_nobody_had_a_word_in_is_no_training(stage: Any) -> None:
    s = stage("automatic")
    assert s.run().state == ExecutionState.COMPLETED
    assert not TrainingSession.objects.exists()


def test_an_export_has_each_picture_once_and_is_written_by_the_command(coached: Any, tmp_path: Path) -> None:
    file = tmp_path / "training.zip"
    call_command("training", "export", str(file), "--workflow", coached.execution.workflow_id)
    with zipfile.ZipFile(file) as packed:
        rows = [json.loads(line) for line in packed.read("training.jsonl").decode().splitlines()]
        pictures = [name for name in packed.namelist() if name.startswith("pictures/")]
    named = {row[kind] for row in rows for kind in ("picture", "picture_after") if row[kind]}
    assert {f"pictures/{digest}.png" for digest in named} == set(pictures)
    assert len(pictures) == len(set(pictures))
    assert not list(lines("another"))


@pytest.mark.slow
def test_memory_stays_flat_however_many_there_are(coached: Any) -> None:
    session = TrainingSession.objects.get()
    one = TrainingRecord.objects.values().first()
    del one["id"], one["step"], one["session_id"]

    def add(first: int, n: int) -> None:
        rows = [TrainingRecord(session=session, step=first + i, **one) for i in range(n)]
        TrainingRecord.objects.bulk_create(rows, batch_size=500)

    def peak() -> int:
        tracemalloc.start()
        try:
            for _piece in archive():
                pass
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    add(1000, 1000)
    few = peak()
    add(5000, 4000)
    assert peak() < few * 1.5


# --- the names that users' own code relies on (S11.7) ----------------------------------------------------------------
def test_a_program_collects_its_own(coached: Any) -> None:
    collector = TrainingDataCollector()
    session = collector.start_session("own", variables={"patient": PATIENT, "password": PIN})
    collector.record_action(
        action_type="click", element_type="button", decision="reject", success=False, manual_execution=False,
        node_id="n", step=1, feedback=f"that is {PATIENT}",
    )  # fmt: skip
    kept = collector.record_correction(
        action_type="click", node_id="n", params={"a": 1, "b": 2}, corrected_params={"b": PATIENT},
        target={"text": "old"}, corrected_target={"text": PIN},
    )  # fmt: skip
    assert (kept["session_id"], kept["step"], kept["correction_type"]) == (session, 2, "target+params")
    assert kept["corrected_params"] == {"a": 1, "b": "{{patient}}"}, "S11.11"
    assert kept["corrected_target"] == {"text": ""}, "a secret is not kept"
    first = TrainingRecord.objects.get(session__session_id=session, step=1)
    assert (first.feedback_type, first.reason) == ("incorrect", "that is {{patient}}")
    with pytest.raises(ValueError, match="colour"):
        collector.record_action(colour="red")
    with pytest.raises(ValueError, match="session"):
        TrainingDataCollector().record_action(action_type="click")


def test_feedback_is_kept_and_figures_are_given(coached: Any) -> None:
    said = FeedbackProcessor().process_feedback(coached.execution.execution_id, 1, "incorrect", "too early", 0.8)
    assert (said["feedback"], said["reason"], said["confidence"]) == ("incorrect", "too early", 0.8)
    assert said["target"]["incorrect"] == 1
    assert (said["workflow"]["total"], said["workflow"]["share_correct"]) == (3, 0.0)


def test_a_pack_is_of_a_workflow(coached: Any) -> None:
    pack = CorrectionPack.objects.get(workflow__workflow_id=coached.execution.workflow_id)
    assert set(pack.corrections.all()) == set(LearnedCorrection.objects.all())
    rejected = TrainingRecord.objects.get(decision="reject")
    assert list(pack.counter_evidence()) == [rejected], "a rejection reaches it"
    assert not make_execution().version.workflow.corrections.exists()
