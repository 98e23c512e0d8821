"""Where a value stands that nobody knows yet, and what is read there: beside a label, in a box, in its column (S6.12).

What is compared with a value that is known may be looked for at several places (`identity`); what is read must stand at
the only one. An empty field is no value, and what stands behind it is another thing's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from execution.language.fuzzy import SAME
from execution.language.screen_texts import ScreenWords
from execution.perception.changes import union
from execution.perception.ocr.base import in_reading_order
from execution.perception.scene.cells import GAP, in_cells
from execution.perception.scene.lines import spans_of, words_of
from execution.types import Box, ElementRole, ScreenState, TextLine
from execution.verification.identity import Place, cut_off, in_window, is_sure, places_at
from execution.verification.reading import ScreenReading
from sentences.said import say

SURE = 0.8  # a reader's confidence below this is no reading of a value
_AT_EDGE = 6  # pixels: so far beside a text a box is drawn around it
_LEVEL = 0.6  # of the higher of the two
_REACH, _BELOW, _INDENT = 25.0, 2.0, 1.2  # heights of a label: to its field in the row, below it, and aside of it
_NEXT_LABEL = re.compile(r"^[^\d:][^:]{0,30}:(?:\s|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPlace:
    """What stands there, and in which box; or why nothing can be read there, in a sentence.

    `apart`: it is several texts that do not stand as the words of one, so that together they are no number and no date.
    """

    text: str = ""
    box: Box | None = None
    apart: bool = False
    problem: str = ""


def at_label(label: str, state: ScreenState, *, side: str = "") -> ReadPlace:
    """The value beside or below a label, or on the `side` that is told: "right" or "below"."""
    state = in_cells(state)
    reading = ScreenReading(state)
    if not reading.was_read:
        return ReadPlace(problem=say("turn.not_read"))
    lines = in_window(reading)
    places = places_at(label, lines, reading, side=side)
    found = {run for place in places for run in _values_at(place, state, side)}
    if not found:
        return ReadPlace(problem=say("turn.nothing_at_label", label=label))
    if len({_text(run) for run in found}) > 1:
        return ReadPlace(problem=say("turn.several_at_label", label=label, n=len(found)))
    return _read(min(found, key=lambda run: run[0].box.y), reading)


def in_box(box: Box, state: ScreenState) -> ReadPlace:
    """What stands in a box, whole cells of it; before it in its cell a label may stand."""
    state = in_cells(state)
    reading = ScreenReading(state)
    if not reading.was_read:
        return ReadPlace(problem=say("turn.not_read"))
    inside = list[TextLine]()
    for cell in state.texts:
        if box.y <= cell.box.center.y < box.bottom and cell.box.intersection(box).w > _AT_EDGE:
            value = _without_label(cell, box, state)
            if value.box.x < box.x - _AT_EDGE or value.box.right > box.right + _AT_EDGE:
                return ReadPlace(box=box, problem=say("turn.box_cuts", text=cell.text))
            inside.append(value)
    if not inside:
        return ReadPlace(box=box, problem=say("turn.value_empty"))
    return _read(in_reading_order(inside), reading)


def room_of(box: Box, state: ScreenState) -> Box:
    """A box with the room beside it up to what else stands in its row: the next value there may be longer."""
    level = [cell.box for cell in in_cells(state).texts if box.y <= cell.box.center.y < box.bottom]
    gap = round(GAP * box.h)
    left = max((one.right + gap for one in level if one.x < box.x - _AT_EDGE), default=0)
    right = min((one.x - gap for one in level if one.right > box.right + _AT_EDGE), default=state.frame.size.width)
    left, right = min(left, box.x), max(right, box.right)
    return box._replace(x=left, w=right - left)


def _without_label(cell: TextLine, box: Box, state: ScreenState) -> TextLine:
    """What of a cell stands in the box behind a label with a colon; the cell where there is none."""
    words = words_of(cell, state.frame)
    first = next((n for n, word in enumerate(words) if word.box.x >= box.x - _AT_EDGE), 0)
    if not first or not words[first - 1].text.endswith((":", "：")):
        return cell
    left = words[first].box.x
    own = cell.box._replace(x=left, w=cell.box.right - left)
    text = cell.text[spans_of(words, cell.text)[first][0] :]
    return TextLine(text=text, box=own, confidence=cell.confidence, beside=("", cell.beside[1]))


def in_column(row: Box, header: str, state: ScreenState) -> ReadPlace:
    """What stands in the row of a box, in the column under that header."""
    state = in_cells(state)
    reading = ScreenReading(state)
    heads = [s for s in ScreenWords.of(state.texts).whole_lines(header, minimum=SAME) if s.box.bottom <= row.center.y]
    if not heads:
        return ReadPlace(problem=say("turn.no_column", label=header))
    head = max(heads, key=lambda s: s.box.y).box
    if sum(abs(s.box.center.y - head.center.y) <= head.h for s in heads) > 1:
        return ReadPlace(problem=say("turn.several_at_label", label=header, n=len(heads)))
    others = [line.box for line in state.texts if abs(line.box.center.y - head.center.y) <= 0.5 * head.h]
    cells = [line for line in state.texts if abs(line.box.center.y - row.center.y) <= 0.5 * max(row.h, line.box.h)]
    mine = tuple(
        sorted(
            (c for c in cells if min(others, key=lambda o: apart(o, c.box)) == head),
            key=lambda line: line.box.x,
        )
    )
    if not mine:
        return ReadPlace(problem=say("turn.nothing_in_column", label=header))
    return _read(mine, reading)


def apart(head: Box, cell: Box) -> int:
    """How far a cell is from standing under a header: at its left, in its middle, or at its right."""
    return min(abs(head.x - cell.x), abs(head.center.x - cell.center.x), abs(head.right - cell.right))


def _values_at(place: Place, state: ScreenState, side: str) -> list[tuple[TextLine, ...]]:
    """What may be the value of that label: what its field holds, or the texts beside it that name nothing else."""
    if fields := [f for f in _fields_of(place.at, state) if not side or (f.y >= place.at.bottom) == (side == "below")]:
        held = [[line for line in state.texts if field.contains(line.box.center)] for field in fields]
        return [tuple(sorted(lines, key=lambda line: (line.box.y, line.box.x))) for lines in held if lines]
    return [run for run in place.alternatives if not any(_NEXT_LABEL.match(line.text) for line in run)]


def _fields_of(label: Box, state: ScreenState) -> list[Box]:
    """The field right of a label in its row, and the one below it: whether anything stands in them or not."""
    fields = [e.box for e in state.elements if e.role is ElementRole.FIELD and not e.box.contains(label.center)]
    level = [
        field
        for field in fields
        if abs(field.center.y - label.center.y) <= _LEVEL * max(field.h, label.h)
        and -2 <= field.x - label.right <= _REACH * label.h
        and not any(
            label.right < line.box.center.x < field.x and abs(line.box.center.y - label.center.y) <= label.h / 2
            for line in state.texts
        )
    ]
    below = [
        field
        for field in fields
        if -3 <= field.y - label.bottom <= _BELOW * label.h and abs(field.x - label.x) <= _INDENT * label.h
    ]
    nearest = [min(level, key=lambda field: field.x)] if level else []
    return [*nearest, *([min(below, key=lambda field: field.y)] if below else [])]


def _text(run: Sequence[TextLine]) -> str:
    return " ".join(line.text.strip() for line in run)


def _read(run: tuple[TextLine, ...], reading: ScreenReading) -> ReadPlace:
    box, text = union([line.box for line in run]), _text(run)
    if not is_sure(run, SURE):
        return ReadPlace(box=box, problem=say("turn.value_unsure", text=text))
    if text.rstrip().endswith(("…", "...")) or cut_off(run, reading):
        return ReadPlace(box=box, problem=say("turn.value_cut", text=text))
    return ReadPlace(text=text, box=box, apart=_do_not_join(run))


def _do_not_join(run: Sequence[TextLine]) -> bool:
    """Whether a blank between the texts would join what are two: of another row, or farther away than a blank."""
    boxes = sorted((line.box for line in run), key=lambda box: box.x)
    return any(
        abs(one.center.y - other.center.y) > 0.5 * min(one.h, other.h)
        or other.x - one.right > GAP * min(one.h, other.h)
        for one, other in pairwise(boxes)
    )
