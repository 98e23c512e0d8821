"""What happens to a GPU is told in the streams of the runs that are at work beside it (S3.9, S8.2)."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from execution.choices import ON_DESKTOP, EventKind
from execution.models import Execution
from execution.record.events import emit
from execution.record.payloads import resource_payload
from gpu.choices import GPUEventKind
from gpu.models import GPUEvent


def tell_runs(events: Iterable[GPUEvent]) -> None:
    """The GPU's own `mode_changed` is left out: in a run's stream that is the run's."""
    for event in events:
        if event.kind in (GPUEventKind.RESOURCE_CHANGED, GPUEventKind.IDLE_UNLOAD):
            for execution in Execution.objects.filter(state__in=ON_DESKTOP, robot__host=event.machine).order_by("pk"):
                _tell(execution, event)


def _tell(execution: Execution, event: GPUEvent) -> None:
    payload = resource_payload(event)
    with transaction.atomic():
        if event.kind == GPUEventKind.IDLE_UNLOAD:
            emit(execution, EventKind.IDLE_UNLOAD, payload)
        else:
            emit(execution, EventKind.RESOURCE_CHANGED, payload)
