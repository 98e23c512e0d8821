"""One found line cut into what the recogniser is given: a text on one ground, without borders, with even margins.

A found line may run over the borders of buttons and cells, where text and ground change their brightness; and how much
room it has around the letters differs with what else is near. Cut to the ink, the same text is the same picture.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import cv2
import numpy as np

from execution.types import Box

# The stroke below a letter that tells its access key, taken away: "File" with its F underlined was read as "Eile".

_FLAT = 0.12  # of the letters' height, but one pixel at least
_NARROWEST = 4  # pixels
_WIDEST = 1.5  # of the letters' height: a link is underlined as a whole
_SOLID = 0.9
_BELOW = 0.3  # of the letters' height, from where they stand to the stroke, but two pixels at least
_UNDER = 0.5  # of the stroke has a letter above it; above an underscore there is none
_LETTER = 5  # pixels, its least height


def without_access_keys(crop: np.ndarray, ground: np.ndarray, ink: int) -> np.ndarray:
    """The crop (BGR) of one text on one `ground` with such strokes painted over; `ink` is how far they are from it."""
    dark = (np.abs(crop.astype(np.int16) - ground.astype(np.int16)).max(axis=2) > ink).astype(np.uint8)
    count, _labels, stats, _centres = cv2.connectedComponentsWithStats(dark, connectivity=8)
    x, y, w, h, area = (stats[1:, i] for i in range(5))
    letters = (h >= _LETTER) & (h < len(crop)) & (w < crop.shape[1])
    if count < 3 or not letters.any():
        return crop
    high = float(np.median(h[letters]))
    stand = float(np.median((y + h)[letters]))
    strokes = (h <= max(1, round(_FLAT * high))) & (w >= _NARROWEST) & (w <= _WIDEST * high) & (area >= _SOLID * w * h)
    strokes &= (y > stand) & (y - stand <= max(2, _BELOW * high))
    found = [i for i in np.flatnonzero(strokes) if _has_letter(dark[: y[i], x[i] : x[i] + w[i]], high)]
    if not found:
        return crop
    cleared = crop.copy()
    for i in found:
        cleared[y[i] : y[i] + h[i], x[i] : x[i] + w[i]] = ground
    return cleared


def _has_letter(above: np.ndarray, high: float) -> bool:
    return float(above[-round(1.2 * high) :].any(axis=0).mean()) >= _UNDER


EVEN = 12  # grey levels within a column that holds no letter
_OTHER_GROUND = 12  # grey levels between two grounds
_GROUND = 0.2  # of the height; what is thinner is a stroke of a letter or a border
_TALL = 1.2  # of the width
_BETWEEN_LINES = 4  # pixels
_SHORTEST_TEXT = 4  # pixels
_THICKEST_BORDER = 3
_OUTER = 0.12  # of the height, above and below: borders may cross there, and their corners be round
_FULL = 0.95  # of the rows: from top to bottom
_ROUNDED = 0.75  # of the rows: a border whose corners are round, if it reaches past the letters beside it
_PAST = 2  # pixels, at both ends; a stem stands on the baseline of its line or reaches the top of its letters
_BESIDE = 1.5  # heights
_ROUND_END = 0.8  # of the rows: as far reaches the round end of a button from top to bottom, no bracket does
_BOWED = 2  # pixels by which it draws back at its top and at its bottom
_SKEW = 0.15  # of the rows: by so much its tip may stand out of the middle, and so near its ends it is level
_SMOOTH = 3  # pixels from one row to the next
_DRAWN = 0.9  # of the width: its corners may be round
_UPRIGHT = 0.6  # of the height; a border with round corners
_CORNER = 0.18  # of the height; the round corner of a field joins its border to its text
_INK = 40  # grey levels from the ground; of faint text a part of its own contrast
_FAINT_INK = 0.4
_FAINTEST = 8
_PICTURE_GAP, _PICTURE_WIDTH = 0.18, (0.5, 1.6)  # of the line's height, behind it; of its own height
_MARGIN = 0.22  # of the ink's height, on each side
_SMALLEST_MARGIN = 2
_CLEAR = 90  # grey levels between text and ground that the recogniser reads as it is
_MOST_GAIN = 4.0


class Segment(NamedTuple):
    """A part of a line: where it is in the line's crop, and its pixels, made clear if they were faint."""

    box: Box
    pixels: np.ndarray


