"""Which model answers: a pure choice over the task and what is there now, that says why for each model (S4.2).

Three rules. What cannot do it here and now is out. One that is held by hand answers if it can. Of the others it is the
one with the least against it, in the order of `_rank`: what failed lately is asked last, and what is loaded stays, so
that near-equal models do not take turns.
"""

from __future__ import annotations

import math
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gpu.catalogue import ModelEntry
from gpu.choices import Capability, ProviderName, Tier
from gpu.exceptions import AnswerUnusable, GPUError, NoModelFits, NotEnoughVRAM, OutOfMemory
from gpu.ollama import is_cloud_name
from gpu.policy import CORESIDENT_SHARE
from gpu.resources import Resources
from gpu.types import Chunk, ExecutionMode
from sentences.said import say, then

RAM_HEADROOM_MB = 1024
BUSY_PERCENT = 80.0
FORGOTTEN_S = 300.0
STAYS_LOADED_S = 300.0  # a server that does not tell what it has loaded is believed to keep it so long
SLOW_TOKENS_A_S = 5.0  # about as fast as people read
WORTH_TIMING = 20  # tokens
SLOW_FIRST_S = 20.0  # until the first word, the load apart
MOST_KEPT = 16


@dataclass(frozen=True, slots=True)
class Mark:
    """What a model did lately that speaks against it; a failure counts more than anything, slowness little."""

    words: str
    failed: bool = True


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
    lowered: Mapping[str, tuple[Mark, ...]] = field(default_factory=dict)  # for a while, by what they did lately
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


# --- the rules ------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Selection:
    model: ModelEntry
    reasons: tuple[str, ...]


def choose(task: Task, catalogue: Sequence[ModelEntry], now: Situation) -> Selection:
    """The model for the task; raises NoModelFits, with what is needed and why none of them will do."""
    barred = {entry.key: why for entry in catalogue if (why := obstacle(entry, task, now))}
    able = [entry for entry in catalogue if entry.key not in barred]
    held = next((entry for entry in catalogue if entry.held), None)
    if not able:
        raise _nothing(task, catalogue, barred, now)
    if held is not None and held.key not in barred:
        return Selection(held, (say("choice.held"), _memory_words(held, now)))
    ranks = {entry.key: tuple(_rank(entry, task, now)) for entry in able}
    best = min(able, key=lambda one: (*(points for points, _why in ranks[one.key]), one.vram_mb, one.key))
    reasons = [] if held is None else [say("choice.held_cannot", model=held.key, why=barred[held.key])]
    reasons += [why for points, why in ranks[best.key] if points and why]
    if best.tier == task.complexity:
        reasons.append(say("choice.as_wanted", tier=_in_words(best.tier)))
    if best.key in now.loaded:
        reasons.append(say("choice.loaded"))
    return Selection(best, (*reasons, _memory_words(best, now)))


def obstacle(entry: ModelEntry, task: Task, now: Situation) -> str:
    """Why a model cannot do it here and now; empty: it can."""
    if not entry.enabled:
        return say("choice.not_in_use")
    if entry.key in now.excluded:
        return now.excluded[entry.key]
    if entry.provider in now.away:
        return now.away[entry.provider]
    if entry.key not in now.served.get(entry.provider, {entry.key}):
        is_ollama = entry.provider is ProviderName.OLLAMA
        return say("choice.to_be_pulled", name=entry.name) if is_ollama else say("choice.not_on_server")
    if now.is_remote(entry) and not entry.allow_remote:
        return say("choice.remote")
    lacking = [say(f"able.{one.value}") for one in task.capabilities if one.value not in entry.capabilities]
    if lacking:
        return say("choice.cannot", what=lacking)
    if task.vision and entry.key in now.blind:
        return say("choice.blind")
    if now.context_of(entry) < task.least_tokens:
        return say("choice.context_short", context=now.context_of(entry), needed=task.least_tokens)
    return _shortage(entry, now)


def _shortage(entry: ModelEntry, now: Situation) -> str:
    """Memory that is missing. A chat is given what is free, never what a run has (S4.5)."""
    needed, free = now.memory(entry)
    if free is None or needed <= free:
        return ""
    code = "choice.needs_memory"
    if now.uses_gpu(entry):
        code = "choice.needs_gpu_of_run" if now.mode is ExecutionMode.AUTOPILOT else "choice.needs_gpu"
    return say(code, needed=needed, free=free)


