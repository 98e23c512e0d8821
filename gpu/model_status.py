"""How it stands with the models, for people and for programs (S4.5, S4.7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gpu.catalogue.entries import ModelEntry
from gpu.resources import Resources
from gpu.selection.choice import Selection
from gpu.types import ExecutionMode, ModelAttempt, as_json
from sentences.said import in_words


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelLine:
    """One model of the catalogue; `barred` says why it cannot answer now, empty where it can."""

    entry: ModelEntry
    loaded: bool
    barred: str
    lowered: tuple[str, ...] = ()  # what speaks against it for a while

    def as_json(self) -> dict[str, Any]:
        said: dict[str, Any] = as_json(self)
        entry = said.pop("entry")
        return {**entry, **said, "capabilities": sorted(entry["capabilities"]), "tier": self.entry.tier.name.lower()}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStatus:
    """`selection` is who would answer a question now; None, with the problem in words, where nobody can."""

    selection: Selection | None
    problem: str
    resources: Resources
    mode: ExecutionMode
    models: tuple[ModelLine, ...]
    last: ModelAttempt | None = None  # the last attempt at an answer in this process
    preloading: tuple[str, ...] = ()

    @property
    def model(self) -> str:
        return self.selection.model.key if self.selection else ""

    @property
    def held(self) -> str:
        """The model that is held by hand; empty: the choice is free."""
        return next((line.entry.key for line in self.models if line.entry.held), "")

    def as_json(self) -> dict[str, Any]:
        """In the reader's language."""
        resources, selection = self.resources, self.selection
        told: dict[str, Any] = {
            "model": self.model,
            "reasons": list(selection.reasons) if selection else [],
            "rejected": dict(selection.rejected) if selection else {},
            "problem": self.problem,
            "held": self.held,
            "mode": self.mode.value,
            "last": as_json(self.last),
            "preloading": list(self.preloading),
            "models": [line.as_json() for line in self.models],
            "resources": {
                **as_json(resources),
                "vram_free_mb": resources.vram_free_mb,
                "vram_used_mb": resources.vram_used_mb,
                "vram_total_mb": resources.vram_total_mb,
            },
        }
        in_language: dict[str, Any] = in_words(told)
        return in_language
