"""Screens, actions, targets and variables, each on a page of its own."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelect
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from workflows.admin.fields import thumbnail
from workflows.admin.forms import EdgeForm, NodeForm, TargetForm
from workflows.admin.returning import Returning, back_of
from workflows.models import Edge, Node, Target, Variable
from workflows.parsing import whole_number
from workflows.specs import edge_spec
from workflows.words import sentence


class WorkflowSelect(AutocompleteSelect):
    """Django's own, which fails on a key that is no number."""

    def optgroups(self, name: str, value: Any, attrs: Any = None) -> Any:
        return super().optgroups(name, [key for key in value if whole_number(str(key)) is not None], attrs)


class PartAdmin(Returning):
    """A part of a workflow; it stays in the workflow it was made in, and saving leads there."""

    list_filter = ("workflow",)
    list_select_related: ClassVar[tuple[str, ...]] = ("workflow",)
    list_per_page = 50

    class Media:
        css = {"all": ("workflows/admin.css",)}

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "workflow":
            kwargs["widget"] = WorkflowSelect(db_field, self.admin_site)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        own = tuple(super().get_readonly_fields(request, obj))
        return (*own, "of_workflow") if obj else own

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """The workflow is chosen once, and a link to it afterwards."""
        first, *rest = super().get_fieldsets(request, obj)
        name, options = first
        return [(name, {**options, "fields": ("of_workflow" if obj else "workflow", *options["fields"])}), *rest]

    def response_post_save_add(self, request: HttpRequest, obj: Any) -> HttpResponseRedirect:
        return back_of(request) or _to_workflow(obj)

    def response_post_save_change(self, request: HttpRequest, obj: Any) -> HttpResponseRedirect:
        return back_of(request) or _to_workflow(obj)

    @admin.display(description=_("workflow"))
    def of_workflow(self, obj: Any) -> SafeString:
        """Its page here, and the one on which its steps are changed with their pictures in sight."""
        return format_html(
            '<a href="{}">{}</a> · <a href="{}?workflow={}">{}</a>',
            reverse("admin:workflows_workflow_change", args=[obj.workflow_id]),
            obj.workflow,
            reverse("teach_new"),
            obj.workflow.workflow_id,
            _("Teach"),
        )


@admin.register(Node)
class NodeAdmin(PartAdmin):
    form = NodeForm
    list_display = ("name", "node_id", "workflow", "is_entry", "is_end", "small")
    list_select_related = ("workflow", "reference")
    search_fields = ("name", "node_id", "window_title")
    readonly_fields = ("shown",)
    fieldsets = (
        (None, {"fields": ("name", "node_id", ("is_entry", "is_end", "is_common"), "exception")}),
        (_("Recognised by"), {"fields": ("texts", "absent", "window_title", "app_name")}),
        (_("Picture"), {"fields": ("shown", "new_picture", "remove_reference", "regions")}),
    )

    @admin.display(description=_("picture"))
    def small(self, node: Node) -> SafeString | str:
        return thumbnail(node.reference)

    @admin.display(description=_("now"))
    def shown(self, node: Node) -> SafeString | str:
        return thumbnail(node.reference, css="picture-large")


@admin.register(Target)
class TargetAdmin(PartAdmin):
    form = TargetForm
    list_display = ("label", "target_id", "workflow", "text", "small")
    list_select_related = ("workflow", "picture")
    search_fields = ("label", "target_id", "text")
    readonly_fields = ("shown_picture", "shown_context", "used_by")
    fieldsets = (
        (None, {"fields": ("label", "target_id", "used_by")}),
        (
            _("What it looks like"),
            {"fields": ("text", "role", "row_texts", "number", "shown_picture", "new_picture", "remove_picture")},
        ),
        (_("With its surroundings"), {"fields": ("shown_context", "new_context", "remove_context")}),
        (_("Where it was, and what stood near it"), {"classes": ("collapse",), "fields": ("evidence",)}),
    )

    @admin.display(description=_("picture"))
    def small(self, target: Target) -> SafeString | str:
        return thumbnail(target.picture)

    @admin.display(description=_("now"))
    def shown_picture(self, target: Target) -> SafeString | str:
        return thumbnail(target.picture, css="picture-natural")

    @admin.display(description=_("now"))
    def shown_context(self, target: Target) -> SafeString | str:
        return thumbnail(target.context, css="picture-natural")

    @admin.display(description=_("used by"))
    def used_by(self, target: Target) -> SafeString | str:
        return edge_links(target.edges.select_related("source", "destination", "target")) if target.pk else "–"


@admin.register(Edge)
class EdgeAdmin(PartAdmin):
    form = EdgeForm
    list_display = ("words", "edge_id", "workflow", "source", "destination", "order")
    list_select_related = ("workflow", "source", "destination", "target__picture", "target__context")
    search_fields = ("edge_id", "source__name", "destination__name", "target__label")
    radio_fields = {"effect_class": admin.VERTICAL}
    fieldsets = (
        (None, {"fields": ("edge_id", ("source", "destination"), ("order", "optional"))}),
        (_("When it comes"), {"fields": ("condition", "repeat")}),
        (_("What it does"), {"fields": ("action_type", "target", "params")}),
        (_("What must be seen"), {"fields": ("identity", "before", "expect", "proof")}),
        (_("If it fails"), {"fields": ("effect_class", ("retries", "retry_backoff_ms"))}),
        (_("Waiting for the screen"), {"classes": ("collapse",), "fields": (("settle_ms", "settle_timeout_ms"),)}),
    )

    @admin.display(description=_("action"))
    def words(self, edge: Edge) -> str:
        return sentence(edge_spec(edge))


@admin.register(Variable)
class VariableAdmin(PartAdmin):
    list_display = ("name", "label", "workflow", "kind", "required", "default")
    search_fields = ("name", "label")
    fieldsets = ((None, {"fields": ("name", "label", "kind", "required", "default", "example", "choices", "order")}),)


def _to_workflow(part: Any) -> HttpResponseRedirect:
    return HttpResponseRedirect(reverse("admin:workflows_workflow_change", args=[part.workflow_id]))


def edge_links(edges: Any) -> SafeString | str:
    """Each action in words, linked to its page; empty: a dash."""
    rows = [(reverse("admin:workflows_edge_change", args=[edge.pk]), sentence(edge_spec(edge))) for edge in edges]
    return format_html_join("", '<div><a href="{}">{}</a></div>', rows) or "–"
