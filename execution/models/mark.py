from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from execution.choices import Feedback, Origin
from execution.models.step import Step


class StepMark(models.Model):
    """What somebody said of a step afterwards: it was right, wrong, or right in part (S6.5).

    It is written once and never changed; of several of one step the newest counts.
    """

    step = models.ForeignKey(Step, on_delete=models.CASCADE, related_name="marks")
    feedback = models.CharField(max_length=20, choices=Feedback)
    reason = models.TextField(blank=True)
    confidence = models.FloatField(default=1.0)  # how sure whoever said it is, from 0 to 1
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    name = models.CharField(_("who"), max_length=150, blank=True)
    origin = models.CharField(_("from where"), max_length=20, choices=Origin, blank=True)
    marked_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("step", "-marked_at", "-pk")
        constraints = [
            models.CheckConstraint(condition=Q(feedback__in=Feedback.values), name="step_mark_feedback_known"),
            models.CheckConstraint(condition=Q(confidence__gte=0, confidence__lte=1), name="step_mark_confidence"),
            models.CheckConstraint(condition=Q(origin__in=Origin.values), name="step_mark_origin_known"),
        ]

    def __str__(self) -> str:
        return f"{self.step}: {self.feedback}"

    def as_json(self) -> dict[str, str]:
        return {
            "feedback": self.feedback,
            "reason": self.reason,
            "by": self.name,
            "origin": self.origin,
            "marked_at": self.marked_at.isoformat(),
        }
