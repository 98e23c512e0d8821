from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Count, Exists, F, OuterRef, Q, Sum
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from execution.choices import (
    FINAL,
    LIVE,
    MOVES,
    ON_DESKTOP,
    WAITING,
    EventKind,
    ExecutionMode,
    ExecutionState,
    Origin,
    PauseReason,
    PromptState,
    Verb,
    Wish,
)
from execution.exceptions import IllegalMove, UnknownExecution
from execution.models.robot import Ability, Robot, beat_every_s
from execution.permissions import OPERATE
from sentences.field import SaidField
from workflows.choices import Priority
from workflows.models import Need, Workflow, WorkflowVersion

COACHING_COUNTERS = ("suggestions_made", "accepted", "rejected", "corrected", "manual_executions", "skipped")


def place_in_line(created_at: datetime, priority: int) -> datetime:
    """Where a run stands in the queue: as if it had come earlier, or later, by its priority (S9.4).

    The place never moves. So a run of any priority is passed only by those that came until a fixed time after it.
    """
    return created_at - priority * timedelta(seconds=settings.RPA_PRIORITY_LEAD_S)


def fits(robot: Robot, version: str) -> Q:
    """Of rows whose column `version` names what they run: those that the robot has everything for (S9.4).

    What the workflows need that a run does inside, it needs as well. All of it is read in the one statement that takes
    a run: what was changed a moment ago holds.
    """
    has = Ability.objects.filter(robot=robot.pk, kind=OuterRef("kind"), name=OuterRef("name"))
    lacking = Need.objects.filter(~Exists(has), workflow__done_in=OuterRef(version))
    wider, higher = Q(smallest_width__gt=OuterRef("screen_width")), Q(smallest_height__gt=OuterRef("screen_height"))
    larger = Workflow.objects.filter(wider | higher, done_in=OuterRef(OuterRef(version)))
    takes = Robot.objects.filter(~Exists(larger), pk=robot.pk, maintenance_at=None)
    return Q(Exists(takes)) & Q(~Exists(lacking))


def without_room() -> models.QuerySet[WorkflowVersion, Any]:
    """The versions that do a workflow, inside or out, which as many do on desktops as may (S9.4).

    Which these are is found once for all runs, from the few that are on desktops.
    """
    at_work = Execution.objects.filter(state__in=ON_DESKTOP).order_by()
    does = at_work.annotate(flow=F("version__does"), most=F("version__does__most_at_once")).values("flow", "most")
    full = does.annotate(n=Count("pk")).filter(n__gte=F("most")).values("flow")
    return WorkflowVersion.objects.filter(does__in=full).values("pk")


