"""CLIP as an embedder: where it runs, and that it moves, is the business of `gpu.clip`."""

from __future__ import annotations

import numpy as np

from execution.perception.embedding.base import check_pixels
from execution.types import Embedding
from gpu.clip import CLIPManager


class OpenClipEmbedder:
    """Asks CLIP anew for each picture, so that a change of its device needs nothing here (S2.10, S3.5)."""

    def __init__(self, clip: CLIPManager) -> None:
        """Load the model onto the processor (seconds); raises ClipUnavailable."""
        self.clip = clip
        self.model_id = clip.model_id

    def embed(self, pixels: np.ndarray) -> Embedding:
        """The unit vector of a BGR picture of any size; raises ValueError for what is no such picture."""
        check_pixels(pixels)
        return Embedding(model=self.model_id, vector=self.clip.embed(pixels))
