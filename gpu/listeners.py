"""Who wants to hear of something; one that fails keeps nobody from anything."""

from __future__ import annotations

import logging
from collections.abc import Callable

log = logging.getLogger(__name__)


class Listeners:
    """`of` names in the log what they hear of. They are called one after the other, in the thread of who tells."""

    def __init__(self, of: str) -> None:
        self._of = of
        self._all: tuple[Callable[..., None], ...] = ()

    def add(self, listener: Callable[..., None]) -> None:
        self._all = (*self._all, listener)

    def remove(self, listener: Callable[..., None]) -> None:
        self._all = tuple(one for one in self._all if one != listener)

    def tell(self, *said: object) -> None:
        for listener in self._all:
            try:
                listener(*said)
            except Exception:  # other people's code: whatever it raises is its own
                log.exception("a listener of %s failed", self._of)
