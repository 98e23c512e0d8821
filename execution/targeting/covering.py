"""What of a place is in sight where something lies over the rest of it: a notification, another window (S5.3).

It is told by pixels, where the target is drawn as it was taught: what differs from the taught surroundings must be a
rectangle with straight edges that goes on beyond the target. So a caption that was renamed is nothing that covers it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import cv2
import numpy as np

from execution.language.fuzzy import SAME
from execution.targeting.context import Context
from execution.targeting.examination import examined
from execution.targeting.looks import REACH, fit, surroundings_likeness
from execution.targeting.neighbours import label_in_place, surroundings
from execution.targeting.picture_fit import PictureFit
from execution.targeting.search import correlate, made_ready
from execution.targeting.shapes import structure_share
from execution.targeting.signs import Signs
from execution.types import Box, Point, Size

_TILE, _MOST_TILES = Size(28, 20), 10  # pixels; parts of the surroundings that tell where they lie
_TELLS, _SAME_TILE = 40, 0.97  # steep pixels; correlation
_STEEP, _LEAST_SAME = 24, 0.1  # grey levels from a pixel to the next; of the steep pixels
_LEVEL = 12  # grey levels that no redrawing of the same makes
_THIN, _EDGE, _BEYOND = 4, 3, 3  # pixels of a line, of an edge, and past the target
_DRAWN = 0.85  # of an edge
_LEAST_BESIDE, _SAME_BESIDE = 60, 0.9  # steep pixels that are not covered, and how many of them are as they were
_AROUND_ALIKE = 0.95  # correlation
_LEAST_HIDDEN = 0.1  # of the target
_NARROWEST = 3  # pixels in sight across or down: less may be a frame that another control has as well
_RETOUCHED = 0.02  # of the pixels in sight
_LEAST_SIDE, _LEAST_SHARE = 8, 0.25  # pixels, and of the target: from there on it may be clicked


class Cover(NamedTuple):
    """A target with something over it: where it is, the largest part of it in sight, and what lies over it."""

    box: Box
    part: Box
    over: Box


def seen_in_part(box: Box, context: Context) -> Signs | None:
    """The signs of the target that something covers at `box`; None where nothing does, or nobody can say.

    What is not in sight says nothing against it. Of what shows too little `in_sight` has no area.
    """
    cover = cover_at(box, context)
    if cover is None:
        return None
    box, part = cover.box.intersection(Box(0, 0, *context.state.frame.size)), cover.part
    seen = examined(box, context)
    enough = min(part.w, part.h) >= _LEAST_SIDE and part.area >= _LEAST_SHARE * box.area
    look = _look_at_part(cover, context) if enough else None
    if not seen.whole or (seen.text or 0.0) < SAME:
        seen = replace(seen, text=None, whole=False, held=None, wording=None, label_wording=None)
    return replace(
        seen,
        look=look,
        around=surroundings(box, context, under=cover.over),
        label=None if context.target.row else label_in_place(box, context, under=cover.over),
        shapes=None if context.target.row else structure_share(box, context, under=cover.over),
        in_sequence=None,
        in_sight=part if look is not None else Box(part.x, part.y, 0, 0),
    )


def _look_at_part(cover: Cover, context: Context) -> PictureFit | None:
    """How the part of the taught picture fits that is in sight; None where that part shows nothing."""
    box, part, template = cover.box, cover.part, context.template
    if template is None:
        return None
    taught = made_ready(_within(template, part._replace(x=part.x - box.x, y=part.y - box.y)))
    return fit(context.grey, taught, part, 1.0) if taught is not None else None


def is_whole(signs: Signs, context: Context) -> bool:
    """True where all of it is drawn pixel by pixel as it was taught, and what is around it is alike."""
    look, template = signs.look, context.template
    if look is None or template is None or look.scale != 1.0:
        return False
    if (surroundings_likeness(signs.box, context) or 0.0) < _AROUND_ALIKE:
        return False
    return not bool(np.any(cv2.absdiff(_within(context.grey, look.box), template) > _LEVEL))


def lies_under(signs: Sequence[Signs], best: int, context: Context) -> bool:
    """True where the target is known to be at another place, under something: what is here only looks like it."""
    if signs[best].in_sight is not None or all(one.in_sight is None for one in signs):
        return False
    return not is_whole(signs[best], context)


def cover_at(near: Box, context: Context) -> Cover | None:
    """What lies over the target about `near`; None where nothing does, or nobody can say."""
    if context.around is None or not context.area.contains(near.center):
        return None
    picture, outer = context.around
    steep = cv2.morphologyEx(picture, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)) > _STEEP
    taught, screen = context.taught, context.grey
    dx, dy = near.center.x - taught.center.x, near.center.y - taught.center.y
    at = _aligned(picture, steep, Point(outer.x + dx, outer.y + dy), screen)
    if at is None:
        return None
    shown = Box(at.x, at.y, outer.w, outer.h).intersection(Box(0, 0, screen.shape[1], screen.shape[0]))
    differs = _differs(picture, at, screen, shown)
    box = Box(taught.x - outer.x + at.x, taught.y - outer.y + at.y, taught.w, taught.h)
    own = Box(box.x - shown.x, box.y - shown.y, box.w, box.h).intersection(Box(0, 0, shown.w, shown.h))
    drawn = _within(steep, shown._replace(x=shown.x - at.x, y=shown.y - at.y))
    over = _cover(differs, drawn, own) if _within(differs, own).any() else None
    if over is None:
        return None
    part = max(_left_of(own, over), key=lambda p: p.area, default=None)
    if part is None or own.intersection(over).area < _LEAST_HIDDEN * own.area or min(part.w, part.h) < _NARROWEST:
        return None
    if _within(differs, part).mean() > _RETOUCHED:
        return None
    part = Box(part.x + shown.x, part.y + shown.y, part.w, part.h)
    return Cover(box, part, _on_the_screen(over, shown, screen.shape))


def _on_the_screen(over: Box, shown: Box, size: tuple[int, ...]) -> Box:
    """What lies there, in the screen's pixels; where it leaves the surroundings nobody knows how far it goes."""
    left = over.x + shown.x if over.x > 0 else 0
    top = over.y + shown.y if over.y > 0 else 0
    right = over.right + shown.x if over.right < shown.w else size[1]
    bottom = over.bottom + shown.y if over.bottom < shown.h else size[0]
    return Box(left, top, right - left, bottom - top)


