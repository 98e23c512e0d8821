"""Runs and all that belongs to them: to look at. Pause, resume and stop go the way that pages and the API go (S8.4)."""

from __future__ import annotations

import math
from collections.abc import Callable

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from audit.read_only import ReadOnlyAdmin
from execution.actions import control
from execution.actions.prototypes import put_back
from execution.choices import Origin
from execution.models import (
    BroughtFile,
    Decision,
    Execution,
    ExecutionEvent,
    ListStart,
    NoticeMessage,
    NoticeRule,
    Place,
    Prompt,
    Prototype,
    Robot,
    Schedule,
    Step,
    WishRecord,
    WorkItem,
    Worklist,
)
from execution.permissions import OPERATE, VIEW
from sentences.said import worded
from workflows.exceptions import DomainError
from workflows.permissions import DESIGN

Control = Callable[..., Execution]


class RecordAdmin(ReadOnlyAdmin):
    """Whoever may look at runs may look at every part of them."""

    right = VIEW


@admin.register(Execution)
class ExecutionAdmin(RecordAdmin):
    list_display = ("execution_id", "version", "mode", "state", "pause_reason", "desktop", "started_by", "created_at")
    list_filter = ("state", "mode", "version__workflow")
    list_select_related = ("version__workflow", "started_by")
    search_fields = ("execution_id", "version__workflow__workflow_id", "version__workflow__name", "desktop")
    date_hierarchy = "created_at"
    exclude = ("variables",)  # what a run was started with may be private; its page shows what may be shown
    actions = ("pause", "resume", "stop")

    def has_operate_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(OPERATE)

    @admin.action(description=gettext_lazy("Pause the chosen runs"), permissions=["operate"])
    def pause(self, request: HttpRequest, runs: QuerySet[Execution]) -> None:
        self._ask(request, runs, control.pause)

    @admin.action(description=gettext_lazy("Resume the chosen runs"), permissions=["operate"])
    def resume(self, request: HttpRequest, runs: QuerySet[Execution]) -> None:
        self._ask(request, runs, control.resume)

    @admin.action(description=gettext_lazy("Stop the chosen runs"), permissions=["operate"])
    def stop(self, request: HttpRequest, runs: QuerySet[Execution]) -> None:
        self._ask(request, runs, control.stop)

    def _ask(self, request: HttpRequest, runs: QuerySet[Execution], wish: Control) -> None:
        """One run that refuses does not keep the others from it; each refusal is said in its own words."""
        taken = 0
        for execution_id in runs.values_list("execution_id", flat=True):
            try:
                wish(execution_id=execution_id, user=request.user, origin=Origin.ADMIN)
                taken += 1
            except DomainError as error:
                self.message_user(request, worded(error), messages.ERROR)
        if taken:
            said = ngettext("Asked of %(n)d run.", "Asked of %(n)d runs.", taken) % {"n": taken}
            self.message_user(request, said, messages.SUCCESS)


@admin.register(Step)
class StepAdmin(RecordAdmin):
    list_display = ("execution", "index", "sentence", "node_id", "outcome", "verified", "rung", "score", "started_at")
    list_filter = ("outcome", "verified", "rung", "mode", "degraded", "in_doubt")
    list_select_related = ("execution",)
    search_fields = ("execution__execution_id", "node_id", "edge_id", "sentence")


@admin.register(Prompt)
class PromptAdmin(RecordAdmin):
    list_display = ("execution", "kind", "state", "message", "created_at", "deadline_at")
    list_filter = ("kind", "state")
    list_select_related = ("execution",)
    search_fields = ("execution__execution_id", "message")


@admin.register(Decision)
class DecisionAdmin(RecordAdmin):
    list_display = ("prompt", "choice", "source", "decided_by", "origin", "feedback", "decided_at")
    list_filter = ("choice", "source", "origin")
    list_select_related = ("prompt", "user")
    search_fields = ("prompt__execution__execution_id", "user__username", "feedback")

    @admin.display(description=gettext_lazy("decided by"))
    def decided_by(self, decision: Decision) -> str:
        return decision.decided_by


@admin.register(WishRecord)
class WishAdmin(RecordAdmin):
    list_display = ("execution", "verb", "name", "origin", "detail", "asked_at")
    list_filter = ("verb", "origin")
    list_select_related = ("execution",)
    search_fields = ("=execution__execution_id", "name")


@admin.register(ExecutionEvent)
class ExecutionEventAdmin(RecordAdmin):
    list_display = ("execution", "seq", "kind", "at")
    list_filter = ("kind",)
    list_select_related = ("execution",)
    search_fields = ("=execution__execution_id",)


@admin.register(Robot)
class RobotAdmin(RecordAdmin):
    list_display = ("name", "host", "pid", "alive", "heartbeat_at", "started_at", "stopped_at")
    search_fields = ("name", "host")

    @admin.display(boolean=True, description=gettext_lazy("alive"))
    def alive(self, robot: Robot) -> bool:
        return robot.is_alive


@admin.register(Worklist)
class WorklistAdmin(RecordAdmin):
    """Lists are started, paused and filled on their pages, by the API and by the command line."""

    list_display = ("name", "worklist_id", "workflow", "state", "created_at", "started_at", "ended_at")
    list_filter = ("state", "workflow")
    list_select_related = ("workflow",)
    search_fields = ("name", "worklist_id")


