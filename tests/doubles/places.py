"""Where targets were, kept in this process."""

from __future__ import annotations

from execution.targeting.places import PlaceKey
from execution.types import Box


class MemoryPlaces:
    """A `PlaceStore` of one process."""

    def __init__(self) -> None:
        self._boxes: dict[PlaceKey, Box] = {}

    def get(self, key: PlaceKey) -> Box | None:
        return self._boxes.get(key)

    def put(self, key: PlaceKey, box: Box) -> None:
        self._boxes[key] = box

    def drop(self, key: PlaceKey) -> None:
        self._boxes.pop(key, None)
