"""What a program collects itself for training, and what it says of steps, by the names of S11.7 and S6.5."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from django.db.models import Count, Max
from django.utils.translation import gettext as _

from execution.actions.mark import mark
from execution.choices import Feedback
from execution.exceptions import BadMark
from execution.learning.putting_back import told_values, without_values
from execution.models import Execution, Step, TrainingRecord, TrainingSession
from execution.record.secret_values import hidden_values
from execution.record.training import feedback_type
from execution.types import Choice
from workflows.secret_names import is_secret

FIELDS = frozenset({
    "action_type", "element_type", "decision", "success", "manual_execution", "feedback", "workflow_id", "node_id",
    "edge_id", "step", "correction_type", "original_target", "original_params", "corrected_target", "corrected_params",
    "reason", "confidence", "picture", "picture_after",
})  # fmt: skip
_PROSE = frozenset({"feedback", "reason"})
# Words of the product, which say nothing of a run's data, whatever its values are called.
_OURS = frozenset({
    "decision", "feedback_type", "correction_type", "action_type", "element_type", "picture", "picture_after",
})  # fmt: skip


class TrainingDataCollector:
    """Keeps actions and corrections of one session at a time, as S6.3 has them; `variables` are the values that must
    not be kept: where one stands in a text there is its variable."""

    def __init__(self) -> None:
        self.session: TrainingSession | None = None
        self._values: dict[str, str] = {}
        self._never: dict[str, str] = {}

    def start_session(
        self, workflow_id: str, execution_id: str = "", *, mode: str = "", variables: Mapping[str, Any] | None = None
    ) -> str:
        """Begin, or go on with, the session of a run, or one of its own; gives its id."""
        execution = Execution.objects.filter(execution_id=execution_id).first() if execution_id else None
        values = {name: str(value) for name, value in (variables or {}).items()}
        if execution is not None:
            values = {**{name: str(value) for name, value in execution.variables.items()}, **values}
            self._values, self._never = told_values(execution.version.spec(), values)
        else:
            self._values = {name: value for name, value in values.items() if not is_secret(name)}
            self._never = {name: value for name, value in values.items() if is_secret(name)}
        session_id = execution_id or f"own_{secrets.token_hex(8)}"
        self.session, _made = TrainingSession.objects.get_or_create(
            session_id=session_id, defaults={"workflow_id": workflow_id, "execution": execution, "mode": mode}
        )
        self._hidden = hidden_values(execution) if execution is not None else None
        return session_id

    def record_action(self, **fields: Any) -> dict[str, Any]:
        """Keep one decision and its outcome, by the names of S6.3; gives it as it is kept. Raises ValueError."""
        decision, success = str(fields.get("decision") or Choice.ACCEPT), bool(fields.get("success"))
        said = feedback_type(decision, success=success, performed=decision == Choice.ACCEPT)
        reason = fields.get("feedback") or ("user_rejected" if decision == Choice.REJECT else "")
        return self._keep({"decision": decision, "feedback_type": said, "reason": reason, **fields})

    def record_correction(self, **fields: Any) -> dict[str, Any]:
        """Keep what was put in the place of what was meant; `params` and `target` may be given under their own names,
        under what is `corrected_` (S11.11). Raises ValueError."""
        params = {**(fields.pop("params", None) or {}), **(fields.pop("corrected_params", None) or {})}
        target = fields.pop("corrected_target", None) or fields.pop("target", None) or {}
        fields.pop("target", None)
        kinds = [name for name, given in (("target", target), ("params", params)) if given]
        told = {
            "decision": str(Choice.CORRECT),
            "feedback_type": str(Feedback.PARTIAL),
            "correction_type": "+".join(kinds),
        }
        return self._keep({**told, **fields, "corrected_params": params, "corrected_target": target})

    def _keep(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        if self.session is None:
            raise ValueError(_("No session was started."))
        if unknown := sorted(set(fields) - FIELDS - {"feedback_type"}):
            raise ValueError(_("Training data has no %(names)s.") % {"names": ", ".join(unknown)})
        given = {name: value for name, value in fields.items() if value is not None}
        step = given.pop("step", None) or self._next()
        shown = self._hidden.any(given) if self._hidden else given
        clean = {
            name: value
            if name in _OURS
            else without_values(value, self._values, secret=self._never, prose=name in _PROSE)
            for name, value in shown.items()
        }
        own = {"workflow_id": self.session.workflow_id, **clean}
        row, _made = TrainingRecord.objects.update_or_create(session=self.session, step=step, defaults=own)
        return row.as_json()

    def _next(self) -> int:
        last = TrainingRecord.objects.filter(session=self.session).aggregate(last=Max("step"))["last"]
        return int(last or 0) + 1


class FeedbackProcessor:
    """What somebody says of a step (S6.5), and what was said of each target and each workflow."""

    def process_feedback(
        self,
        execution_id: str,
        step: int,
        feedback_type: str,
        reason: str = "",
        confidence: float = 1.0,
        *,
        user: Any = None,
    ) -> dict[str, Any]:
        """Keep it, and give the figures of the step's target and workflow. Raises BadMark."""
        row = Step.objects.filter(execution__execution_id=execution_id, index=step).select_related("execution").first()
        if row is None:
            raise BadMark(_("The run has no step %(n)d.") % {"n": step})
        said = mark(step=row, feedback=feedback_type, reason=reason, confidence=confidence, user=user)
        workflow_id = row.execution.workflow_id
        return {
            **said.as_json(),
            "confidence": said.confidence,
            "target": self.target_figures(workflow_id, row.edge_id),
            "workflow": self.workflow_figures(workflow_id),
        }

    def workflow_figures(self, workflow_id: str) -> dict[str, Any]:
        return _figures(workflow_id=workflow_id)

    def target_figures(self, workflow_id: str, edge_id: str) -> dict[str, Any]:
        return _figures(workflow_id=workflow_id, edge_id=edge_id)


def _figures(**which: str) -> dict[str, Any]:
    """How many of each type, and the share of right ones of all that were said anything of."""
    counted = TrainingRecord.objects.filter(**which).order_by().values_list("feedback_type").annotate(n=Count("pk"))
    found = {**dict.fromkeys(Feedback.values, 0), **{kind: n for kind, n in counted if kind}}
    total = sum(found.values())
    return {**found, "total": total, "share_correct": found[Feedback.CORRECT] / total if total else None}
