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


class Problems:
    """What is wrong now, each by its own name: a problem ends when what it is about succeeds (S3.10)."""

    def __init__(self) -> None:
        self._said: dict[Topic, str] = {}
        self.since: datetime | None = None

    def set(self, about: Topic, text: str) -> bool:
        """Whether that is news; an empty text means that it is all right again."""
        if self._said.get(about, "") == text:
            return False
        if text:
            self._said[about] = text
        else:
            self._said.pop(about, None)
        self.since = (self.since or datetime.now(UTC)) if self._said else None
        return True

    def about(self, about: Topic) -> str:
        return self._said.get(about, "")

    @property
    def text(self) -> str:
        texts = [self._said[about] for about in Topic if about in self._said]
        return by_sentence(dict.fromkeys(texts))


class Reporter:
    """`tell` hears kind and sentence. Whether there is a GPU at all is decided at the start."""

    def __init__(self, memory: VRAMMonitor, tell: Tell) -> None:
        self._memory, self._tell = memory, tell
        self.problems = Problems()
        self._missing: tuple[int, str] | None = None  # how much should be free by now, and that in words
        gpus = self.gpus()
        self._gpu_seen = bool(gpus)
        self._told_used_mb = _used(gpus)
        self.problems.set(Topic.GPU, "" if gpus else NO_GPU)

    def gpus(self) -> tuple[VRAMInfo, ...]:
        return self._memory.read()

    def event(self, kind: GPUEventKind, text: str) -> None:
        self._tell(kind, text)

    def changed(self, text: str) -> None:
        self._told_used_mb = _used(self.gpus())
        self._tell(GPUEventKind.RESOURCE_CHANGED, text)

    def problem(self, about: Topic, text: str) -> None:
        """From now on; an empty text ends it."""
        if self.problems.set(about, text):
            self.changed(text or say("gpu.all_right_again", about=say(f"about.{about}")))

    def missing_memory(self, expected_mb: int, text: str) -> None:
        """A model is gone and its memory is not free: said until so much is, or an empty text ends it."""
        self._missing = (expected_mb, text) if text else None
        self.problem(Topic.MEMORY, text)

    def look(self) -> None:
        """Tell of memory that moved by more than 100 MB, of a GPU that is there no more or again."""
        gpus = self.gpus()
        self._look_for_gpu(gpus)
        if self._missing and sum(gpu.free_mb for gpu in gpus) > self._missing[0]:
            self._missing = None
            self.problem(Topic.MEMORY, "")
        used = _used(gpus)
        if gpus and abs(used - self._told_used_mb) > VRAM_MOVED_MB:
            self.changed(say("gpu.memory_moved", before=self._told_used_mb, now=used))

    def _look_for_gpu(self, gpus: tuple[VRAMInfo, ...]) -> None:
        if gpus:
            self._gpu_seen = True
            self.problem(Topic.GPU, "")
        elif self._gpu_seen:
            why = self._memory.problem or say("gpu.no_reason")
            self.problem(Topic.GPU, say("gpu.unseen", why=why))


def _used(gpus: tuple[VRAMInfo, ...]) -> int:
    return sum(gpu.used_mb for gpu in gpus)