@admin.register(WorkItem)
class WorkItemAdmin(RecordAdmin):
    list_display = ("worklist", "number", "state", "attempts", "priority", "started_at", "ended_at")
    list_filter = ("state",)
    list_select_related = ("worklist",)
    search_fields = ("=reference", "worklist__name")
    exclude = ("data", "variables", "values")  # what stands in a row may be private; its page shows what may be shown


@admin.register(Place)
class PlaceAdmin(RecordAdmin):
    """Where targets were found the last time (S5.4); what is forgotten is looked for anew."""

    list_display = ("workflow_id", "target_id", "screen", "window", "box", "hits", "updated_at")
    list_filter = ("workflow_id",)
    search_fields = ("workflow_id", "target_id")
    ordering = ("-updated_at",)
    actions = ("forget",)

    def has_operate_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(OPERATE)

    @admin.action(description=gettext_lazy("Forget the chosen places"), permissions=["operate"])
    def forget(self, request: HttpRequest, places: QuerySet[Place]) -> None:
        gone, _ = places.delete()
        said = ngettext("%(n)d place is forgotten.", "%(n)d places are forgotten.", gone) % {"n": gone}
        self.message_user(request, said, messages.SUCCESS)

    @admin.display(description=gettext_lazy("screen"))
    def screen(self, place: Place) -> str:
        return f"{place.screen_width} × {place.screen_height}"

    @admin.display(description=gettext_lazy("window"))
    def window(self, place: Place) -> str:
        return f"{place.window_width} × {place.window_height}" if place.window_width else ""

    @admin.display(description=gettext_lazy("box"))
    def box(self, place: Place) -> str:
        return f"{place.x}, {place.y}, {place.w} × {place.h}"


@admin.register(Prototype)
class PrototypeAdmin(RecordAdmin):
    """What screens look like by now, move by move (S6.6); each picture can be put back to what was taught."""

    list_display = ("workflow", "screen", "of", "number", "moved", "back", "at")
    list_filter = ("workflow",)
    list_select_related = ("workflow",)
    search_fields = ("node_id", "picture")
    ordering = ("-at", "-pk")
    exclude = ("vector",)
    actions = ("put_back",)

    def has_design_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(DESIGN)

    @admin.action(description=gettext_lazy("The chosen pictures look as they were taught"), permissions=["design"])
    def put_back(self, request: HttpRequest, rows: QuerySet[Prototype]) -> None:
        chosen = {(row.workflow, row.node_id, row.picture) for row in rows.select_related("workflow")}
        n = sum(
            put_back(workflow=workflow, node_id=node, picture=picture, user=request.user, origin=Origin.ADMIN)
            for workflow, node, picture in chosen
        )
        said = ngettext("%(n)d picture looks as it was taught.", "%(n)d pictures look as they were taught.", n)
        self.message_user(request, said % {"n": n}, messages.SUCCESS)

    @admin.display(description=pgettext_lazy("column", "screen"), ordering="node_id")
    def screen(self, row: Prototype) -> str:
        return row.node_id

    @admin.display(description=pgettext_lazy("column", "picture"), ordering="picture")
    def of(self, row: Prototype) -> str:
        return row.picture[:12]

    @admin.display(description=pgettext_lazy("column", "away from what was taught"), ordering="away")
    def moved(self, row: Prototype) -> str:
        return f"{math.degrees(row.away):.1f}°"

    @admin.display(description=pgettext_lazy("column", "put back by"), ordering="name")
    def back(self, row: Prototype) -> str:
        return row.name if row.is_reset else ""


@admin.register(Schedule)
class ScheduleAdmin(RecordAdmin):
    """Schedules are planned on the page of their list, by the API and by the command line."""

    list_display = ("schedule_id", "worklist", "kind", "at", "zone", "is_on", "changed_by", "changed_at")
    list_filter = ("is_on", "kind")
    list_select_related = ("worklist", "changed_by")
    search_fields = ("schedule_id", "worklist__name")


@admin.register(ListStart)
class ListStartAdmin(RecordAdmin):
    list_display = ("schedule", "at", "state", "began_at", "ended", "worked", "left")
    list_filter = ("state", "ended")
    list_select_related = ("schedule",)
    date_hierarchy = "at"


@admin.register(BroughtFile)
class BroughtFileAdmin(RecordAdmin):
    list_display = ("name", "worklist", "is_taken", "rows", "bad", "at")
    list_filter = ("is_taken",)
    list_select_related = ("worklist",)


@admin.register(NoticeRule)
class NoticeRuleAdmin(RecordAdmin):
    """Rules are made on the page of a list; where messages go is entered under “Addresses for messages”."""

    list_display = ("rule_id", "worklist", "address", "person", "with_values", "is_on", "changed_by", "changed_at")
    list_filter = ("is_on", "with_values")
    list_select_related = ("worklist", "address", "person", "changed_by")


@admin.register(NoticeMessage)
class NoticeMessageAdmin(RecordAdmin):
    list_display = ("message_id", "about", "worklist", "address", "state", "tries", "made_at", "ended_at")
    list_filter = ("state", "about")
    list_select_related = ("worklist", "address")
    exclude = ("body", "payload")  # until it has left it may hold values of rows
    date_hierarchy = "made_at"
