"""The models to choose from, edited by admins; what machines made of them, to look at (S4.1)."""

from __future__ import annotations

from django import forms
from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from audit.read_only import ReadOnlyAdmin
from gpu.choices import Capability
from gpu.models import CatalogueModel, GPUEvent, LearnedNeed, ModelUse


class CatalogueModelForm(forms.ModelForm):
    capabilities = forms.MultipleChoiceField(
        label=_("What it can do"), choices=Capability, widget=forms.CheckboxSelectMultiple, initial=[Capability.TEXT]
    )

    class Meta:
        model = CatalogueModel
        fields = (
            "key", "name", "provider", "capabilities", "tier", "vram_mb", "ram_mb", "context_length", "enabled",
            "allow_remote", "note",
        )  # fmt: skip
        help_texts = {
            "key": _("What people call it."),
            "name": _("As the provider lists it, such as qwen2.5vl:7b."),
            "vram_mb": _("Counts until the model was loaded here once; from then on what it really took."),
            "context_length": _("What it was trained for. Ollama gives at most RPA_GPU_NUM_CTX of it."),
            "enabled": _("Without it the model is never chosen; a model that is deleted comes back with the file."),
        }

    def clean_capabilities(self) -> list[str]:
        chosen: list[str] = self.cleaned_data["capabilities"]
        if Capability.TEXT not in chosen:
            raise forms.ValidationError(_("Every model here answers in text: choose it."))
        return sorted(chosen)


@admin.register(CatalogueModel)
class CatalogueModelAdmin(admin.ModelAdmin):
    """For admins alone: the role's permissions decide, for running on another machine too."""

    form = CatalogueModelForm
    list_display = (
        "key", "name", "provider", "can_do", "tier", "vram_mb", "context_length", "enabled", "allow_remote", "held",
    )  # fmt: skip
    list_filter = ("provider", "tier", "enabled", "allow_remote")
    search_fields = ("key", "name", "note")

    @admin.display(description=_("can do"))
    def can_do(self, model: CatalogueModel) -> str:
        return ", ".join(str(one.label) for one in Capability if one.value in model.capabilities)


@admin.register(ModelUse)
class ModelUseAdmin(ReadOnlyAdmin):
    list_display = (
        "at", "purpose", "model", "outcome", "error", "attempt", "instead_of", "seconds", "tokens_in", "tokens_out",
        "execution_id", "step",
    )  # fmt: skip
    list_filter = ("purpose", "outcome", "provider")
    search_fields = ("=execution_id", "=model")


@admin.register(GPUEvent)
class GPUEventAdmin(ReadOnlyAdmin):
    list_display = ("at", "machine", "kind", "text")
    list_filter = ("kind",)
    ordering = ("-id",)


@admin.register(LearnedNeed)
class LearnedNeedAdmin(ReadOnlyAdmin):
    list_display = ("name", "num_ctx", "need_mb", "seen_at")
    search_fields = ("name",)
