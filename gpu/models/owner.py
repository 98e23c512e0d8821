"""What the owner of the GPU tells and is asked: the state, what happened, the memory over time, requests (S3.8, S3.9).

The rows are evidence and a queue, never control: nothing decides by them what may be loaded (A.6).
"""

from __future__ import annotations

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _

from gpu.choices import GPUEventKind, RequestState
from sentences.field import SaidField


class GPUState(models.Model):
    """One row a machine, by its name: what the owner last said, and when."""

    machine = models.CharField(_("machine"), max_length=100, unique=True)
    owner = models.CharField(_("owner"), max_length=200, blank=True)  # in words; empty: nobody owns the GPU now
    owner_pid = models.PositiveIntegerField(null=True, blank=True)
    owner_since = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField()
    revision = models.PositiveBigIntegerField(default=0)  # counts up with every change that is to be shown
    mode = models.CharField(_("mode"), max_length=20)
    vlm_state = models.CharField(max_length=20)
    vlm_model = models.CharField(max_length=200, blank=True)
    clip_device = models.CharField(max_length=20)
    degraded = models.BooleanField()
    degraded_reason = SaidField(blank=True)
    degraded_since = models.DateTimeField(null=True, blank=True)
    queue_length = models.PositiveIntegerField(default=0)
    last_vlm_request = models.DateTimeField(null=True, blank=True)
    vram = models.JSONField(default=list)  # VRAMInfo of every GPU
    residents = models.JSONField(default=list)  # {name, state, vram_mb, size_mb, need_mb, context_length, expires_at}
    queue = models.JSONField(default=list)  # {kind, model, mode, purpose, asked_by, state, asked_at}

    class Meta:
        db_table = "gpu_state"

    def __str__(self) -> str:
        return self.machine


class GPUEvent(models.Model):
    """`text` says in one sentence what changed, `status` is the whole state then."""

    machine = models.CharField(max_length=100)
    at = models.DateTimeField(db_index=True)
    kind = models.CharField(max_length=30, choices=GPUEventKind)
    text = SaidField()
    status = models.JSONField()

    class Meta:
        db_table = "gpu_events"
        ordering = ("id",)

    def __str__(self) -> str:
        return f"{self.at:%H:%M:%S} {self.text}"


class GPUSample(models.Model):
    """The memory of one GPU at one moment, in MB."""

    machine = models.CharField(max_length=100)
    gpu = models.CharField(max_length=100)  # its UUID
    at = models.DateTimeField()
    used_mb = models.PositiveIntegerField()
    total_mb = models.PositiveIntegerField()

    class Meta:
        db_table = "gpu_samples"
        ordering = ("at",)
        indexes = [models.Index(fields=("machine", "at"), name="gpu_sample_at")]

    def __str__(self) -> str:
        return f"{self.gpu} {self.at:%H:%M:%S} {self.used_mb} MB"


class OwnerRequest(models.Model):
    """What another process of the machine asks of the owner; answered in the row."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    machine = models.CharField(max_length=100)
    state = models.CharField(max_length=10, choices=RequestState, default=RequestState.WAITING)
    kind = models.CharField(max_length=20)  # gpu.types.RequestKind
    request = models.JSONField()  # gpu.types.Request
    asked_by = models.CharField(max_length=200, blank=True)
    asked_at = models.DateTimeField()
    deadline_at = models.DateTimeField()
    seen_at = models.DateTimeField()  # the asker's last sign of life: a model in use is let go without it
    finished_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=100, blank=True)  # the class of gpu.exceptions
    answer = models.JSONField(default=dict)  # what came of it; of an error its message and numbers

    class Meta:
        db_table = "gpu_requests"
        ordering = ("id",)
        indexes = [models.Index(fields=("machine", "state"), name="gpu_request_waiting")]

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"


class LearnedNeed(models.Model):
    """What a model took of the memory when it was loaded, as NVML saw it; by its digest and its context."""

    digest = models.CharField(max_length=100)
    num_ctx = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    need_mb = models.PositiveIntegerField()
    seen_at = models.DateTimeField()

    class Meta:
        db_table = "gpu_learned_needs"
        constraints = [models.UniqueConstraint(fields=("digest", "num_ctx"), name="gpu_learned_need_unique")]

    def __str__(self) -> str:
        return f"{self.name}: {self.need_mb} MB"
