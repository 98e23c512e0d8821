"""When a list begins by itself, and what became of each of its starts: in rows, so that a restart misses nothing."""

from __future__ import annotations

import secrets
from datetime import datetime, time

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from execution.choices import NightEnd, Rhythm, StartState, WhileRunning
from execution.exceptions import UnknownSchedule
from execution.models.worklist import Worklist
from sentences.field import SaidField


def new_schedule_id() -> str:
    return f"when_{secrets.token_hex(6)}"


class ScheduleQuerySet(models.QuerySet["Schedule"]):
    def by_id(self, schedule_id: str) -> Schedule:
        try:
            return self.select_related("worklist__workflow", "worklist__version").get(schedule_id=schedule_id)
        except self.model.DoesNotExist:
            raise UnknownSchedule(_("There is no schedule “%(id)s”.") % {"id": schedule_id}) from None

    def watched(self) -> ScheduleQuerySet:
        """Those that the clock looks at."""
        return self.filter(is_on=True).select_related("worklist__workflow", "worklist__version").order_by("pk")


class Schedule(models.Model):
    """When a list begins by itself; times are those of the clock on the wall in `zone`."""

    schedule_id = models.CharField(max_length=60, unique=True, default=new_schedule_id)
    worklist = models.ForeignKey(Worklist, on_delete=models.CASCADE, related_name="schedules")
    is_on = models.BooleanField(default=True)
    kind = models.CharField(max_length=10, choices=Rhythm, default=Rhythm.WEEKDAYS)
    zone = models.CharField(max_length=60)
    at = models.TimeField(default=time(2))
    on = models.DateField(null=True, blank=True)
    weekdays = models.JSONField(default=list, blank=True)  # from Monday as 0
    cron = models.CharField(max_length=100, blank=True)
    country = models.CharField(max_length=3, blank=True)  # on its holidays nothing begins
    region = models.CharField(max_length=20, blank=True)
    not_on = models.JSONField(default=dict, blank=True)  # days of one's own, as ISO dates, each with what it is
    until = models.TimeField(null=True, blank=True)  # from then on no row begins
    make_up_until = models.TimeField(null=True, blank=True)  # a missed start; None: it is skipped
    while_running = models.CharField(max_length=10, choices=WhileRunning, default=WhileRunning.WAIT)
    takes_files = models.BooleanField(default=False)  # from the list's folder; without a new one nothing begins
    reason = models.CharField(max_length=300, blank=True)  # why it acts by itself though that was not earned
    language = models.CharField(max_length=10, default="en")  # of reports and files, and of how numbers are written
    looked_at = models.DateTimeField(default=timezone.now)  # starts until then are settled
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    changed_at = models.DateTimeField(default=timezone.now)

    objects = ScheduleQuerySet.as_manager()

    class Meta:
        ordering = ("worklist", "pk")
        verbose_name = gettext_lazy("schedule")
        verbose_name_plural = gettext_lazy("schedules")
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=Rhythm.values), name="schedule_kind_known"),
            models.CheckConstraint(condition=Q(while_running__in=WhileRunning.values), name="schedule_wait_known"),
        ]

    def __str__(self) -> str:
        return self.schedule_id

    def look(self, now: datetime) -> bool:
        """Compare-and-set in the caller's transaction: False where another clock looked, or a person changed it."""
        mine = Schedule.objects.filter(pk=self.pk, is_on=True, looked_at=self.looked_at, changed_at=self.changed_at)
        return bool(mine.update(looked_at=now))


class ListStartQuerySet(models.QuerySet["ListStart"]):
    def waiting(self) -> ListStartQuerySet:
        return self.filter(state=StartState.WAITING).order_by("-at")

    def open(self) -> ListStartQuerySet:
        """Those whose rows are being worked off."""
        return self.filter(state=StartState.BEGUN, ended="")


class ListStart(models.Model):
    """A moment at which a list was to begin, once for each schedule, and what became of it."""

    schedule = models.ForeignKey(Schedule, on_delete=models.CASCADE, related_name="starts")
    at = models.DateTimeField()
    state = models.CharField(max_length=10, choices=StartState)
    reason = SaidField(blank=True)  # why not, or why not yet
    began_at = models.DateTimeField(null=True, blank=True)
    ended = models.CharField(max_length=10, choices=NightEnd, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    worked = models.PositiveIntegerField(default=0)  # rows that came to an end
    left = models.PositiveIntegerField(default=0)  # rows that are still new
    told_at = models.DateTimeField(default=timezone.now)  # when this was found

    objects = ListStartQuerySet.as_manager()

    class Meta:
        ordering = ("-at", "-pk")
        constraints = [
            models.UniqueConstraint(fields=("schedule", "at"), name="list_start_once"),
            models.CheckConstraint(condition=Q(state__in=StartState.values), name="list_start_state_known"),
            models.CheckConstraint(condition=Q(ended="") | Q(ended__in=NightEnd.values), name="list_start_end_known"),
        ]
        indexes = [models.Index(fields=("state", "told_at"), name="list_start_found")]

    def __str__(self) -> str:
        return f"{self.schedule} {self.at:%Y-%m-%d %H:%M}"

    @property
    def is_late(self) -> bool:
        """True if it was made up."""
        return self.began_at is not None and (self.began_at - self.at).total_seconds() > 120


class ClockLook(models.Model):
    """When a worker last looked at the clock; one row, of whichever worker it was."""

    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M}"

    @classmethod
    def keep(cls, now: datetime) -> None:
        cls.objects.update_or_create(pk=1, defaults={"at": now})

    @classmethod
    def last(cls) -> datetime | None:
        return cls.objects.filter(pk=1).values_list("at", flat=True).first()


class BroughtFile(models.Model):
    """A file of a watched folder that was looked at, by what it holds: the same rows come in once."""

    worklist = models.ForeignKey(Worklist, on_delete=models.CASCADE, related_name="files")
    start = models.ForeignKey(ListStart, null=True, blank=True, on_delete=models.SET_NULL, related_name="files")
    name = models.CharField(max_length=255)
    digest = models.CharField(max_length=64)
    is_taken = models.BooleanField()
    rows = models.PositiveIntegerField(default=0)  # that came in
    bad = models.PositiveIntegerField(default=0)  # that did not
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-at", "-pk")
        constraints = [
            models.UniqueConstraint(
                fields=("worklist", "digest"), condition=Q(is_taken=True), name="brought_file_taken_once"
            )
        ]
        indexes = [models.Index(fields=("is_taken", "at"), name="brought_file_found")]

    def __str__(self) -> str:
        return self.name
