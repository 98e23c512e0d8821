"""What a run loop learns of each step: how its screen looks by now, whether it has drifted, how far it is trusted.

A helper (S1.21): whatever it raises is one warning, and the run goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from django.db import transaction
from django.utils.translation import gettext as _

from execution.actions.trust import demote_for_drift, review
from execution.choices import EventKind, Outcome, PauseReason, Verified, Watched
from execution.exceptions import DriftDetected
from execution.learning.drift import DriftStatus
from execution.models import DriftWatch, Execution, ReferenceVector, Step
from execution.record import drifting, prototypes
from execution.record.events import emit
from execution.record.journal import Journal
from execution.types import Embedding
from sentences.said import cause, say, to_json
from workflows.exceptions import UnknownNode
from workflows.graph import GraphSpec
from workflows.models import TrustChange, Workflow


class RunLearner:
    """Listens to one run. `on_drift` hears of what has drifted, once each."""

    def __init__(self, journal: Journal, *, on_drift: Callable[[Exception], None] = lambda error: None) -> None:
        self.journal, self.on_drift = journal, on_drift

    def listen(self) -> None:
        self.journal.on_step.append(self._done)
        self.journal.on_state.append(self._moved)

    def _done(self, step: Step) -> None:
        self._learn(lambda: self._of_step(step))

    def _moved(self, execution: Execution) -> None:
        if execution.pause_reason == PauseReason.NO_MATCH:
            self._learn(lambda: self._tell(execution, drifting.missed(execution, self.journal.graph)))

    def _learn(self, lesson: Callable[[], None]) -> None:
        try:
            with transaction.atomic():
                lesson()
        except Exception as error:  # noqa: BLE001  a helper: whatever it raises is told, and the run goes on
            self.journal.warn("learning", cause(error))

    def _of_step(self, step: Step) -> None:
        workflow, graph = step.execution.version.workflow, self.journal.graph
        self._tell(step.execution, drifting.saw(step, graph))
        is_proved = step.outcome == Outcome.SUCCEEDED and step.verified == Verified.YES
        if is_proved and not step.degraded and (seen := prototypes.seen_at(step)):
            prototypes.move(
                workflow, graph, step.node_id, seen, execution_id=step.execution.execution_id, step=step.index
            )
        if step.outcome in (Outcome.FAILED, Outcome.REJECTED) and (change := review(workflow)):
            tell_demotion(step.execution, change)

    def _tell(self, execution: Execution, drifted: Sequence[DriftWatch]) -> None:
        for row in drifted:
            said = drifting.emit_drift(execution, row, self.journal.graph)
            if change := demote_for_drift(execution.version.workflow, said):
                tell_demotion(execution, change)
            error = DriftDetected(said)
            transaction.on_commit(lambda error=error: self.on_drift(error), robust=True)  # type: ignore[misc]


def tell_demotion(execution: Execution, change: TrustChange) -> None:
    """In the run's stream, that its workflow is trusted less from now on; the run keeps the mode that it has."""
    said = to_json(say("standing.demoted", why=change.reason))
    emit(execution, EventKind.ERROR, {"kind": "demoted", "message": said, "was": change.was, "state": change.state})


class ContinuousLearner:
    """S11.7, for programs: the same rows as the run loop's. Without a workflow a screen's id must be of one alone."""

    def __init__(self, workflow_id: str = "") -> None:
        self.workflow_id = workflow_id

    def update_prototype(
        self, node_id: str, new_embedding: Embedding | np.ndarray | Sequence[float], execution_success: bool
    ) -> bool:
        """Move the screen's prototype towards what was seen, if what was done there succeeded; whether it moved.

        Raises UnknownNode, and ValueError for a vector that no model of its taught pictures made.
        """
        workflow, graph = self._of(node_id)
        if not execution_success:
            return False
        seen = new_embedding if isinstance(new_embedding, Embedding) else _embedding(graph, node_id, new_embedding)
        return prototypes.move(workflow, graph, node_id, seen) is not None

    def detect_drift(self, node_id: str, recent_confidences: Sequence[float]) -> DriftStatus:
        """What is to be said of the screen if these are the latest looks at it, after all that runs have kept.

        Without any it is what the runs say now. Raises UnknownNode.
        """
        workflow, _graph = self._of(node_id)
        row = DriftWatch.objects.filter(workflow=workflow, kind=Watched.SCREEN, name=node_id).first()
        if not recent_confidences and row is not None:
            return drifting.status_of(row)
        return drifting.would_be(workflow, node_id, [float(one) for one in recent_confidences])

    def get_learning_stats(self) -> dict[str, Any]:
        """S6.9 over all runs that are kept of; of a workflow's screens, or of all."""
        rows = DriftWatch.objects.filter(kind=Watched.SCREEN)
        if self.workflow_id:
            rows = rows.filter(workflow__workflow_id=self.workflow_id)
        return {
            "continuous_learner_available": True,
            "confidence_history": {row.name: summary(row.recent) for row in rows if row.recent},
        }

    def _of(self, node_id: str) -> tuple[Workflow, GraphSpec]:
        if self.workflow_id:
            workflows = [Workflow.objects.by_id(self.workflow_id)]
        else:
            workflows = list(Workflow.objects.filter(versions__isnull=False).distinct())
        graphs = [(workflow, workflow.latest_version().spec()) for workflow in workflows]
        found = [(workflow, graph) for workflow, graph in graphs if graph.node(node_id)]
        if len(found) != 1:
            words = {"node": node_id, "n": len(found)}
            raise UnknownNode(_("The screen “%(node)s” is one of %(n)d workflows: name the workflow.") % words)
        return found[0]


def summary(confidences: Sequence[float]) -> dict[str, float]:
    """As S6.9 tells them."""
    return {
        "count": len(confidences),
        "mean": sum(confidences) / len(confidences),
        "min": min(confidences),
        "max": max(confidences),
    }


def _embedding(graph: GraphSpec, node_id: str, vector: Any) -> Embedding:
    """A bare vector, as of the model that made the newest vector of that size of the screen's pictures."""
    values = np.asarray(vector, np.float32).ravel()
    node = graph.node(node_id)
    pictures = [picture for picture in (node.picture, *node.looks) if picture] if node else []
    for row in ReferenceVector.objects.filter(picture__in=pictures).order_by("-made_at"):
        if len(row.vector) == 4 * values.size:
            return Embedding(model=row.model, vector=values)
    raise ValueError(_("No model that saw the pictures of “%(node)s” makes vectors of this size.") % {"node": node_id})
