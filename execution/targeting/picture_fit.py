"""How well the taught picture fits at a place, as a score and in words."""

from __future__ import annotations

from typing import NamedTuple

from execution.types import Box
from sentences.said import say

# The same picture drawn again correlates above 0.99; the same button with another word on it at 0.95 and below.
_NOTHING, _PERFECT = 0.80, 1.0
# Edges of the same thing in other colours correlate at 0.85 to 0.95, those of unlike things below 0.5.
_NO_EDGES, _SAME_EDGES = 0.50, 0.95
BY_EDGES = 0.9  # the most that edges alone are worth
FADED = 0.7  # of the taught contrast: a greyed-out control is not what was taught


class PictureFit(NamedTuple):
    """The best fit of the taught picture near a place.

    `score` is 0 to 1 on the scale of all rungs; `grey` and `edges` are correlations; `contrast` is relative to the
    taught one; `box` is where it fits, `scale` at which size.
    """

    score: float
    grey: float
    edges: float
    contrast: float
    box: Box
    scale: float

    @property
    def is_same(self) -> bool:
        """True for the same picture, in whatever ink."""
        return self.grey >= _NOTHING

    @property
    def faded(self) -> bool:
        """True for the same picture in fainter ink."""
        return self.is_same and self.contrast < FADED

    @property
    def told(self) -> str:
        how = (
            say("targeting.alike", grey=100 * self.grey)
            if self.by_grey
            else say("targeting.edges_alike", edges=100 * self.edges)
        )
        return how if self.scale == 1.0 else say("targeting.at_another_size", how=how, scale=self.scale)

    @property
    def by_grey(self) -> bool:
        return grey_score(self.grey) >= edge_score(self.edges)


def grey_score(correlation: float) -> float:
    """A correlation of grey levels as a score, 0 to 1."""
    return min(1.0, max(0.0, (correlation - _NOTHING) / (_PERFECT - _NOTHING)))


def edge_score(correlation: float) -> float:
    """A correlation of edges as a score, 0 to 0.9."""
    return BY_EDGES * min(1.0, max(0.0, (correlation - _NO_EDGES) / (_SAME_EDGES - _NO_EDGES)))