def _aligned(picture: np.ndarray, steep: np.ndarray, near: Point, screen: np.ndarray) -> Point | None:
    """Where the upper left corner of the picture lies on the screen, by the parts of it that are there as they were."""
    size = Box(0, 0, screen.shape[1], screen.shape[0])

    def same(at: Point) -> float:
        shown = Box(at.x, at.y, picture.shape[1], picture.shape[0]).intersection(size)
        if not shown.area or not steep.any():
            return 0.0
        there = _within(steep, shown._replace(x=shown.x - at.x, y=shown.y - at.y))
        return float((there & ~_differs(picture, at, screen, shown)).sum()) / float(steep.sum())

    found = {at: same(at) for at in (near, *_by_tiles(picture, steep, near, screen))}
    best = max(found, key=lambda at: found[at])
    return best if found[best] >= _LEAST_SAME else None


def _by_tiles(picture: np.ndarray, steep: np.ndarray, near: Point, screen: np.ndarray) -> Iterator[Point]:
    """Where the picture would lie by each of its tiles on which most is drawn, and that is found again."""
    width, height = _TILE
    most_left, most_down = picture.shape[1] - width + 1, picture.shape[0] - height + 1
    if min(most_left, most_down) < 1:
        return
    sums = cv2.boxFilter(steep.astype(np.float32), -1, _TILE, anchor=(0, 0), normalize=False)
    drawn = sums[:most_down:height, :most_left:width]
    for number in np.argsort(-drawn, axis=None)[:_MOST_TILES].tolist():
        row, column = divmod(number, drawn.shape[1])
        at = Point(column * width, row * height)
        searched = Box(near.x + at.x - REACH, near.y + at.y - REACH, width + 2 * REACH, height + 2 * REACH)
        searched = searched.intersection(Box(0, 0, screen.shape[1], screen.shape[0]))
        if drawn[row, column] < _TELLS or searched.w < width or searched.h < height:
            continue
        likeness = correlate(_within(screen, searched), _within(picture, Box(at.x, at.y, width, height)))
        y, x = np.unravel_index(int(likeness.argmax()), likeness.shape)
        if likeness[y, x] >= _SAME_TILE:
            yield Point(searched.x + int(x) - at.x, searched.y + int(y) - at.y)


