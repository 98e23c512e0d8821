"""What runs see of screens and steps, tested for drift as it comes, in rows (S6.7)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from execution.choices import EventKind, Outcome, Verified, Watched
from execution.learning.drift import DriftStatus, Outcomes, Surety, after, draw_of
from execution.models import DriftWatch, Execution, Step
from execution.record.events import emit
from sentences.said import say, to_json
from workflows.graph import EdgeSpec, GraphSpec, NodeSpec
from workflows.models import Workflow
from workflows.words import sentence

BY_PERSON = "person"  # the sign of a recognition that a person gave


def digest_of(taught: NodeSpec | EdgeSpec) -> str:
    """Of how a screen or a step is taught: what is taught anew begins to be watched anew."""
    data = json.dumps(asdict(taught), sort_keys=True, default=str)
    return hashlib.blake2b(data.encode(), digest_size=16).hexdigest()


def saw(step: Step, graph: GraphSpec) -> list[DriftWatch]:
    """What a closed step says of its screen and of itself; gives what has drifted and was not told before.

    What was seen degraded, or said by a person, says nothing of the screen.
    """
    told = []
    node, edge = graph.node(step.node_id), graph.edge(step.edge_id)
    if node and step.confidence and not step.degraded and not _by_person(step):
        told.append(_looked(step.execution, node, step.confidence, step.index))
    good = _verified(step)
    if edge and good is not None:
        told.append(_tried(step, edge, good))
    return [row for row in told if row is not None]


def missed(execution: Execution, graph: GraphSpec) -> list[DriftWatch]:
    """The run stands still because the screen that it expected was not recognised: how like it what it shows is."""
    detail = execution.pause_detail
    expected = (detail.get("expected") or {}).get("node_id")
    node = graph.node(expected) if expected else None
    if node is None or execution.degraded:
        return []
    confidences = [c["confidence"] for c in detail.get("candidates") or () if c.get("node_id") == node.node_id]
    row = _looked(execution, node, float(max(confidences, default=0.0)), execution.next_step)
    return [row] if row else []


def status_of(row: DriftWatch) -> DriftStatus:
    return DriftStatus(row.is_drifting, row.severity, row.action)


def would_be(workflow: Workflow, node_id: str, confidences: list[float]) -> DriftStatus:
    """What would be said of that screen after these looks more; nothing is kept (S11.7)."""
    row = DriftWatch.objects.filter(workflow=workflow, kind=Watched.SCREEN, name=node_id).first()
    known = Surety.from_json(row.gathered) if row else Surety()
    return after(known, confidences, of=(workflow.workflow_id, node_id)).status(settings.RPA_MATCH_THRESHOLD)


def begin_anew(row: DriftWatch) -> None:
    """A person says that it is as it should be: what is seen from now on is what is usual."""
    DriftWatch.objects.filter(pk=row.pk).update(
        gathered={}, recent=[], looks=0, is_drifting=False, severity=0.0, action="none", told_at=None
    )


def name_of(row: DriftWatch, graph: GraphSpec) -> str:
    """The screen's or the step's name, for people."""
    edge = graph.edge(row.name) if row.kind == Watched.STEP else None
    return sentence(edge, graph) if edge else graph.name_of(row.name)


def emit_drift(execution: Execution, row: DriftWatch, graph: GraphSpec) -> str:
    """The `drift_detected` event of a run, in the transaction of its change; gives its sentence."""
    name = name_of(row, graph)
    said = (
        say("standing.screen_drifts", name=name, severity=row.severity)
        if row.kind == Watched.SCREEN
        else say("standing.step_drifts", name=name, bad=row.recent.count(0), of=len(row.recent))
    )
    edge = graph.edge(row.name) if row.kind == Watched.STEP else None
    payload = {
        "kind": row.kind,
        "node_id": edge.source if edge else row.name,
        "edge_id": edge.edge_id if edge else "",
        "is_drifting": row.is_drifting,
        "drift_severity": row.severity,
        "recommended_action": row.action,
        "recent": row.recent,
        "message": to_json(said),
    }
    emit(execution, EventKind.DRIFT_DETECTED, payload)
    return said


def _by_person(step: Step) -> bool:
    reasons = (step.recognition.get("match") or {}).get("reasons") or ()
    return any(reason.get("sign") == BY_PERSON for reason in reasons)


def _verified(step: Step) -> bool | None:
    """Whether what the robot did there came off; None where it did nothing, or nobody could tell."""
    if step.outcome == Outcome.FAILED:
        return False
    if step.outcome == Outcome.SUCCEEDED and step.verified in (Verified.YES, Verified.NO):
        return step.verified == Verified.YES
    return None


def _looked(execution: Execution, node: NodeSpec, confidence: float, index: int) -> DriftWatch | None:
    workflow = execution.version.workflow
    with transaction.atomic():
        row = _row(workflow, Watched.SCREEN, node.node_id, digest_of(node))
        draw = draw_of(workflow.workflow_id, node.node_id, row.looks)
        surety = Surety.from_json(row.gathered).saw(confidence, draw=draw)
        status = surety.status(settings.RPA_MATCH_THRESHOLD)
        return _keep(row, surety.to_json(), list(surety.recent), status, execution, index)


def _tried(step: Step, edge: EdgeSpec, good: bool) -> DriftWatch | None:
    with transaction.atomic():
        row = _row(step.execution.version.workflow, Watched.STEP, edge.edge_id, digest_of(edge))
        outcomes = Outcomes.from_json(row.gathered).saw(good)
        recent = [int(one) for one in outcomes.recent]
        return _keep(row, outcomes.to_json(), recent, outcomes.status(), step.execution, step.index)


def _row(workflow: Workflow, kind: Watched, name: str, taught: str) -> DriftWatch:
    key = {"workflow": workflow, "kind": kind, "name": name}
    DriftWatch.objects.get_or_create(**key, defaults={"taught": taught})
    row = DriftWatch.objects.select_for_update().get(**key)
    if row.taught != taught:
        begin_anew(row)
        row.refresh_from_db()
        row.taught = taught
    return row


def _keep(
    row: DriftWatch,
    gathered: dict[str, Any],
    recent: list[float] | list[int],
    status: DriftStatus,
    execution: Execution,
    index: int,
) -> DriftWatch | None:
    """The row as it is now; itself where it is told for the first time."""
    is_new = status.is_drifting and not row.is_drifting
    row.gathered, row.recent, row.looks, row.seen_at = gathered, recent, row.looks + 1, timezone.now()
    row.is_drifting, row.severity, row.action = status.is_drifting, status.drift_severity, status.recommended_action
    if is_new:
        row.told_at, row.execution_id, row.step = row.seen_at, execution.execution_id, index
    row.save()
    return row if is_new else None
