"""How far a workflow is trusted is changed here, and nowhere else: with a reason, in its log (S6.8)."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from audit.models import Verb
from audit.recording import record
from workflows.choices import LearningState
from workflows.models import TrustChange, Workflow


def change_trust(
    *,
    workflow: Workflow,
    to: str,
    reason: str,
    evidence: str = "",
    user: Any = None,
    origin: str = "",
    was: str | None = None,
    because: str = "",
) -> TrustChange | None:
    """Trust it so far from now on; None where it already is, or is no longer trusted as far as `was` says.

    Without a user it is nobody's decision, but what its runs showed. Whether `user` may is the caller's to check.
    `because` is what they wrote themselves, for the record of what people do.
    """
    state = LearningState(to)
    with transaction.atomic():
        row = Workflow.objects.select_for_update().get(pk=workflow.pk)
        before = row.learning_state
        if before == state or (was is not None and before != was):
            return None
        Workflow.objects.filter(pk=row.pk).update(learning_state=state)
        workflow.learning_state = state
        by_itself = user is None
        return log_trust(
            workflow, was=before, reason=reason, evidence=evidence, user=user, origin=origin, by_itself=by_itself,
            because=because,
        )  # fmt: skip


def log_trust(
    workflow: Workflow,
    *,
    was: str,
    reason: str = "",
    evidence: str = "",
    user: Any = None,
    origin: str = "",
    by_itself: bool = False,
    because: str = "",
) -> TrustChange:
    """Keep that it has the state it has now; for whoever has saved it already, as the admin's form does."""
    known = {"kind": "workflow", "about": workflow.workflow_id, "was": was, "now": str(workflow.learning_state)}
    record(Verb.TRUST, user=user, who="" if user else "Surehand", origin=origin, reason=because, **known)
    return TrustChange.objects.create(
        workflow=workflow,
        was=was,
        state=workflow.learning_state,
        by_itself=by_itself,
        reason=reason,
        evidence=evidence,
        user=user,
        name=user.get_username() if user else "",
        origin=origin,
    )
