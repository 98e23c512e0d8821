"""Putting what a screen looks like by now back to what was taught, as every door does it (S6.6)."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from audit.models import Verb
from audit.recording import record
from execution.actions.asking import name_of
from execution.choices import Origin
from execution.record.prototypes import reset
from workflows.models import Workflow
from workflows.permissions import DESIGN, require


def put_back(
    *, workflow: Workflow, node_id: str, picture: str = "", user: Any = None, origin: Origin = Origin.PROGRAM
) -> int:
    """Every picture of that screen, or that one, looks as it was taught again; how many did not. Raises
    PermissionDenied."""
    require(user, DESIGN)
    with transaction.atomic():
        back = reset(workflow, node_id, picture=picture, name=name_of(user, origin))
        if back:
            record(
                Verb.CHANGED, user=user, who=name_of(user, origin), origin=origin, kind="prototype", about=node_id,
                workflow=workflow.workflow_id, picture=picture, put_back=back,
            )  # fmt: skip
    return back
