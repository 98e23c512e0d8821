"""What an embedder is, and how vectors are compared."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from execution.perception.pixels import check_bgr
from execution.types import Embedding


class ModelsDiffer(ValueError):
    """Vectors of two models were to be compared; they mean nothing to each other."""


class Embedder(Protocol):
    """Turns a picture into a vector; `model_id` names the model, its weights and its way of looking."""

    @property
    def model_id(self) -> str:
        """Vectors compare if and only if this is the same."""

    def embed(self, pixels: np.ndarray) -> Embedding:
        """The unit vector of a picture of any size, BGR uint8; raises ValueError for anything else."""


def cosine(one: Embedding, other: Embedding) -> float:
    """How alike two vectors are, -1 to 1; raises ModelsDiffer for vectors of different models."""
    if one.model != other.model or one.vector.shape != other.vector.shape:
        raise ModelsDiffer(
            f"A vector of {one.model} {one.vector.shape} cannot be compared with one of {other.model} "
            f"{other.vector.shape}; embed the stored picture again."
        )
    return float(np.dot(one.vector, other.vector))


def unit(vector: np.ndarray) -> np.ndarray:
    """The vector at length 1, float32; all zeros for one that has no length."""
    length = float(np.linalg.norm(vector))
    return (vector / length if length > 1e-6 else np.zeros_like(vector)).astype(np.float32)


def check_pixels(pixels: np.ndarray) -> None:
    """Raises ValueError for what is no picture, or has no pixels."""
    check_bgr(pixels)
    if not pixels.size:
        raise ValueError(f"An empty picture ({pixels.shape[1]} × {pixels.shape[0]}) looks like nothing.")
