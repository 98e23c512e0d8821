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
    reserved_mb: int = 0  # the driver's own
    foreign_mb: int = 0  # other programs on the same GPU
    leaking: bool = False  # what is given back from now on never comes back
    held: dict[str, int] = field(default_factory=dict)  # by model
    lagging: dict[str, int] = field(default_factory=dict)  # given back, and not yet seen to be free
    leaked_mb: int = 0
    history: list[tuple[float, int]] = field(default_factory=list)  # (seconds, used MB) at each change

    @property
    def used_mb(self) -> int:
        taken = sum(self.held.values()) + sum(self.lagging.values())
        return self.reserved_mb + self.foreign_mb + taken + self.leaked_mb

    @property
    def free_mb(self) -> int:
        return self.total_mb - self.used_mb

    @property
    def peak_mb(self) -> int:
        return max((used for _at, used in self.history), default=self.used_mb)

    def take(self, name: str, mb: int) -> None:
        if mb > self.free_mb:
            raise Overdrawn(f"{name} needs {mb} MB and {self.free_mb} MB are free")
        self.held[name] = self.held.get(name, 0) + mb
        self._note()

    def give_back(self, name: str, *, after_s: float = 0.0, leak: bool = False) -> None:
        """The driver shows it as free `after_s` later, or never."""
        mb = self.held.pop(name, 0)
        if leak or self.leaking:
            self.leaked_mb += mb
        elif after_s > 0 and mb:
            self.lagging[name] = self.lagging.get(name, 0) + mb
            self.clock.call_later(after_s, lambda: self._seen_free(name, mb))
        self._note()

    def set_foreign(self, mb: int) -> None:
        """Other programs now use that much."""
        self.foreign_mb = mb
        self._note()

    def set_free(self, mb: int) -> None:
        """As much foreign use as leaves that much free."""
        self.set_foreign(self.foreign_mb + self.free_mb - mb)

    def forget_all(self) -> None:
        """The process died, and its memory with it: all of it is free at once, leaks included."""
        self.held.clear()
        self.lagging.clear()
        self.leaked_mb = 0
        self._note()

    def _seen_free(self, name: str, mb: int) -> None:
        left = self.lagging.get(name, 0) - mb
        if left > 0:
            self.lagging[name] = left
        else:
            self.lagging.pop(name, None)
        self._note()

    def _note(self) -> None:
        self.history.append((self.clock.now, self.used_mb))
