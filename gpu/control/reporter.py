"""What the owner of the GPU tells: each change in one sentence, and what is wrong now (S3.9, S3.10)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum

from gpu.choices import GPUEventKind
from gpu.resources import VRAMMonitor
from gpu.types import VRAMInfo
from sentences.said import by_sentence, say

VRAM_MOVED_MB = 100
NO_GPU = say("gpu.none_here")

Tell = Callable[[GPUEventKind, str], None]


class Topic(StrEnum):
    """In the order in which they are said."""

    GPU = "gpu"
    SERVER = "server"
    MODEL = "model"
    MEMORY = "memory"
    CLIP = "clip"
    MODE = "mode"


class Reporter:
    """`tell` hears kind and sentence. A problem ends when what it is about succeeds; whether there is a GPU at all is
    decided at the start.
    """

    def __init__(self, memory: VRAMMonitor, tell: Tell) -> None:
        self._memory, self.event = memory, tell
        self._problems: dict[Topic, str] = {}
        self.since: datetime | None = None  # something is wrong
        self._missing: tuple[int, str] | None = None  # how much should be free by now, and that in words
        gpus = self.gpus()
        self._gpu_seen = bool(gpus)
        self._told_used_mb = _used(gpus)
        self._set(Topic.GPU, "" if gpus else NO_GPU)

    def gpus(self) -> tuple[VRAMInfo, ...]:
        return self._memory.read()

    @property
    def problems(self) -> str:
        """All that is wrong now."""
        return by_sentence(dict.fromkeys(self._problems[about] for about in Topic if about in self._problems))

    def changed(self, text: str) -> None:
        self._told_used_mb = _used(self.gpus())
        self.event(GPUEventKind.RESOURCE_CHANGED, text)

    def problem(self, about: Topic, text: str) -> None:
        """From now on; an empty text ends it."""
        if self._set(about, text):
            self.changed(text or say("gpu.all_right_again", about=say(f"about.{about}")))

    def solved(self, about: Topic, text: str) -> None:
        """Its end is told by that sentence."""
        self._set(about, "")
        self.changed(text)

    def missing_memory(self, expected_mb: int, text: str) -> None:
        """A model is gone and its memory is not free: said until so much is, or an empty text ends it."""
        self._missing = (expected_mb, text) if text else None
        self.problem(Topic.MEMORY, text)

    def look(self) -> None:
        """Tell of memory that moved by more than 100 MB, of a GPU that is there no more or again."""
        gpus = self.gpus()
        if gpus:
            self._gpu_seen = True
            self.problem(Topic.GPU, "")
        elif self._gpu_seen:
            self.problem(Topic.GPU, say("gpu.unseen", why=self._memory.problem or say("gpu.no_reason")))
        if self._missing and sum(gpu.free_mb for gpu in gpus) > self._missing[0]:
            self.missing_memory(0, "")
        used = _used(gpus)
        if gpus and abs(used - self._told_used_mb) > VRAM_MOVED_MB:
            self.changed(say("gpu.memory_moved", before=self._told_used_mb, now=used))

    def _set(self, about: Topic, text: str) -> bool:
        """Whether that is news."""
        if self._problems.get(about, "") == text:
            return False
        self._problems[about] = text
        self._problems = {topic: said for topic, said in self._problems.items() if said}
        self.since = (self.since or datetime.now(UTC)) if self._problems else None
        return True


def _used(gpus: tuple[VRAMInfo, ...]) -> int:
    return sum(gpu.used_mb for gpu in gpus)
