"""What models did lately, which speaks against them for a while: slowness, answers of no use, failures (S4.4)."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping

from gpu.exceptions import AnswerUnusable, GPUError, NotEnoughVRAM, OutOfMemory
from gpu.selection.marks import FAILED, NO_MEMORY, SCARCE, SLOW, UNUSABLE
from gpu.selection.situation import Mark
from gpu.types import Chunk

FORGOTTEN_S = 300.0
STAYS_LOADED_S = 300.0  # a server that does not tell what it has loaded is believed to keep it so long
SLOW_TOKENS_A_S = 5.0  # about as fast as people read
WORTH_TIMING = 20  # tokens
SLOW_FIRST_S = 20.0  # until the first word, the load apart
MOST_KEPT = 16


class Lately:
    """By keys of the catalogue; each mark fades evenly until it is forgotten."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._marks: dict[str, list[tuple[float, Mark]]] = defaultdict(list)
        self._answered: dict[str, float] = {}

    def lowered(self) -> Mapping[str, tuple[Mark, ...]]:
        now = self._clock()
        with self._lock:
            told = {key: tuple(_faded(mark, now - at) for at, mark in marks) for key, marks in self._marks.items()}
        left = {key: tuple(mark for mark in marks if mark.points < 0) for key, marks in told.items()}
        return {key: marks for key, marks in left.items() if marks}

    def answered_lately(self, key: str) -> bool:
        return self._clock() - self._answered.get(key, -STAYS_LOADED_S) < STAYS_LOADED_S

    def answered(self, key: str, last: Chunk, *, first_s: float, seconds: float) -> None:
        """`first_s` until the first word, `seconds` from there to the end."""
        with self._lock:
            self._answered[key] = self._clock()
        waited = first_s - last.load_s
        if last.tokens_out >= WORTH_TIMING and last.tokens_out / max(seconds, 0.001) < SLOW_TOKENS_A_S:
            self._note(key, Mark(SLOW, f"was slow lately ({last.tokens_out / seconds:.1f} tokens a second)"))
        elif waited > SLOW_FIRST_S:
            self._note(key, Mark(SLOW, f"was slow lately ({waited:.0f} s until the first word)"))

    def failed(self, key: str, error: GPUError) -> None:
        if isinstance(error, OutOfMemory):
            self._note(key, Mark(NO_MEMORY, "ran out of memory lately"))
        elif isinstance(error, NotEnoughVRAM):
            self._note(key, Mark(SCARCE, "found too little memory lately"))
        elif isinstance(error, AnswerUnusable):
            self._note(key, Mark(UNUSABLE, "gave an answer of no use lately"))
        else:
            self._note(key, Mark(FAILED, f"failed lately ({type(error).__name__})"))

    def _note(self, key: str, mark: Mark) -> None:
        now = self._clock()
        with self._lock:
            kept = [(at, one) for at, one in self._marks[key] if now - at < FORGOTTEN_S]
            self._marks[key] = [*kept, (now, mark)][-MOST_KEPT:]


def _faded(mark: Mark, age_s: float) -> Mark:
    return Mark(round(mark.points * max(0.0, 1 - age_s / FORGOTTEN_S), 1), mark.words)
