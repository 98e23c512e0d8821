"""How it stands with the models, for people and for programs (S4.5, S4.7)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from gpu.catalogue.entries import Entry
from gpu.resources import Resources
from gpu.selection.choice import Selection
from gpu.types import Attempt, ExecutionMode


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelLine:
    """One model of the catalogue; `barred` says why it cannot answer now, empty where it can."""

    entry: Entry
    loaded: bool
    barred: str
    lowered: tuple[str, ...] = ()  # what speaks against it for a while

    def as_json(self) -> dict[str, Any]:
        entry = self.entry
        return {
            "key": entry.key,
            "name": entry.name,
            "provider": entry.provider.value,
            "capabilities": sorted(entry.capabilities),
            "tier": entry.tier.name.lower(),
            "vram_mb": entry.vram_mb,
            "ram_mb": entry.ram_mb,
            "context_length": entry.context_length,
            "enabled": entry.enabled,
            "held": entry.held,
            "loaded": self.loaded,
            "barred": self.barred,
            "lowered": list(self.lowered),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStatus:
    """`selection` is who would answer a question now; None, with the problem in words, where nobody can."""

    selection: Selection | None
    problem: str
    resources: Resources
    mode: ExecutionMode
    models: tuple[ModelLine, ...]
    last: Attempt | None = None  # the last attempt at an answer in this process
    preloading: tuple[str, ...] = ()

    @property
    def model(self) -> str:
        return self.selection.model.key if self.selection else ""

    @property
    def held(self) -> str:
        """The model that is held by hand; empty: the choice is free."""
        return next((line.entry.key for line in self.models if line.entry.held), "")

    def as_json(self) -> dict[str, Any]:
        resources, selection = self.resources, self.selection
        return {
            "model": self.model,
            "reasons": list(selection.reasons) if selection else [],
            "rejected": dict(selection.rejected) if selection else {},
            "problem": self.problem,
            "held": self.held,
            "mode": self.mode.value,
            "last": asdict(self.last) if self.last else None,
            "preloading": list(self.preloading),
            "models": [line.as_json() for line in self.models],
            "resources": {
                "cpu_percent": resources.cpu_percent,
                "ram_percent": resources.ram_percent,
                "ram_free_mb": resources.ram_free_mb,
                "ram_total_mb": resources.ram_total_mb,
                "process_ram_mb": resources.process_ram_mb,
                "gpu_percent": resources.gpu_percent,
                "vram_free_mb": resources.vram_free_mb,
                "vram_used_mb": resources.vram_used_mb,
                "vram_total_mb": resources.vram_total_mb,
            },
        }