class ExecutionQuerySet(models.QuerySet["Execution"]):
    def live(self) -> ExecutionQuerySet:
        return self.filter(state__in=LIVE)

    def final(self) -> ExecutionQuerySet:
        return self.filter(state__in=FINAL)

    def needing_a_person(self) -> ExecutionQuerySet:
        """Runs that ask something, or are paused; not those that were answered and wait for their loop, nor those that
        a person has in hand."""
        asks = Q(state__in=WAITING) & Q(prompts__state=PromptState.OPEN)  # at most one is open
        stands = Q(state=ExecutionState.PAUSED, wish=Wish.NONE) & ~Q(pause_reason=PauseReason.CONTROL)
        return self.filter(asks | stands).distinct()

    def for_person(self, user: Any) -> ExecutionQuerySet:
        """Of these runs those that `user` may answer: all or none."""
        return self if user.has_perm(OPERATE) else self.none()

    def queued(self) -> ExecutionQuerySet:
        """Those that wait for a robot, in the order in which they are taken (S9.4)."""
        return self.filter(state=ExecutionState.QUEUED).order_by("in_line_at", "pk")

    def may_be_for(self, *desktops: str) -> ExecutionQuerySet:
        """Runs that a loop on a desktop of these names might take: asked far more often than there is one, so cheap."""
        queued = Q(state=ExecutionState.QUEUED, desktop__in=("", *desktops))
        return self.filter(queued | Q(state__in=ON_DESKTOP, desktop__in=desktops)).order_by()

    def fitting(self, robot: Robot) -> ExecutionQuerySet:
        """Of these runs those that the robot has everything for (S9.4); none while it is in maintenance."""
        return self.filter(fits(robot, "version"))

    def with_room(self) -> ExecutionQuerySet:
        """Of these runs those that do no workflow, inside or out, which as many do on desktops as may (S9.4)."""
        return self.exclude(version__in=without_room())

    def abandoned_on(self, desktop: str) -> ExecutionQuerySet:
        """Runs that were on this desktop; whoever holds its lock and asks is the only one who can go on with them."""
        return self.filter(state__in=ON_DESKTOP, desktop=desktop).order_by("started_at", "pk")

    def left_behind(self) -> ExecutionQuerySet:
        """Runs on a desktop whose robot is not heard of any more; none that a run loop may still have in hand."""
        left = self.filter(state__in=ON_DESKTOP, robot__isnull=False, lease_until__lt=timezone.now())
        return left.exclude(robot__in=Robot.objects.alive())

    def for_workflow(self, workflow_id: str) -> ExecutionQuerySet:
        return self.filter(version__workflow__workflow_id=workflow_id)

    def by_id(self, execution_id: str, *, version: WorkflowVersion | None = None) -> Execution:
        """The run with its version and workflow; where it still is of `version`, with that object: a version never
        changes, and its graph is much to read."""
        rows = self if version else self.select_related("version__workflow")
        try:
            execution = rows.get(execution_id=execution_id)
        except self.model.DoesNotExist:
            raise UnknownExecution(_("There is no run “%(id)s”.") % {"id": execution_id}) from None
        if version is not None and execution.version_id == version.pk:
            execution.version = version
        return execution

    def coaching_stats(self) -> dict[str, Any]:
        """S1.13 over all these runs."""
        totals = self.aggregate(**{name: Sum(name, default=0) for name in COACHING_COUNTERS})
        return with_rates(totals)


def with_rates(counts: dict[str, int]) -> dict[str, Any]:
    made = counts["suggestions_made"]
    return {
        **counts,
        "acceptance_rate": counts["accepted"] / made if made else 0.0,
        "correction_rate": counts["corrected"] / made if made else 0.0,
    }


