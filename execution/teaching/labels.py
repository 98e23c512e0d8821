"""The label that names a target: by where labels stand on forms, to the left, above, or beside a check box.

The placements are those of the platform guidelines (GNOME, KDE, Windows, Material): a field's label is left of it in
its row or above its left edge, that of a check box or radio button to the right of it, that of a picture below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from execution.language.fuzzy import words
from execution.language.joining import part_of
from execution.language.volatile import lasting_span
from execution.types import Box, Element, ElementRole, Point, ScreenState, TextLine
from workflows.graph import NeighbourSpec

CHOICES = frozenset({ElementRole.CHECKBOX, ElementRole.RADIO})
NAMED = CHOICES | {ElementRole.FIELD, ElementRole.ICON}

_FARTHEST_LEFT = 16.0  # of the line's height: labels in a column of their own stand far from short fields
_FARTHEST_ABOVE = 1.3
_FARTHEST_RIGHT = 2.0  # of the choice's height
_FARTHEST_BELOW = 0.9  # of the picture's height
_INDENT = 1.2  # of the line's height, by which a label above may begin left or right of its field
_LEVEL = 0.6  # of the line's height
_COLON = (":", "：")
_LABEL = re.compile(r"[^\W\d][^:：]*\s?[:：](?=\s)")


def naming_label(box: Box, role: str, state: ScreenState) -> NeighbourSpec | None:
    """The text that names what is in `box`, with the way to it; None where none stands where labels do."""
    return naming_label_among(box, role, [*parts_of_lines(box, state)], state.elements)


def labels_of_fields(state: ScreenState) -> list[TextLine]:
    """The lines that name a field of a form; what stands before several fields in its row may be a row of a table."""
    fields = [e.box for e in state.elements if e.role is ElementRole.FIELD]
    found = []
    for box in fields:
        label = naming_label(box, ElementRole.FIELD, state)
        if label is None or any(_follows(other, box, state) for other in fields):
            continue
        at = Point(box.center.x + label.dx, box.center.y + label.dy)
        found += [line for line in state.texts if line.box.grown(2, state.frame.size).contains(at)]
    return found


def _follows(box: Box, field: Box, state: ScreenState) -> bool:
    """Whether a box stands right of a field in its row, with no text of its own before it, or the other way round."""
    left, right = sorted((box, field))
    if box == field or not _in_row(left, right):
        return False
    return not any(_in_row(t.box, left) and left.right <= t.box.center.x <= right.x for t in state.texts)


def parts_of_lines(box: Box, state: ScreenState) -> Iterable[TextLine]:
    """The lines outside of `box`, each cut to its part that does not change by itself; of a label and the value behind
    it the label."""
    for line in state.texts:
        start, end = lasting_span(line.text)
        if (label := _LABEL.match(line.text[start:end])) is not None:
            end = start + label.end()
        if start == end:
            continue
        part = part_of(line.box, (start, end), line.text)
        if not box.contains(part.center):
            yield TextLine(text=line.text[start:end], box=part)


def naming_label_among(
    box: Box, role: str, lines: Sequence[TextLine], elements: Sequence[Element]
) -> NeighbourSpec | None:
    """The same with the lines already cut to what lasts."""
    # What stands in another control is that control's text: a field's content names no other field.
    controls = [
        e.box
        for e in elements
        if e.role in (ElementRole.FIELD, ElementRole.BUTTON, ElementRole.TAB) and not e.box.contains(box.center)
    ]
    free = [line for line in lines if len(words(line.text).key) > 1 and not _in_any(line.box, controls)]
    if role in CHOICES:
        free = [_behind(box, line) for line in free]
        found = _right(box, free, controls) or _left(box, free, controls)
    elif role == ElementRole.ICON:
        found = _below(box, free)
    else:
        choices = [e.box for e in elements if e.role in CHOICES]
        captions = [line for line in free if any(_is_caption(line, choice) for choice in choices)]
        labels = [line for line in free if line not in captions]
        left, above = _left(box, labels, controls), _above(box, labels)
        # “☑ Expires: [30 Nov]”: the caption of the mark that switches the field on is all that names it
        found = _better(left, above, box, labels) or _left(box, captions, controls)
    if found is None:
        return None
    at, own = found.box.center, box.center
    return NeighbourSpec(text=found.text, dx=at.x - own.x, dy=at.y - own.y)


def _better(left: TextLine | None, above: TextLine | None, box: Box, lines: Sequence[TextLine]) -> TextLine | None:
    """Of a label left and one above: the one with a colon, then the nearer; not what has a label of its own beside the
    one left."""
    if left is None or above is None:
        return left or above
    with_colon = [line for line in (left, above) if line.text.rstrip().endswith(_COLON)]
    if len(with_colon) == 1:
        return with_colon[0]
    column = [one for one in lines if abs(one.box.x - left.box.x) <= left.box.h / 2]
    is_value = any(one is not above and _in_row(one.box, above.box) for one in column)
    return left if is_value or box.x - left.box.right <= 3 * left.box.h else above


def _left(box: Box, lines: Sequence[TextLine], controls: Sequence[Box]) -> TextLine | None:
    """The last text left of the box in its row, with no control between. In a high box the row is its first line."""
    level = [
        line
        for line in lines
        if line.box.right <= box.x + 2
        and box.x - line.box.right <= _FARTHEST_LEFT * line.box.h
        and _in_row(line.box, box)
        and not any(c.x < box.x and c.right > line.box.right and _in_row(c, line.box) for c in controls)
    ]
    return max(level, key=lambda line: line.box.right, default=None)


def _behind(box: Box, line: TextLine) -> TextLine:
    """The line from the choice on, where the reader took its box for a part of the line."""
    if line.box.x >= box.right or line.box.right <= box.right + box.w or not _in_row(line.box, box):
        return line
    if line.box.x < box.x - box.w // 2:
        return line
    return TextLine(text=line.text, box=Box(box.right, line.box.y, line.box.right - box.right, line.box.h))


def _is_caption(line: TextLine, choice: Box) -> bool:
    """Whether the line is what a check box or a radio button says: it names that one alone."""
    gap = _behind(choice, line).box.x - choice.right
    return -2 <= gap <= _FARTHEST_RIGHT * choice.h and _in_row(line.box, choice)


def _right(box: Box, lines: Sequence[TextLine], controls: Sequence[Box]) -> TextLine | None:
    level = [
        line
        for line in lines
        if line.box.x >= box.right - 2
        and line.box.x - box.right <= _FARTHEST_RIGHT * max(box.h, line.box.h)
        and _in_row(line.box, box)
        and not any(box.right <= c.x < line.box.x and _in_row(c, line.box) for c in controls)
    ]
    return min(level, key=lambda line: line.box.x, default=None)


def _above(box: Box, lines: Sequence[TextLine]) -> TextLine | None:
    over = [
        line
        for line in lines
        if -2 <= box.y - line.box.bottom <= _FARTHEST_ABOVE * line.box.h
        and abs(line.box.x - box.x) <= _INDENT * line.box.h
    ]
    return max(over, key=lambda line: line.box.bottom, default=None)


def _below(box: Box, lines: Sequence[TextLine]) -> TextLine | None:
    """The caption under a picture; texts of a row below a row of pictures stand under their middles."""
    under = [
        line
        for line in lines
        if -2 <= line.box.y - box.bottom <= _FARTHEST_BELOW * box.h
        and abs(line.box.center.x - box.center.x) <= 0.3 * max(box.w, line.box.h)
    ]
    return min(under, key=lambda line: line.box.y, default=None)


def _in_row(line: Box, box: Box) -> bool:
    if abs(line.center.y - box.center.y) <= _LEVEL * line.h:
        return True
    return box.h > 2.5 * line.h and 0 <= line.center.y - box.y <= 1.6 * line.h


def _in_any(line: Box, boxes: Iterable[Box]) -> bool:
    return any(box.contains(line.center) for box in boxes)
