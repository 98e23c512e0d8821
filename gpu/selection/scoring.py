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
    wanted = Tier(task.complexity).name.lower()
    if steps < 0:
        yield Factor(TOO_WEAK * -steps, f"is {entry.tier.name.lower()}, and the task is {wanted}")
    elif steps > 0:
        yield Factor(TOO_STRONG * steps, f"is {entry.tier.name.lower()}, and a {wanted} one would do")
    else:
        yield Factor(0, f"is {wanted}, as the task is")


def _place(entry: ModelEntry, now: Situation) -> Iterator[Factor]:
    if entry.key in now.loaded:
        yield Factor(LOADED, "is loaded")
    if entry.provider not in now.here or now.is_remote(entry):
        return
    if now.uses_gpu(entry):
        needed, free = now.memory(entry)
        if free is not None and free - needed < SCARCE_SHARE * (now.resources.vram_total_mb or 0):
            yield Factor(SCARCE, "would leave little GPU memory")
        return
    above = entry.tier - Tier.LIGHT
    if above:
        yield Factor(ON_PROCESSOR * above, "is slow without a GPU")
    if now.resources.cpu_percent >= BUSY_PERCENT:
        words = f"would take from a processor that is busy already ({now.resources.cpu_percent:.0f} %)"
        yield Factor(PROCESSOR_BUSY * (above + 1), words)


def _habits(entry: ModelEntry, task: Task, now: Situation) -> Iterator[Factor]:
    if now.context_of(entry) < task.all_tokens:
        yield Factor(CUTS_HISTORY, "cannot hold the whole conversation")
    if Capability.VISION.value in entry.capabilities and not task.vision:
        yield Factor(UNUSED_EYES, "sees pictures, and there is none")
    if Capability.REASONING.value in entry.capabilities and task.complexity is Tier.LIGHT:
        yield Factor(THINKS, "thinks at length, which this does not need")


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
            self._note(key, Factor(SLOW, f"was slow lately ({last.tokens_out / seconds:.1f} tokens a second)"))
        elif waited > SLOW_FIRST_S:
            self._note(key, Factor(SLOW, f"was slow lately ({waited:.0f} s until the first word)"))

    def failed(self, key: str, error: GPUError) -> None:
        if isinstance(error, OutOfMemory):
            self._note(key, Factor(NO_MEMORY, "ran out of memory lately"))
        elif isinstance(error, NotEnoughVRAM):
            self._note(key, Factor(SCARCE, "found too little memory lately"))
        elif isinstance(error, AnswerUnusable):
            self._note(key, Factor(UNUSABLE, "gave an answer of no use lately"))
        else:
            self._note(key, Factor(FAILED, f"failed lately ({type(error).__name__})"))

    def _note(self, key: str, factor: Factor) -> None:
        now = self._clock()
        with self._lock:
            kept = [(at, one) for at, one in self._factors[key] if now - at < FORGOTTEN_S]
            self._factors[key] = [*kept, (now, factor)][-MOST_KEPT:]


def _faded(factor: Factor, age_s: float) -> Factor:
    return Factor(round(factor.points * max(0.0, 1 - age_s / FORGOTTEN_S), 1), factor.words)
