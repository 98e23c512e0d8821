"""The rows: what the owner of the GPU tells, the catalogue, conversations, what was asked of models (S3.8, S4)."""

from __future__ import annotations

import logging
import uuid
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import DatabaseError, models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from gpu.choices import Capability, GPUEventKind, MessageRole, ProviderName, Tier, UseOutcome
from sentences.field import SaidField
from sentences.said import in_words


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
    """`text` says in one sentence what changed, `status` is the whole state then; of a request that failed, what it was
    and the error.
    """

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


class CatalogueModel(models.Model):
    """One model of one provider. `key` is the name people use; `name` is the provider's own."""

    key = models.SlugField(_("key"), max_length=100, unique=True)
    name = models.CharField(_("name at the provider"), max_length=200)
    provider = models.CharField(_("provider"), max_length=20, choices=ProviderName, default=ProviderName.OLLAMA)
    capabilities = models.JSONField(_("capabilities"), default=list)
    tier = models.PositiveSmallIntegerField(_("tier"), choices=Tier, default=Tier.STANDARD)
    vram_mb = models.PositiveIntegerField(_("GPU memory (MB)"))
    ram_mb = models.PositiveIntegerField(_("memory without a GPU (MB)"))
    context_length = models.PositiveIntegerField(_("context (tokens)"))
    enabled = models.BooleanField(_("in use"), default=True)
    allow_remote = models.BooleanField(
        _("may run on another machine"),
        default=False,
        help_text=_("Only if screens may leave this machine: a cloud model is sent what it is asked about."),
    )
    held = models.BooleanField(_("held by hand"), default=False)  # `assistant switch NAME`; at most one
    note = models.TextField(_("note"), blank=True)

    class Meta:
        db_table = "gpu_catalogue"
        ordering = ("-tier", "key")
        verbose_name = _("model")
        verbose_name_plural = _("models")
        permissions = [
            ("operate_gpu", "Can change the GPU's mode, load and unload models"),
            ("use_assistant", "Can ask the assistant"),
        ]
        constraints = [
            models.UniqueConstraint(fields=("provider", "name"), name="gpu_catalogue_unique"),
            models.UniqueConstraint(fields=("held",), condition=models.Q(held=True), name="gpu_catalogue_one_held"),
        ]

    def __str__(self) -> str:
        return self.key

    def clean(self) -> None:
        known = set(Capability.values)
        if not isinstance(self.capabilities, list) or not set(self.capabilities) <= known:
            raise ValidationError({"capabilities": _("Choose from: %s.") % ", ".join(sorted(known))})


log = logging.getLogger(__name__)


class ModelUse(models.Model):
    """It cost nothing but the machine's time: the models are local ones."""

    at = models.DateTimeField(db_index=True)
    purpose = models.CharField(max_length=20)  # gpu.types.Purpose
    provider = models.CharField(max_length=20, choices=ProviderName)
    model = models.CharField(max_length=200)
    outcome = models.CharField(max_length=10, choices=UseOutcome)
    error = models.CharField(max_length=100, blank=True)  # the class of gpu.exceptions
    attempt = models.PositiveSmallIntegerField(default=1)
    instead_of = models.CharField(max_length=200, blank=True)  # the model that had failed before
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    seconds = models.FloatField()
    load_seconds = models.FloatField(default=0.0)
    execution_id = models.CharField(max_length=60, blank=True, db_index=True)
    step = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        db_table = "model_uses"
        ordering = ("at",)

    def __str__(self) -> str:
        return f"{self.model} {self.outcome}"

    def keep(self) -> None:
        """Save it as of now; a database that refuses costs a line in the log, never an answer (S1.21)."""
        self.at = timezone.now()
        try:
            self.save()
        except DatabaseError as error:
            log.warning("the use of a model could not be kept: %s", error)


class Conversation(models.Model):
    """`about` is the run that it is about (an `execution_id`), empty where it is about none."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE)
    about = models.CharField(max_length=60, blank=True, db_index=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        db_table = "gpu_conversations"
        ordering = ("-updated_at",)

    def __str__(self) -> str:
        return f"{self.uuid}"


class Message(models.Model):
    """`content` of an answer: what the records say, then, after a blank line, what a model says.

    `references` are the steps that the answer stands on, `draft` a correction that a person may apply.
    `dropped` says which earlier messages the model no longer saw, by their indexes, `attempts` which models were tried:
    {model, outcome, error, seconds}.
    """

    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="messages")
    index = models.PositiveIntegerField()
    role = models.CharField(max_length=10, choices=MessageRole)
    content = models.TextField()
    model = models.CharField(max_length=200, blank=True)  # who answered; empty: the database alone
    references = models.JSONField(default=list)
    draft = models.JSONField(default=dict)
    dropped = models.JSONField(default=dict)
    attempts = models.JSONField(default=list)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "gpu_messages"
        ordering = ("conversation", "index")
        constraints = [models.UniqueConstraint(fields=("conversation", "index"), name="gpu_message_unique")]

    def __str__(self) -> str:
        return f"{self.index}: {self.role}"

    @property
    def records(self) -> str:
        return self.content.partition("\n\n")[0] if self.role == MessageRole.ASSISTANT else self.content

    @property
    def words(self) -> str:
        """What a model said; empty where none did."""
        return self.content.partition("\n\n")[2] if self.role == MessageRole.ASSISTANT else ""

    def as_json(self) -> dict[str, Any]:
        """In the reader's language."""
        kept = ("index", "role", "records", "words", "model", "references", "draft", "dropped")
        told = {name: getattr(self, name) for name in kept}
        return {**told, "attempts": in_words(self.attempts), "at": self.at.isoformat()}
