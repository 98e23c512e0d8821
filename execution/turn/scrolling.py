"""Scrolling to find a target that was taught inside something that scrolls: what to do next, from what is seen.

Decisions only: whoever holds the desktop turns the wheel, waits until the screen is still, and shows what came of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import cv2
import numpy as np

from execution.teaching.panes import part_with_bar
from execution.types import Box, ElementRole, Point, ScreenState, Size, Window
from sentences.said import say
from workflows.graph import TargetSpec

MOST_SCROLLS = 60
_FIRST_CLICKS = 3  # of the wheel, while nobody knows how far one goes: about 100 to 150 pixels
_MOST_CLICKS = 15  # at once, while looking
_STRIDE = 0.6  # of the pane's height, so that nothing is passed by
_LEAST_SHARED = 0.15  # of the pane's height that two views must share
_LIKE = 0.9  # correlation of what the two views share
_STILL = 3  # pixels
_NOISE = 24  # grey levels
_STRIPS = 8
_MOST_UNLIKE = 0.15  # of what is drawn in a row of pixels; the same text drawn again is the same to the pixel
_LEAST_CONTRAST = 4.0
_SAME_PLACE = 10  # pixels of the content
_LEAST_PANE = 40
_MARGIN = 6
_GRID = 9  # places along each side that are tried for the pointer
_PASSIVE = frozenset({ElementRole.TEXT, ElementRole.GROUP})


class Scroll(NamedTuple):
    """Turn the wheel by `dy` clicks at `point`; `dy` > 0 scrolls down."""

    point: Point
    dy: int


class ScrollSearch:
    """Looks through a pane: down to its end, then from there up to its start.

    Ask `next_scroll`, do it, wait until nothing moves, tell `saw`, look for the target, and tell `found` where a
    candidate was. `next_scroll` gives None when all has been seen or nothing scrolls; `why_ended` says which.
    """

    def __init__(self, target: TargetSpec, state: ScreenState, *, most: int = MOST_SCROLLS) -> None:
        """`state` is the screen on which the target was not found."""
        self.area = scrolled_area(target, state)
        self.most, self.done = most, 0
        self.why_ended = "" if self.area else say("targeting.nothing_to_scroll")
        self.too_far = 0  # times that a scroll passed more than a view, and was taken back in part
        self.offset = 0  # pixels from where the search began; down is positive
        self._told_apart = _is_told_apart(target)
        self._state = state
        self._direction = 1
        self._clicks = _FIRST_CLICKS
        self._pixels_per_click = 0.0
        self._last: Scroll | None = None
        self._undo: tuple[int, ScreenState] | None = None  # clicks, and the view they lead back to
        self._returning = False
        self._places: list[int] = []

    def next_scroll(self) -> Scroll | None:
        """What to do next; None when the search is over."""
        if self.why_ended or self.area is None:
            return None
        if self.done >= self.most:
            self.why_ended = say("targeting.not_found_in_scrolls", most=self.most)
            return None
        point = resting_point(self.area, self._state)
        if point is None:
            self.why_ended = say("targeting.no_place_for_wheel")
            return None
        self.done += 1
        clicks = self._undo[0] if self._undo else self._way_up() if self._returning else self._direction * self._clicks
        self._last = Scroll(point, clicks)
        return self._last

    def moved(self, state: ScreenState) -> bool:
        """Whether the pane shows another view than before the last scroll."""
        moved = shift(self._state, state, self.area) if self.area else 0
        return moved is None or abs(moved) >= _STILL

    def saw(self, state: ScreenState) -> None:
        """The screen after the scroll, when nothing moves any more."""
        last, self._last = self._last, None
        if last is None or self.area is None:
            return
        undo, self._undo = self._undo, None
        before, self._state = undo[1] if undo else self._state, state
        moved = shift(before, state, self.area)
        if undo or self.why_ended:
            self.offset += moved or 0
        elif moved is None:
            self._lost(last, before)
        elif abs(moved) < _STILL:
            self._at_an_end()
        else:
            self._learn(last, moved)

    def found(self, box: Box) -> bool:
        """Note a candidate seen now; True if it can be taken, False if a twin of it may yet come.

        A target that its row, its label or its neighbours tell apart is taken at once. Of one that had twins when it
        was taught, all must be seen first: whether there was one place only, `places` says at the end.
        """
        at = box.center.y + self.offset
        if all(abs(at - place) > _SAME_PLACE for place in self._places):
            self._places.append(at)
        return self._told_apart or bool(self.why_ended)

    @property
    def places(self) -> tuple[int, ...]:
        """Where candidates were, in pixels of what is scrolled; more than one: they are twins, and nobody can say."""
        return tuple(self._places)

    def back_to(self, place: int) -> Scroll | None:
        """The scroll that brings a place of `places` into the middle of the pane again; None if it is in sight."""
        if self.area is None or not self._pixels_per_click:
            return None
        if self.area.y + _MARGIN < place - self.offset < self.area.bottom - _MARGIN:
            return None
        clicks = round((place - self.offset - self.area.center.y) / self._pixels_per_click)
        point = resting_point(self.area, self._state)
        if not clicks or point is None:
            return None
        self._last = Scroll(point, clicks)
        return self._last

    def _at_an_end(self) -> None:
        """Nothing moved: at the bottom it turns round, in one go past what was seen; at the top the search ends."""
        if self._direction > 0:
            self._direction = -1
            self._returning = self._way_up() < 0
            return
        nothing = not self._pixels_per_click
        self.why_ended = say("targeting.nothing_scrolls") if nothing else say("targeting.scrolled_through")

    def _way_up(self) -> int:
        """The clicks back to where the search began; what lies between was seen."""
        return -int(self.offset / self._pixels_per_click) if self._pixels_per_click else 0

    def _lost(self, last: Scroll, before: ScreenState) -> None:
        """The two views share nothing: what lies between was not seen. Back, and on in smaller steps."""
        if self._returning:
            self.offset += round(last.dy * self._pixels_per_click)
            self._returning = False
        elif abs(last.dy) > 1:
            self.too_far += 1
            self._undo = (-last.dy, before)
            self._clicks = max(1, abs(last.dy) // 3)
        else:  # a click of the wheel goes farther than a view: there is no smaller step
            assert self.area is not None
            self.offset += last.dy * self.area.h
            self._pixels_per_click = self._pixels_per_click or float(self.area.h)

    def _learn(self, last: Scroll, moved: int) -> None:
        """How far a click goes, and by that how many make up the next stride."""
        assert self.area is not None
        self.offset += moved
        if self._returning:
            self._returning = False
            return
        # The last scroll before an end goes less far than its clicks: it teaches nothing.
        self._pixels_per_click = max(self._pixels_per_click, abs(moved / last.dy))
        self._clicks = min(_MOST_CLICKS, max(1, int(_STRIDE * self.area.h / self._pixels_per_click)))


def scrolled_area(target: TargetSpec, state: ScreenState) -> Box | None:
    """The pane of the target on the present screen: at the distances from its window's edges that it had when taught.

    Where it was taught in none: the one that a scroll bar says to scroll now, in the target's place; the list is longer
    by now, or the window smaller. None where there is neither, or where none of it is left.
    """
    if target.scroll_box is None:
        return next((area for place in _places_now(target, state) if (area := part_with_bar(place, state))), None)
    size = state.frame.size
    taught = Box.from_normalised(target.scroll_box, Size(*target.screen_size) if all(target.screen_size) else size)
    before, now = _taught_window(target), state.window.box if state.window else None
    if before is not None and now is not None:
        left, top = now.x + taught.x - before.x, now.y + taught.y - before.y
        right, bottom = now.right + taught.right - before.right, now.bottom + taught.bottom - before.bottom
        taught = Box(left, top, right - left, bottom - top)
    elif not all(target.screen_size) or size != Size(*target.screen_size):
        taught = Box.from_normalised(target.scroll_box, size)
    area = taught.intersection(Box(0, 0, *size))
    return area if min(area.w, area.h) >= _LEAST_PANE else None


def _places_now(target: TargetSpec, state: ScreenState) -> Iterator[Box]:
    """Where the target would be in its window; where that is too small by now, at its edge, and above that."""
    size = state.frame.size
    if target.box is None:
        return
    taught = Box.from_normalised(target.box, Size(*target.screen_size) if all(target.screen_size) else size)
    window = state.front
    before = _taught_window(target) or window
    x = max(window.x, min(window.x + taught.x - before.x, window.right - taught.w))
    y = max(window.y, min(window.y + taught.y - before.y, window.bottom - taught.h))
    yield Box(x, y, taught.w, taught.h).intersection(Box(0, 0, *size))
    yield Box(x, window.center.y, taught.w, taught.h).intersection(Box(0, 0, *size))


def _taught_window(target: TargetSpec) -> Box | None:
    """Where the window was on the screen when the target was taught."""
    if not (target.window_box and target.box and all(target.window_size) and all(target.screen_size)):
        return None
    own = Box.from_normalised(target.box, Size(*target.screen_size))
    inner = Box.from_normalised(target.window_box, Size(*target.window_size))
    return Box(own.x - inner.x, own.y - inner.y, *target.window_size)


def resting_point(area: Box, state: ScreenState) -> Point | None:
    """A place in the pane for the pointer while the wheel turns: the nearest to its middle that is on no control.

    On a field, a list to choose from or a slider the wheel would change the value instead.
    """
    window = Window() if state.window is None else state.window
    whole = (
        Box(0, 0, *state.frame.size) if window.box is None else window.box.intersection(Box(0, 0, *state.frame.size))
    )
    controls = [e.box.grown(2, state.frame.size) for e in state.elements if e.role not in _PASSIVE]
    places = [
        Point(area.x + area.w * i // (_GRID + 1), area.y + area.h * j // (_GRID + 1))
        for i in range(1, _GRID + 1)
        for j in range(1, _GRID + 1)
    ]
    free = [p for p in places if whole.contains(p) and not any(c.contains(p) for c in controls)]
    return min(free, key=lambda p: abs(p.x - area.center.x) + abs(p.y - area.center.y), default=None)


def shift(before: ScreenState, after: ScreenState, area: Box) -> int | None:
    """By how many pixels the pane was scrolled (down is positive); 0 if nothing moved, None if the views share nothing.

    Strips of the first view are looked for in the second by normalised correlation, over the whole height.
    """
    one, other = _pane(before, area), _pane(after, area)
    if one.shape != other.shape:
        return None
    if not np.any(cv2.absdiff(one, other) > _NOISE):
        return 0
    moves = {0, *(move for top, strip in _strips(one) if (move := _move_of(strip, top, other)) is not None)}
    unlike = {move: _unlikeness(one, other, move) for move in moves}
    best = min(moves, key=lambda move: (unlike[move], abs(move)))
    return best if unlike[best][0] <= _MOST_UNLIKE else None


def _unlikeness(one: np.ndarray, other: np.ndarray, move: int) -> tuple[float, float]:
    """How much of what is drawn does not fit where both views show the same, if the pane went by `move`.

    In the middle one of the rows of pixels, and in all: a header that stays, or a row lit under the pointer, changes
    the first but little.
    """
    high = one.shape[0] - abs(move)
    before = one[max(0, move) : max(0, move) + high].astype(np.int16)
    after = other[max(0, -move) : max(0, -move) + high].astype(np.int16)
    ground = np.median(before)
    drawn = ((np.abs(before - ground) > _NOISE) | (np.abs(after - ground) > _NOISE)).sum(axis=1)
    off = (np.abs(before - after) > _NOISE).sum(axis=1)[drawn > 0] / drawn[drawn > 0]
    return (float(np.median(off)), float(off.mean())) if len(off) else (1.0, 1.0)


def _pane(state: ScreenState, area: Box) -> np.ndarray:
    """The pane in grey, as high as it is and no wider than need be."""
    grey = cv2.cvtColor(state.frame.crop(area), cv2.COLOR_BGR2GRAY)
    width = min(grey.shape[1], 320)
    return cv2.resize(grey, (width, grey.shape[0]), interpolation=cv2.INTER_AREA)


def _strips(pane: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """Strips of the pane that show anything, each with its top."""
    high = max(12, int(_LEAST_SHARED * pane.shape[0]))
    tops = np.linspace(0, pane.shape[0] - high, _STRIPS).astype(int).tolist()
    strips = [(top, pane[top : top + high]) for top in tops]
    return [(top, strip) for top, strip in strips if float(strip.std()) >= _LEAST_CONTRAST]


def _move_of(strip: np.ndarray, top: int, pane: np.ndarray) -> int | None:
    """By how much a strip went up to the place in the pane that is most like it; None if it is nowhere."""
    likeness = cv2.matchTemplate(pane, strip, cv2.TM_CCOEFF_NORMED)[:, 0]
    likeness = np.where(np.isfinite(likeness) & (np.abs(likeness) <= 1.001), likeness, -1.0)
    best = int(np.argmax(likeness))
    return top - best if likeness[best] >= _LIKE else None


def _is_told_apart(target: TargetSpec) -> bool:
    """True if the target had no twin when it was taught, or has a sign of its own row that tells it from them."""
    if target.alike <= 1 or target.row or target.named_by:
        return True
    height = target.box[3] * target.screen_size[1] if target.box else 0
    return any(abs(n.dy) <= height / 2 for n in target.neighbours)
