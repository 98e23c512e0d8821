"""What the fusion makes of one node of a workflow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from execution.matching.calibration import SIGNS
from execution.matching.comparison import Comparison
from execution.matching.references import Reference

NUMBER_OF = {name: number for number, name in enumerate(SIGNS)}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Weighed:
    """One node weighed.

    `signs` are numbers in the order of SIGNS, `score` their sum in logits, `fit` what that and the lead over the
    runner-up make of it, `probability` the same limited by how much of its picture was there to see. `comparison` is
    None where texts could not be compared, `cosine` where vectors could not. `reference` is the one of the node's
    pictures that the screen is most like.
    """

    node_id: str
    reference: Reference
    signs: np.ndarray
    score: float = 0.0
    fit: float = 0.0
    probability: float = 0.0
    comparison: Comparison | None = None
    cosine: float | None = None

    @property
    def read(self) -> bool:
        return self.comparison is not None

    @property
    def compared(self) -> bool:
        """Whether there was anything of its picture to compare with; if not, the numbers mean nothing."""
        return self.comparison is not None or self.cosine is not None

    def sign(self, name: str) -> float:
        return float(self.signs[NUMBER_OF[name]])
