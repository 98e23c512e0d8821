"""How signs become a probability: logistic models whose coefficients are in `fitted`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from execution.matching.comparison import MEASURES
from execution.matching.fitted import LASTS, READ, SURE, SURE_UNREAD, UNREAD
from execution.matching.profile import Vocabulary
from execution.matching.sheet import TRAITS, Sheet

LASTING_TRAITS = (
    *TRAITS, "known", "as_data", "known_as_data", "known_in_table", "known_in_field", "known_words", "words_as_data",
    "known_words_as_data", "new_of_known_words", "one",
)  # fmt: skip
SIGNS = (
    *MEASURES, "balance", "worst", "shapes_alike", "title", "app", "window_known", "look", "look_lead", "look_known",
    "one",
)  # fmt: skip
SURENESS = ("score", "lead", "one")
IN_FIELD = 0.5  # what stands in a field may be changed at any time, however often it stood there
LEAD = 3.0  # logits: a longer lead says no more
TIED = 1.5  # logits: two nodes that fit so alike are one question, which the run answers


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Calibration:
    """Coefficients: `lasts` by LASTING_TRAITS, `read` and `unread` by SIGNS, `sure` and `sure_unread` by SURENESS."""

    lasts: np.ndarray
    read: np.ndarray
    unread: np.ndarray
    sure: np.ndarray
    sure_unread: np.ndarray

    @classmethod
    def of(
        cls, *, lasts: Mapping[str, float], read: Mapping[str, float], unread: Mapping[str, float],
        sure: Mapping[str, float], sure_unread: Mapping[str, float],
    ) -> Calibration:  # fmt: skip
        """From tables by name; what is not named is 0."""
        return cls(
            lasts=_column(lasts, LASTING_TRAITS), read=_column(read, SIGNS), unread=_column(unread, SIGNS),
            sure=_column(sure, SURENESS), sure_unread=_column(sure_unread, SURENESS),
        )  # fmt: skip

    def lasting(self, sheet: Sheet, vocabulary: Vocabulary, *, counted: bool) -> np.ndarray:
        """How likely each line is to be there again; `counted` where the sheet is one of the vocabulary's own."""
        likely = logistic(lasting_traits(sheet, vocabulary, counted=counted) @ self.lasts)
        return np.where(sheet.trait("in_field") > 0, np.minimum(likely, IN_FIELD), likely)

    def score(self, signs: np.ndarray, *, read: bool) -> float:
        """The signs' weighted sum, in logits."""
        return float(signs @ (self.read if read else self.unread))

    def certainty(self, score: float, lead: float, *, read: bool) -> float:
        """How likely a node is the screen, or is tied with the one that is, from its score and its lead."""
        a, b, c = self.sure if read else self.sure_unread
        return float(logistic(np.array(a * score + b * lead + c)))


def certain_of(seen: float) -> float:
    """The most that what was seen can make certain: however well they fit, a few texts that other screens may have as
    well make no screen certain. `seen` is the sign of that name; of each text that lasts and is rare a third of the
    doubt remains."""
    return 1.0 - math.exp(-math.expm1(seen))


def lead(score: float, scores: np.ndarray) -> float:
    """How far a score is above the best of all that are not tied with it; a longer lead than LEAD is none longer."""
    others = scores[np.abs(scores - score) > TIED]
    return float(np.clip(score - others.max(), -LEAD, LEAD)) if len(others) else LEAD


def lasting_traits(sheet: Sheet, vocabulary: Vocabulary, *, counted: bool) -> np.ndarray:
    """Shape (lines, LASTING_TRAITS)."""
    known, as_data, words, words_as_data = vocabulary.familiar(sheet, counted=counted).T
    more = (
        known, as_data, known * as_data, known * sheet.trait("table"), known * sheet.trait("in_field"),
        words, words_as_data, words * words_as_data, (1 - known) * words * (1 - words_as_data),
        np.ones(len(sheet.keys)),
    )  # fmt: skip
    return np.column_stack([sheet.traits, *more])


def logistic(values: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -40, 40))))


def _column(table: Mapping[str, float], names: tuple[str, ...]) -> np.ndarray:
    unknown = set(table) - set(names)
    if unknown:
        raise ValueError(f"Nothing is known of {', '.join(sorted(unknown))}: fit again.")
    return np.array([table.get(name, 0.0) for name in names])


FITTED = Calibration.of(lasts=LASTS, read=READ, unread=UNREAD, sure=SURE, sure_unread=SURE_UNREAD)
