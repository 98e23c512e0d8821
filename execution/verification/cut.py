"""Whether a text may go on behind what ends it: the edge of what is in sight, or the arrow of a combo box.

“Ward 1” may be all that is in sight of “Ward 10”; of such a one nobody knows what it says.
"""

from __future__ import annotations

import numpy as np

from execution.perception.elements.arrows import arrow_at_end
from execution.types import Box, ElementRole, ScreenState, TextLine

_EDGE = 0.3  # heights of a line: a text that is whole has more room to the edge of what it stands in
_INK, _BORDER = 40, 4  # levels; pixels of the border of a control
_TAIL = 2  # pixels that a letter may reach out of its box
ARROW_END = 1.2  # heights of a control: so near to its right end its arrow stands
_ARROWS = frozenset({ElementRole.ICON, ElementRole.BUTTON})


def is_cut(line: TextLine, area: Box) -> bool:
    """Whether a line ends at the edge of what is in sight, so that it may go on behind it."""
    return line.box.right > area.right - _EDGE * line.box.h


def is_value_cut(line: TextLine, box: Box, state: ScreenState) -> bool:
    """The same of the value of a combo box, which ends at the left edge of its arrow.

    Where that is drawn as one a reader may take a part of it for the value's last letter: there the ink alone counts. A
    browser leaves more room before the arrow to a value as wide as its control than to one that it cuts off.
    """
    if (arrow := arrow_of(box, state)) is not None:
        inner = box.grown(-_BORDER, state.frame.size)
        ground = np.median(state.frame.crop(inner).reshape(-1, 3), axis=0)
        room = round(_EDGE * line.box.h)
        before = Box(arrow.x - _TAIL - room, line.box.y, room, line.box.h).intersection(inner)  # its edge is soft
        return bool((np.abs(state.frame.crop(before).astype(np.int16) - ground).max(axis=2) > _INK).any())
    return is_cut(line, Box(box.x, box.y, _arrow_edge(line, box, state) - box.x, box.h))


def arrow_of(box: Box, state: ScreenState) -> Box | None:
    """The arrow at the end of a control, where it is drawn as one."""
    inner = box.grown(-_BORDER, state.frame.size)
    if min(inner.w, inner.h) < 1:
        return None
    ground = np.median(state.frame.crop(inner).reshape(-1, 3), axis=0)
    return arrow_at_end(state.frame.pixels, inner, ground)


def _arrow_edge(line: TextLine, box: Box, state: ScreenState) -> int:
    """Where the arrow at the end of a control begins, as it is seen or drawn; as wide as it is high where it is not."""
    start = round(box.right - ARROW_END * box.h)
    places = [e.box for e in state.elements if e.role in _ARROWS] + [t.box for t in state.texts if t is not line]
    seen = [p.x for p in places if box.contains(p.center) and p.x >= start and p.w <= box.h]
    first = max(start, line.box.right)
    middle = box.h // 4  # an arrow stands in the middle, the ring of what has the focus above it and below
    band = Box(first, box.y + middle, box.right - _BORDER - first, box.h - 2 * middle)
    part = state.frame.crop(band).astype(np.int16)
    if min(band.w, band.h) < 1 or not part.size:
        return min(seen, default=box.right - box.h)
    ground = np.median(part.reshape(-1, 3), axis=0)
    inked = (np.abs(part - ground).max(axis=2) > _INK).any(axis=0)
    if first == line.box.right and not inked[:_TAIL].all():
        inked[:_TAIL] = False  # of its last letter
    drawn = np.flatnonzero(inked)
    return min([*seen, *([first + int(drawn[0])] if drawn.size else [])], default=box.right - box.h)
