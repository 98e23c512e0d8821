"""What steps cost and came to: a projection of the executions that can be dropped and made again (S7.1, S7.5)."""

from __future__ import annotations

from django.db import models
from django.db.models import Q


class StepMetric(models.Model):
    """One row a step. Ids are the texts people read; the flags are 0 or 1, so that anybody's SQL runs as it is."""

    workflow_id = models.CharField(max_length=100)
    version = models.PositiveIntegerField()
    execution_id = models.CharField(max_length=60)
    step = models.PositiveIntegerField()
    node_id = models.CharField(max_length=100, blank=True)
    edge_id = models.CharField(max_length=100, blank=True)
    action_type = models.CharField(max_length=50, blank=True)
    mode = models.CharField(max_length=20)
    success = models.PositiveSmallIntegerField()
    confidence = models.FloatField()
    rung = models.CharField(max_length=30, blank=True)
    score = models.FloatField()
    verified = models.CharField(max_length=20, blank=True)
    retries = models.PositiveSmallIntegerField()
    ocr_ms = models.FloatField()
    ui_ms = models.FloatField()
    analyze_ms = models.FloatField()
    resolve_ms = models.FloatField()
    act_ms = models.FloatField()
    verify_ms = models.FloatField()
    waited_ms = models.FloatField(default=0)  # for a person; part of total_ms
    total_ms = models.FloatField()
    cache_hit = models.PositiveSmallIntegerField()
    degraded = models.PositiveSmallIntegerField()
    started_at = models.DateTimeField()

    class Meta:
        db_table = "step_metrics"
        ordering = ("started_at",)
        constraints = [
            models.UniqueConstraint(fields=("execution_id", "step"), name="step_metric_unique"),
            models.CheckConstraint(condition=Q(cache_hit__in=(0, 1)), name="step_metric_cache_hit_flag"),
            models.CheckConstraint(condition=Q(degraded__in=(0, 1)), name="step_metric_degraded_flag"),
        ]
        indexes = [
            models.Index(fields=("workflow_id", "cache_hit"), name="step_metric_workflow"),
            models.Index(fields=("ocr_ms",), name="step_metric_ocr"),
            models.Index(fields=("degraded", "started_at"), name="step_metric_degraded"),
        ]

    def __str__(self) -> str:
        return f"{self.execution_id} #{self.step}"


class ResourceSample(models.Model):
    """What the machine had to give at one moment of a run (S7.2); what is not known is empty."""

    execution_id = models.CharField(max_length=60)
    at = models.DateTimeField()
    cpu_percent = models.FloatField()
    ram_percent = models.FloatField()
    process_ram_mb = models.FloatField()
    gpu_percent = models.FloatField(null=True, blank=True)
    vram_used_mb = models.FloatField(null=True, blank=True)
    vram_total_mb = models.FloatField(null=True, blank=True)

    class Meta:
        db_table = "resource_samples"
        ordering = ("execution_id", "at")
        indexes = [models.Index(fields=("execution_id", "at"), name="resource_sample_of_run")]

    def __str__(self) -> str:
        return f"{self.execution_id} {self.at:%H:%M:%S}"
