"""The choices of the rows: words that people read, beside the values that the code knows."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class GPUEventKind(models.TextChoices):
    RESOURCE_CHANGED = "resource_changed", _("resources")
    MODE_CHANGED = "mode_changed", _("mode")
    IDLE_UNLOAD = "idle_unload", _("unloaded when idle")
    OWNER_CHANGED = "owner_changed", _("owner")
    REQUEST_FAILED = "request_failed", _("failed")


class RequestState(models.TextChoices):
    WAITING = "waiting", _("waiting")
    DOING = "doing", _("being done")


class ProviderName(models.TextChoices):
    OLLAMA = "ollama", "Ollama"
    OPENAI = "openai", _("OpenAI-compatible")


class Capability(models.TextChoices):
    TEXT = "text", _("text")
    VISION = "vision", _("pictures")
    JSON = "json", _("answers after a schema")
    REASONING = "reasoning", _("reasoning")


class Tier(models.IntegerChoices):
    LIGHT = 1, _("light")
    STANDARD = 2, _("standard")
    STRONG = 3, _("strong")


class MessageRole(models.TextChoices):
    SYSTEM = "system", _("system")
    USER = "user", _("person")
    ASSISTANT = "assistant", _("assistant")


class UseOutcome(models.TextChoices):
    ANSWERED = "answered", _("answered")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")
