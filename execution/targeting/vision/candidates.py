"""Which elements a target may be: those that carry a mark, in the window that the step is for."""

from __future__ import annotations

from collections.abc import Sequence

from execution.perception.marks import RANKS
from execution.targeting.context import Context
from execution.types import Box, Element
from workflows.graph import NormBox

_COVERED = 0.5  # of an element under a masked region: what is seen of the rest is not enough


def candidates(context: Context, *, masks: Sequence[NormBox] = ()) -> list[Element]:
    """The elements that could be the target, those under a masked region (fractions of the frame) left out."""
    hidden = [Box.from_normalised(mask, context.state.frame.size) for mask in masks]
    return [
        element
        for element in context.state.elements
        if element.role in RANKS
        and element.box.area
        and context.area.contains(element.box.center)
        and not any(element.box.intersection(mask).area > _COVERED * element.box.area for mask in hidden)
    ]
