"""Every decision and its outcome as training data (S6.3): made of the rows of runs, and made again from them.

A run is coached where a person was asked in it, or said something of it afterwards; each of its steps that was decided
on is a record. Of what people wrote only what holds none of the run's data is in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from execution.behind.leases import Piece, Place, through
from execution.choices import Feedback, Outcome, StepPhase
from execution.models import Decision, Prompt, Step, StepMark, TrainingRecord, TrainingSession
from execution.record.values_of_runs import values_of as values_of_run
from execution.record.values_of_runs import without_texts
from execution.types import Choice
from workflows.graph import EdgeSpec
from workflows.models import Correction

REJECTED = "user_rejected"  # the reason of a rejection that nobody gave one for
BATCH = 200
_DECIDED = (Choice.ACCEPT, Choice.REJECT, Choice.CORRECT, Choice.MANUAL, Choice.SKIP)


def project(step_id: int) -> TrainingRecord | None:
    """Make, or make again, the record of a step; None where no person had a word in it. That costs one query."""
    step = _coached().filter(pk=step_id).select_related("execution__version__workflow").first()
    return _put(step) if step is not None else None


def project_run_of(step_id: int) -> None:
    """The same, and for what people wrote in its run before: what the step has read is its variable there."""
    project(step_id)
    records = TrainingRecord.objects.filter(session__execution__steps=step_id)
    bare = Q(feedback="", reason__in=("", REJECTED), corrected_target={}, corrected_params={})
    written = records.exclude(bare).values("step")
    steps = Step.objects.filter(execution__steps=step_id, index__in=written).exclude(pk=step_id)
    for pk in list(steps.values_list("pk", flat=True)):
        project(pk)


def rebuild() -> int:
    """All records of runs again from their rows; gives how many. What programs collected themselves stays."""
    return int(through(rebuilding({})).get("made", 0))


def to_rebuild() -> int:
    """How many records that is."""
    return _coached().count()


def rebuilding(place: Place) -> Iterator[Piece]:
    """The same piece by piece, behind `place`."""
    made, last = place.get("made", 0), place.get("after", 0)
    with_runs = _coached().select_related("execution__version__workflow").order_by("pk")
    while page := list(with_runs.filter(pk__gt=last)[:BATCH]):
        made, last = made + len(page), page[-1].pk
        yield Piece(done=made, write=partial(_put_all, page, {"made": made, "after": last}))


def _put_all(steps: list[Step], place: Place) -> Place:
    for step in steps:
        _put(step)
    return place


def lines(workflow_id: str = "") -> Iterator[TrainingRecord]:
    """The records in the order of their sessions, some at a time."""
    records = TrainingRecord.objects.select_related("session").order_by("pk")
    if workflow_id:
        records = records.filter(workflow_id=workflow_id)
    last = 0
    while page := list(records.filter(pk__gt=last)[:BATCH]):
        yield from page
        last = page[-1].pk


def feedback_type(decision: str, *, success: bool, performed: bool, marked: str = "") -> str:
    """What a decision and its outcome say of what was suggested (S6.5); who said so afterwards counts more."""
    if marked:
        return marked
    if decision == Choice.REJECT:
        return Feedback.INCORRECT
    if decision == Choice.CORRECT:
        return Feedback.PARTIAL
    if decision == Choice.ACCEPT and performed:
        return Feedback.CORRECT if success else Feedback.PARTIAL
    return ""


def _coached() -> QuerySet[Step]:
    decided = Decision.objects.filter(prompt__step=OuterRef("pk"), choice__in=_DECIDED)
    marked = StepMark.objects.filter(step=OuterRef("pk"))
    return Step.objects.filter(Q(Exists(decided)) | Q(Exists(marked)), phase=StepPhase.CLOSED).exclude(edge_id="")


def drop_texts(executions: Collection[int]) -> None:
    """What people wrote of these runs is no longer kept (`texts_pruned`)."""
    for record in TrainingRecord.objects.filter(session__execution__in=executions):
        record.feedback, record.reason, record.corrected_params = "", "", {}
        record.corrected_target = without_texts(record.corrected_target)
        record.save(update_fields=["feedback", "reason", "corrected_params", "corrected_target"])


def _put(step: Step) -> TrainingRecord | None:
    execution = step.execution
    if not step.suggestion:  # its texts are gone: what was made of them while they were there stays
        kept = TrainingRecord.objects.filter(session__execution=execution, step=step.index).first()
        if kept and (mark := step.marks.first()):
            kept.feedback_type, kept.confidence = mark.feedback, mark.confidence
            kept.save(update_fields=["feedback_type", "confidence"])
        return kept
    with transaction.atomic():
        session, _ = TrainingSession.objects.get_or_create(
            execution=execution,
            defaults={
                "session_id": execution.execution_id,
                "workflow_id": execution.workflow_id,
                "mode": execution.mode,
                "began_at": execution.started_at or execution.created_at,
            },
        )
        record, _ = TrainingRecord.objects.update_or_create(session=session, step=step.index, defaults=values_of(step))
    return record


def values_of(step: Step) -> dict[str, Any]:
    """The columns of a step's record."""
    execution = step.execution
    graph = execution.version.spec()
    edge = graph.edge(step.edge_id)
    asked = Prompt.objects.filter(step=step, decision__choice__in=_DECIDED).select_related("decision").first()
    decision = asked.decision if asked else None
    mark = step.marks.first()
    kept = Correction.objects.filter(execution_id=execution.execution_id, step=step.index).order_by("-pk").first()
    choice = decision.choice if decision else ""
    values = values_of_run(execution, graph)
    feedback = values.kept(decision.feedback, prose=True) if decision else ""
    performed = step.outcome in (Outcome.SUCCEEDED, Outcome.FAILED)
    said = values.kept(mark.reason, prose=True) if mark else feedback or (REJECTED if choice == Choice.REJECT else "")
    return {
        "workflow_id": execution.workflow_id,
        "node_id": step.node_id,
        "edge_id": step.edge_id,
        "action_type": step.action_type,
        "element_type": str((step.suggestion.get("target") or {}).get("role") or ""),
        "decision": choice,
        "source": decision.source if decision else "",
        "success": step.success,
        "verified": step.verified,
        "manual_execution": step.outcome == Outcome.MANUAL,
        "feedback": feedback,
        "feedback_type": feedback_type(
            choice, success=step.success, performed=performed, marked=mark.feedback if mark else ""
        ),
        "reason": said,
        "confidence": mark.confidence if mark else 1.0,
        "correction_type": kept.correction_type if kept else "",
        "original_target": _place(step.suggestion, edge),
        "original_params": dict(edge.params) if edge else {},
        "corrected_target": values.kept(kept.corrected_target) if kept else {},
        "corrected_params": values.rules(kept.corrected_params) if kept else {},
        "picture": step.picture_before,
        "picture_after": step.picture_after,
        "recorded_at": step.ended_at or step.started_at,
    }


def _place(suggestion: Mapping[str, Any], edge: EdgeSpec | None) -> dict[str, Any]:
    """What was suggested, by the words of the taught target, which hold variables; and where it was seen."""
    where = {name: suggestion.get(name) for name in ("box", "point") if suggestion.get(name)}
    if edge is None or edge.target is None:
        return where
    target = edge.target
    return {"target_id": target.target_id, "label": target.label, "text": target.text, "role": target.role, **where}
