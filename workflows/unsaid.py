"""What this process knows and no line of its log may hold: whoever opens a secret says so here."""

from __future__ import annotations

from typing import Protocol
from weakref import WeakSet


class Hides(Protocol):
    def text(self, value: object) -> str: ...


_hiding: WeakSet[Hides] = WeakSet()


def keep_out_of_logs(hides: Hides) -> None:
    """From now on every line of the log goes through `hides.text`, for as long as it is in use."""
    _hiding.add(hides)


def without_secrets(line: str) -> str:
    for hides in tuple(_hiding):
        line = hides.text(line)
    return line
