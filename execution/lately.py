"""What was made lately of values that are never changed: whoever asks for it of the very same ones has it at once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Lately(Generic[T]):
    """Keeps the last `most` answers, by which objects they were made of and not by what those say: to compare a picture
    or all lines of a screen would cost more. The objects are held as long, so that no others have their ids."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._made = OrderedDict[tuple[int, ...], tuple[tuple[object, ...], T]]()
        self._lock = threading.Lock()

    def of(self, *values: object, make: Callable[[], T]) -> T:
        """What `make` gives, or gave, of these."""
        key = tuple(map(id, values))
        if (known := self._made.get(key)) is not None:
            return known[1]
        made = make()
        with self._lock:
            self._made[key] = values, made
            while len(self._made) > self._most:
                self._made.popitem(last=False)
        return made