def _differs(picture: np.ndarray, at: Point, screen: np.ndarray, shown: Box) -> np.ndarray:
    """Which pixels of the part of the screen that shows the picture are others."""
    taught = _within(picture, shown._replace(x=shown.x - at.x, y=shown.y - at.y))
    return np.asarray(cv2.absdiff(taught, _within(screen, shown)) > _LEVEL)


def _cover(differs: np.ndarray, steep: np.ndarray, own: Box) -> Box | None:
    """The rectangle that lies over a part of `own`; None for what differs in any other form.

    `differs` are the pixels that are others than they were, `steep` those where something was drawn.
    """
    height, width = differs.shape
    joined = cv2.dilate(differs.astype(np.uint8), np.ones((3, 3), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    boxes = [_undilated(Box(*(int(v) for v in stats[n, :4])), width, height) for n in range(1, count)]
    found = max((b for b in boxes if b.intersection(own).area), key=lambda b: b.area, default=None)
    if found is None:
        return None
    if found.w <= _THIN and found.h == height:  # a bare edge: where more differs is what it belongs to
        left = _within(differs, Box(0, 0, found.x, height)).sum() > _within(
            differs, Box(found.right, 0, width - found.right, height)
        ).sum()  # fmt: skip
        found = Box(0, 0, found.right, height) if left else Box(found.x, 0, width - found.x, height)
    elif found.h <= _THIN and found.w == width:
        above = differs[: found.y].sum() > differs[found.bottom :].sum()
        found = Box(0, 0, width, found.bottom) if above else Box(0, found.y, width, height - found.y)
    alone = _stands_apart(found, differs, steep) and _is_rectangle(found, differs)
    return found if alone and _goes_on(found, own, width, height) else None


def _undilated(box: Box, width: int, height: int) -> Box:
    left, top = box.x + (box.x > 0), box.y + (box.y > 0)
    right, bottom = box.right - (box.right < width), box.bottom - (box.bottom < height)
    return Box(left, top, right - left, bottom - top)


def _stands_apart(box: Box, differs: np.ndarray, steep: np.ndarray) -> bool:
    """True where enough is drawn beside it, and nearly all of that is as it was."""
    beside = steep.copy()
    beside[box.y : box.bottom, box.x : box.right] = False
    drawn = int(beside.sum())
    return drawn >= _LEAST_BESIDE and int((beside & ~differs).sum()) >= _SAME_BESIDE * drawn


def _is_rectangle(box: Box, differs: np.ndarray) -> bool:
    """True where each edge of the box that lies within the picture is drawn along nearly all of its length."""
    height, width = differs.shape
    across = [(box.x > 0, differs[box.y : box.bottom, box.x : box.x + _EDGE]),
              (box.right < width, differs[box.y : box.bottom, max(0, box.right - _EDGE) : box.right])]  # fmt: skip
    down = [(box.y > 0, differs[box.y : box.y + _EDGE, box.x : box.right].T),
            (box.bottom < height, differs[max(0, box.bottom - _EDGE) : box.bottom, box.x : box.right].T)]  # fmt: skip
    return all(strip.any(axis=1).mean() >= _DRAWN for inside, strip in (*across, *down) if inside)


def _goes_on(box: Box, own: Box, width: int, height: int) -> bool:
    """True for what leaves the taught surroundings on a side and the target as well: no caption does."""
    leaves = box.x == 0 or box.y == 0 or box.right == width or box.bottom == height
    in_width = box.x > own.x - _BEYOND and box.right < own.right + _BEYOND
    in_height = box.y > own.y - _BEYOND and box.bottom < own.bottom + _BEYOND
    return leaves and not (in_width and in_height)


def _left_of(own: Box, cover: Box) -> Iterable[Box]:
    """What of a box is beside, above and below of what covers it."""
    hidden = own.intersection(cover)
    parts = (
        Box(own.x, own.y, hidden.x - own.x, own.h), Box(hidden.right, own.y, own.right - hidden.right, own.h),
        Box(own.x, own.y, own.w, hidden.y - own.y), Box(own.x, hidden.bottom, own.w, own.bottom - hidden.bottom),
    )  # fmt: skip
    return [part for part in parts if part.w > 0 and part.h > 0]


def _within(pixels: np.ndarray, box: Box) -> np.ndarray:
    return pixels[box.y : box.bottom, box.x : box.right]
