from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from execution.choices import Watched


class DriftWatch(models.Model):
    """One screen or step of a workflow as its runs see it (S6.7): what its test has gathered, and what that says.

    `taught` is a digest of what is watched: with another one the test begins anew. `recent` are the last ten
    confidences, or whether the last ten tries were verified, as 1 and 0.
    """

    workflow = models.ForeignKey("workflows.Workflow", on_delete=models.CASCADE, related_name="drift_watches")
    kind = models.CharField(max_length=10, choices=Watched)
    name = models.CharField(max_length=200)  # the id of the screen, or of the step
    taught = models.CharField(max_length=32)
    gathered = models.JSONField(default=dict)
    recent = models.JSONField(default=list)
    looks = models.PositiveIntegerField(default=0)
    is_drifting = models.BooleanField(_("has changed"), default=False)
    severity = models.FloatField(default=0.0)
    action = models.CharField(max_length=10, default="none")
    execution_id = models.CharField(max_length=60, blank=True)  # the run in which it was told, and its step
    step = models.PositiveIntegerField(default=0)
    told_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("watch for drift")
        verbose_name_plural = _("watches for drift")
        ordering = ("workflow", "kind", "name")
        constraints = [
            models.UniqueConstraint(fields=("workflow", "kind", "name"), name="drift_watch_unique"),
            models.CheckConstraint(condition=Q(kind__in=Watched.values), name="drift_watch_kind_known"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"
