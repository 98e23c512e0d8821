"""What perception takes for a picture: what desktops and picture stores give, and nothing else."""

from __future__ import annotations

import numpy as np


def check_bgr(pixels: np.ndarray) -> None:
    """ValueError unless it is height × width × 3, uint8, blue first; grey, 16-bit and transparent pictures are not.

    Whoever opens a picture converts it: perception would have to guess what the numbers mean.
    """
    if not isinstance(pixels, np.ndarray):
        raise ValueError(f"A picture is an array of BGR pixels, not {type(pixels).__name__}.")
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3:
        shape = " × ".join(str(n) for n in pixels.shape)
        raise ValueError(
            f"A picture is height × width × 3 of uint8 (BGR), not {shape} of {pixels.dtype}: convert it first."
        )
