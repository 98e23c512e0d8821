"""What steps cost and came to: a projection of the executions that can be dropped and made again (S7.1, S7.5)."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone


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
    look_ms = models.FloatField(default=0, db_default=0)  # reading after the act
    verify_ms = models.FloatField()
    waited_ms = models.FloatField(default=0)  # for a person; part of total_ms
    total_ms = models.FloatField()
    cache_hit = models.PositiveSmallIntegerField()  # nothing was read for the step
    degraded = models.PositiveSmallIntegerField()
    wrong = models.PositiveSmallIntegerField(default=0, db_default=0)  # people said so
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
            models.Index(fields=("started_at",), name="step_metric_started"),
            models.Index(fields=("rung", "started_at"), name="step_metric_rung"),
            models.Index(fields=("workflow_id", "edge_id", "started_at"), name="step_metric_edge"),
            models.Index(fields=("started_at",), condition=Q(wrong=1), name="step_metric_wrong"),
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


class RunMetric(models.Model):
    """One row a run that has ended; what the overview counts. `helped`: a person had a hand in it."""

    execution_id = models.CharField(max_length=60, unique=True)
    workflow_id = models.CharField(max_length=100)
    version = models.PositiveIntegerField()
    mode = models.CharField(max_length=20)
    state = models.CharField(max_length=20)
    helped = models.PositiveSmallIntegerField(default=0)
    seconds = models.FloatField()
    waited_ms = models.FloatField(default=0)
    steps = models.PositiveIntegerField(default=0)
    suggestions = models.PositiveIntegerField(default=0)
    accepted = models.PositiveIntegerField(default=0)
    wrong = models.PositiveIntegerField(default=0)  # steps that people said were wrong
    ended_at = models.DateTimeField()

    class Meta:
        db_table = "run_metrics"
        ordering = ("-ended_at", "-pk")
        constraints = [models.CheckConstraint(condition=Q(helped__in=(0, 1)), name="run_metric_helped_flag")]
        indexes = [
            models.Index(fields=("ended_at",), name="run_metric_ended"),
            models.Index(fields=("workflow_id", "ended_at"), name="run_metric_workflow"),
        ]

    def __str__(self) -> str:
        return self.execution_id


class StepSums(models.Model):
    """Steps of one screen and action that were found one way, on one day or in one week: whole numbers, so that sums of
    sums are exact in whatever order they came."""

    workflow_id = models.CharField(max_length=100)
    node_id = models.CharField(max_length=100, blank=True)
    edge_id = models.CharField(max_length=100, blank=True)
    rung = models.CharField(max_length=30, blank=True)
    steps = models.BigIntegerField(default=0)
    succeeded = models.BigIntegerField(default=0)
    done = models.BigIntegerField(default=0)  # actions that succeeded, or that people said were wrong
    unverified = models.BigIntegerField(default=0)  # done, and not seen to be
    retries = models.BigIntegerField(default=0)
    degraded = models.BigIntegerField(default=0)
    wrong = models.BigIntegerField(default=0)  # people said so
    robot_us = models.BigIntegerField(default=0)
    waited_us = models.BigIntegerField(default=0)
    resolve_us = models.BigIntegerField(default=0)
    score_millionths = models.BigIntegerField(default=0)
    recognised = models.BigIntegerField(default=0)
    confidence_millionths = models.BigIntegerField(default=0)  # of those that were recognised

    class Meta:
        abstract = True


class StepDay(StepSums):
    """`day`: days since 1970 by the installation's clock."""

    day = models.PositiveIntegerField()

    class Meta:
        db_table = "step_days"
        constraints = [
            models.UniqueConstraint(fields=("day", "workflow_id", "node_id", "edge_id", "rung"), name="step_day_once")
        ]

    def __str__(self) -> str:
        return f"{self.workflow_id} {self.day}"


class StepWeek(StepSums):
    """`week`: seven days since 1970: of a year there are too many days. Runs are fewer, they need none."""

    week = models.PositiveIntegerField()

    class Meta:
        db_table = "step_weeks"
        constraints = [
            models.UniqueConstraint(fields=("week", "workflow_id", "node_id", "edge_id", "rung"), name="step_week_once")
        ]

    def __str__(self) -> str:
        return f"{self.workflow_id} {self.week}"


