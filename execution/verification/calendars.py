"""A month as a calendar shows it: which one, where its days stand, where the months around it are (S6.12).

It is believed only where all of it agrees: the days stand in columns and rows that are evenly apart, one after the
other, and the first of them stands under the weekday that it is in that month of that year. A day has a place only
where it was read itself.
"""

from __future__ import annotations

import math
import re
from calendar import monthrange
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from execution.language.joining import part_of
from execution.language.written_forms import months_and_years
from execution.perception.changes import union
from execution.types import Box, Frame, ScreenState, TextLine

_COLUMNS = 7
_FIRST_DAYS = (0, 6)  # weekdays with which a week begins: Monday, Sunday
_AGREE = 0.7  # of the days of a month that are read where they belong
_AROUND = 14  # days of the months around it, at most, that a month is shown with
_UNEVEN = 0.3  # of the distance from one row to the next
_LEVEL = 0.7  # heights of a line, between the middles of what stands in one row
_NUMBERS = re.compile(r"\d{1,2}(?:\s+\d{1,2})*")
_FRAME_PX = 4  # of a calendar's own border
_INK = 40  # of 255, from the ground
_MARK_GAP = 0.5  # heights of the title: what stands nearer is one mark
_ALIKE_PX, _ALIKE = 2, 0.25  # by so much, or this part of it, two marks of one size differ


@dataclass(frozen=True, slots=True, kw_only=True)
class Month:
    """`days` are where each day that was read stands, `earlier` and `later` the marks that seem to lead to the months
    around it."""

    year: int
    month: int
    title: Box
    days: Mapping[int, Box]
    earlier: Box | None = None
    later: Box | None = None

    @property
    def number(self) -> int:
        """Months since the year 0, to count from one to another."""
        return 12 * self.year + self.month - 1


def month_in(area: Box, state: ScreenState) -> Month | None:
    """The month that a calendar in that area shows; None where it is no calendar, or not all of it agrees."""
    lines = [line for line in state.texts if area.contains(line.box.center)]
    numbers = [one for line in lines for one in _numbers(line)]
    rows = _levels(numbers)
    for top, row in enumerate(rows):
        head = [line for line in lines if line.box.bottom <= min(box.y for _, box in row)]
        title = _title(head)
        if title is None:
            continue
        (year, month), said = title
        where = union([line.box for line in said])
        if top and rows[top - 1][0][1].center.y > where.bottom:
            continue  # its days begin right below it: farther down are those of another month, or of one row less
        ends = _next_head(lines, below=max(box.bottom for _, box in row))
        days = _days([row for row in rows[top:] if row[0][1].center.y < ends], year, month)
        if days is not None:
            earlier, later = _marks(said, area, state.frame)
            return Month(year=year, month=month, title=where, days=days, earlier=earlier, later=later)
    return None


def _numbers(line: TextLine) -> Iterator[tuple[int, Box]]:
    """The numbers of a line that says nothing else: a reader joins those of a row."""
    if _NUMBERS.fullmatch(line.text.strip()):
        for match in re.finditer(r"\d+", line.text):
            yield int(match.group()), part_of(line.box, match.span(), line.text)


def _levels(numbers: Sequence[tuple[int, Box]]) -> list[list[tuple[int, Box]]]:
    rows: list[list[tuple[int, Box]]] = []
    for number, box in sorted(numbers, key=lambda one: one[1].center.y):
        if not rows or box.center.y - rows[-1][0][1].center.y > _LEVEL * box.h:
            rows.append([])
        rows[-1].append((number, box))
    return rows


def _title(head: Sequence[TextLine]) -> tuple[tuple[int, int], list[TextLine]] | None:
    """The row above the days that says a month and a year, the lowest one, with its pieces."""
    for low in sorted(head, key=lambda line: -line.box.center.y):
        row = [line for line in head if abs(line.box.center.y - low.box.center.y) <= _LEVEL * low.box.h]
        months, years = months_and_years([line.text for line in row])
        if len(months) == len(years) == 1:
            return (min(years), min(months)), [
                line for line in row if any(months_and_years([line.text]))
            ]  # an arrow may be read as a letter
    return None


def _next_head(lines: Sequence[TextLine], *, below: int) -> float:
    """Where the rows of a month end: at the next line that names a month, of a calendar of several."""
    heads = (line for line in lines if line.box.y >= below and months_and_years([line.text])[0])
    return min((line.box.center.y for line in heads), default=math.inf)