def segments(crop: np.ndarray) -> list[Segment]:
    """The texts of a line's crop (BGR) that stand on grounds of their own, left to right."""
    grey = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY).astype(np.int16)
    found = []
    for top, bottom in _bands(grey):
        for left, right in _grounds(grey[top:bottom]):
            whole = crop[top:bottom, left:right]
            whole = without_access_keys(whole, ground(whole), _INK)
            behind = _behind_picture(whole)
            part = whole[:, behind:]
            ink = _ink_box(part)
            if ink is not None:
                found.append(_segment(part, ink, left + behind, top))
    return found


def _behind_picture(crop: np.ndarray) -> int:
    """Where the text begins behind a picture in one piece that stands out above it and below it, as no letter does; 0
    where none does. Read with it the text would be that much smaller. What holds something, such as a number in a ring,
    is read with its text."""
    ink = distance(crop, ground(crop)) > _INK
    columns = np.flatnonzero(ink.any(axis=0))
    gaps = np.flatnonzero(np.diff(columns) > _PICTURE_GAP * len(crop))
    if not gaps.size:
        return 0
    first, last, then = int(columns[0]), int(columns[gaps[0]]) + 1, int(columns[gaps[0] + 1])
    rows = np.flatnonzero(ink[:, then:].any(axis=1))
    _count, _labels, pieces, _centres = cv2.connectedComponentsWithStats(ink[:, first:last].view(np.uint8))
    _x, y, w, h, _area = pieces[1].tolist()
    stands_out = len(pieces) == 2 and y < rows[0] and rows[-1] < y + h - 1
    return (last + then) // 2 if stands_out and _PICTURE_WIDTH[0] * h <= w <= _PICTURE_WIDTH[1] * h else 0


def _segment(crop: np.ndarray, ink: Box, left: int, top: int) -> Segment:
    """The ink with even margins; where the crop has no room for them, the ground goes on."""
    margin = max(_SMALLEST_MARGIN, round(_MARGIN * ink.h))
    height, width = crop.shape[:2]
    x, y = ink.x - margin, ink.y - margin
    box = Box(x, y, ink.w + 2 * margin, ink.h + 2 * margin)
    part = crop[max(0, y) : box.bottom, max(0, x) : box.right]
    missing = (max(0, -y), max(0, box.bottom - height), max(0, -x), max(0, box.right - width))
    if any(missing):
        colour = [float(value) for value in ground(part)]
        part = np.asarray(cv2.copyMakeBorder(part, *missing, cv2.BORDER_CONSTANT, value=colour))
    return Segment(Box(box.x + left, box.y + top, box.w, box.h), _cleared(part))


def ground(values: np.ndarray) -> np.ndarray:
    """The colour (or grey level) that a text stands on: what its edges are made of; bold letters fill the middle."""
    edges = [values[:1], values[-1:], values[:, :1].swapaxes(0, 1), values[:, -1:].swapaxes(0, 1)]
    return np.asarray(np.median(np.concatenate(edges, axis=1)[0], axis=0))


def distance(pixels: np.ndarray, colour: np.ndarray) -> np.ndarray:
    """How far each pixel (BGR) is from a colour, in the channel where they differ most: two colours can be one grey."""
    return np.asarray(np.abs(pixels.astype(np.int16) - colour.astype(np.int16)).max(axis=2))


def long_strokes(ink: np.ndarray) -> np.ndarray:
    """Where ink goes on to the side for longer than the crop is high, as no letter does: bool, of its shape."""
    stroke = np.ones((1, len(ink) | 1), np.uint8)  # odd, so that opening moves nothing
    return np.asarray(cv2.morphologyEx(ink.view(np.uint8), cv2.MORPH_OPEN, stroke)).view(np.bool_)


