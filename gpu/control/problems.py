"""What is wrong now, each by its own name: a problem ends when what it is about succeeds (S3.10)."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum

NO_GPU = "There is no GPU here, or its driver does not answer: everything runs on the CPU."


class About(StrEnum):
    """In the order in which they are said."""

    GPU = "gpu"
    SERVER = "server"
    MODEL = "model"
    MEMORY = "memory"
    CLIP = "clip"
    MODE = "mode"


class Problems:
    def __init__(self) -> None:
        self._said: dict[About, str] = {}
        self.since: datetime | None = None

    def set(self, about: About, text: str) -> bool:
        """Whether that is news; an empty text means that it is all right again."""
        if self._said.get(about, "") == text:
            return False
        if text:
            self._said[about] = text
        else:
            self._said.pop(about, None)
        self.since = (self.since or datetime.now(UTC)) if self._said else None
        return True

    def about(self, about: About) -> str:
        return self._said.get(about, "")

    @property
    def text(self) -> str:
        """All of them, each once."""
        texts = [self._said[about] for about in About if about in self._said]
        return " ".join(dict.fromkeys(texts))
