"""The part of the screen that scrolls and holds a target: by its scroll bar, or as a list that fills its frame."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import cv2
import numpy as np

from execution.language.screen_texts import around
from execution.types import Box, ElementRole, ScreenState, TextLine

_LEAST_PANE = 60  # pixels, both ways
_STEP = 6  # grey levels that are no edge: gradients and the noise of compression
_THUMB = (5, 26)  # pixels wide: thin ones have 6, classic ones 17 at 100 %, 26 at 150 %; narrower are meters
_LEAST_THUMB = 14  # pixels high
_LEAST_TRACK = 100
_ENDS = 5  # pixels at the round ends of a thumb, and between it and the end of its track
_MOST_EDGES = 90  # that a column through a bar crosses on its way from the top to the bottom of a window
_BEVEL = 4  # pixels of lines that give a thumb its shape
_ARROW = 26  # pixels of a button with an arrow at the end of a track
_FEWEST_ROWS = 5
_UNEVEN = 0.15  # of the pitch
_PITCH = (1.0, 4.5)  # of a line's height, from one row to the next


class Bar(NamedTuple):
    """A scroll bar: its track (as wide as its thumb) and its thumb."""

    track: Box
    thumb: Box


def scrolling_part(box: Box, state: ScreenState) -> Box | None:
    """The part of the screen that scrolls and holds `box`; None where that cannot be told."""
    return part_with_bar(box, state) or _full_list(box, state, _window(box, state))


def part_with_bar(box: Box, state: ScreenState) -> Box | None:
    """The part of the screen that a scroll bar says to scroll, and that holds `box`."""
    window = _window(box, state)
    bar = scroll_bar(state.frame.pixels, box, window)
    if bar is None:
        return None
    left = _left_edge(state.frame.pixels, box, bar, window)
    return Box(left, bar.track.y, bar.track.x - left, bar.track.h)


def _window(box: Box, state: ScreenState) -> Box:
    return state.front if state.front.contains(box.center) else Box(0, 0, *state.frame.size)


def scroll_bar(pixels: np.ndarray, box: Box, window: Box) -> Bar | None:
    """The nearest vertical scroll bar right of `box`, within its window, that reaches past its middle."""
    if window.right - box.right < _THUMB[0] or window.h < _LEAST_TRACK:
        return None
    grey = cv2.cvtColor(pixels[window.y : window.bottom, window.x : window.right], cv2.COLOR_BGR2GRAY).astype(np.int16)
    row = min(max(0, box.center.y - window.y), grey.shape[0] - 1)
    first = max(0, box.right - window.x)
    plain = np.abs(np.diff(grey[:, first:], axis=0)) <= _STEP  # plain[y]: rows y and y + 1 are of one colour there
    for x in _columns(grey, plain, first, row):
        found = _bar_at(grey, plain[:, x - first], x, row)
        if found:
            (top, bottom), (above, below), (left, right) = found
            track = Box(window.x + left, window.y + top, right - left, bottom - top)
            return Bar(track, Box(track.x, window.y + above, track.w, below - above))
    return None


def _columns(grey: np.ndarray, plain: np.ndarray, first: int, row: int) -> list[int]:
    """The columns from `first` on that may be the middle of a bar: as plain around the row as a thumb or track is."""
    half = _THUMB[0] // 2
    rows = [y for y in (row - 2 * _ENDS, row, row + 2 * _ENDS) if 0 <= y < grey.shape[0]]
    step = np.abs(np.diff(grey[rows, first:], axis=1)) > _STEP
    near = cv2.dilate(step.astype(np.uint8), np.ones((1, 2 * half), np.uint8)) > 0
    broken = (~plain).sum(axis=0)
    fits = (broken >= 1) & (broken <= _MOST_EDGES)
    fits[1:] &= ~near.all(axis=0)
    return (np.flatnonzero(fits) + first).tolist()


def _bar_at(
    grey: np.ndarray, plain: np.ndarray, x: int, row: int
) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]] | None:
    """Top and bottom of the track, of the thumb, and left and right of it, if column `x` goes through a scroll bar."""
    runs = _plain_runs(plain)
    at = next((i for i, (first, last) in enumerate(runs) if first - _ENDS <= row < last + _ENDS), None)
    if at is None:
        return None
    for thumb in (at, at - 1, at + 1):
        if 0 <= thumb < len(runs) and (found := _with_thumb(grey, x, runs, thumb, row)):
            return found
    return None


def _plain_runs(plain: np.ndarray) -> list[tuple[int, int]]:
    """Half-open stretches of a column of one colour, at least as long as the shortest thumb."""
    edges = np.flatnonzero(~plain) + 1
    stops = np.concatenate(([0], edges, [len(plain) + 1]))
    long = np.flatnonzero(np.diff(stops) >= _LEAST_THUMB)
    return [(int(stops[i]), int(stops[i + 1])) for i in long]


def _with_thumb(
    grey: np.ndarray, x: int, runs: Sequence[tuple[int, int]], index: int, row: int
) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]] | None:
    """The bar whose thumb is that run: bounded at both sides, and above or below it a track of another colour."""
    first, last = runs[index]
    middle = (first + last) // 2
    left, right = _width(grey[middle], x)
    if not _THUMB[0] <= right - left <= _THUMB[1] or last - first < 1.3 * (right - left) or x != (left + right) // 2:
        return None
    if not _is_block(grey, (first, last), (left, right)):
        return None
    above = runs[index - 1] if index and first - runs[index - 1][1] <= _ENDS else None
    below = runs[index + 1] if index + 1 < len(runs) and runs[index + 1][0] - last <= _ENDS else None
    level = int(grey[middle, x])
    tracks = [
        run
        for run in (above, below)
        if run
        and abs(int(grey[(run[0] + run[1]) // 2, x]) - level) > _STEP
        and _is_track(grey, run, (left, right))
        and _is_set_off(grey, run, (first, last), (left, right))
    ]
    levels = [int(grey[(run[0] + run[1]) // 2, x]) for run in tracks]
    if not tracks or abs(levels[0] - levels[-1]) > _STEP:
        return None
    beyond = [runs[i] for i in (index - 2, index + 2) if 0 <= i < len(runs) and _meets(runs[i], tracks)]
    if any(abs(int(grey[(run[0] + run[1]) // 2, x]) - level) <= _STEP for run in beyond):
        return None  # the stripes of a table
    top, bottom = min(first, *(r[0] for r in tracks)), max(last, *(r[1] for r in tracks))
    if bottom - top < _LEAST_TRACK or not top - _ARROW <= row < bottom + _ARROW:
        return None
    return (top, bottom), (first, last), (left, right)


def _meets(run: tuple[int, int], others: Sequence[tuple[int, int]]) -> bool:
    return any(abs(run[0] - other[1]) <= _ENDS or abs(other[0] - run[1]) <= _ENDS for other in others)


def _width(line: np.ndarray, x: int) -> tuple[int, int]:
    """Where the stretch of one colour around `x` begins and ends, looked for no farther than a thumb is wide."""
    reach = _THUMB[1] + 1
    first, last = max(0, x - reach), min(len(line), x + reach + 1)
    other = np.abs(line[first:last] - line[x]) > _STEP
    before, after = np.flatnonzero(other[: x - first]), np.flatnonzero(other[x - first :])
    return (first + int(before[-1]) + 1 if len(before) else first, x + int(after[0]) if len(after) else last)


def _is_block(grey: np.ndarray, rows: tuple[int, int], columns: tuple[int, int]) -> bool:
    """True for a rectangle of one colour whose corners may be round, with other colours at both sides of it."""
    inset = min(_ENDS + 2, (rows[1] - rows[0]) // 3)
    part = grey[rows[0] + inset : rows[1] - inset, columns[0] : columns[1]]
    if not part.size or int(part.max()) - int(part.min()) > 2 * _STEP:
        return False
    level, sides = int(np.median(part)), []
    for x in (columns[0] - 1, columns[1]):
        if 0 <= x < grey.shape[1]:
            sides.append(float((np.abs(grey[rows[0] + inset : rows[1] - inset, x] - level) > _STEP).mean()))
    return all(share > 0.95 for share in sides)


def _is_track(grey: np.ndarray, rows: tuple[int, int], columns: tuple[int, int]) -> bool:
    """True for a stretch, as wide as the thumb at least, of one colour."""
    part = grey[rows[0] + _ENDS : rows[1] - _ENDS, columns[0] : columns[1]]
    return bool(part.size) and int(part.max()) - int(part.min()) <= 2 * _STEP


def _is_set_off(grey: np.ndarray, track: tuple[int, int], thumb: tuple[int, int], columns: tuple[int, int]) -> bool:
    """True if the thumb lies in its track, or fills one that is bounded; the gap between two panes does neither."""
    part = grey[track[0] + _ENDS : track[1] - _ENDS]
    level = int(np.median(part[:, columns[0] : columns[1]]))
    along = grey[thumb[0] + _ENDS : thumb[1] - _ENDS]

    def closed(places: range) -> bool:
        """At one side: the track's colour beside the thumb, or an edge beside the track."""
        return any(
            float((np.abs(along[:, x] - level) <= _STEP).mean()) > 0.9
            or float((np.abs(part[:, x] - level) > _STEP).mean()) > 0.9
            for x in places
        )

    left = range(max(0, columns[0] - _BEVEL), columns[0])
    right = range(columns[1], min(grey.shape[1], columns[1] + _BEVEL))
    return (not left or closed(left)) and (not right or closed(right))


