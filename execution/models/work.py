"""What is done behind the scenes, as rows: what somebody wants done, how far it is, and who is at it until when."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from sentences.field import SaidField

WAITS = timedelta(seconds=30)  # longer than a worker that is there takes to begin


class WorkState(models.TextChoices):
    WAITING = "waiting", _("waiting")
    RUNNING = "running", _("at work")
    DONE = "done", _("done")
    STOPPED = "stopped", _("stopped")
    FAILED = "failed", _("failed")


LEFT = (WorkState.WAITING, WorkState.RUNNING)


class InPiecesQuerySet(models.QuerySet[Any]):
    def left(self) -> Self:
        """Those that are not at their end, the oldest first."""
        return self.filter(state__in=LEFT).order_by("pk")


class InPieces(models.Model):
    """Done a piece at a time, each kept whole with how far it is. The row says that it is wanted; `task_id` is the last
    task that a queue was given for it, which may be lost."""

    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    state = models.CharField(max_length=20, choices=WorkState, default=WorkState.WAITING)
    problem = SaidField(blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    task_id = models.CharField(max_length=64, blank=True, editable=False, default="", db_default="")
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = InPiecesQuerySet.as_manager()

    class Meta:
        abstract = True

    @property
    def is_final(self) -> bool:
        return self.state not in LEFT

    @property
    def is_stuck(self) -> bool:
        """Nobody has begun it, or whoever was at it is gone."""
        now = timezone.now()
        if self.state == WorkState.WAITING:
            return now - self.created_at > WAITS
        return self.state == WorkState.RUNNING and self.lease_until is not None and self.lease_until < now - WAITS


def new_job_id() -> str:
    return f"job_{secrets.token_hex(6)}"


class Job(InPieces):
    """Something that is asked for by its `kind` (`execution.behind.jobs`): figures made again, a file of training data.

    `place` is where to go on, and at the end what came of it. Of one kind about one thing one is wanted at a time.
    """

    job_id = models.CharField(max_length=60, unique=True, default=new_job_id)
    kind = models.CharField(max_length=40)
    about = models.CharField(max_length=200, blank=True)
    place = models.JSONField(default=dict, blank=True)
    done = models.PositiveBigIntegerField(default=0)
    of = models.PositiveBigIntegerField(default=0)

    class Meta:
        ordering = ("-pk",)
        constraints = [
            models.CheckConstraint(condition=Q(state__in=WorkState.values), name="job_state_known"),
            models.UniqueConstraint(fields=("kind", "about"), condition=Q(state__in=LEFT), name="job_wanted_once"),
        ]

    def __str__(self) -> str:
        return self.job_id
