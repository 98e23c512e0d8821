"""Exactly one row with all of these texts: what a list must say where a record is there once (S5.9).

Texts are held against each row to the letter, as names of records are. Where a row may be it and may not, where more
of the list may be out of sight, and where it stands in no list (a heading, a message that says what was saved), nobody
can say that there is exactly one. What a field holds, such as the text that the list was searched for, is no row.
Where it is told in which column a text must stand, the patient of that name is not mistaken for the doctor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile, zip_longest

from execution.language.fuzzy import SAME, SEEN, similarity
from execution.language.screen_texts import ScreenWords, wanted
from execution.language.whole_values import has_words
from execution.perception.changes import union
from execution.teaching.panes import scrolling_part
from execution.types import Answer, Box, ElementRole, ScreenState, TextLine
from execution.verification.facts import combined
from execution.verification.identity import answers_among, in_window, stands_among
from execution.verification.places_of_values import apart
from execution.verification.reading import ScreenReading
from sentences.said import say
from workflows.text import names

_LEVEL = 0.5  # of a line's height: what has its middle so near to another's stands in one row with it
_UNEVEN = 0.2  # of the distance from one row of a list to the next
_MOST_PITCH = 4.5  # of a row's height: what stands farther apart is no list
_ONE_LINE = 3.0  # heights of a line: what is written into a field that is no higher is no list
_LEAST_PANE = 60  # pixels, both ways: what stands in two of them is not one row
_IN_COLUMN = 0.5  # of a line's height
_LEAST_COLUMNS = 2  # what has less in common with a row is none of its list

Row = tuple[TextLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OneRow:
    """Where it stands, or why nobody can say that it is there once, in a sentence."""

    box: Box | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    """What heads a column; `others` head the columns beside it."""

    line: TextLine
    others: tuple[TextLine, ...]

    def over(self, box: Box) -> Answer:
        """Whether that stands in this column, or in another: what reaches under two heads, or stands straight under
        none, is in nobody knows which."""
        own = self.line.box
        reaches = [one for one in (own, *(other.box for other in self.others)) if _overlap(box, one)]
        if _is_under(box, own):
            return Answer.YES if reaches in ([], [own]) else Answer.CANNOT_TELL
        elsewhere = [other for other in self.others if _is_under(box, other.box)]
        return Answer.NO if len(elsewhere) == 1 and reaches in ([], [elsewhere[0].box]) else Answer.CANNOT_TELL


def the_one_row(
    templates: Sequence[str], state: ScreenState, variables: Mapping[str, str], columns: Sequence[str] = ()
) -> OneRow:
    """`templates` are the row's texts, with {{variables}}; `columns` what heads the column of each, "" for any."""
    texts = [wanted(template, variables) for template in templates]
    if problem := next((text.problem for text in texts if text.problem), ""):
        return OneRow(problem=problem)
    values, reading = [text.text for text in texts], ScreenReading(state)
    put_in = [variables.get(name, "") for template in templates for name in names(template)]
    if not values or not all(has_words(value) for value in (*values, *put_in)):
        return OneRow(problem=say("turn.row_says_nothing"))
    if len(columns) > len(values):
        return OneRow(problem=say("turn.columns_too_many"))
    if not reading.was_read:
        return OneRow(problem=say("turn.not_read"))
    rows = rows_in(reading)
    told = {"texts": values}
    heads = {name: _heads(name, rows) for name in columns if name}
    for name, named in heads.items():
        if len(named) != 1:
            code = "turn.several_at_label" if named else "turn.no_column"
            return OneRow(problem=say(code, label=name, n=len(named)))
    wanted_at = [
        (value, heads[name][0] if name else None) for value, name in zip_longest(values, columns, fillvalue="")
    ]
    answers = [(row, combined([_stands(value, head, row, reading) for value, head in wanted_at])) for row in rows]
    found = [row for row, answer in answers if answer is Answer.YES]
    if len(found) > 1:
        return OneRow(problem=say("turn.rows_have", n=len(found), **told))
    if any(answer is Answer.CANNOT_TELL for _row, answer in answers):
        return OneRow(problem=say("turn.row_unsure", **told))
    if not found:
        return OneRow(problem=say("turn.no_row_has", **told))
    if not _is_in_list(found[0], rows):
        return OneRow(problem=say("turn.row_in_no_list", **told))
    box = _around(found[0])
    return OneRow(problem=say("turn.rows_go_on", **told)) if _may_go_on(box, rows, state) else OneRow(box=box)


def _heads(name: str, rows: Sequence[Row]) -> list[_Head]:
    """What is called so in a row of several texts: of two nobody can say which is meant."""
    found = [
        (one.line, row) for row in rows if len(row) > 1 for one in ScreenWords(row).whole_lines(name, minimum=SAME)
    ]
    return [_Head(line=line, others=tuple(other for other in row if other is not line)) for line, row in found]


def _stands(value: str, head: _Head | None, row: Row, reading: ScreenReading) -> Answer:
    """Whether the row has the value, and has it in that column."""
    answer = stands_among(value, row, reading)
    if head is None or answer is Answer.NO:
        return answer
    if row[0].box.y <= head.line.box.y:
        return Answer.NO
    may = [
        (is_it, head.over(_around(run))) for run, is_it in answers_among(value, row, reading) if is_it is not Answer.NO
    ]
    if (Answer.YES, Answer.YES) in may:
        return Answer.YES
    return Answer.NO if all(is_there is Answer.NO for _is_it, is_there in may) else Answer.CANNOT_TELL


