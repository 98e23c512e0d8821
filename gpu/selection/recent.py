"""What models did lately, which speaks against them for a while: slowness, answers of no use, failures (S4.4)."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping

from gpu.exceptions import AnswerUnusable, GPUError, NotEnoughVRAM, OutOfMemory
from gpu.selection.scoring import FAILED, NO_MEMORY, SCARCE, SLOW, UNUSABLE
from gpu.selection.situation import Factor
from gpu.types import Chunk

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
