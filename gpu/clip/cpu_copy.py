"""CLIP on the processor, where it always is."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from gpu.clip.file import WeightsFile
from gpu.clip.gpu_copy import count_values_of
from gpu.exceptions import ClipUnavailable

if TYPE_CHECKING:
    from gpu.clip.tower import Tower


class CpuCopy:
    """Loaded once, by whoever needs it first; any thread may ask. `unused` says why there is to be none here."""

    def __init__(self, *, model: str, weights: Path | None, unused: str) -> None:
        self._model, self._unused = model, unused
        self._weights = WeightsFile(weights) if weights else None
        self._lock = threading.Lock()
        self._tower: Tower | None = None
        self._values = 0
        self._failed = ""

    @property
    def is_loaded(self) -> bool:
        return self._tower is not None

    @property
    def why_unavailable(self) -> str:
        if self._tower is not None:
            return ""
        if self._unused or self._failed:
            return self._unused or self._failed
        if self._weights is None:
            return "RPA_CLIP_WEIGHTS is not set; get weights with 'manage.py fetchmodels open_clip'."
        return self._weights.problem

    def count_values(self) -> int:
        """How many numbers it has; before it is loaded, as its file tells; 0 where there is none."""
        return self._values or (self._weights.count_values() if self._weights else 0)

    def load(self) -> Tower:
        with self._lock:
            if self._tower is None:
                if why := self.why_unavailable:
                    raise ClipUnavailable(why)
                assert self._weights is not None
                self._tower = self._loaded(self._weights.path)
                self._values = count_values_of(self._tower.network)
            return self._tower

    def let_go(self) -> None:
        self._tower = None

    def _loaded(self, weights: Path) -> Tower:
        from gpu.clip.tower import load_tower

        try:
            return load_tower(self._model, weights)
        except ClipUnavailable as error:
            self._failed = str(error)  # it is the same file the next time
            raise