def _bands(grey: np.ndarray) -> list[tuple[int, int]]:
    """Rows of text in a crop that is taller than a line: the finder takes short texts below each other for a column."""
    height, width = grey.shape
    if height < _TALL * width:
        return [(0, height)]
    inked = np.flatnonzero(np.ptp(grey, axis=1) > EVEN)
    if not inked.size:
        return []
    rows = np.split(inked, np.flatnonzero(np.diff(inked) > _BETWEEN_LINES) + 1)
    found = [(int(row[0]), int(row[-1]) + 1) for row in rows if len(row) >= _SHORTEST_TEXT]
    return [(max(0, top - _BETWEEN_LINES), min(height, bottom + _BETWEEN_LINES)) for top, bottom in found]


def _grounds(grey: np.ndarray) -> Iterator[tuple[int, int]]:
    """The line cut where its ground changes its brightness and at upright borders: (first, after the last column)."""
    height, width = grey.shape
    inner = grey[round(_OUTER * height) : max(1, round((1 - _OUTER) * height))]
    runs = _even_runs(inner)
    wide = [run for run in runs if run.last + 1 - run.first >= max(_SHORTEST_TEXT, _GROUND * height)]
    cuts = [(edge, edge) for a, b in pairwise(wide) if _differ(a, b) for edge in (_edge(inner, a.last + 1, b.first),)]
    cuts += [(edge, edge) for edge in _full_edges(inner, runs)]
    cuts += _round_ends(grey, runs)
    start = 0
    for end, then in [*sorted(set(cuts)), (width, width)]:
        if end - start >= _SHORTEST_TEXT:
            yield start, end
        start = max(start, then)


class _Run(NamedTuple):
    first: int
    last: int
    level: int


