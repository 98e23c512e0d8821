from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from execution.choices import Origin, Verb
from execution.models.execution import Execution


class WishRecord(models.Model):
    """What somebody asked of a run: who, when, and from where. It is written once and never changed (S1.24)."""

    execution = models.ForeignKey(Execution, on_delete=models.CASCADE, related_name="wishes")
    verb = models.CharField(max_length=30, choices=Verb)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    name = models.CharField(_("who"), max_length=150, blank=True)
    origin = models.CharField(_("from where"), max_length=20, choices=Origin, blank=True)
    detail = models.JSONField(default=dict, blank=True)  # the node that was picked, the mode, on or off
    asked_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("wish")
        verbose_name_plural = _("wishes")
        ordering = ("-asked_at", "-pk")
        constraints = [
            models.CheckConstraint(condition=Q(verb__in=Verb.values), name="wish_record_verb_known"),
            models.CheckConstraint(condition=Q(origin__in=Origin.values), name="wish_record_origin_known"),
        ]
        indexes = [models.Index(fields=("execution", "verb", "-asked_at"), name="wish_record_of_run")]

    def __str__(self) -> str:
        return f"{self.verb} by {self.name or self.origin}"
