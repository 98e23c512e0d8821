"""What speaks for a model and against it: points with their words. How the points compare is what the choice is (S4.2).

A step of the tier is 20 points. Being loaded is worth 12: less than a step, so that the fitting model is loaded after
all, and more than every small difference, so that near-equal models do not take turns. One slow answer (15) outweighs
nothing but that; a failure that cost a whole answer (40) outweighs two steps.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping

from gpu.catalogue.entries import ModelEntry
from gpu.choices import Capability, Tier
from gpu.exceptions import AnswerUnusable, GPUError, NotEnoughVRAM, OutOfMemory
from gpu.selection.situation import Factor, Situation, Task
from gpu.types import Chunk
from sentences.said import say

TOO_WEAK = -20  # a step below what the task wants
TOO_STRONG = -8  # a step above it: slower, and more memory for nothing
LOADED = 12
CUTS_HISTORY = -15
UNUSED_EYES = -3
THINKS = -4  # a reasoning model where no reasoning is wanted
ON_PROCESSOR = -8  # each step above light
PROCESSOR_BUSY = -6  # each step, the first included
BUSY_PERCENT = 80.0
SCARCE = -5
SCARCE_SHARE = 0.1

SLOW, UNUSABLE, FAILED, NO_MEMORY = -15.0, -25.0, -40.0, -60.0


def factors_of(entry: ModelEntry, task: Task, now: Situation) -> tuple[Factor, ...]:
    return (*_tier(entry, task), *_place(entry, now), *_habits(entry, task, now), *now.lowered.get(entry.key, ()))


def _tier(entry: ModelEntry, task: Task) -> Iterator[Factor]:
    steps = entry.tier - task.complexity
    own, wanted = _in_words(entry.tier), _in_words(Tier(task.complexity))
    if steps < 0:
        yield Factor(TOO_WEAK * -steps, say("choice.too_weak", tier=own, wanted=wanted))
    elif steps > 0:
        yield Factor(TOO_STRONG * steps, say("choice.too_strong", tier=own, wanted=wanted))
    else:
        yield Factor(0, say("choice.as_wanted", tier=wanted))


def _in_words(tier: Tier) -> str:
    return say(f"tier.{tier.name.lower()}")


def _place(entry: ModelEntry, now: Situation) -> Iterator[Factor]:
    if entry.key in now.loaded:
        yield Factor(LOADED, say("choice.loaded"))
    if entry.provider not in now.here or now.is_remote(entry):
        return
    if now.uses_gpu(entry):
        needed, free = now.memory(entry)
        if free is not None and free - needed < SCARCE_SHARE * (now.resources.vram_total_mb or 0):
            yield Factor(SCARCE, say("choice.leaves_little"))
        return
    above = entry.tier - Tier.LIGHT
    if above:
        yield Factor(ON_PROCESSOR * above, say("choice.slow_without_gpu"))
    if now.resources.cpu_percent >= BUSY_PERCENT:
        words = say("choice.busy_processor", n=now.resources.cpu_percent)
        yield Factor(PROCESSOR_BUSY * (above + 1), words)


def _habits(entry: ModelEntry, task: Task, now: Situation) -> Iterator[Factor]:
    if now.context_of(entry) < task.all_tokens:
        yield Factor(CUTS_HISTORY, say("choice.cuts_history"))
    if Capability.VISION.value in entry.capabilities and not task.vision:
        yield Factor(UNUSED_EYES, say("choice.unused_eyes"))
    if Capability.REASONING.value in entry.capabilities and task.complexity is Tier.LIGHT:
        yield Factor(THINKS, say("choice.thinks"))


FORGOTTEN_S = 300.0
STAYS_LOADED_S = 300.0  # a server that does not tell what it has loaded is believed to keep it so long
SLOW_TOKENS_A_S = 5.0  # about as fast as people read
WORTH_TIMING = 20  # tokens
SLOW_FIRST_S = 20.0  # until the first word, the load apart
MOST_KEPT = 16


class RecentOutcomes:
    """By keys of the catalogue; each factor fades evenly until it is forgotten."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._factors: dict[str, list[tuple[float, Factor]]] = defaultdict(list)
        self._answered: dict[str, float] = {}

    def lowered(self) -> Mapping[str, tuple[Factor, ...]]:
        now = self._clock()
        with self._lock:
            told = {
                key: tuple(_faded(factor, now - at) for at, factor in factors) for key, factors in self._factors.items()
            }
        left = {key: tuple(factor for factor in factors if factor.points < 0) for key, factors in told.items()}
        return {key: factors for key, factors in left.items() if factors}

    def answered_lately(self, key: str) -> bool:
        return self._clock() - self._answered.get(key, -STAYS_LOADED_S) < STAYS_LOADED_S

    def answered(self, key: str, last: Chunk, *, first_s: float, seconds: float) -> None:
        """`first_s` until the first word, `seconds` from there to the end."""
        with self._lock:
            self._answered[key] = self._clock()
        waited = first_s - last.load_s
        if last.tokens_out >= WORTH_TIMING and last.tokens_out / max(seconds, 0.001) < SLOW_TOKENS_A_S:
            self._note(key, Factor(SLOW, say("choice.slow_tokens", n=last.tokens_out / seconds)))
        elif waited > SLOW_FIRST_S:
            self._note(key, Factor(SLOW, say("choice.slow_first", n=waited)))

    def failed(self, key: str, error: GPUError) -> None:
        if isinstance(error, OutOfMemory):
            self._note(key, Factor(NO_MEMORY, say("choice.no_memory_lately")))
        elif isinstance(error, NotEnoughVRAM):
            self._note(key, Factor(SCARCE, say("choice.too_little_lately")))
        elif isinstance(error, AnswerUnusable):
            self._note(key, Factor(UNUSABLE, say("choice.no_use_lately")))
        else:
            self._note(key, Factor(FAILED, say("choice.failed_lately", error=type(error).__name__)))

    def _note(self, key: str, factor: Factor) -> None:
        now = self._clock()
        with self._lock:
            kept = [(at, one) for at, one in self._factors[key] if now - at < FORGOTTEN_S]
            self._factors[key] = [*kept, (now, factor)][-MOST_KEPT:]


def _faded(factor: Factor, age_s: float) -> Factor:
    return Factor(round(factor.points * max(0.0, 1 - age_s / FORGOTTEN_S), 1), factor.words)
