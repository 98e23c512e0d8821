"""Lines of text as they stand on the screen: what a reader cut is joined, what it joined is cut."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import cv2
import numpy as np

from execution.perception.elements.layout import union
from execution.types import Box, TextLine

_WORD_GAP = 0.24  # of a line's height: words stand further apart
_PICTURE_GAP = 0.16  # the same for a picture and the word after it
_NARROWEST, _WIDEST = 0.5, 1.75  # of a line's height: the width of such a picture
_SLIMMEST, _ALONE_GAP = 0.28, 0.2  # the same for a sign to unfold something, a clip; how far it stands from the words
_LOWEST_SIGN, _MOST_PICTURES = 5, 3  # pixels; pictures before the words of a line
_HIGHER = 1.2  # of the height of the letters: nothing that is written is so much higher
_SAME, _LONG = 0.55, 1.8  # overlap of a letter with a box to tick; height by width of what no letter is
_ROUND_LETTERS = frozenset("0OoDQ")
_OTHER_INK = 40  # levels between the colours of a picture and of the words after it
_TAKEN_FOR = frozenset("QO0oD©®@□☐CGBE&%#=+-–—xX×vV^>»<›‹≡…*•°iIl1!?:|/\\~()[]{}日口田回凸品自目☆★●○◎")
_LETTER_GAP, _PIECE_GAP = 0.5, 0.3  # of a line's height: between letters read one by one, between parts of a word
_SPACE = 0.15  # the same: the narrowest space between words
_LEVEL = 8  # pixels: lines of one row differ by less in height
_SIDE = 0.8  # of a line's height that a border between two texts is drawn along
_BORDER = 2  # pixels
_WIDE = 1.6  # width by height: a letter, which has a frame of its own too, is narrower
_CUT_REACH = 3  # letters: how far a space may be from where a border cuts the line


def joined(edges: np.ndarray, texts: Iterable[TextLine]) -> list[TextLine]:
    """The lines, those put together that a reader has cut within a word."""
    whole: list[TextLine] = []
    last: dict[int, int] = {}
    for line in sorted(texts, key=lambda t: (t.box.x, t.box.y)):
        level = line.box.center.y // _LEVEL
        places = (last[near] for near in range(level - 1, level + 2) if near in last)
        place = next((p for p in places if _continues(edges, whole[p], line)), None)
        if place is None:
            last[level] = len(whole)
            whole.append(line)
        else:
            whole[place] = _together(whole[place], line)
            last[level] = place
    return whole


def _continues(edges: np.ndarray, before: TextLine, line: TextLine) -> bool:
    one, other = before.box, line.box
    height = max(one.h, other.h)
    if abs(one.center.y - other.center.y) > 0.3 * height:
        return False
    share = _LETTER_GAP if min(len(before.text), len(line.text)) == 1 else _PIECE_GAP
    if not -0.3 * height <= other.x - one.right <= share * min(one.h, other.h):
        return False
    between = edges[other.y : other.bottom, max(0, one.right - 4) : other.x + 4]
    return not bool((between.mean(axis=0) > _SIDE * 255).any())


def _together(before: TextLine, line: TextLine) -> TextLine:
    gap = line.box.x - before.box.right
    close = min(len(before.text), len(line.text)) == 1 or gap < _SPACE * min(before.box.h, line.box.h)
    text = before.text + ("" if close else " ") + line.text
    confidence = min(before.confidence, line.confidence)
    return TextLine(text=text, box=union((before.box, line.box)), confidence=confidence)


def cut_at_frames(texts: Sequence[TextLine], frames: Sequence[Box]) -> list[TextLine]:
    """The lines within the frames (from small to large) that they stand in.

    Those that run over the sides of a frame are cut there, for a reader takes near buttons for one line; boxes that
    reach over the border of a frame are drawn in.
    """
    if not texts or not frames:
        return list(texts)
    boxes = np.array(frames)
    left, right = boxes[:, 0], boxes[:, 0] + boxes[:, 2]
    top, bottom = boxes[:, 1], boxes[:, 1] + boxes[:, 3]
    wide = boxes[:, 2] >= _WIDE * boxes[:, 3]
    cut: list[TextLine] = []
    for line in texts:
        box, middle, margin = line.box, line.box.center, 0.4 * line.box.h
        level = wide & (top < middle.y) & (bottom > middle.y)
        level &= (boxes[:, 3] >= 0.6 * box.h) & (boxes[:, 3] <= 4 * box.h)
        sides = np.concatenate((left[level], right[level]))
        within = sides[(sides > box.x + margin) & (sides < box.right - margin)]
        for part in _parts(line, sorted(set(within.tolist()))) if len(within) else [line]:
            x = part.box.center.x
            around = np.flatnonzero(level & (left <= x) & (right > x))
            cut.append(_drawn_in(part, Box(*boxes[around[0]].tolist())) if len(around) else part)
    return cut


def _drawn_in(line: TextLine, frame: Box) -> TextLine:
    inner = Box(frame.x + _BORDER, frame.y + _BORDER, frame.w - 2 * _BORDER, frame.h - 2 * _BORDER)
    box = line.box.intersection(inner)
    return replace(line, box=box) if box.area else line


def _parts(line: TextLine, sides: Sequence[int]) -> list[TextLine]:
    """The line cut at the spaces nearest to the sides."""
    text, box = line.text, line.box
    width = box.w / max(len(text), 1)
    spaces = [i for i, c in enumerate(text) if c.isspace()]
    places = {0}
    for side in sides:
        at = (side - box.x) / width
        near = min(spaces, key=lambda i: abs(i - at), default=None)
        if near is not None and abs(near - at) <= _CUT_REACH:
            places.add(near)
    bounds = [*sorted(places), len(text)]
    if len(bounds) == 2:
        return [line]
    made = []
    for start, end in pairwise(bounds):
        piece = text[start:end]
        first = start + len(piece) - len(piece.lstrip())
        x, right = box.x + round(first * width), box.x + round(end * width)
        made.append(replace(line, text=piece.strip(), box=Box(x, box.y, right - x, box.h)))
    return made


def without_signs(edges: np.ndarray, texts: Iterable[TextLine], squares: Sequence[Box]) -> list[TextLine]:
    """The lines but for those that are no text: a box to tick that was read as a letter, a clip that was read as 0.

    `squares` are what has the outline of a square.
    """
    return [line for line in texts if not _is_sign(edges, line, squares)]


def _is_sign(edges: np.ndarray, line: TextLine, squares: Sequence[Box]) -> bool:
    text, box = line.text.strip(), line.box
    if len(text) != 1 or text not in _TAKEN_FOR:
        return False
    if any(box.contains(s.center) and s.iou(box) > _SAME for s in squares):
        return True
    part = edges[box.y : box.bottom, box.x : box.right] > 0
    rows, columns = np.flatnonzero(part.any(axis=1)), np.flatnonzero(part.any(axis=0))
    if text not in _ROUND_LETTERS or not len(rows):
        return False
    return bool(rows[-1] - rows[0] >= _LONG * (columns[-1] - columns[0]))


def without_pictures(
    pixels: np.ndarray, edges: np.ndarray, texts: Iterable[TextLine], *, but: Collection[TextLine] = ()
) -> list[TextLine]:
    """The lines, each without the small pictures before its words that were read as parts of it, but for some."""
    return [line if line in but else _without_pictures(pixels, edges, line) for line in texts]


def _without_pictures(pixels: np.ndarray, edges: np.ndarray, line: TextLine) -> TextLine:
    for _ in range(_MOST_PICTURES):
        rest = _without_picture(pixels, edges, line)
        if rest is line:
            break
        line = rest
    return line


def _without_picture(pixels: np.ndarray, edges: np.ndarray, line: TextLine) -> TextLine:
    box = line.box
    places = np.flatnonzero(edges[box.y : box.bottom, box.x : box.right].any(axis=0))
    steps = np.diff(places)
    breaks = np.flatnonzero(steps > max(2, _PICTURE_GAP * box.h))
    if not len(breaks):
        return line
    end, begin = int(places[breaks[0]]), int(places[breaks[0] + 1])
    first = int(places[0])
    if not _SLIMMEST * box.h <= end - first <= _WIDEST * box.h:
        return line
    words = 1 + int((steps > max(3, _WORD_GAP * box.h)).sum())
    tokens = line.text.split()
    start = box.x + begin
    rest = Box(start, box.y, box.right - start, box.h)
    head = Box(box.x + first, box.y, end + 1 - first, box.h)
    slim = end - first < _NARROWEST * box.h
    if slim or len(tokens[0]) < 2:  # as slim as a letter: it must stand otherwise, and be one too many
        alone = words > len(tokens) and begin - end > _ALONE_GAP * box.h and _is_sign_sized(edges, head)
        if alone and (words > len(tokens) + 1 or not _of_one_height(edges, head, rest)):
            return replace(line, box=rest)
    elif _is_square(edges, box, box.x + first, start) and (
        words > len(tokens) or _apart(pixels, edges, head, rest) > _OTHER_INK or _is_higher(edges, head, rest)
    ):
        return replace(line, box=rest)
    taken = len(tokens) >= 2 and tokens[0] in _TAKEN_FOR and begin - end > 0.2 * box.h
    if taken and not tokens[1][0].islower() and not _of_one_height(edges, Box(box.x + first, box.y, 1, box.h), rest):
        return replace(line, text=line.text.split(maxsplit=1)[1], box=rest)
    return line


def _is_sign_sized(edges: np.ndarray, head: Box) -> bool:
    """True for what is neither a stroke nor a word."""
    rows = np.flatnonzero(edges[head.y : head.bottom, head.x : head.right].any(axis=1))
    high = int(rows[-1] - rows[0]) + 1 if len(rows) else 0
    return high >= _LOWEST_SIGN and head.w >= _LOWEST_SIGN and 0.4 * high <= head.w <= 1.9 * high


def _is_higher(edges: np.ndarray, head: Box, rest: Box) -> bool:
    """True for what is clearly higher than all letters after it."""
    high, low = (np.flatnonzero(edges[box.y : box.bottom, box.x : box.right].any(axis=1)) for box in (head, rest))
    return bool(len(high) and len(low) and high[-1] - high[0] >= _HIGHER * (low[-1] - low[0] + 1))


def _of_one_height(edges: np.ndarray, head: Box, rest: Box) -> bool:
    """True where what stands before the words begins and ends level with their first letter: then it is one too."""
    first = Box(rest.x, rest.y, max(2, round(0.5 * rest.h)), rest.h)
    spans = []
    for box in (Box(head.x, head.y, rest.x - head.x - 1, head.h), first):
        rows = np.flatnonzero(edges[box.y : box.bottom, box.x : box.right].any(axis=1))
        spans.append((int(rows[0]), int(rows[-1])) if len(rows) else (0, 0))
    return all(abs(a - b) <= max(1, round(0.06 * rest.h)) for a, b in zip(*spans, strict=True))


def _apart(pixels: np.ndarray, edges: np.ndarray, one: Box, other: Box) -> float:
    """How far what is drawn in one box is from what is drawn in the other, in colour: levels of one channel."""
    means = []
    for box in (one, other):
        here = slice(box.y, box.bottom), slice(box.x, box.right)
        means.append(np.array(cv2.mean(pixels[here], np.ascontiguousarray(edges[here]))[:3]))
    return float(np.abs(means[0] - means[1]).max())


def _is_square(edges: np.ndarray, box: Box, start: int, after: int) -> bool:
    """True where what stands before the words is about as high as it is wide."""
    part = edges[box.y : box.bottom, start : after - 1] > 0
    rows, columns = np.flatnonzero(part.any(axis=1)), np.flatnonzero(part.any(axis=0))
    if not len(rows):
        return False
    height, width = int(rows[-1] - rows[0]) + 1, int(columns[-1] - columns[0]) + 1
    return 0.6 * height <= width <= 1.7 * height
