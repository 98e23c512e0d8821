"""A screen as things: each control and each free text once, whatever saw it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import cv2
import numpy as np

from execution.perception.cache import digest_of
from execution.perception.elements.layout import union
from execution.perception.elements.scene import frames_on
from execution.perception.scene.drawn import LARGEST_PICTURE, bands, gradient, ink_beside
from execution.perception.scene.lines import lines_of
from execution.perception.scene.thing import PlacedWord, Source, Thing, letters_in
from execution.types import Box, Element, ElementRole, Point, ScreenState

# What belongs to one thing: the pieces of one picture, and a picture with the caption below it.

_PIECES = frozenset({"icon", "picture", "button", "checkbox", "radio", "field", "link"})
_TEXTS = frozenset({"text", "link", "menu_item"})
_SHAPED = frozenset({"button", "field", "checkbox", "radio"})  # with a caption of their own they are no picture
_LARGEST = 140  # pixels of a picture
_LETTERS = 3  # that a picture is at most read as
_SMALLEST_OVER_CAPTION = 18  # pixels
_BELOW = 24  # pixels from a picture to its caption
_ASIDE = (8, 0.12)  # pixels, or of the picture's width: between the middles of both


def joined(things: Sequence[Thing]) -> list[Thing]:
    """Each picture once, and with its caption."""
    return _with_captions(_as_pictures(things))


def _is_piece(thing: Thing) -> bool:
    short, long = sorted(thing.box[2:])
    small = short >= 5 and long <= LARGEST_PICTURE and len(thing.text.replace(" ", "")) <= _LETTERS
    return thing.kind in _PIECES and small and not (thing.kind in _SHAPED and letters_in(thing.text) > 1)


def _as_pictures(things: Sequence[Thing]) -> list[Thing]:
    pieces = [thing for thing in things if _is_piece(thing)]
    owner = list(range(len(pieces)))

    def root(i: int) -> int:
        while owner[i] != i:
            i = owner[i]
        return i

    for i, one in enumerate(pieces):
        near = Box(one.box.x - 1, one.box.y - 1, one.box.w + 2, one.box.h + 2)
        for j in range(i):
            other = pieces[j].box
            if near.intersection(other).area and max(union((one.box, other))[2:]) <= LARGEST_PICTURE:
                owner[root(i)] = root(j)
    groups = dict[int, list[Thing]]()
    for i, one in enumerate(pieces):
        groups.setdefault(root(i), []).append(one)
    found = [thing for thing in things if not _is_piece(thing)]
    for group in groups.values():
        box = union(thing.box for thing in group)
        if len(group) == 1 or max(box[2:]) > _LARGEST:
            found += group
            continue
        largest = max(group, key=lambda thing: thing.box.area)
        kind = largest.kind if largest.box.area > 0.8 * box.area else "icon"
        words = tuple(word for thing in group for word in thing.words)
        found.append(Thing(box, kind, largest.source, words, largest.sure, largest.states))
    return found


def _with_captions(things: Sequence[Thing]) -> list[Thing]:
    texts = [thing for thing in things if thing.kind in _TEXTS and thing.caption and thing.source is not Source.VALUE]
    captions = dict[int, Thing]()  # of each picture, by its id
    for picture in filter(_may_have_caption, things):
        if below := [text for text in texts if _is_below(text, picture)]:
            captions[id(picture)] = nearest = min(below, key=lambda text: text.box.y)
            texts.remove(nearest)
    taken = set(map(id, captions.values()))
    return [_whole(thing, captions.get(id(thing))) for thing in things if id(thing) not in taken]


def _whole(picture: Thing, text: Thing | None) -> Thing:
    if text is None:
        return picture
    box = union((picture.box, text.caption or text.box))
    return Thing(box, "icon", Source.ELEMENT, text.words, text.sure, picture.states, picture=picture.box)


def _may_have_caption(thing: Thing) -> bool:
    short, long = sorted(thing.box[2:])
    is_picture = thing.kind in ("icon", "picture") or (thing.kind in _SHAPED and letters_in(thing.text) <= 1)
    return is_picture and short >= _SMALLEST_OVER_CAPTION and long <= _LARGEST and letters_in(thing.text) <= _LETTERS


def _is_below(text: Thing, picture: Thing) -> bool:
    caption, box = text.caption or text.box, picture.box
    aside = abs(caption.x + caption.w / 2 - box.x - box.w / 2)
    near = -4 <= caption.y - box.bottom <= _BELOW and aside <= max(_ASIDE[0], _ASIDE[1] * box.w)
    return near and caption.w < 3.2 * box.w + 30


_PASSIVE = frozenset({ElementRole.TEXT, ElementRole.GROUP})
_MARKED = frozenset({ElementRole.CHECKBOX, ElementRole.RADIO})
_SAME, _SAME_BAND = 0.6, 0.75  # of both: boxes of one thing
_MOST_WORDS = 12  # in a frame that is a thing
_BESIDE = 6  # pixels
_MOST_KEPT = 6  # scenes
_LINES_OF_CONTROL = 3.5  # heights of a letter: a higher control holds more than a caption


class Scene:
    """The words, lines and things of a ScreenState. What is costly is made on first use.

    `grey` and `edges` (its gradient) are uint8 of the frame's height and width.
    """

    def __init__(self, state: ScreenState) -> None:
        self.frame, self.size = state.frame, state.frame.size
        self.grey = np.asarray(cv2.cvtColor(state.frame.pixels, cv2.COLOR_BGR2GRAY))
        self.lines, pictures = lines_of(state.texts, state.frame)
        self.words: list[PlacedWord] = [word for line in self.lines for word in line.words]
        self._word_boxes = np.array([w.box for w in self.words], int).reshape(-1, 4)
        frames = frames_on(state.frame.pixels, state.texts)
        self.things: list[Thing] = self._things(state.elements, pictures, frames)

    @cached_property
    def edges(self) -> np.ndarray:
        return gradient(self.grey)

    @cached_property
    def shrunk_edges(self) -> np.ndarray:
        """`edges` in a quarter of the pixels each way."""
        return np.asarray(cv2.resize(self.edges, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA))

    @cached_property
    def counts(self) -> Counter[str]:
        """How many lines read so, in letters alone."""
        return Counter(line.key for line in self.lines)

    def words_in(self, box: Box) -> list[int]:
        """Which words have their middle in the box."""
        x, y, w, h = self._word_boxes.T
        across, down = x + w / 2, y + h / 2
        inside = (across >= box.x) & (across <= box.right) & (down >= box.y) & (down <= box.bottom)
        return np.flatnonzero(inside).tolist()

    def shaped(self, width: float, height: float, kind: str) -> list[Thing]:
        """The things of that shape, in reading order."""
        found = [thing for thing in self.things if thing.is_shaped(width, height, kind)]
        return sorted(found, key=lambda thing: (round(thing.box.center.y / 10), thing.box.center.x))

    def thing_at(self, point: Point) -> Thing | None:
        """The smallest thing at a point, or right beside it; what is drawn on a control is a part of it."""
        at = sorted(
            (t for t in self.things if t.box.grown(1, self.size).contains(point)), key=lambda thing: thing.box.area
        )
        if at and at[0].source is not Source.BAND:
            controls = (t for t in at if t.source is Source.ELEMENT and (t.is_one_line or not t.words))
            return next(controls, at[0]) if at[0].source in (Source.INK, Source.FRAME) else at[0]
        beside = [t for t in self.things if _is_beside(point, t)]
        return min([*beside, *at], key=lambda thing: thing.box.area, default=None)

    # --- things ---
    def _things(self, elements: Sequence[Element], pictures: Sequence[Box], frames: Sequence[Box]) -> list[Thing]:
        found, taken = self._controls(elements)
        found += self._free_texts(taken)
        found += self._values()
        found += [Thing(box, "icon", Source.ELEMENT, sure=0.4) for box in pictures if not _is_in(box, found)]
        markers = [e.box for e in elements if e.role in _MARKED]  # each is a part of the thing with its caption
        for box in _unknown(frames, found):
            is_marker = any(box.intersection(marker).area > _SAME * box.area for marker in markers)
            words = self._said(self.words_in(box))
            if not is_marker and len(words) < _MOST_WORDS:
                found.append(Thing(box, "picture", Source.FRAME, words, sure=0.4))
        known = np.array([t.box for t in found], float).reshape(-1, 4)
        for box in ink_beside(self.edges, [*(word.box for word in self.words), *markers]):
            if not _is_known_ink(box, known):
                found.append(Thing(box, "picture", Source.INK, sure=0.3))
        found = joined(found)
        for box in _unknown(bands(self.grey), found, _SAME_BAND):
            if any(_is_most_of(box, thing) for thing in found):
                continue
            found.append(Thing(box, "band", Source.BAND, self._said(self.words_in(box)), sure=0.3))
        return found

    def _said(self, numbers: Sequence[int]) -> tuple[PlacedWord, ...]:
        return tuple(self.words[i] for i in numbers)

    def _controls(self, elements: Sequence[Element]) -> tuple[list[Thing], set[int]]:
        """The controls, from small to large, and which words are in one and are nothing else besides."""
        found, taken = list[Thing](), set[int]()
        texts = [e for e in elements if e.role is ElementRole.TEXT]
        for element in sorted(elements, key=lambda e: e.box.area):
            if element.role in _PASSIVE:
                continue
            box, inside = element.box, self.words_in(element.box)
            if element.role in _MARKED:
                if element.text and (caption := _caption_of(element, texts)):
                    inside = self.words_in(caption)
                box = union((box, *(self.words[i].box for i in inside)))
            if _is_in(box, found):
                continue
            words = self._said(inside)
            thing = Thing(box, element.role.value, Source.ELEMENT, words, element.confidence, element.states)
            found.append(thing)
            if self._is_line(words) if element.role is ElementRole.LINK else _is_caption(thing, element.box):
                taken.update(inside)
        return found, taken

    def _is_line(self, words: Sequence[PlacedWord]) -> bool:
        """Whether a link is all of a line, and not a part of a sentence."""
        own = set(map(id, words))
        return any(own.issuperset(map(id, line.words)) for line in self.lines)

    def _free_texts(self, taken: set[int]) -> list[Thing]:
        """What no control holds, a line each."""
        found, first = list[Thing](), 0
        for line in self.lines:
            free = [i for i in range(first, first + len(line.words)) if i not in taken]
            first += len(line.words)
            if free:
                words = self._said(free)
                found.append(Thing(union(w.box for w in words), "text", Source.TEXT, words, line.sure))
        return found

    def _values(self) -> list[Thing]:
        """What stands behind a label with a colon, in one line with it."""
        found = []
        for line in self.lines:
            label = next(
                (n for n, word in enumerate(line.words[:3]) if len(word.text) > 1 and word.text[-1] == ":"), None
            )
            if label is not None and label + 1 < len(line.words):
                words = line.words[label + 1 :]
                found.append(Thing(union(w.box for w in words), "text", Source.VALUE, words, line.sure))
        return found


def _is_beside(point: Point, thing: Thing) -> bool:
    """Whether a point is so near that a thing is meant: of a text, along its line."""
    across, down = (thing.box.h if thing.source is Source.TEXT else _BESIDE), _BESIDE
    x, y, w, h = thing.box
    return x - across <= point.x < x + w + across and y - down <= point.y < y + h + down


def _caption_of(marker: Element, texts: Sequence[Element]) -> Box | None:
    """Where what a check box says stands: right of it, read as a text of its own."""
    right = (text.box for text in texts if text.text == marker.text and text.box.x >= marker.box.right)
    level = [b for b in right if abs(b.center.y - marker.box.center.y) < max(b.h, marker.box.h)]
    return min(level, key=lambda box: box.x, default=None)


def _is_caption(thing: Thing, box: Box) -> bool:
    """Whether the words in a control's box are one line that fills it."""
    return thing.is_one_line and box.h < _LINES_OF_CONTROL * max(word.box.h for word in thing.words)


