"""What stands around a candidate, compared with what stood around the target when it was taught."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from execution.language.fuzzy import find, similarity, words
from execution.language.lexicon import mean_the_same
from execution.language.screen_texts import wanted
from execution.language.whole_values import stands_in
from execution.targeting.context import Context
from execution.targeting.records import is_name, names_record
from execution.targeting.signs import NONE, Surroundings
from execution.types import Answer, Box, Point, TextLine
from workflows.graph import NeighbourSpec
from workflows.text import names

_SLACK_X, _SLACK_Y = 12, 8  # pixels; two rows of a dense list are 20 apart
_SLACK_FAR = (0.08, 0.06)  # and so much of the distance
_OTHER_TEXT = 0.6
_WIDENED = 0.1  # of the width
_LEAST_SAID = 3  # letters of a text that says anything
_OWN_ROW = 0.5  # of the target's height
_OWN_CARD = 4.0  # of it: so far above or below stands the name of a card


def surroundings(box: Box, context: Context, *, scale: float = 1.0, under: Box | None = None) -> Surroundings:
    """Compare what is around `box` with the target's neighbours, everything being drawn `scale` times as large.

    What would stand `under` something that lies there is not asked for, unless it says what this run is about.
    """
    neighbours = context.target.neighbours
    if under is not None:
        neighbours = tuple(n for n in neighbours if _is_data(n.text) or not under.contains(_place(n, box, scale)))
    if not neighbours:
        return NONE
    if not context.text_was_read:
        return replace(NONE, required_missing=next((n.text for n in neighbours if _is_data(n.text)), ""))
    if context.target.row:  # the taught row's texts say nothing of the row that is wanted now
        neighbours = tuple(n for n in neighbours if _is_data(n.text))
    seen, absent, nearby, rows, missing, elsewhere = 0, 0, 0, list[bool](), "", ""
    height = max(box.h, round(context.taught.h * scale))
    replaced = []
    other: tuple[str, str] | None = None
    for neighbour in neighbours:
        there = stands_at(neighbour, box, context, scale=scale)
        in_row = abs(neighbour.dy) * scale <= height * _OWN_ROW
        named = names_record(neighbour.text) and (in_row or context.target.alike > 1)
        in_card = not context.for_each and is_name(neighbour.text) and abs(neighbour.dy) * scale <= height * _OWN_CARD
        if (named or in_card) and not (there and _to_the_letter(neighbour, box, context, scale)):
            now = _text_at_place(neighbour, box, context, scale)
            stands = in_row and _is_level_to_the_letter(neighbour, box, context)
            if named or is_name(now):
                there = stands
            if not stands and (named or (is_name(now) and not _is_part(now, neighbour.text))):
                other = other or (neighbour.text, now)
        seen += there
        if in_row:
            rows.append(there)
        if there:
            continue
        absent += not context.neighbour_places(neighbour)
        nearby += _is_near(neighbour, box, context, scale)
        want = wanted(neighbour.text, context.variables)
        if _is_data(neighbour.text):
            missing = missing or want.text or neighbour.text
        now = _text_at_place(neighbour, box, context, scale) if in_row else ""
        if now and not _is_part(now, want.text) and not _is_level(neighbour, box, context):
            replaced.append((want.text, now))
        if in_row and not elsewhere and _is_in_another_row(neighbour, want.text, box, context, scale):
            elsewhere = want.text
    return Surroundings(
        seen=seen,
        asked=len(neighbours),
        required_missing=missing,
        replaced=tuple(replaced) if rows and len(replaced) == len(rows) else (),
        row_seen=sum(rows),
        row_asked=len(rows),
        absent=absent,
        nearby=nearby,
        other_language=context.other_language,
        elsewhere=elsewhere,
        other_record=other if other and (other[1] or context.target.alike > 1) else None,
    )


def _to_the_letter(neighbour: NeighbourSpec, box: Box, context: Context, scale: float) -> bool:
    """True if what stands there is the very name or number that stood there (S9.6)."""
    near = Box(0, 0, 2 * _SLACK_X, 2 * _SLACK_Y)
    x, y = _place(neighbour, box, scale)
    lines = _lines_at(Box(x - near.w // 2, y - near.h // 2, near.w, near.h), context)
    return any(stands_in(neighbour.text, line.text) is Answer.YES for line in lines)


def _is_level_to_the_letter(neighbour: NeighbourSpec, box: Box, context: Context) -> bool:
    """True if the very name or number stands in the row of `box`, whose columns may have become wider."""
    level = np.abs(context.line_boxes[:, 1] + context.line_boxes[:, 3] // 2 - box.center.y) <= box.h * _OWN_ROW
    lines = (context.words.lines[i] for i in np.flatnonzero(level).tolist())
    return any(stands_in(neighbour.text, line.text) is Answer.YES for line in lines)


def _is_level(neighbour: NeighbourSpec, box: Box, context: Context) -> bool:
    """True if the neighbour is read anywhere in the row of `box`."""
    middle = box.center.y
    return any(abs(y - middle) <= box.h * _OWN_ROW for _, y, _ in context.neighbour_places(neighbour))


@lru_cache(4096)
def _is_part(one: str, other: str) -> bool:
    """True for texts that are the same, or that one holds the other of: pieces that were read with more or less."""
    key, other_key = words(one).key, words(other).key
    if len(key) < _LEAST_SAID or len(other_key) < _LEAST_SAID or key.startswith(other_key) or other_key.startswith(key):
        return True
    return similarity(one, other) >= _OTHER_TEXT or find(one, other) is not None or find(other, one) is not None


def stands_at(neighbour: NeighbourSpec, box: Box, context: Context, *, scale: float = 1.0) -> bool:
    """True if the neighbour is read where it stood from the target, or where a stretched window puts it."""
    places = context.neighbour_places(neighbour)
    if not places:
        return False
    wide, high = context.stretch
    centre, half = box.center, context.taught.w / 2
    low, last = _reach(neighbour.dy, scale, high, _SLACK_Y, _SLACK_FAR[1])
    level = [(x, w) for x, y, w in places if low <= y - centre.y <= last]
    if not level:
        return False
    spans = [(centre.x, *_reach(neighbour.dx, scale, wide, _SLACK_X, _SLACK_FAR[0]))]
    if abs(box.w - context.taught.w * scale) > _WIDENED * box.w:  # then from either edge, too
        for edge, taught in ((box.x, neighbour.dx + half), (box.right, neighbour.dx - half)):
            spans.append((edge, *_reach(taught, scale, wide, _SLACK_X, _SLACK_FAR[0])))
    if any(low <= x - start <= last for start, low, last in spans for x, _ in level):
        return True
    # a value is as long as it is: where its middle was it is read now
    return _is_data(neighbour.text) and any(abs(x - centre.x - neighbour.dx * scale) <= w / 2 for x, w in level)


def _reach(taught: float, scale: float, stretch: float, slack: int, far: float) -> tuple[float, float]:
    """From where to where an offset is the taught one at this scale, or stretched with its window, or in between."""
    ends = (taught * scale, taught * stretch)
    room = max(slack * max(1.0, scale), far * abs(taught) * scale)
    return min(ends) - room, max(ends) + room


@lru_cache(4096)
def _is_data(text: str) -> bool:
    """True for a text that holds a variable."""
    return bool(names(text))


def _is_in_another_row(neighbour: NeighbourSpec, text: str, box: Box, context: Context, scale: float) -> bool:
    """True if it is read in its column in another row, while another text stands in this one."""
    places, centre = context.neighbour_places(neighbour), box.center
    away = [x for x, y, _ in places if abs(y - centre.y) > box.h * _OWN_ROW]
    for size in {scale, 1.0} if away else ():
        across = any(abs(x - centre.x - neighbour.dx * size) <= _SLACK_X * max(1.0, size) for x in away)
        now = _text_at_place(neighbour, box, context, size) if across else ""
        if now and not _is_part(now, text):
            return True
    return False


def _is_near(neighbour: NeighbourSpec, box: Box, context: Context, scale: float) -> bool:
    """True if it is read not much farther away than it was, on whatever side."""
    places, centre = context.neighbour_places(neighbour), box.center
    reach = scale * (1.5 * (abs(neighbour.dx) + abs(neighbour.dy)) + 2 * context.taught.h)
    return any(abs(x - centre.x) + abs(y - centre.y) <= reach for x, y, _ in places)


def _text_at_place(neighbour: NeighbourSpec, box: Box, context: Context, scale: float) -> str:
    x, y = _place(neighbour, box, scale)
    place = Box(x - _SLACK_X, y - _SLACK_Y // 2, 2 * _SLACK_X, _SLACK_Y)
    return next((line.text for line in _lines_at(place, context)), "")


def _place(neighbour: NeighbourSpec, box: Box, scale: float) -> Point:
    """Where its middle stood from the target."""
    return Point(box.center.x + round(neighbour.dx * scale), box.center.y + round(neighbour.dy * scale))


def _lines_at(place: Box, context: Context) -> list[TextLine]:
    x, y, w, h = context.line_boxes.T
    met = (x < place.right) & (x + w > place.x) & (y < place.bottom) & (y + h > place.y)
    return [context.words.lines[i] for i in np.flatnonzero(met).tolist()]


def label_in_place(box: Box, context: Context, *, scale: float = 1.0, under: Box | None = None) -> bool | None:
    """Whether the label that names the target stands beside `box`; None where none was taught, or nothing was read.

    None, too, where it is not read and would stand `under` something that lies there.
    """
    label = context.target.named_by
    if label is None or not context.text_was_read:
        return None
    there = stands_at(label, box, context, scale=scale)
    return None if not there and under is not None and under.contains(_place(label, box, scale)) else there


def other_label(box: Box, context: Context, *, scale: float = 1.0) -> str:
    """What stands where the label stood, if that is other words; "" where it is the label, a part of it, or nothing."""
    label = context.target.named_by
    if label is None or not context.text_was_read or context.other_language:
        return ""
    now = _text_at_place(label, box, context, scale)
    texts = [wanted(text, context.variables).text for text in label.texts]
    return "" if any(_is_part(now, text) or mean_the_same(now, text) for text in texts) else now
