"""Runs that went as told, as rows: what a workflow's evidence is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from execution.choices import ExecutionState, Outcome, StepPhase, Verified
from execution.learning.taught_as import taught_as
from execution.models import Execution, Step
from tests.factories import make_execution
from workflows.models import WorkflowVersion


def taught_in(version: WorkflowVersion, kind: str, edge_id: str = "", node_id: str = "") -> str:
    """As what that is taught there: for a correction that was learned of it in a run of that version."""
    return taught_as(kind, version.spec(), edge_id=edge_id, node_id=node_id)


def run_of(version: WorkflowVersion, how: Mapping[str, str] | None = None, **fields: Any) -> Execution:
    """A run that did each step of the workflow once; `how` says of some steps what became of them instead of “yes”:
    “failed”, “unsure”, “agreed”, “differed”, “left” (nothing was done)."""
    now = timezone.now()
    execution = make_execution(version=version, state=ExecutionState.COMPLETED, started_at=now, ended_at=now, **fields)
    for index, edge in enumerate(version.spec().edges, 1):
        became = (how or {}).get(edge.edge_id, "yes")
        if became == "left":
            continue
        outcome = {"failed": Outcome.FAILED, "agreed": Outcome.OBSERVED, "differed": Outcome.OBSERVED}.get(
            became, Outcome.SUCCEEDED
        )
        Step.objects.create(
            execution=execution,
            index=index,
            epoch=1,
            phase=StepPhase.CLOSED,
            outcome=outcome,
            success=outcome != Outcome.FAILED,
            mode=execution.mode,
            node_id=edge.source,
            edge_id=edge.edge_id,
            action_type=edge.action_type,
            confidence=0.95,
            verified={"yes": Verified.YES, "unsure": Verified.CANNOT_TELL, "failed": Verified.NO}.get(became, ""),
            agreed={"agreed": True, "differed": False}.get(became),
            ended_at=now,
        )
    return execution
