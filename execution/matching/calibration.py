"""The numbers of the matching, fitted by `python -m tests.benchmarks.matching --fit`, and how they are applied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from execution.matching.profile import Vocabulary
from execution.matching.sheet import TRAITS, Sheet

LASTING_TRAITS = (*TRAITS, "shared", "as_data", "shared_data", "shared_table", "one")


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Coefficients: `lasts` by LASTING_TRAITS, `read` and `unread` by SIGNS and one more for 1, `sure` by (score, lead, 1)."""

    lasts: tuple[float, ...]
    read: tuple[float, ...]
    unread: tuple[float, ...]
    sure: tuple[float, float, float]
    sure_unread: tuple[float, float, float]

    def lasting(self, sheet: Sheet, vocabulary: Vocabulary, *, counted: bool) -> np.ndarray:
        """How likely each line is to be there again; `counted` where the sheet is one of the vocabulary's own."""
        return logistic(lasting_traits(sheet, vocabulary, counted=counted) @ np.array(self.lasts))

    def score(self, signs: np.ndarray, *, read: bool) -> float:
        weights = np.array(self.read if read else self.unread)
        return float(signs @ weights[:-1] + weights[-1])

    def certainty(self, score: float, lead: float, *, read: bool) -> float:
        a, b, c = self.sure if read else self.sure_unread
        return float(logistic(np.array(a * score + b * np.clip(lead, -6, 6) + c)))


def lasting_traits(sheet: Sheet, vocabulary: Vocabulary, *, counted: bool) -> np.ndarray:
    """Shape (lines, LASTING_TRAITS)."""
    shared, as_data = vocabulary.shared(sheet, counted=counted).T
    more = (shared, as_data, shared * as_data, shared * sheet.trait("table"), np.ones(len(sheet.keys)))
    return np.column_stack([sheet.traits, *more])


def logistic(values: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -40, 40))))


def _table(coefficients: Mapping[str, float], names: tuple[str, ...]) -> tuple[float, ...]:
    return tuple(coefficients.get(name, 0.0) for name in names)


FITTED = Calibration(
    lasts=_table({"one": 1.0, "digits": -4.0, "in_field": -3.0, "table": -2.0, "shared": 3.0}, LASTING_TRAITS),
    read=(), unread=(), sure=(1.0, 0.5, 0.0), sure_unread=(1.0, 0.5, 0.0),
)  # fmt: skip
