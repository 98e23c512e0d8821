"""The memory of the double's GPU, to the megabyte (A.5.6)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.doubles.ollama.clock import VirtualClock


class Overdrawn(Exception):
    """More was asked for than is free: the out-of-memory error of a real GPU."""


@dataclass
class Ledger:
    clock: VirtualClock
    total_mb: int = 24_000
    foreign_mb: int = 0  # other programs on the same GPU
    held: dict[str, int] = field(default_factory=dict)  # by model
    lagging: dict[str, int] = field(default_factory=dict)  # given back, and not yet seen to be free
    leaked_mb: int = 0

    @property
    def used_mb(self) -> int:
        taken = sum(self.held.values()) + sum(self.lagging.values())
        return self.foreign_mb + taken + self.leaked_mb

    @property
    def free_mb(self) -> int:
        return self.total_mb - self.used_mb

    def take(self, name: str, mb: int) -> None:
        if mb > self.free_mb:
            raise Overdrawn(f"{name} needs {mb} MB and {self.free_mb} MB are free")
        self.held[name] = self.held.get(name, 0) + mb

    def give_back(self, name: str, *, after_s: float = 0.0, leak: bool = False) -> None:
        """The driver shows it as free `after_s` later, or never."""
        mb = self.held.pop(name, 0)
        if leak:
            self.leaked_mb += mb
        elif after_s > 0 and mb:
            self.lagging[name] = self.lagging.get(name, 0) + mb
            self.clock.call_later(after_s, lambda: self._seen_free(name, mb))

    def set_foreign(self, mb: int) -> None:
        """Other programs now use that much."""
        self.foreign_mb = mb

    def set_free(self, mb: int) -> None:
        """As much foreign use as leaves that much free."""
        self.set_foreign(self.foreign_mb + self.free_mb - mb)

    def forget_all(self) -> None:
        """The process died, and its memory with it: all of it is free at once, leaks included."""
        self.held.clear()
        self.lagging.clear()
        self.leaked_mb = 0

    def _seen_free(self, name: str, mb: int) -> None:
        left = self.lagging.get(name, 0) - mb
        if left > 0:
            self.lagging[name] = left
        else:
            self.lagging.pop(name, None)
