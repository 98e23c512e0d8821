"""Whether a screen shows which of two taught ones it is, where both show much the same.

What would tell may lie beyond the edge of a window: then nobody knows. What a node declares tells, for the record that
it was taught on does not; where it declares nothing, any line that holds no data does.
"""

from __future__ import annotations

import numpy as np

from execution.matching.comparison import SEEN
from execution.matching.pairing import Pairing
from execution.matching.references import Reference
from execution.matching.sheet import Sheet, key_of
from execution.types import ScreenState
from workflows import text as templates
from workflows.graph import NodeSpec

_EMPTY = Sheet(texts=(), elements=(), size=(0, 0))
_ALIKE = 0.6  # of what is in sight and holds no data, two screens that are alike have so much in common


def shows(
    node: NodeSpec, taught: Reference | None, other: NodeSpec, its: Reference | None, state: ScreenState
) -> bool | None:
    """Whether it shows `node` rather than `other`: a line that only the one has is there, one that only the other has
    is not although its place is in sight, or little of the other is there. None for two that show the same."""
    mine, theirs = ((one.sheet if one else None) or _EMPTY for one in (taught, its))
    screen = Sheet(texts=state.texts, elements=state.elements, size=state.frame.size, window=state.window)
    own, others = _own(node, mine, other, theirs), _own(other, theirs, node, mine)
    unplaced = _unplaced(other, theirs, screen)
    if not own.any() and not others.any() and not unplaced:
        return None
    mine_there = Pairing(mine, screen)
    mine_found = mine_there.credit()[0] >= SEEN
    if (own & mine_found).any():
        return True
    beside = Pairing(theirs, screen)
    found, in_sight = beside.credit()[0] >= SEEN, _in_sight(beside, state)
    lasting = theirs.fixed & in_sight
    if (others & ~found & in_sight).any() or (lasting.any() and found[lasting].mean() < _ALIKE):
        return True
    is_cut = bool((mine.fixed & ~mine_found & ~_in_sight(mine_there, state)).any())
    # with nothing hidden a text without a place would be in sight, and what is declared says whether it is
    return None if unplaced and not own.any() and not others.any() and not is_cut else False


def _own(node: NodeSpec, mine: Sheet, other: NodeSpec, theirs: Sheet) -> np.ndarray:
    """The lines by which the one is told from the other."""
    if not node.texts:
        return np.asarray(mine.fixed & (Pairing(mine, theirs).credit()[0] < SEEN))
    known = {*theirs.keys, *(key_of(text) for text in other.texts)}
    declared = [key_of(text) for text in node.texts if not templates.names(text)]
    telling = [key for key in declared if key and not any(key in line for line in known)]
    return np.array([any(key in line for key in telling) for line in mine.keys], bool)


def _unplaced(node: NodeSpec, sheet: Sheet, screen: Sheet) -> bool:
    """Whether it declares a text of which nobody knows where it would stand: its picture shows another value, and no
    label is in sight beside which it would."""
    labels = (key_of(text.partition("{{")[0]) for text in node.texts if templates.names(text))
    absent = (not any(key_of(text) in line for line in sheet.keys) for text in node.texts if not templates.names(text))
    return any(not label or label not in screen.keys for label in labels) or any(absent)


def _in_sight(beside: Pairing, state: ScreenState) -> np.ndarray:
    """Which lines of the taught picture would stand in what the window shows."""
    view = state.front
    left, right, y = beside.expected(beside.one.edges).T
    height = beside.other.unit / 2
    return np.asarray((left >= view.x) & (right <= view.right) & (y - height >= view.y) & (y + height <= view.bottom))
