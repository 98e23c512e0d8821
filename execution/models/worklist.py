"""Work in lots (S12): a list, its rows, the runs that work them off, and what happened in it."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from execution.choices import FINAL, ExecutionMode
from execution.exceptions import UnknownItem, UnknownWorklist
from execution.models.execution import Execution
from execution.permissions import OPERATE
from sentences.field import SaidField
from sentences.said import to_json
from workflows.models import Workflow, WorkflowVersion

NEVER_DUE = datetime(9999, 12, 31, tzinfo=UTC)  # so that what is due comes first by one index, in every database


class WorklistState(models.TextChoices):
    """Of a list: `ready` until a person starts it; `stands`: it stopped by itself, and its reason says why."""

    READY = "ready", gettext_lazy("not started")
    RUNNING = "running", gettext_lazy("running")
    PAUSED = "paused", gettext_lazy("paused")
    STANDS = "stands", gettext_lazy("stands")
    FINISHED = "finished", gettext_lazy("finished")


class ItemState(models.TextChoices):
    """Of a row (S12.2)."""

    NEW = "new", gettext_lazy("new")
    RUNNING = "running", gettext_lazy("running")
    DONE = "done", gettext_lazy("done")
    EXCEPTION = "exception", gettext_lazy("exception")
    FAILED = "failed", gettext_lazy("failed")
    SET_ASIDE = "set_aside", gettext_lazy("set aside")
    SKIPPED = "skipped", gettext_lazy("skipped")
    CANCELLED = "cancelled", gettext_lazy("cancelled")


I = ItemState  # noqa: E741
OPEN_ITEMS = frozenset({I.NEW, I.RUNNING})
_BY_PEOPLE = frozenset({I.NEW, I.SET_ASIDE, I.SKIPPED})  # what they may make of a row that did not end well
ITEM_MOVES: dict[ItemState, frozenset[ItemState]] = {
    I.NEW: frozenset({I.RUNNING, I.FAILED, I.SET_ASIDE, I.SKIPPED, I.CANCELLED}),
    I.RUNNING: frozenset({I.NEW, I.DONE, I.EXCEPTION, I.FAILED, I.SET_ASIDE}),
    I.DONE: frozenset(),
    I.EXCEPTION: _BY_PEOPLE,
    I.FAILED: _BY_PEOPLE,
    I.SET_ASIDE: _BY_PEOPLE,
    I.SKIPPED: frozenset({I.NEW}),
    I.CANCELLED: frozenset({I.NEW}),
}


class WorkRunKind(models.TextChoices):
    ROW = "row", gettext_lazy("row")
    RESET = "reset", gettext_lazy("way back to the start")


class WorklistEventKind(models.TextChoices):
    LIST = "list", gettext_lazy("list")
    ADDED = "added", gettext_lazy("rows added")
    ROW = "row", gettext_lazy("row")
    ROWS = "rows", gettext_lazy("rows")


def new_worklist_id() -> str:
    return f"list_{secrets.token_hex(6)}"


class WorklistQuerySet(models.QuerySet["Worklist"]):
    def by_id(self, worklist_id: str) -> Worklist:
        try:
            return self.select_related("workflow", "version").get(worklist_id=worklist_id)
        except self.model.DoesNotExist:
            raise UnknownWorklist(_("There is no list “%(id)s”.") % {"id": worklist_id}) from None

    def with_work(self, now: datetime) -> WorklistQuerySet:
        """Running lists that may begin a row now, the one that waited longest first: they share robots fairly."""
        ready = WorkItem.objects.ready(now).filter(worklist=OuterRef("pk"))
        inside = self.filter(state=WorklistState.RUNNING).filter(Q(closes_at=None) | Q(closes_at__gt=now))
        return inside.filter(Exists(ready)).order_by("taken_at", "pk")


class Worklist(models.Model):
    """Rows that one workflow works off, one run a row."""

    worklist_id = models.CharField(max_length=60, unique=True, default=new_worklist_id)
    name = models.CharField(gettext_lazy("name"), max_length=200)
    workflow = models.ForeignKey(Workflow, on_delete=models.PROTECT, related_name="worklists")
    version = models.ForeignKey(  # None: the newest that is published when a row begins
        WorkflowVersion, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    mode = models.CharField(max_length=20, choices=ExecutionMode, blank=True)  # empty: as the workflow has earned
    columns = models.JSONField(default=list, blank=True)  # names, in the order of the file
    mapping = models.JSONField(default=dict, blank=True)  # variable → column
    keys = models.JSONField(default=list, blank=True)  # columns whose values make the reference of a row

    most_attempts = models.PositiveSmallIntegerField(default=3)  # of a row, by itself
    retry_after_s = models.PositiveIntegerField(default=60)
    breaker = models.PositiveSmallIntegerField(default=3)  # rows that failed one after the other; 0: none stops it
    parallel = models.PositiveSmallIntegerField(null=True, blank=True)  # rows at work at once; None: any number
    tags = models.JSONField(default=list, blank=True)  # a robot must have all of them
    patience_s = models.PositiveIntegerField(null=True, blank=True, default=600)  # None: a question waits for ever
    reset = models.ForeignKey(  # the way back to the start, after a row that did not reach its end (S12.8)
        Workflow, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    # Its own in `in/` and `out/` of the data folder, once it has one.
    folder = models.CharField(max_length=100, blank=True, default="", db_default="")
    takes_good = models.BooleanField(default=False, db_default=False)  # of a file there: the bad rows are left out
    writes = models.CharField(max_length=4, blank=True, default="", db_default="")  # csv or xlsx, at its end
    written_at = models.DateTimeField(null=True, blank=True)  # up to which end

    state = models.CharField(max_length=20, choices=WorklistState, default=WorklistState.READY)
    reason = SaidField(blank=True)  # why it stands, or why rows are left
    failed_in_row = models.PositiveIntegerField(default=0)
    closes_at = models.DateTimeField(null=True, blank=True)  # no row begins after it
    taken_at = models.DateTimeField(default=timezone.now)  # when it last began a row
    next_number = models.PositiveIntegerField(default=1)
    next_seq = models.PositiveBigIntegerField(default=1)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    begun_at = models.DateTimeField(null=True, blank=True)  # the last time, after it had come to an end
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = WorklistQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at", "-pk")
        constraints = [
            models.UniqueConstraint(fields=("folder",), condition=~Q(folder=""), name="worklist_folder_unique"),
            models.CheckConstraint(condition=Q(state__in=WorklistState.values), name="worklist_state_known"),
            models.CheckConstraint(condition=Q(mode="") | Q(mode__in=ExecutionMode.values), name="worklist_mode_known"),
        ]
        indexes = [models.Index(fields=("state", "taken_at"), name="worklist_turn")]

    def __str__(self) -> str:
        return self.name

    def at_version(self) -> WorkflowVersion:
        """What a row that began now would run, as of when this was first asked. Raises NotPublished."""
        return self._at_version

    @cached_property
    def _at_version(self) -> WorkflowVersion:
        return self.version or self.workflow.latest_version()

    def tell(self, kind: WorklistEventKind, payload: dict[str, Any]) -> WorklistEvent:
        """Append an event; call inside the transaction of the change that it tells of."""
        Worklist.objects.filter(pk=self.pk).update(next_seq=F("next_seq") + 1)
        seq = Worklist.objects.values_list("next_seq", flat=True).get(pk=self.pk) - 1
        return WorklistEvent.objects.create(worklist=self, seq=seq, kind=kind, payload=to_json(payload))

    def move(self, to: WorklistState, *, among: Iterable[str], reason: str = "", **changes: Any) -> bool:
        """Compare-and-set with its event, inside the caller's transaction; whether it was in one of these states."""
        if not Worklist.objects.filter(pk=self.pk, state__in=list(among)).update(state=to, reason=reason, **changes):
            return False
        for name, value in {"state": to, "reason": reason, **changes}.items():
            setattr(self, name, value)
        self.tell(WorklistEventKind.LIST, {"state": to, "reason": reason})
        return True