def _left_edge(pixels: np.ndarray, box: Box, bar: Bar, window: Box) -> int:
    """Where the pane of that bar begins: at the nearest upright line or change left of the box, along all the bar."""
    part = pixels[bar.track.y : bar.track.bottom, window.x : box.x]
    if part.shape[1] < 2:
        return window.x
    step = np.abs(np.diff(cv2.cvtColor(part, cv2.COLOR_BGR2GRAY).astype(np.int16), axis=1)) > _STEP
    edges = np.flatnonzero(step.mean(axis=0) > 0.9)
    return window.x + int(edges[-1]) + 1 if len(edges) else window.x


def _full_list(box: Box, state: ScreenState, window: Box) -> Box | None:
    """The frame around the target that rows at one distance fill to its bottom, as a list does that goes on."""
    frames = [
        e.box
        for e in state.elements
        if e.role == ElementRole.GROUP
        and e.box.contains(box.center)
        and min(e.box.w, e.box.h) >= _LEAST_PANE
        and e.box.h >= 2 * box.h
    ]
    for frame in sorted(frames, key=lambda b: b.area):
        if frame.area < 0.9 * window.area and _is_full(frame, state.texts):
            return frame
    return None


def _is_full(frame: Box, lines: Sequence[TextLine]) -> bool:
    """True if rows at one distance fill the frame, the last of them cut or no farther from its bottom than the next."""
    inside = [line.box for line in lines if frame.contains(line.box.center)]
    columns: dict[int, list[Box]] = {}
    for line in sorted(inside, key=lambda b: b.y):
        key = next((k for k in columns if abs(k - line.x) <= 3), line.x)
        columns.setdefault(key, []).append(line)
    for column in columns.values():
        if len(column) < _FEWEST_ROWS:
            continue
        steps = [after.center.y - before.center.y for before, after in pairwise(column)]
        pitch = float(np.median(steps))
        high = float(np.median([b.h for b in column]))
        even = sum(abs(step - pitch) <= max(2.0, _UNEVEN * pitch) for step in steps) >= 0.8 * len(steps)
        if even and _PITCH[0] * high <= pitch <= _PITCH[1] * high and frame.bottom - column[-1].center.y < pitch:
            return around(column).h + 2 * pitch >= 0.7 * frame.h
    return False
