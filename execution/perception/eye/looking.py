"""The eye at work: a direction for every crop, so that the same thing, however it is drawn, points the same way."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from execution.perception.eye.ink import prepared
from execution.perception.ocr.engines import openvino_core

WEIGHTS = Path(__file__).with_name("weights")
NUMBERS = 96  # of a direction
_BATCH = 32


class Eye:
    """The network in `weights`, made by `python -m tools.eye`; FileNotFoundError where it is not there."""

    def __init__(self, weights: Path = WEIGHTS) -> None:
        model = weights / "eye.xml"
        if not model.is_file():
            raise FileNotFoundError(f"{model} is missing: python -m tools.eye makes it.")
        compiled = openvino_core().compile_model(model, "CPU", {"PERFORMANCE_HINT": "LATENCY"})
        self._request, self._one_at_a_time = compiled.create_infer_request(), threading.Lock()

    def directions(self, crops: Sequence[np.ndarray]) -> np.ndarray:
        """Of each crop (grey or BGR, uint8): float32 (crops, NUMBERS), each of length 1; NaN where nothing is drawn."""
        ready = {number: ink for number, crop in enumerate(crops) if (ink := prepared(crop)) is not None}
        shown = list(ready)
        found = np.full((len(crops), NUMBERS), np.nan, np.float32)
        for first in range(0, len(shown), _BATCH):
            part = shown[first : first + _BATCH]
            batch = np.stack([ready[number] for number in part])
            with self._one_at_a_time:
                self._request.infer([batch])
                found[part] = self._request.get_output_tensor().data
        return found


@cache
def the_eye() -> Eye:
    """The eye of this process; its weights are read once."""
    return Eye()