def _even_runs(inner: np.ndarray) -> list[_Run]:
    """Runs of columns of one brightness from top to bottom."""
    even = np.flatnonzero(np.ptp(inner, axis=0) <= EVEN)
    level = inner[len(inner) // 2]
    breaks = (np.diff(even) > 1) | (np.abs(np.diff(level[even])) > _OTHER_GROUND)
    runs = np.split(even, np.flatnonzero(breaks) + 1)
    return [_Run(int(run[0]), int(run[-1]), int(level[run[len(run) // 2]])) for run in runs if run.size]


def _differ(one: _Run, other: _Run) -> bool:
    return abs(one.level - other.level) > _OTHER_GROUND


def _edge(inner: np.ndarray, first: int, last: int) -> int:
    """The column from which on all rows are brighter, or darker, than before: the letters beside it are not."""
    steps = np.diff(inner[:, first - 1 : last + 1], axis=1)
    return first + int(np.abs(np.percentile(steps, (20, 80), axis=0)).min(axis=0).argmax())


def _full_edges(inner: np.ndarray, runs: list[_Run]) -> Iterator[int]:
    """Columns beside even ground where the brightness changes from top to bottom of the rows: borders, other grounds.

    The stem of a letter does not reach that far: a line is found with half its height around it.
    """
    width = inner.shape[1]
    for run in runs:
        if run.last > run.first:
            for left, right in ((run.first - 1, run.first), (run.last, run.last + 1)):
                if left >= 0 and right < width:
                    step = inner[:, right] - inner[:, left]
                    edge = max(step > EVEN, step < -EVEN, key=np.count_nonzero)
                    if edge.mean() >= _FULL or (edge.mean() >= _ROUNDED and _past_letters(inner, edge, run, right)):
                        yield right


def _round_ends(grey: np.ndarray, runs: list[_Run]) -> Iterator[tuple[int, int]]:
    """The columns that the round ends of buttons take at the height of their text, with the ground beside them."""
    height = len(grey)
    for run in runs:
        before = grey[:, max(0, run.first - height) : run.first][:, ::-1]
        behind = grey[:, run.last + 1 : run.last + 1 + height]
        left, right = (_round_end(beside, run.level) for beside in (before, behind))
        if left or right:
            yield run.first - left, run.last + 1 + right


def _round_end(beside: np.ndarray, level: int) -> int:
    """How many columns beside a ground a round end takes at the height of its text; 0 where there is none.

    Seen from the ground it stands out in the middle and draws back above and below, over nearly all the rows: a letter
    or a bracket is as high as its line, and a line is found with room above and below it.
    """
    height = len(beside)
    other = np.abs(beside - level) > EVEN
    rows = np.flatnonzero(other.any(axis=1))
    if not rows.size or rows[-1] + 1 - rows[0] != rows.size or rows.size < _ROUND_END * height:
        return 0
    back = other.argmax(axis=1)[rows]  # how far it draws back in each row
    tip = np.flatnonzero(back == back.min())
    middle = int(tip[0] + tip[-1]) // 2
    steps, level_ends = np.diff(back), max(1, round(_SKEW * rows.size))
    bowed = min(back[0], back[-1]) - back.min() >= _BOWED and np.ptp(back) <= rows.size // 2 + _BOWED
    outwards = (steps[:middle] <= 0).all() and (steps[middle:] >= 0).all()
    smooth = (np.abs(steps[level_ends:-level_ends]) <= _SMOOTH).all()
    if not (bowed and outwards and smooth) or abs(middle - rows.size // 2) > _SKEW * height:
        return 0
    return int(back[rows.size // 4 : rows.size - rows.size // 4].max()) + _THICKEST_BORDER


def _past_letters(inner: np.ndarray, edge: np.ndarray, run: _Run, column: int) -> bool:
    """Whether an upright edge of a run reaches past the letters that stand on the run's ground."""
    reach = round(_BESIDE * len(inner))
    beside = inner[:, column : column + reach] if column == run.first else inner[:, max(0, column - reach) : column]
    ink = np.abs(beside - run.level) > EVEN
    rows = np.flatnonzero(ink[:, ink.mean(axis=0) < _FULL].any(axis=1))
    reached = np.flatnonzero(edge)
    return bool(rows.size and rows[0] - reached[0] >= _PAST and reached[-1] - rows[-1] >= _PAST)


def _ink_box(crop: np.ndarray) -> Box | None:
    """The box of the ink; None where there is none."""
    height = len(crop)
    middle = crop[height // 5 : height - height // 5]
    contrast = distance(crop, np.median(middle.reshape(-1, 3), axis=0))
    strongest = float(np.percentile(contrast[height // 5 : height - height // 5], 99.5))
    if strongest < _FAINTEST:
        return None
    ink = contrast > min(_INK, max(_FAINTEST, _FAINT_INK * strongest))
    for ends in (ink[:, :_THICKEST_BORDER], ink[:, -_THICKEST_BORDER:]):
        ends[:, ends.mean(axis=0) > _UPRIGHT] = False  # the crop ends on a border
    rows = _rows(ink)
    if rows is None:
        return None
    top, bottom = rows
    columns = np.flatnonzero(ink[top:bottom].any(axis=0))
    left, right = int(columns[0]), int(columns[-1]) + 1
    return Box(left, top, right - left, bottom - top)


def _rows(ink: np.ndarray) -> tuple[int, int] | None:
    """The rows that the letters take: from the middle out to where the ink ends, or to a border."""
    height, width = ink.shape
    inked = ink.sum(axis=1)
    border = inked >= _DRAWN * width
    inside = ink.copy()
    corner = round(_CORNER * height)
    for rows in (slice(None, corner), slice(height - corner, None)):
        inside[rows, :corner] = inside[rows, width - corner :] = False
    filled = np.flatnonzero(inside.any(axis=1) & ~border)
    if not filled.size:
        return None
    top = bottom = int(filled[np.abs(filled - height // 2).argmin()])
    reach = max(3, height // 7)  # over the gap between a letter and its accent, not to the border of a button
    for row in filled[filled > bottom]:
        if row - bottom > reach or border[bottom:row].any():
            break
        bottom = int(row)
    for row in filled[filled < top][::-1]:
        if top - row > reach or border[row:top].any():
            break
        top = int(row)
    return top, bottom + 1


def _cleared(pixels: np.ndarray) -> np.ndarray:
    """The pixels, with their contrast raised where text and ground are hard to tell apart."""
    base = ground(pixels)
    contrast = float(np.percentile(distance(pixels, base), 99))
    if contrast >= _CLEAR or contrast < 1:
        return np.ascontiguousarray(pixels)
    gain = min(_MOST_GAIN, _CLEAR / contrast)
    return np.clip(base + (pixels - base) * gain, 0, 255).astype(np.uint8)
