from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q, Sum
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from execution.choices import (
    FINAL,
    LIVE,
    MOVES,
    ON_DESKTOP,
    WAITING,
    ExecutionMode,
    ExecutionState,
    Origin,
    PauseReason,
    PromptState,
    Wish,
)
from execution.exceptions import IllegalMove, UnknownExecution
from execution.models.robot import Robot, beat_every_s
from execution.permissions import OPERATE
from sentences.field import SaidField

COACHING_COUNTERS = ("suggestions_made", "accepted", "rejected", "corrected", "manual_executions", "skipped")


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
        return self.filter(state=ExecutionState.QUEUED).order_by("created_at", "pk")

    def abandoned_on(self, desktop: str) -> ExecutionQuerySet:
        """Runs that were on this desktop; whoever holds its lock and asks is the only one who can go on with them."""
        return self.filter(state__in=ON_DESKTOP, desktop=desktop).order_by("started_at", "pk")

    def for_workflow(self, workflow_id: str) -> ExecutionQuerySet:
        return self.filter(version__workflow__workflow_id=workflow_id)

    def by_id(self, execution_id: str) -> Execution:
        try:
            return self.select_related("version__workflow").get(execution_id=execution_id)
        except self.model.DoesNotExist:
            raise UnknownExecution(_("There is no run “%(id)s”.") % {"id": execution_id}) from None

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
    own_parts = models.CharField(max_length=100, blank=True)  # of a program: nobody goes on with the run without them
    window_info_provider = models.CharField(max_length=200, blank=True)
    continuous_capture = models.BooleanField(default=True)
    degraded = models.BooleanField(default=False)
    degraded_reason = SaidField(blank=True)

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
            models.CheckConstraint(
                condition=~Q(state__in=FINAL) | Q(ended_at__isnull=False), name="execution_final_has_end"
            ),
            models.UniqueConstraint(
                fields=("desktop",), condition=Q(state__in=ON_DESKTOP), name="execution_one_on_desktop"
            ),
        ]
        indexes = [models.Index(fields=("state", "created_at"))]

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

    def coaching_stats(self) -> dict[str, Any]:
        return with_rates({name: getattr(self, name) for name in COACHING_COUNTERS})
