"""The questions that are put to metrics and samples."""

from __future__ import annotations

from typing import Any

from django.db.models import Avg, Count, F, FloatField, Max, QuerySet, Sum
from django.db.models.functions import Cast

SLOW_OCR_MS = 300


class StepMetricQuerySet(QuerySet[Any]):
    def of_run(self, execution_id: str) -> StepMetricQuerySet:
        return self.filter(execution_id=execution_id).order_by("step")

    def of_workflow(self, workflow_id: str) -> StepMetricQuerySet:
        return self.filter(workflow_id=workflow_id)

    def slow_readings(self, *, above_ms: float = SLOW_OCR_MS) -> StepMetricQuerySet:
        """Steps whose text took long to read, the slowest first."""
        return self.filter(ocr_ms__gt=above_ms).order_by("-ocr_ms")

    def degraded(self) -> StepMetricQuerySet:
        """Steps with a degraded analysis, the latest first (S2.4)."""
        return self.filter(degraded=1).order_by("-started_at")

    def cache_hit_ratios(self) -> QuerySet[Any, dict[str, Any]]:
        """`workflow_id` and `cache_hit_ratio` of each workflow (S2.6)."""
        hits = Cast(Sum("cache_hit"), FloatField())
        grouped = self.order_by().values("workflow_id").annotate(hits=hits, steps=Count("pk"))
        return grouped.annotate(cache_hit_ratio=F("hits") / F("steps")).values("workflow_id", "cache_hit_ratio")


class ResourceSampleQuerySet(QuerySet[Any]):
    def of_run(self, execution_id: str) -> ResourceSampleQuerySet:
        return self.filter(execution_id=execution_id).order_by("at")

    def extent(self) -> dict[str, Any]:
        """How much these runs took at most and on average; None where nothing was measured."""
        return self.aggregate(
            cpu_mean=Avg("cpu_percent"),
            cpu_max=Max("cpu_percent"),
            ram_max_mb=Max("process_ram_mb"),
            gpu_mean=Avg("gpu_percent"),
            vram_max_mb=Max("vram_used_mb"),
        )
