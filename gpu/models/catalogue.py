"""Which models there are to choose from (S4.1)."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

from gpu.choices import Capability, ProviderName, Tier


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
