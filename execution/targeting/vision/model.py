"""What the ladder needs of a vision-language model; the GPU manager's side of it lives in `gpu`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np


class VisionUnavailable(Exception):
    """No answer is to be had: no model, no memory for it, no time. The reason is a sentence for people."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class VisionModel(Protocol):
    """A model that looks at a picture and answers a question about it."""

    def ask(self, picture: np.ndarray, prompt: str, schema: Mapping[str, Any]) -> str:
        """The model's own words on a BGR picture, meant to be JSON after `schema` and not to be relied on.

        Blocks until the whole answer is there; raises VisionUnavailable and nothing else.
        """
