"""What a choice of a model may know: the task, and the machine with its servers as they are now (S4.2)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from gpu.catalogue.entries import ModelEntry
from gpu.choices import Capability, ProviderName, Tier
from gpu.ollama.protocol import is_cloud_name
from gpu.resources import Resources
from gpu.types import ExecutionMode
from sentences.said import say

RAM_HEADROOM_MB = 1024
CORESIDENT_SHARE = 0.8  # Ollama drives others out for one that needs more of the free memory (A.3)


@dataclass(frozen=True, slots=True)
class Factor:
    """Something that speaks for a model (points above 0) or against it, in words."""

    points: float
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What an answer takes. `least_tokens`: the frame, the question and room for the answer; less is impossible."""

    vision: bool = False
    json: bool = False
    complexity: Tier = Tier.LIGHT
    least_tokens: int = 0
    all_tokens: int = 0  # with all that was said before

    @property
    def capabilities(self) -> tuple[Capability, ...]:
        wanted = ((Capability.VISION, self.vision), (Capability.JSON, self.json))
        return (Capability.TEXT, *(capability for capability, needed in wanted if needed))

    @property
    def needs(self) -> str:
        """In words."""
        able = [say(f"able.{capability.value}") for capability in self.capabilities]
        return say("choice.needs", able=able, n=self.least_tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """All that a choice may know, by the keys of the catalogue. Of a provider without a list nothing is known."""

    resources: Resources
    mode: ExecutionMode = ExecutionMode.IDLE
    headroom_mb: int = 512
    num_ctx: int = 8192  # what Ollama gives at most, whatever a model was trained for
    served: Mapping[ProviderName, frozenset[str]] = field(default_factory=dict)  # the keys of what is there
    away: Mapping[ProviderName, str] = field(default_factory=dict)  # why a provider cannot be asked
    here: frozenset[ProviderName] = frozenset(ProviderName)  # they use this machine's memory
    loaded: frozenset[str] = frozenset()
    gives_way_mb: int = 0  # of idle models that leave the GPU for this one
    all_stay: bool = True  # nothing that is loaded leaves for it
    blind: frozenset[str] = frozenset()  # their server says that they see nothing, whatever the catalogue says
    remote: frozenset[str] = frozenset()  # they run on somebody else's machine
    learned_mb: Mapping[str, int] = field(default_factory=dict)  # what they took of the GPU when they were loaded
    lowered: Mapping[str, tuple[Factor, ...]] = field(default_factory=dict)  # for a while, by what they did recent
    excluded: Mapping[str, str] = field(default_factory=dict)  # for this answer, and why

    def context_of(self, entry: ModelEntry) -> int:
        return context_of(entry, num_ctx=self.num_ctx)

    def uses_gpu(self, entry: ModelEntry) -> bool:
        return bool(self.resources.gpus) and entry.provider in self.here

    def is_remote(self, entry: ModelEntry) -> bool:
        by_name = entry.provider is ProviderName.OLLAMA and is_cloud_name(entry.name)
        return by_name or entry.key in self.remote

    def memory(self, entry: ModelEntry) -> tuple[int, int | None]:
        """MB that it would take, headroom included, and that it may take; None: it takes nothing here."""
        if entry.key in self.loaded or self.is_remote(entry) or entry.provider not in self.here:
            return 0, None
        gives_way = self.gives_way_mb if entry.provider is ProviderName.OLLAMA else 0  # its own make room, no others
        if not self.uses_gpu(entry):
            return entry.ram_mb + RAM_HEADROOM_MB, self.resources.ram_free_mb + gives_way
        need = self.learned_mb.get(entry.key, entry.vram_mb)
        needed = need + self.headroom_mb
        if self.loaded and self.all_stay and entry.provider is ProviderName.OLLAMA:
            needed = max(needed, math.ceil(need / CORESIDENT_SHARE))
        return needed, (self.resources.vram_free_mb or 0) + gives_way


def context_of(entry: ModelEntry, *, num_ctx: int) -> int:
    """Tokens that it holds here: all models of Ollama are loaded with one context (A.3)."""
    return min(entry.context_length, num_ctx) if entry.provider is ProviderName.OLLAMA else entry.context_length