class Execution(models.Model):
    """One run of one published version on one desktop."""

    execution_id = models.CharField(max_length=60, unique=True)
    version = models.ForeignKey("workflows.WorkflowVersion", on_delete=models.PROTECT, related_name="executions")
    mode = models.CharField(max_length=20, choices=ExecutionMode)
    state = models.CharField(max_length=20, choices=ExecutionState, default=ExecutionState.IDLE)
    wish = models.CharField(max_length=20, choices=Wish, default=Wish.NONE, blank=True)
    wish_node_id = models.CharField(max_length=100, blank=True)  # the node a person picked when resuming
    wish_press = models.JSONField(default=dict, blank=True)  # the button somebody chose, and the dialog they saw
    controller = models.ForeignKey(  # who has the desktop in hand, or asked for it (S6.15)
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    wish_version = models.ForeignKey(  # that it goes on with, with the wish to (S6.14)
        "workflows.WorkflowVersion", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    wish_mode = models.CharField(max_length=20, choices=ExecutionMode, blank=True)  # from its next turn on (S1.23)
    pause_reason = models.CharField(max_length=20, choices=PauseReason, default=PauseReason.NONE, blank=True)
    pause_detail = models.JSONField(default=dict, blank=True)  # what was seen when it paused: picture, candidates
    error = SaidField(blank=True)
    stopped_by = models.CharField(max_length=150, blank=True)
    stopped_from = models.CharField(max_length=20, choices=Origin, blank=True)

    start_node_id = models.CharField(max_length=100, blank=True)
    variables = models.JSONField(default=dict, blank=True)
    secrets = models.TextField(blank=True, editable=False)  # the secret ones, encrypted, until the run has ended
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="executions"
    )

    enable_ui_detection = models.BooleanField(default=True)
    enable_ocr = models.BooleanField(default=True)
    analyze_timeout_ms = models.PositiveIntegerField(default=8000)
    ask_below = models.FloatField(default=0.0)  # in automatic: at steps proved to less than this (S6.8)
    own_parts = models.CharField(max_length=100, blank=True)  # of a program: nobody goes on with the run without them
    window_info_provider = models.CharField(max_length=200, blank=True)
    continuous_capture = models.BooleanField(default=True)
    degraded = models.BooleanField(default=False)
    degraded_reason = SaidField(blank=True)

    priority = models.SmallIntegerField(choices=Priority, default=Priority.NORMAL, db_default=Priority.NORMAL)
    in_line_at = models.DateTimeField(default=timezone.now, db_default=Now())  # its place in the queue: `place_in_line`
    desktop = models.CharField(max_length=200, blank=True)  # empty until claimed, unless one was asked for
    desktop_identity = models.JSONField(default=dict, blank=True)
    robot = models.ForeignKey(Robot, null=True, blank=True, on_delete=models.SET_NULL, related_name="executions")
    epoch = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    in_hand = models.BooleanField(default=False)  # a run loop has it and has not let go of it
    deaths = models.PositiveSmallIntegerField(default=0)  # of loops that had it in hand, since its last step

    current_node_id = models.CharField(max_length=100, blank=True)
    current_edge_id = models.CharField(max_length=100, blank=True)
    last_confidence = models.FloatField(default=0)
    next_step = models.PositiveIntegerField(default=1)
    next_seq = models.PositiveBigIntegerField(default=1)
    steps_executed = models.PositiveIntegerField(default=0)
    steps_succeeded = models.PositiveIntegerField(default=0)
    steps_failed = models.PositiveIntegerField(default=0)
    suggestions_made = models.PositiveIntegerField(default=0)
    accepted = models.PositiveIntegerField(default=0)
    rejected = models.PositiveIntegerField(default=0)
    corrected = models.PositiveIntegerField(default=0)
    manual_executions = models.PositiveIntegerField(default=0)
    skipped = models.PositiveIntegerField(default=0)
    capture_stats = models.JSONField(default=dict, blank=True)

    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    lasted_s = models.FloatField(null=True, blank=True)  # by the steady clock of its run loops; empty: not measured
    measured_at = models.DateTimeField(null=True, blank=True)  # when they last said so

    objects = ExecutionQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at", "-pk")
        permissions = (
            ("operate_execution", "Can start, decide, pause, resume and stop runs"),
            ("view_unmasked", "Can see what is masked in the live picture of a run"),
        )
        constraints = [
            models.CheckConstraint(condition=Q(state__in=ExecutionState.values), name="execution_state_known"),
            models.CheckConstraint(condition=Q(mode__in=ExecutionMode.values), name="execution_mode_known"),
            models.CheckConstraint(condition=Q(wish__in=Wish.values), name="execution_wish_known"),
            models.CheckConstraint(
                condition=Q(wish_mode="") | Q(wish_mode__in=ExecutionMode.values), name="execution_wish_mode_known"
            ),
            models.CheckConstraint(condition=Q(priority__in=Priority.values), name="execution_priority_known"),
            models.CheckConstraint(
                condition=~Q(state__in=FINAL) | Q(ended_at__isnull=False), name="execution_final_has_end"
            ),
            models.UniqueConstraint(
                fields=("desktop",), condition=Q(state__in=ON_DESKTOP), name="execution_one_on_desktop"
            ),
        ]
        indexes = [models.Index(fields=("state", "created_at")), models.Index(fields=("state", "in_line_at"))]

    def __str__(self) -> str:
        return self.execution_id

    @property
    def workflow_id(self) -> str:
        return self.version.workflow.workflow_id

    @property
    def name_for_people(self) -> str:
        """“Patient note” of 22 November, 10:28: nobody knows a run by its id."""
        when = date_format(timezone.localtime(self.created_at), "SHORT_DATETIME_FORMAT")
        return _("“%(workflow)s” of %(when)s") % {"workflow": self.version.workflow.name, "when": when}

    @property
    def is_final(self) -> bool:
        return self.state in FINAL

    @property
    def stands_for_a_person(self) -> bool:
        """Whether it is paused, and nobody has said yet how it goes on, or has it in hand: as in `needing_a_person`."""
        in_hand = self.wish or self.pause_reason == PauseReason.CONTROL
        return self.state == ExecutionState.PAUSED and not in_hand

    @property
    def duration_seconds(self) -> float:
        """As its run loops measure it; clocks that are set change nothing of it. Pauses belong to it."""
        if self.started_at is None:
            return 0.0
        if self.lasted_s is None or self.measured_at is None:
            return max(0.0, ((self.ended_at or timezone.now()) - self.started_at).total_seconds())
        if self.is_final:
            return self.lasted_s
        unmeasured = (timezone.now() - self.measured_at).total_seconds()
        return self.lasted_s + min(max(0.0, unmeasured), beat_every_s())

    @property
    def counts_from(self) -> datetime:
        """When it would have begun had no clock been set: what a page counts on from."""
        return timezone.now() - timedelta(seconds=self.duration_seconds)

    def has_control(self, user: Any) -> bool:
        """Whether `user` has its desktop in hand (S6.15)."""
        is_handed_over = self.state == ExecutionState.PAUSED and self.pause_reason == PauseReason.CONTROL
        return is_handed_over and self.controller_id is not None and self.controller_id == user.pk

    def move(self, to: ExecutionState, *, fence: int | None = None, **changes: Any) -> None:
        """Compare-and-set to `to`; raises IllegalMove where the table forbids it or somebody moved first (S1.2)."""
        was = ExecutionState(self.state)
        if to not in MOVES[was]:
            raise IllegalMove(
                _("The run %(run)s is %(state)s; it cannot become %(to)s.")
                % {"run": self.name_for_people, "state": was.label, "to": to.label}
            )
        if to in FINAL:
            changes.setdefault("ended_at", timezone.now())
            changes.setdefault("wish", Wish.NONE)
            changes["secrets"] = ""
        rows = Execution.objects.filter(pk=self.pk, state=was)
        if fence is not None:
            rows = rows.filter(epoch=fence)
        if not rows.update(state=to, **changes):
            raise IllegalMove(
                _("The run %(run)s is no longer %(state)s: somebody else was first.")
                % {"run": self.name_for_people, "state": was.label}
            )
        for name, value in {"state": to, **changes}.items():
            setattr(self, name, value)

    def take_seq(self) -> int:
        """The next sequence number of this run's events; call inside the transaction that writes the event."""
        Execution.objects.filter(pk=self.pk).update(next_seq=F("next_seq") + 1)
        return Execution.objects.values_list("next_seq", flat=True).get(pk=self.pk) - 1

    def progress(self) -> dict[str, Any]:
        """S1.12, the same in API, stream and Python."""
        return {
            "status": self.state,
            "workflow_id": self.workflow_id,
            "execution_id": self.execution_id,
            "mode": self.mode,
            "current_node": self.current_node_id or None,
            "current_edge": self.current_edge_id or None,
            "steps_executed": self.steps_executed,
            "steps_succeeded": self.steps_succeeded,
            "steps_failed": self.steps_failed,
            "last_confidence": self.last_confidence,
            "duration_seconds": round(self.duration_seconds, 3),
        }

    def results(self) -> list[dict[str, str]]:
        """The values that it has read, the newest of each name, without what stays inside a workflow that it did."""
        return self.values_read.all().results(self.version.spec())

    def coaching_stats(self) -> dict[str, Any]:
        return with_rates({name: getattr(self, name) for name in COACHING_COUNTERS})


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


class WishRecord(models.Model):
    """What somebody asked of a run: who, when, and from where. It is written once and never changed (S1.24)."""

    execution = models.ForeignKey(Execution, on_delete=models.CASCADE, related_name="wishes")
    verb = models.CharField(max_length=30, choices=Verb)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    name = models.CharField(gettext_lazy("who"), max_length=150, blank=True)
    origin = models.CharField(gettext_lazy("from where"), max_length=20, choices=Origin, blank=True)
    detail = models.JSONField(default=dict, blank=True)  # the node that was picked, the mode, on or off
    asked_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = gettext_lazy("wish")
        verbose_name_plural = gettext_lazy("wishes")
        ordering = ("-asked_at", "-pk")
        constraints = [
            models.CheckConstraint(condition=Q(verb__in=Verb.values), name="wish_record_verb_known"),
            models.CheckConstraint(condition=Q(origin__in=Origin.values), name="wish_record_origin_known"),
        ]
        indexes = [models.Index(fields=("execution", "verb", "-asked_at"), name="wish_record_of_run")]

    def __str__(self) -> str:
        return f"{self.verb} by {self.name or self.origin}"


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