def _is_most_of(band: Box, thing: Thing) -> bool:
    """Whether a band is a control with the room around it."""
    return thing.kind in _SHAPED and 2 * band.intersection(thing.box).area > max(band.area, thing.box.area)


def _is_in(box: Box, things: Sequence[Thing], share: float = _SAME) -> bool:
    return any(box.iou(thing.box) > share for thing in things)


def _unknown(boxes: Sequence[Box], things: Sequence[Thing], share: float = _SAME) -> list[Box]:
    """Those boxes that are none of the things, each once."""
    if not boxes:
        return []
    every = np.array([*boxes, *(thing.box for thing in things)], float)
    low, high, area = every[:, :2], every[:, :2] + every[:, 2:], every[:, 2] * every[:, 3]
    own = slice(len(boxes))
    meet = (np.minimum(high[own, None], high) - np.maximum(low[own, None], low)).clip(0).prod(axis=2)
    same = meet > share * (area[own, None] + area - meet)
    kept = list[int]()
    for number in np.flatnonzero(~same[:, len(boxes) :].any(axis=1)).tolist():
        if not same[number, kept].any():
            kept.append(number)
    return [boxes[number] for number in kept]


def _is_known_ink(box: Box, known: np.ndarray) -> bool:
    """Whether a thing around its middle that is not much larger has that ink."""
    x, y, w, h = known.T
    across, down = box.x + box.w / 2, box.y + box.h / 2
    holds = (x <= across) & (across <= x + w) & (y <= down) & (down <= y + h) & (w * h < 2 * box.area)
    return bool(holds.any())


@dataclass(frozen=True, slots=True)
class _Seen:
    """A state by its picture and by what was read and seen on it, which is held here, so that no other has its ids."""

    digest: str
    texts: int
    elements: int
    state: ScreenState = field(compare=False)


@lru_cache(maxsize=_MOST_KEPT)
def _made(seen: _Seen) -> Scene:
    return Scene(seen.state)


def scene_of(state: ScreenState) -> Scene:
    """The scene of a state, made once: a run asks for several targets on one screen, and looks again before it acts."""
    return _made(_Seen(digest_of(state.frame), id(state.texts), id(state.elements), state))
