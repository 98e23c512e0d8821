from __future__ import annotations

import socket
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models, transaction
from django.utils import timezone

from sentences.said import to_json
from workflows.choices import AbilityKind
from workflows.models import plain_name


def lease_end() -> datetime:
    """When a lease that is renewed now ends."""
    return timezone.now() + timedelta(seconds=settings.RPA_LEASE_S)


def beat_every_s() -> float:
    return settings.RPA_LEASE_S / 5


class Connection(models.TextChoices):
    """How the connection to a desktop elsewhere is; kept in `Robot.connection`, never in a column of its own."""

    CONNECTED = "connected"
    LOST = "lost"
    TRYING = "trying"
    REFUSED = "refused"


class RobotQuerySet(models.QuerySet["Robot"]):
    def alive(self) -> RobotQuerySet:
        """Those that were heard of lately. A beat from the future is from before the clock was set back: it is none."""
        now, lease = timezone.now(), timedelta(seconds=settings.RPA_LEASE_S)
        return self.filter(stopped_at=None, heartbeat_at__gt=now - lease, heartbeat_at__lt=now + lease)

    def at_work(self) -> RobotQuerySet:
        """Those that take runs: alive, and not in maintenance."""
        return self.alive().filter(maintenance_at=None)

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
    maintenance_at = models.DateTimeField(
        null=True, blank=True
    )  # since when it takes nothing new; outlives its process
    maintenance_by = models.CharField(max_length=150, default="", db_default="", blank=True)

    # of a desktop elsewhere: state, since, cuts, why, tries
    connection = models.JSONField(default=dict, db_default={}, blank=True)

    objects = RobotQuerySet.as_manager()

    class Meta:
        ordering = ("-heartbeat_at",)

    def __str__(self) -> str:
        return self.name

    @property
    def is_in_maintenance(self) -> bool:
        return self.maintenance_at is not None

    @property
    def known_as(self) -> frozenset[str]:
        """What its desktop is called where one is asked for: with its machine's name, or by its display alone."""
        return frozenset({self.desktop, self.desktop.removeprefix(self.host or socket.gethostname()).strip()})

    @property
    def is_alive(self) -> bool:
        age = timezone.now() - self.heartbeat_at
        return self.stopped_at is None and abs(age.total_seconds()) < settings.RPA_LEASE_S


class AbilityOrigin(models.TextChoices):
    """Who says that a robot has it; each says it anew without touching what the others said."""

    FOUND = "found"
    SETTING = "setting"
    PAGE = "page"


class AbilityQuerySet(models.QuerySet["Ability"]):
    def of(self, kind: AbilityKind) -> list[str]:
        return sorted(set(self.filter(kind=kind).values_list("name", flat=True)))

    def say(self, robot: Robot, kind: AbilityKind, names: Iterable[str], *, origin: AbilityOrigin) -> None:
        """That the robot has these of that kind, and no others by that origin."""
        wanted = {plain for name in names if (plain := plain_name(name)[:100])}
        with transaction.atomic():
            mine = self.filter(robot=robot, kind=kind, origin=origin)
            known = set(mine.values_list("name", flat=True))
            mine.filter(name__in=known - wanted).delete()
            Ability.objects.bulk_create(
                [Ability(robot=robot, kind=kind, name=n, origin=origin) for n in sorted(wanted - known)]
            )


class Ability(models.Model):
    """A tag or a program that a robot has (S9.4)."""

    robot = models.ForeignKey(Robot, on_delete=models.CASCADE, related_name="abilities")
    kind = models.CharField(max_length=10, choices=AbilityKind)
    name = models.CharField(max_length=100)  # as `plain_name` has it
    origin = models.CharField(max_length=10, choices=AbilityOrigin)

    objects = AbilityQuerySet.as_manager()

    class Meta:
        ordering = ("kind", "name")
        constraints = [models.UniqueConstraint(fields=("robot", "kind", "name", "origin"), name="ability_once")]

    def __str__(self) -> str:
        return self.name