class RunDay(models.Model):
    """Runs of one version that ended on one day."""

    day = models.PositiveIntegerField()
    workflow_id = models.CharField(max_length=100)
    version = models.PositiveIntegerField()
    runs = models.BigIntegerField(default=0)
    alone = models.BigIntegerField(default=0)  # completed, and nobody was needed
    helped = models.BigIntegerField(default=0)  # completed, with a person
    failed = models.BigIntegerField(default=0)
    stopped = models.BigIntegerField(default=0)
    steps = models.BigIntegerField(default=0)
    took_us = models.BigIntegerField(default=0)
    waited_us = models.BigIntegerField(default=0)
    suggestions = models.BigIntegerField(default=0)
    accepted = models.BigIntegerField(default=0)
    wrong = models.BigIntegerField(default=0)  # steps that people said were wrong
    within_10s = models.BigIntegerField(default=0)  # how many took so long at most, each with those before it
    within_30s = models.BigIntegerField(default=0)
    within_60s = models.BigIntegerField(default=0)
    within_180s = models.BigIntegerField(default=0)
    within_600s = models.BigIntegerField(default=0)
    within_1800s = models.BigIntegerField(default=0)
    within_7200s = models.BigIntegerField(default=0)

    class Meta:
        db_table = "run_days"
        constraints = [models.UniqueConstraint(fields=("day", "workflow_id", "version"), name="run_day_once")]

    def __str__(self) -> str:
        return f"{self.workflow_id} {self.day}"


class Sealed(models.Model):
    """Before this day the step metrics of a workflow were pruned: its sums of those days stay as they are."""

    workflow_id = models.CharField(max_length=100, unique=True)
    day = models.PositiveIntegerField()

    class Meta:
        db_table = "sealed_metrics"

    def __str__(self) -> str:
        return f"{self.workflow_id} before {self.day}"


class HandTime(models.Model):
    """How long a person takes for what a workflow does, as somebody states it."""

    workflow_id = models.CharField(max_length=100, unique=True)
    seconds = models.PositiveIntegerField()
    stated_by = models.CharField(max_length=150, blank=True)
    stated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "hand_times"

    def __str__(self) -> str:
        return f"{self.workflow_id} {self.seconds} s"


class Retention(models.Model):
    """How many days what of a workflow's runs is kept; empty: for ever. The row of no workflow is for the others."""

    workflow_id = models.CharField(max_length=100, unique=True, blank=True)
    pictures_days = models.PositiveIntegerField(null=True, blank=True)
    texts_days = models.PositiveIntegerField(null=True, blank=True)
    events_days = models.PositiveIntegerField(null=True, blank=True)
    metrics_days = models.PositiveIntegerField(null=True, blank=True)
    changed_by = models.CharField(max_length=150, blank=True)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "retention"

    def __str__(self) -> str:
        return self.workflow_id or "*"


class RunHold(models.Model):
    """A run of which nothing is deleted, however old it is, until somebody lets go of it."""

    execution_id = models.CharField(max_length=60, unique=True)
    reason = models.CharField(max_length=200)
    held_by = models.CharField(max_length=150, blank=True)
    held_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "run_holds"
        ordering = ("-held_at",)

    def __str__(self) -> str:
        return self.execution_id


class PrunedPicture(models.Model):
    """A picture that a pruned run showed: its file goes once nothing else shows it. What a crash left is done next."""

    digest = models.CharField(max_length=64, unique=True)

    class Meta:
        db_table = "pruned_pictures"

    def __str__(self) -> str:
        return self.digest[:8]


class StorageDay(models.Model):
    """What took how much at the end of a day: bytes by name, and what was free."""

    day = models.DateField(unique=True)
    parts = models.JSONField(default=dict)
    free_bytes = models.BigIntegerField()
    total_bytes = models.BigIntegerField()

    class Meta:
        db_table = "storage_days"
        ordering = ("-day",)

    def __str__(self) -> str:
        return str(self.day)
