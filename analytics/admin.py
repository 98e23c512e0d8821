"""Metrics and samples: to look at. They are made from the runs, and made again by `rebuildmetrics`."""

from __future__ import annotations

from django.contrib import admin

from analytics.models import ResourceSample, StepMetric
from audit.read_only import ReadOnlyAdmin


class FiguresAdmin(ReadOnlyAdmin):
    right = "analytics.view_stepmetric"


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