def columns_of(row: Row, cells: Sequence[TextLine], state: ScreenState) -> list[str]:
    """What heads the column of each of the cells, where the list shows by itself that its first row is its head: above
    a number or a date stands a word, and it has no number itself. Otherwise, and where a run could not tell, [].
    """
    rows = rows_in(ScreenReading(state))
    above = [other for other in rows if _around(other).bottom <= _around(row).y]
    of_list = list(takewhile(lambda other: _in_columns(other, row) >= _LEAST_COLUMNS, reversed(above)))
    if not of_list:
        return []
    head, data = of_list[-1], [row, *of_list[:-1]]
    if any(_has_digit(line.text) for line in head) or not all(any(_has_digit(c.text) for c in one) for one in data):
        return []
    said = [next((line.text.strip() for line in head if _is_under(cell.box, line.box)), "") for cell in cells]
    return [
        name if name and [one.over(cell.box) for one in _heads(name, rows)] == [Answer.YES] else ""
        for name, cell in zip(said, cells, strict=True)
    ]


def _in_columns(one: Row, other: Row) -> int:
    """How many of its texts stand in a column with one of the other row."""
    return sum(any(_is_under(line.box, cell.box) for cell in other) for line in one)


def _has_digit(text: str) -> bool:
    return any(letter.isdigit() for letter in text)


def rows_in(reading: ScreenReading) -> list[Row]:
    """The rows of the window in front, from top to bottom: each of one pane, without what fields hold."""
    panes: dict[Box | None, list[TextLine]] = {}
    state = reading.state
    for line in in_window(reading):
        if not _is_in_field(line.box, state):
            panes.setdefault(_pane(line.box, state), []).append(line)
    rows = [row for inside in panes.values() for row in rows_of_lines(inside)]
    return sorted(rows, key=lambda row: (_around(row).center.y, row[0].box.x))


def rows_of_lines(lines: Sequence[TextLine]) -> list[Row]:
    """What is level with each other, from top to bottom."""
    rows: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda one: (one.box.center.y, one.box.x)):
        first = rows[-1][0] if rows else None
        if first is None or line.box.center.y - first.box.center.y > _LEVEL * min(first.box.h, line.box.h):
            rows.append([])
        rows[-1].append(line)
    return [tuple(row) for row in rows]


def _around(row: Row) -> Box:
    return union([line.box for line in row])


def _is_in_field(box: Box, state: ScreenState) -> bool:
    fields = (one.box for one in state.elements if one.role is ElementRole.FIELD)
    return any(field.contains(box.center) and field.h < _ONE_LINE * box.h for field in fields)


def _pane(box: Box, state: ScreenState) -> Box | None:
    frames = (one.box for one in state.elements if one.role is ElementRole.GROUP and one.box.contains(box.center))
    return min((f for f in frames if min(f.w, f.h) >= _LEAST_PANE), key=lambda frame: frame.area, default=None)


def _is_in_list(row: Row, rows: Sequence[Row]) -> bool:
    """Whether it is of several texts, and each of them stands in one column with one of the row above or below."""
    at, high = _around(row).center.y, max(line.box.h for line in row)
    middles = [(_around(other).center.y, other) for other in rows]
    above = [(at - middle, other) for middle, other in middles if middle < at - _LEVEL * high][-1:]
    below = [(middle - at, other) for middle, other in middles if middle > at + _LEVEL * high][:1]
    beside = [line.box for apart, other in (*above, *below) if apart <= _MOST_PITCH * high for line in other]
    return len(row) > 1 and all(any(_is_under(line.box, one) for one in beside) for line in row)


def _overlap(one: Box, other: Box) -> bool:
    """Side by side they would not."""
    return one.x < other.right and other.x < one.right


def _is_under(one: Box, other: Box) -> bool:
    """At its left, in its middle, or at its right."""
    return apart(other, one) <= _IN_COLUMN * min(one.h, other.h)


def _may_go_on(row: Box, rows: Sequence[Row], state: ScreenState) -> bool:
    """Whether the row stands in a part that scrolls, or in a list that fills its frame, or its window to an end."""
    if scrolling_part(row, state) is not None:
        return True
    window = state.front
    boxes = [_around(one) for one in rows if not _is_title(one, state)]
    middles = [box.center.y for box in boxes if box.x < row.right and row.x < box.right]
    at = middles.index(row.center.y)
    pitch = min((abs(one - row.center.y) for n, one in enumerate(middles) if n != at), default=0)
    if pitch > _MOST_PITCH * row.h:
        return False
    first, last = _end(middles[at::-1], pitch), _end(middles[at:], pitch)
    return first - window.y < pitch or window.bottom - last < pitch


def _end(middles: Sequence[int], pitch: int) -> int:
    """The last that is as far from the one before as rows are."""
    end = middles[0]
    for middle in middles[1:]:
        if abs(abs(middle - end) - pitch) > _UNEVEN * pitch:
            break
        end = middle
    return end


def _is_title(row: Row, state: ScreenState) -> bool:
    """Whether it is what the bar of the window says, which no list goes on above."""
    said = [line.text for line in row if has_words(line.text)]
    title = state.window.title if state.window else ""
    return bool(title) and len(said) == 1 and similarity(said[0], title) >= SEEN
