"""What machines and publishing made: to look at, never to change."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from audit.read_only import ReadOnlyAdmin
from workflows.admin.fields import thumbnail
from workflows.models import Correction, Picture, WorkflowVersion


@admin.register(WorkflowVersion)
class WorkflowVersionAdmin(ReadOnlyAdmin):
    list_display = ("workflow", "number", "note", "published_by", "published_at")
    list_filter = ("workflow",)
    list_select_related = ("workflow", "published_by")
    search_fields = ("workflow__name", "workflow__workflow_id", "note")
    fields = ("workflow", "number", "note", "published_by", "published_at", "digest", "graph")


@admin.register(Correction)
class CorrectionAdmin(ReadOnlyAdmin):
    list_display = ("edge_id", "correction_type", "workflow", "execution_id", "step", "decided_by", "created_at")
    list_filter = ("workflow", "correction_type")
    list_select_related = ("workflow", "decided_by")
    search_fields = ("edge_id", "node_id", "execution_id", "feedback")


@admin.register(Picture)
class PictureAdmin(ReadOnlyAdmin):
    list_display = ("digest_start", "width", "height", "created_at", "small")
    search_fields = ("digest",)
    fields = ("digest", "width", "height", "created_at", "large")
    readonly_fields = ("large",)

    class Media:
        css = {"all": ("workflows/admin.css",)}

    @admin.display(description=_("digest"))
    def digest_start(self, picture: Picture) -> str:
        return picture.digest[:12]

    @admin.display(description=_("picture"))
    def small(self, picture: Picture) -> SafeString | str:
        return thumbnail(picture)

    @admin.display(description=_("picture"))
    def large(self, picture: Picture) -> SafeString | str:
        return thumbnail(picture, css="picture-large")
