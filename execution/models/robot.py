from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import models, transaction
from django.utils import timezone

from sentences.said import to_json


def lease_end() -> datetime:
    """When a lease that is renewed now ends."""
    return timezone.now() + timedelta(seconds=settings.RPA_LEASE_S)


def beat_every_s() -> float:
    return settings.RPA_LEASE_S / 5


class RobotQuerySet(models.QuerySet["Robot"]):
    def alive(self) -> RobotQuerySet:
        """Those that were heard of lately. A beat from the future is from before the clock was set back: it is none."""
        now, lease = timezone.now(), timedelta(seconds=settings.RPA_LEASE_S)
        return self.filter(stopped_at=None, heartbeat_at__gt=now - lease, heartbeat_at__lt=now + lease)

    def warn(self, pk: int, kind: str, message: str) -> None:
        """A line on the robots page, the last of its kind."""
        with transaction.atomic():
            warnings = self.filter(pk=pk).values_list("warnings", flat=True).first() or {}  # its row may be deleted
            told = {**warnings, kind: {"message": to_json(message), "at": timezone.now().isoformat()}}
            self.filter(pk=pk).update(warnings=told)


class Robot(models.Model):
    """One run loop process on one desktop."""

    name = models.CharField(max_length=150, unique=True)
    desktop = models.CharField(max_length=200)
    host = models.CharField(max_length=200)
    pid = models.PositiveIntegerField()
    screen_width = models.PositiveIntegerField(default=0)
    screen_height = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField(default=timezone.now)
    heartbeat_at = models.DateTimeField(default=timezone.now)
    stopped_at = models.DateTimeField(null=True, blank=True)
    problem = models.TextField(blank=True)
    warnings = models.JSONField(default=dict, blank=True)
    perception = models.JSONField(default=dict, blank=True)  # PerceptionReport, empty until the models are loaded

    objects = RobotQuerySet.as_manager()

    class Meta:
        ordering = ("-heartbeat_at",)

    def __str__(self) -> str:
        return self.name

    @property
    def is_alive(self) -> bool:
        age = timezone.now() - self.heartbeat_at
        return self.stopped_at is None and abs(age.total_seconds()) < settings.RPA_LEASE_S
