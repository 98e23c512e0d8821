"""Metrics and samples: to look at. They are made from the runs, and made again by `rebuildmetrics`."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from analytics.models import ResourceSample, StepMetric
from workflows.admin.records import ReadOnlyAdmin

VIEW = "analytics.view_stepmetric"


class FiguresAdmin(ReadOnlyAdmin):
    show_full_result_count = False  # counting millions of rows takes longer than showing fifty

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(VIEW)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(VIEW)


@admin.register(StepMetric)
class StepMetricAdmin(FiguresAdmin):
    list_display = (
        "execution_id", "step", "node_id", "edge_id", "action_type", "success", "rung", "score", "verified", "ocr_ms",
        "waited_ms", "total_ms", "degraded", "started_at",
    )  # fmt: skip
    list_filter = ("mode", "success", "rung", "verified", "degraded")
    search_fields = ("=execution_id", "=workflow_id", "=node_id", "=edge_id")


@admin.register(ResourceSample)
class ResourceSampleAdmin(FiguresAdmin):
    list_display = (
        "execution_id", "at", "cpu_percent", "ram_percent", "process_ram_mb", "gpu_percent", "vram_used_mb",
    )  # fmt: skip
    search_fields = ("=execution_id",)
