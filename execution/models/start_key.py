from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone

from execution.models.execution import Execution

START_KEYS_KEPT = timedelta(hours=24)  # longer than a program asks again after a fault


class StartKey(models.Model):
    """What a program named its request to start a run by, so that the same request starts no second one."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    body = models.CharField(max_length=64)  # a keyed digest: it may hold what is secret
    execution = models.ForeignKey(Execution, null=True, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=("user", "key"), name="start_key_once")]

    def __str__(self) -> str:
        return self.key
