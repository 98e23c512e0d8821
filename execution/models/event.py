from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone

from execution.choices import EventKind
from execution.models.execution import Execution


class ExecutionEvent(models.Model):
    """One entry of a run's stream, written in the transaction of the change it tells of: gapless, in commit order."""

    execution = models.ForeignKey(Execution, on_delete=models.CASCADE, related_name="events")
    seq = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=30, choices=EventKind)
    payload = models.JSONField(default=dict)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("execution", "seq")
        constraints = [
            models.UniqueConstraint(fields=("execution", "seq"), name="event_seq_unique"),
            models.CheckConstraint(condition=Q(kind__in=EventKind.values), name="event_kind_known"),
        ]

    def __str__(self) -> str:
        return f"{self.execution} {self.seq} {self.kind}"
