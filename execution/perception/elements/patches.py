"""Patches of colour that words stand on: marks of a state, badges, low buttons. Each alone could be any of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from execution.perception.elements.controls import COLOURED_FILL, TALLEST_ROW, Content
from execution.perception.elements.found import Found
from execution.perception.elements.frames import BorderedBox
from execution.perception.elements.inks import chroma
from execution.perception.elements.scene import Scene
from execution.types import Box, ElementRole

_TAG = 2.0  # of its line's height: tags are no higher
_ALIKE = 6  # levels between two fills that are one


def is_patch(content: Content) -> bool:
    """True for a small patch of colour that words stand on."""
    frame = content.frame
    return frame.filled and chroma(frame.fill) > COLOURED_FILL and frame.box.h <= TALLEST_ROW


def tags_among(scene: Scene, contents: Sequence[Content]) -> set[int]:
    """Places of those that say a state in a column: low patches below each other that differ in colour alone."""
    patches = [i for i, c in enumerate(contents) if is_patch(c) and not c.frame.bordered and len(c.lines) <= 1]
    patches = [
        i for i in patches if all(_is_low_around(contents[i].frame.box, scene.texts[k].box) for k in contents[i].lines)
    ]
    return {i for i in patches if any(_of_one_column(contents[i].frame, contents[j].frame) for j in patches)}


def _is_low_around(box: Box, line: Box) -> bool:
    return box.h <= _TAG * line.h


def _of_one_column(one: BorderedBox, other: BorderedBox) -> bool:
    a, b = one.box, other.box
    apart = abs(a.y - b.y)
    aligned = abs(a.x - b.x) <= 2 and abs(a.h - b.h) <= 2 and a.h < apart <= 4 * a.h
    return aligned and float(np.abs(one.fill - other.fill).max()) > 60


def with_low_buttons(controls: Sequence[tuple[Found, Content]]) -> list[tuple[Found, Content]]:
    """The same; a low patch with a word is a button where its like is one, or where one of its height is beside it.

    By itself it could as well be a badge.
    """
    buttons = [f for f, _ in controls if f.role is ElementRole.BUTTON]
    known = {(_look(f), f.element.text) for f in buttons}
    rows: dict[int, list[Found]] = {}
    for one in (f for f, c in controls if f.role is ElementRole.BUTTON or _is_low(f, c)):
        rows.setdefault(one.element.box.center.y >> 2, []).append(one)
    made = []
    for found, content in controls:
        if _is_low(found, content):
            box = found.element.box
            level = (o for row in range((box.center.y >> 2) - 1, (box.center.y >> 2) + 2) for o in rows.get(row, ()))
            alike = (_look(found), found.element.text) in known
            if alike or any(_stands_by(found, other) for other in level if other is not found):
                made.append((found.as_role(ElementRole.BUTTON, 0.6), content))
                continue
        made.append((found, content))
    return made


def _is_low(found: Found, content: Content) -> bool:
    first = next((c for c in found.element.text if c.isalpha()), "A")
    return found.role is ElementRole.TEXT and bool(content.lines) and not first.islower()


def _look(found: Found) -> tuple[int, ...]:
    assert found.frame is not None
    return tuple(int(v) >> 3 for v in found.frame.fill)


def _stands_by(found: Found, other: Found) -> bool:
    """True for two of one height and one fill, less than their height apart."""
    one, two = found.element.box, other.element.box
    gap = max(two.x - one.right, one.x - two.right)
    if found.frame is None or other.frame is None:
        return False
    level = abs(one.y - two.y) <= 2 and abs(one.h - two.h) <= 2 and -2 <= gap <= one.h
    return level and float(np.abs(found.frame.fill - other.frame.fill).max()) <= _ALIKE