class WorkItemQuerySet(models.QuerySet["WorkItem"]):
    def ready(self, now: datetime) -> WorkItemQuerySet:
        """Those that may begin now."""
        return self.filter(state=ItemState.NEW).filter(Q(not_before=None) | Q(not_before__lte=now))

    def in_turn(self) -> WorkItemQuerySet:
        """The one that begins first, first (S12.6)."""
        return self.order_by("-priority", "due", "number")

    def waiting_for_people(self) -> WorkItemQuerySet:
        return self.filter(state=ItemState.SET_ASIDE)

    def for_person(self, user: Any) -> WorkItemQuerySet:
        """Of these rows those that `user` may decide on: all or none."""
        return self if user.has_perm(OPERATE) else self.none()

    def numbered(self, number: int) -> WorkItem:
        try:
            return self.get(number=number)
        except self.model.DoesNotExist:
            raise UnknownItem(_("The list has no row %(number)d.") % {"number": number}) from None


class WorkItem(models.Model):
    """A row: its data, its state, and what came of it."""

    worklist = models.ForeignKey(Worklist, on_delete=models.CASCADE, related_name="items")
    number = models.PositiveIntegerField()
    reference = models.CharField(max_length=200)
    data = models.JSONField(default=dict)  # column → text, as a person saw it
    variables = models.JSONField(default=dict, blank=True)  # those that a run takes otherwise than the columns show
    state = models.CharField(max_length=20, choices=ItemState, default=ItemState.NEW)
    reason = SaidField(blank=True)
    saved = models.BooleanField(default=False)  # by the journal of its last run something may have been saved
    attempts = models.PositiveSmallIntegerField(default=0)
    tried_before = models.PositiveSmallIntegerField(default=0)  # of these, before a person let it begin again
    priority = models.IntegerField(default=0)
    not_before = models.DateTimeField(null=True, blank=True)
    due = models.DateTimeField(default=NEVER_DUE)
    values = models.JSONField(default=list, blank=True)  # read: {name, kind, text, value}, of a repetition with `line`
    execution = models.ForeignKey(Execution, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = WorkItemQuerySet.as_manager()

    class Meta:
        ordering = ("worklist", "number")
        constraints = [
            models.UniqueConstraint(fields=("worklist", "number"), name="work_item_number_unique"),
            models.UniqueConstraint(fields=("worklist", "reference"), name="work_item_reference_unique"),
            models.CheckConstraint(condition=Q(state__in=ItemState.values), name="work_item_state_known"),
            models.CheckConstraint(
                condition=~Q(state=ItemState.RUNNING) | Q(started_at__isnull=False), name="work_item_running_has_begun"
            ),
        ]
        indexes = [
            models.Index(F("worklist"), F("state"), F("priority").desc(), F("due"), F("number"), name="work_item_turn"),
            models.Index(fields=("worklist", "-ended_at"), name="work_item_ended"),
            # counted on every page
            models.Index(fields=("state",), condition=Q(state=ItemState.SET_ASIDE), name="work_item_waits"),
        ]

    def __str__(self) -> str:
        return f"{self.worklist} {self.number}"

    @property
    def is_due(self) -> datetime | None:
        """Until when it is wanted, if anybody said so."""
        return None if self.due >= NEVER_DUE else self.due

    def move(self, to: ItemState, *, reason: str = "", **changes: Any) -> bool:
        """Compare-and-set with its event, inside the caller's transaction; False where somebody else was first."""
        was = ItemState(self.state)
        if to not in ITEM_MOVES[was]:
            return False
        if not WorkItem.objects.filter(pk=self.pk, state=was).update(state=to, reason=reason, **changes):
            return False
        for name, value in {"state": to, "reason": reason, **changes}.items():
            setattr(self, name, value)
        told = {"number": self.number, "was": was, "state": to, "reason": reason, "attempts": self.attempts}
        self.worklist.tell(WorklistEventKind.ROW, told)
        return True


class WorkRunQuerySet(models.QuerySet["WorkRun"]):
    def unsettled(self) -> WorkRunQuerySet:
        """Open ones whose run has ended: what it means for the row was not kept before its process died."""
        return self.filter(is_open=True, execution__state__in=FINAL)


class WorkRun(models.Model):
    """One try of a row: the run that works it off, or the one that leads back to the start after it."""

    item = models.ForeignKey(WorkItem, on_delete=models.CASCADE, related_name="runs")
    execution = models.OneToOneField(Execution, on_delete=models.CASCADE, related_name="work_run")
    kind = models.CharField(max_length=10, choices=WorkRunKind, default=WorkRunKind.ROW)
    attempt = models.PositiveSmallIntegerField(default=1)
    is_open = models.BooleanField(default=True)
    unanswered = SaidField(blank=True)  # what nobody answered in time: it ended the run
    picture = models.CharField(max_length=64, blank=True)  # of the screen then
    outcome = models.CharField(max_length=20, blank=True)  # the state that it left the row in
    reason = SaidField(blank=True)
    began_at = models.DateTimeField(default=timezone.now)

    objects = WorkRunQuerySet.as_manager()

    class Meta:
        ordering = ("item", "pk")
        constraints = [
            models.UniqueConstraint(
                fields=("item",), condition=Q(is_open=True, kind="row"), name="work_run_one_open_a_row"
            ),
            models.CheckConstraint(condition=Q(kind__in=WorkRunKind.values), name="work_run_kind_known"),
        ]
        indexes = [models.Index(fields=("is_open",), condition=Q(is_open=True), name="work_run_open")]

    def __str__(self) -> str:
        return f"{self.item} {self.attempt}"


class WorklistEvent(models.Model):
    """One entry of a list's stream, written in the transaction of the change it tells of: gapless, in commit order."""

    worklist = models.ForeignKey(Worklist, on_delete=models.CASCADE, related_name="events")
    seq = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=20, choices=WorklistEventKind)
    payload = models.JSONField(default=dict)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("worklist", "seq")
        constraints = [
            models.UniqueConstraint(fields=("worklist", "seq"), name="worklist_event_seq_unique"),
            models.CheckConstraint(condition=Q(kind__in=WorklistEventKind.values), name="worklist_event_kind_known"),
        ]
        indexes = [models.Index(fields=("kind", "at"), name="worklist_event_found")]

    def __str__(self) -> str:
        return f"{self.worklist} {self.seq} {self.kind}"
