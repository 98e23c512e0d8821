"""Digests of one picture of the desktop after another."""

from __future__ import annotations

import numpy as np

from execution.types import pixels_digest


class Digests:
    """Remembers the last picture: to see that nothing changed takes a tenth of the time of a digest (6 ms at 1080p)."""

    def __init__(self) -> None:
        self._last: tuple[np.ndarray, str] | None = None

    def of(self, pixels: np.ndarray) -> str:
        """The digest of `pixels`, which must not be written to afterwards."""
        last = self._last
        if last is not None and np.array_equal(last[0], pixels):
            return last[1]
        digest = pixels_digest(pixels)
        self._last = (pixels, digest)
        return digest
