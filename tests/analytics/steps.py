from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from execution.choices import Outcome, StepPhase, Verified
from execution.models import Execution, Step
from tests.factories import make_execution


def make_step(execution: Execution | None = None, **fields: Any) -> Step:
    """A closed step, the next of its run; by default a click that was found, done and verified."""
    run = execution or make_execution()
    index = fields.pop("index", run.steps.count() + 1)
    values = {
        "epoch": 1,
        "phase": StepPhase.CLOSED,
        "outcome": Outcome.SUCCEEDED,
        "success": True,
        "mode": run.mode,
        "node_id": "save_dialog",
        "edge_id": "click_save",
        "action_type": "click",
        "confidence": 0.9,
        "rung": "ocr_text",
        "score": 0.8,
        "verified": Verified.YES,
        "ocr_ms": 100.0,
        "analyze_ms": 120.0,
        "resolve_ms": 10.0,
        "started_at": timezone.now() + timedelta(seconds=index),
        "ended_at": timezone.now() + timedelta(seconds=index + 1),
        **fields,
    }
    return Step.objects.create(execution=run, index=index, **values)


@contextmanager
def undone() -> Iterator[None]:
    """One example: what it wrote is gone at its end, and the next begins with nothing."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