def _days(rows: Sequence[Sequence[tuple[int, Box]]], year: int, month: int) -> dict[int, Box] | None:
    """Where each day that was read stands; None where what is read there is not that month."""
    first, count = monthrange(year, month)
    numbered = _numbered(rows)
    columns = _columns([box for row in rows for _, box in row])
    fits = [
        (*_begins(numbered, middles), middles)  # the numbers of the weeks may stand left of the days
        for middles in (columns[left : left + _COLUMNS] for left in range(len(columns) - _COLUMNS + 1))
    ]
    found, begins, middles = max(fits, key=lambda fit: fit[0], default=(0, 0, []))
    if not found or (first - begins) % _COLUMNS not in _FIRST_DAYS:
        return None
    days = _read_days(numbered, middles, begins, count)
    at = {(begins + day - 1) // _COLUMNS for day in days}
    if len(days) < _AGREE * count or len(at) != max(at) - min(at) + 1:
        return None
    return days


def _numbered(rows: Sequence[Sequence[tuple[int, Box]]]) -> dict[int, Sequence[tuple[int, Box]]]:
    """The rows by their number, which their height tells: one may not have been read. none where they are unevenly
    apart."""
    at = [float(np.median([box.center.y for _, box in row])) for row in rows]
    gaps = np.diff(at)
    steps = gaps / gaps.min() if gaps.size else gaps
    if (np.abs(steps - np.round(steps)) > _UNEVEN).any():
        return {}
    return dict(zip([0, *np.cumsum(np.round(steps).astype(int)).tolist()], rows, strict=False))


def _cells(
    rows: Mapping[int, Sequence[tuple[int, Box]]], middles: Sequence[float]
) -> Iterator[tuple[int, int, int, Box]]:
    """The row and the column of each number that stands in one of these columns, with it."""
    wide = min(b - a for a, b in pairwise(middles)) / 2
    for r, row in rows.items():
        for number, box in row:
            for c, x in enumerate(middles):
                if abs(box.center.x - x) < wide:
                    yield r, c, number, box


def _begins(rows: Mapping[int, Sequence[tuple[int, Box]]], middles: Sequence[float]) -> tuple[int, int]:
    """How many numbers follow one another in these columns, row by row, and at which place the first day stands;
    0 where two months do."""
    fits = Counter(_COLUMNS * r + c - number + 1 for r, c, number, _ in _cells(rows, middles))
    (begins, found), (_, second) = [*fits.most_common(2), (0, 0), (0, 0)][:2]
    return (found if second <= _AROUND else 0), begins


def _read_days(
    rows: Mapping[int, Sequence[tuple[int, Box]]], middles: Sequence[float], begins: int, count: int
) -> dict[int, Box]:
    """The days that were read in their own cell, in columns that hold at least two, and as many as other numbers: those
    of the weeks may be taken for a column of which no day was read."""
    high = int(np.median([box.h for row in rows.values() for _, box in row]))
    days: dict[int, Box] = {}
    others: Counter[int] = Counter()
    columns: dict[int, int] = {}
    for r, c, number, _ in _cells(rows, middles):
        own = _COLUMNS * r + c - number + 1 == begins and number <= count
        if not own:
            others[c] += 1
        else:
            middle = float(np.median([box.center.y for _, box in rows[r]]))
            columns[number] = c
            days[number] = Box(round(middles[c]) - high // 2, round(middle) - high // 2, high, high)
    owned = Counter(columns.values())
    return {day: days[day] for day in sorted(days) if owned[columns[day]] >= max(2, others[columns[day]])}


def _columns(boxes: Sequence[Box]) -> list[float]:
    """The middles of the columns, from the left."""
    groups: list[list[Box]] = []
    for box in sorted(boxes, key=lambda one: one.center.x):
        if not groups or box.center.x - groups[-1][-1].center.x > box.h:
            groups.append([])
        groups[-1].append(box)
    return [float(np.median([box.center.x for box in group])) for group in groups if len(group) > 1]


def _marks(title: Sequence[TextLine], area: Box, frame: Frame) -> tuple[Box | None, Box | None]:
    """What is drawn beside the month in its row and is no text of it: left and right of it, or both behind it."""
    said = union([line.box for line in title])
    month = min(title, key=lambda line: line.box.x).box if len(title) > 1 else said
    left, right = area.x + _FRAME_PX, area.right - _FRAME_PX
    band = Box(left, said.y, max(1, right - left), said.h).intersection(Box(0, 0, *frame.size))
    grey = frame.crop(band).astype(int).mean(axis=2)
    ink = np.abs(grey - np.median(grey)) > _INK
    marks = [
        mark
        for mark in _runs(ink.any(axis=0), band, max(2, round(_MARK_GAP * said.h)))
        if not any(mark.x < line.box.right and line.box.x < mark.right for line in title)
    ]
    before = [mark for mark in marks if mark.right <= month.x]
    behind = [mark for mark in marks if mark.x >= month.right]
    if before and behind:
        return before[-1], behind[0]
    if len(behind) == 2 and _are_alike(*(ink[:, mark.x - band.x : mark.right - band.x] for mark in behind)):
        return behind[0], behind[1]
    return None, None


def _are_alike(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two marks are of one size, as the two arrows of a calendar are; a sign that opens it is another."""
    sizes = [(mark.shape[1], int(np.ptp(np.flatnonzero(mark.any(axis=1)))) + 1) for mark in (one, other)]
    return all(abs(a - b) <= max(_ALIKE_PX, _ALIKE * max(a, b)) for a, b in zip(*sizes, strict=True))


def _runs(inked: np.ndarray, band: Box, gap: int) -> list[Box]:
    """The columns that hold ink, joined over gaps that are smaller."""
    at = np.flatnonzero(inked)
    if not at.size:
        return []
    cuts = np.flatnonzero(np.diff(at) > gap)
    starts, ends = [at[0], *at[cuts + 1]], [*at[cuts], at[-1]]
    return [Box(band.x + int(a), band.y, int(b - a) + 1, band.h) for a, b in zip(starts, ends, strict=True)]