def _rank(entry: ModelEntry, task: Task, now: Situation) -> Iterator[tuple[int, str]]:
    """What speaks against it, the weightiest first: how much, and in words."""
    steps = entry.tier - task.complexity
    own, wanted = _in_words(entry.tier), _in_words(task.complexity)
    lately = now.lowered.get(entry.key, ())
    failures, slow = [one.words for one in lately if one.failed], [one.words for one in lately if not one.failed]
    yield len(failures), then(failures)
    yield _strain(entry, now) if steps > 0 else (0, "")
    yield max(0, -steps), say("choice.too_weak", tier=own, wanted=wanted)
    yield len(slow), then(slow)
    yield entry.key not in now.loaded, ""
    yield max(0, steps), say("choice.too_strong", tier=own, wanted=wanted)
    yield now.context_of(entry) < task.all_tokens, say("choice.cuts_history")
    yield Capability.VISION.value in entry.capabilities and not task.vision, say("choice.unused_eyes")
    thinks = Capability.REASONING.value in entry.capabilities and task.complexity is Tier.LIGHT
    yield thinks, say("choice.thinks")


def _strain(entry: ModelEntry, now: Situation) -> tuple[int, str]:
    """A processor is slower still with more than the task wants."""
    if entry.provider not in now.here or now.is_remote(entry) or now.uses_gpu(entry):
        return 0, ""
    if now.resources.cpu_percent >= BUSY_PERCENT:
        return 1, say("choice.busy_processor", n=now.resources.cpu_percent)
    return 1, say("choice.slow_without_gpu")


def _in_words(tier: Tier) -> str:
    return say(f"tier.{tier.name.lower()}")


def _memory_words(entry: ModelEntry, now: Situation) -> str:
    if entry.key in now.loaded:
        return say("choice.takes_no_more")
    needed, free = now.memory(entry)
    if free is None:
        return say("choice.takes_none_here")
    return say("choice.takes_gpu" if now.uses_gpu(entry) else "choice.takes_memory", needed=needed, free=free)


def _nothing(task: Task, catalogue: Sequence[ModelEntry], barred: Mapping[str, str], now: Situation) -> NoModelFits:
    if not catalogue:
        return NoModelFits(say("choice.catalogue_empty"))
    short = [(now.memory(entry)[0], entry.key) for entry in catalogue if barred[entry.key] == _shortage(entry, now)]
    if short:
        nearest = min(short)[1]
        return NoModelFits(say("choice.none_fits_nearest", task=task.needs, model=nearest, why=barred[nearest]))
    whys = then(say("choice.of_model", model=key, why=why) for key, why in barred.items())
    return NoModelFits(say("choice.none_fits", task=task.needs, whys=whys))


# --- what they did lately -------------------------------------------------------------------------------------------
class RecentOutcomes:
    """By keys of the catalogue; each mark is forgotten after a while. May be used by any thread."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._marks: dict[str, list[tuple[float, Mark]]] = defaultdict(list)
        self._answered: dict[str, float] = {}

    def lowered(self) -> Mapping[str, tuple[Mark, ...]]:
        with self._lock:
            left = {key: tuple(mark for _at, mark in self._kept(key)) for key in self._marks}
        return {key: marks for key, marks in left.items() if marks}

    def answered_lately(self, key: str) -> bool:
        return self._clock() - self._answered.get(key, -STAYS_LOADED_S) < STAYS_LOADED_S

    def answered(self, key: str, last: Chunk, *, first_s: float, seconds: float) -> None:
        """`first_s` until the first word, `seconds` from there to the end."""
        with self._lock:
            self._answered[key] = self._clock()
        waited = first_s - last.load_s
        if last.tokens_out >= WORTH_TIMING and last.tokens_out / max(seconds, 0.001) < SLOW_TOKENS_A_S:
            self._note(key, say("choice.slow_tokens", n=last.tokens_out / seconds), failed=False)
        elif waited > SLOW_FIRST_S:
            self._note(key, say("choice.slow_first", n=waited), failed=False)

    def failed(self, key: str, error: GPUError) -> None:
        kinds = {
            OutOfMemory: "choice.no_memory_lately",
            NotEnoughVRAM: "choice.too_little_lately",
            AnswerUnusable: "choice.no_use_lately",
        }
        code = next((code for kind, code in kinds.items() if isinstance(error, kind)), "choice.failed_lately")
        # what was missing before is reckoned with anew
        self._note(key, say(code, error=type(error).__name__), failed=not isinstance(error, NotEnoughVRAM))

    def _note(self, key: str, words: str, *, failed: bool) -> None:
        with self._lock:
            self._marks[key] = [*self._kept(key), (self._clock(), Mark(words, failed))][-MOST_KEPT:]

    def _kept(self, key: str) -> list[tuple[float, Mark]]:
        return [(at, mark) for at, mark in self._marks[key] if self._clock() - at < FORGOTTEN_S]
