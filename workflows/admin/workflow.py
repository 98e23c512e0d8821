"""A workflow with its parts and versions; what is wrong with it, its graph and publishing are on its own page."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from workflows.actions.trust import log_trust
from workflows.admin.fields import thumbnail
from workflows.admin.forms import VariableForm, WorkflowForm
from workflows.admin.returning import Returning
from workflows.models import Edge, Need, Node, Target, Variable, Workflow, WorkflowVersion
from workflows.specs import edge_spec
from workflows.words import sentence


class PartInline(admin.TabularInline):
    extra = 0
    show_change_link = True


class NodeInline(PartInline):
    model = Node
    fields = ("name", "node_id", "is_entry", "is_end", "recognised_by", "small")
    readonly_fields = ("recognised_by", "small")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Node]:
        return super().get_queryset(request).select_related("reference")

    @admin.display(description=gettext_lazy("recognised by"))
    def recognised_by(self, node: Node) -> str:
        return " · ".join([*map(str, node.texts or ()), *([node.window_title] if node.window_title else [])]) or "–"

    @admin.display(description=gettext_lazy("picture"))
    def small(self, node: Node) -> SafeString | str:
        return thumbnail(node.reference)


class EdgeInline(PartInline):
    """Actions in words; a new one is made on its own page, where its fields are."""

    model = Edge
    fk_name = "workflow"
    fields = ("order", "source", "words", "destination")
    readonly_fields = ("source", "words", "destination")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Edge]:
        return (
            super().get_queryset(request).select_related("source", "destination", "target__picture", "target__context")
        )

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description=gettext_lazy("action"))
    def words(self, edge: Edge) -> str:
        return sentence(edge_spec(edge))


class TargetInline(PartInline):
    model = Target
    fields = ("label", "target_id", "text", "small")
    readonly_fields = ("small",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Target]:
        return super().get_queryset(request).select_related("picture")

    @admin.display(description=gettext_lazy("picture"))
    def small(self, target: Target) -> SafeString | str:
        return thumbnail(target.picture)


class VariableInline(PartInline):
    model = Variable
    form = VariableForm
    fields = ("order", "name", "label", "kind", "required", "default", "example", "choices")


class NeedInline(PartInline):
    model = Need
    fields = ("kind", "name")
    show_change_link = False


class VersionInline(admin.TabularInline):
    model = WorkflowVersion
    verbose_name_plural = gettext_lazy("versions")
    fields = ("number", "note", "published_by", "published_at")
    readonly_fields = fields
    extra = 0
    can_delete = False
    show_change_link = True

    def get_queryset(self, request: HttpRequest) -> QuerySet[WorkflowVersion]:
        return super().get_queryset(request).select_related("published_by", "workflow").defer("graph")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Workflow)
class WorkflowAdmin(Returning):
    form = WorkflowForm
    change_form_template = "admin/workflows/workflow/change_form.html"
    list_display = ("name", "workflow_id", "learning_state", "latest", "updated_at")
    list_filter = ("learning_state",)
    search_fields = ("name", "workflow_id", "description")
    inlines = (NodeInline, EdgeInline, TargetInline, VariableInline, NeedInline, VersionInline)
    radio_fields = {"learning_state": admin.HORIZONTAL}
    fieldsets = (
        (None, {"fields": ("name", "workflow_id", "description", "learning_state")}),
        (gettext_lazy("At the end"), {"fields": ("already_at_end_is_fine",)}),
        (gettext_lazy("When it works by itself"), {"fields": ("ask_below",)}),
        (
            gettext_lazy("Which robot takes its runs, and when"),
            {"fields": (("smallest_width", "smallest_height"), "most_at_once", "priority")},
        ),
        (gettext_lazy("Dialogs that may come over a screen"), {"classes": ("collapse",), "fields": ("popups",)}),
        (
            gettext_lazy("How runs look at the screen"),
            {
                "classes": ("collapse",),
                "description": gettext_lazy("Empty: as the server is set. A run may be started with others."),
                "fields": (
                    "enable_ui_detection",
                    "enable_ocr",
                    "analyze_timeout_ms",
                    "window_info_provider",
                    "masks",
                    "mask_patterns",
                ),
            },
        ),
    )

    class Media:
        css = {"all": ("workflows/admin.css",)}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Workflow]:
        return super().get_queryset(request).with_latest_version()  # type: ignore[attr-defined]

    def get_readonly_fields(self, request: HttpRequest, obj: Workflow | None = None) -> tuple[str, ...]:
        """Runs, corrections and other people's scripts know a workflow by its id."""
        return ("workflow_id",) if obj and obj.latest_number else ()  # type: ignore[attr-defined]

    def get_inlines(self, request: HttpRequest, obj: Workflow | None) -> Any:
        return self.inlines if obj else (VariableInline,)

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "description":
            kwargs["widget"] = forms.Textarea(attrs={"rows": 2, "cols": 80})
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    @admin.display(description=gettext_lazy("version"), empty_value="–")
    def latest(self, workflow: Workflow) -> int | None:
        return workflow.latest_number  # type: ignore[attr-defined]

    def save_model(self, request: HttpRequest, obj: Workflow, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if "learning_state" in form.changed_data:
            log_trust(obj, was=str(form.initial.get("learning_state") or ""), user=request.user, origin="admin")
