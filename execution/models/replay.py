from __future__ import annotations

import secrets
from typing import Any

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from execution.models.step import Step
from execution.models.work import InPieces
from sentences.field import SaidField


def new_replay_id() -> str:
    return f"rp_{secrets.token_hex(6)}"


class ReplayState(models.TextChoices):
    WAITING = "waiting", _("waiting")
    RUNNING = "running", _("being looked at")
    DONE = "done", _("done")
    STOPPED = "stopped", _("stopped")
    FAILED = "failed", _("failed")


class ReplayReason(models.TextChoices):
    ASKED = "asked", _("asked for")
    EYES = "eyes", _("the eyes have changed")


class Replay(InPieces):
    """Stored steps of a workflow looked at again (S6.17): with the graph of `version`, or of each step's own version.

    `after_run`, `after_step` say how far it came: it goes on behind them. `counts` are verdicts by what they are about.
    """

    replay_id = models.CharField(max_length=60, unique=True, default=new_replay_id)
    workflow = models.ForeignKey("workflows.Workflow", on_delete=models.CASCADE, related_name="replays")
    version = models.ForeignKey(
        "workflows.WorkflowVersion", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    reason = models.CharField(max_length=20, choices=ReplayReason, default=ReplayReason.ASKED)
    eyes = models.JSONField(default=dict, blank=True)  # what it is looked at with, by part
    state = models.CharField(max_length=20, choices=ReplayState, default=ReplayState.WAITING)
    from_run = models.PositiveBigIntegerField(default=0)  # the first and the last run, by key
    to_run = models.PositiveBigIntegerField(default=0)
    after_run = models.PositiveBigIntegerField(default=0)
    after_step = models.PositiveIntegerField(default=0)
    steps = models.PositiveIntegerField(default=0)
    looked_at = models.PositiveIntegerField(default=0)
    passed_over = models.JSONField(default=dict, blank=True)  # how many could not be looked at, by why
    counts = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ("-pk",)
        constraints = [
            models.CheckConstraint(condition=Q(state__in=ReplayState.values), name="replay_state_known"),
            models.CheckConstraint(condition=Q(reason__in=ReplayReason.values), name="replay_reason_known"),
        ]

    def __str__(self) -> str:
        return self.replay_id

    def count(self, about: str, verdict: str) -> int:
        return int(self.counts.get(about, {}).get(verdict, 0))

    def of_verdict(self, verdict: str) -> int:
        """Of screens and places together."""
        return sum(int(found.get(verdict, 0)) for found in self.counts.values())


class ReplayDifference(models.Model):
    """One answer that differs from the stored one. `was`, `now`: a node's id, or a place as fractions, or nothing."""

    replay = models.ForeignKey(Replay, on_delete=models.CASCADE, related_name="differences")
    step = models.ForeignKey(Step, on_delete=models.CASCADE, related_name="+")
    about = models.CharField(max_length=20)
    verdict = models.CharField(max_length=20)
    was = models.JSONField(null=True)
    now = models.JSONField(null=True)
    why = SaidField(blank=True)
    masked = models.BooleanField(default=False)  # a part of the picture is painted over: the first look saw it

    class Meta:
        ordering = ("replay", "pk")
        constraints = [
            models.UniqueConstraint(fields=("replay", "step", "about"), name="replay_difference_once"),
        ]
        indexes = [models.Index(fields=("replay", "verdict"), name="replay_difference_verdict")]

    def __str__(self) -> str:
        return f"{self.replay}: {self.step}, {self.about}"

    def as_json(self) -> dict[str, Any]:
        return {
            "run": self.step.execution.execution_id,
            "step": self.step.index,
            "about": self.about,
            "verdict": self.verdict,
            "was": self.was,
            "now": self.now,
            "masked": self.masked,
        }


class EyesPrint(models.Model):
    """What the machine looked with, each time that it changed: reader, embedder, thresholds, fitted numbers."""

    parts = models.JSONField(default=dict)
    seen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"{self.seen_at:%Y-%m-%d %H:%M}"
