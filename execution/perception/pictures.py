"""Where taught pictures come from and go to, as perception and targeting know it."""

from __future__ import annotations

from typing import Protocol

import numpy as np


class PictureSource(Protocol):
    def load(self, digest: str) -> np.ndarray:
        """BGR pixels of the picture; raises workflows.exceptions.PictureError where there is none that can be read."""


class PictureSink(Protocol):
    def put(self, pixels: np.ndarray) -> str:
        """Keep the pixels and give the digest that `PictureSource.load` takes."""
