"""Where on the screen a story points (S6.16); what could mean several is never guessed."""

from __future__ import annotations

from django.utils.translation import gettext as _

from execution.language.fuzzy import folded
from execution.lesson.story import BadStory, Where
from execution.teaching.labels import naming_label
from execution.types import Box, ElementRole, Point, ScreenState

_LEVEL = 0.6  # of the height: what stands in one row


def pointed(state: ScreenState, line: int, text: str, where: Where, row: str, *, nth: int = 0) -> Point:
    """The place beside that text, or in that part of the screen; `row` is a text of its row. Raises BadStory."""
    if where.place is not None:
        size = state.frame.size
        middle = Point(round(where.place[0] * (size[0] - 1)), round(where.place[1] * (size[1] - 1)))
    else:
        middle = _the_one(places_of(text, state), state, line, text, row, nth).center
    return Point(middle.x + where.right, middle.y + where.below)


def field_of(state: ScreenState, line: int, text: str, where: Where, row: str, *, nth: int = 0) -> Point:
    """The field that a label names; so many pixels beside the label where the story says so. Raises BadStory."""
    if where.place is not None or where.right or where.below:
        return pointed(state, line, text, where, row, nth=nth)
    wanted = folded(text).strip(" :：")
    fields = [e.box for e in state.elements if e.role is ElementRole.FIELD]
    named = [
        box for box in fields if (label := naming_label(box, ElementRole.FIELD, state)) and _says(label.text, wanted)
    ]
    if not named:
        words = {"text": text}
        raise BadStory(line, _("No field is seen that “%(text)s” names; say with “right” how far beside it.") % words)
    return _the_one(sorted(named, key=lambda box: (box.y, box.x)), state, line, text, row, nth).center


def value_beside(state: ScreenState, line: int, text: str, label: Point) -> Point:
    """What stands next to a label in its row. Raises BadStory."""
    row = [one.box for one in state.texts if one.box.x > label.x and one.box.y <= label.y <= one.box.bottom]
    if not row:
        raise BadStory(line, _("Nothing stands beside “%(text)s”.") % {"text": text})
    return min(row, key=lambda box: box.x).center


def place_saying(state: ScreenState, line: int, text: str) -> Point:
    """The first line, in reading order, in which a text stands. Raises BadStory."""
    found = [one.box for one in state.texts if folded(text) in folded(one.text)]
    if not found:
        raise _not_there(line, text)
    return min(found, key=lambda box: (box.y, box.x)).center


def places_of(text: str, state: ScreenState) -> list[Box]:
    """Where a text stands by itself, in reading order."""
    wanted = folded(text)
    found = [line.box for line in state.texts if folded(line.text) == wanted]
    for element in state.elements:
        is_known = any(element.box.intersection(box).area for box in found)
        if not is_known and wanted in (folded(element.text), folded(element.label)):
            found.append(element.box)
    return sorted(found, key=lambda box: (box.y, box.x))


def _the_one(boxes: list[Box], state: ScreenState, line: int, text: str, row: str, nth: int) -> Box:
    if row:
        level = places_of(row, state)
        boxes = [box for box in boxes if any(_level(box, other) for other in level)]
    words = {"text": text, "n": len(boxes), "row": row}
    if not boxes and row:
        raise BadStory(line, _("“%(text)s” is not on the screen in the row of “%(row)s”.") % words)
    if not boxes:
        raise _not_there(line, text)
    if nth > len(boxes):
        raise BadStory(line, _("“%(text)s” is on the screen only %(n)d times.") % words)
    if len(boxes) > 1 and not nth:
        raise BadStory(line, _("“%(text)s” is on the screen %(n)d times; say “nth” or “row”.") % words)
    return boxes[max(nth, 1) - 1]


def _not_there(line: int, text: str) -> BadStory:
    return BadStory(line, _("“%(text)s” is not on the screen.") % {"text": text})


def _says(label: str, wanted: str) -> bool:
    return folded(label).strip(" :：") == wanted


def _level(box: Box, other: Box) -> bool:
    shared = min(box.bottom, other.bottom) - max(box.y, other.y)
    return shared > _LEVEL * min(box.h, other.h)
