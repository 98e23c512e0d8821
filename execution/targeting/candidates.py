"""Everything that may be the target: things, words that read like it, and places where no thing was seen (S5.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from execution.language.shortcuts import without_shortcut
from execution.perception.elements.layout import union
from execution.perception.scene import PlacedWord, Source, Thing
from execution.targeting.boxes import holds_several, point_in
from execution.targeting.context import Context
from execution.targeting.pointing import pointed_at
from execution.targeting.runs import Alike, alike, core, runs_of
from execution.targeting.search import SAME_PICTURE, peaks
from execution.types import Box, ElementRole, Point

_LEAST_PICTURE, _MOST_PICTURES = 0.75, 4  # of correlation; places at each size
_SIZES = (1.0, 0.8, 0.9, 1.1, 1.25, 1.5, 2 / 3)  # where nothing tells how large things are drawn
_SAME = 0.6  # of both boxes
_WHOLE = frozenset({ElementRole.BUTTON, ElementRole.MENU_ITEM, ElementRole.TAB})  # by their caption
_AS_LONG = 0.2  # of the length: what is as long is clicked as far from its middle


class By(StrEnum):
    """What proposed a place."""

    THING = "thing"
    WORDS = "words"
    PICTURE = "picture"
    POINTED = "pointed"
    PLACE = "place"
    NUMBER = "number"
    REMEMBERED = "remembered"


@dataclass(slots=True, eq=False)
class Candidate:
    """What stands at a place, who proposed it, and where to click. `said` is how far it reads as the target does;
    `in_sight` the part of it that something leaves uncovered, None where nothing is known to lie over it."""

    thing: Thing
    by: set[By]
    point: Point
    said: Alike = Alike.NO
    in_sight: Box | None = None

    @property
    def box(self) -> Box:
        return self.thing.box


def candidates_of(context: Context, votes: np.ndarray, remembered: Box | None = None) -> list[Candidate]:
    """The candidates within the searched area, each thing once."""
    things = [thing for thing in context.scene.things if context.as_list or not _holds_others(thing, context)]
    if context.target.role == ElementRole.FIELD:  # its arrow and its value are no place of their own
        fields = [thing.box for thing in things if thing.kind == ElementRole.FIELD]
        things = [one for one in things if not any(_lies_in(one.box, field) for field in fields)]
    found = [Candidate(thing, {By.THING}, point_on(thing, context)) for thing in things]
    found += _read(found, context)
    whole = Box(0, 0, *context.state.frame.size)
    is_read = any(one.said >= Alike.LETTERS for one in found)
    for box, by in (*_places(context, votes, remembered), *_pictures(context, is_read)):
        box = box.intersection(whole)
        known = [one for one in found if one.box.iou(box) > _SAME]
        for one in known:
            one.by.add(by)
        if not known and box.area:
            words = tuple(context.scene.words[i] for i in context.scene.words_in(box))
            thing = Thing(box, context.target.role or "picture", Source.PLACE, words, 0.3)
            found.append(Candidate(thing, {by}, point_in(box, context.target.click), _said(thing, context)))
    return [one for one in found if context.area.contains(one.box.center)]


def _lies_in(box: Box, field: Box) -> bool:
    return field.area > box.area and field.contains(box.center) and field.intersection(box).area > _SAME * box.area


def _holds_others(thing: Thing, context: Context) -> bool:
    """Whether it is a frame around several things, as none is ever taught."""
    is_frame = thing.source in (Source.FRAME, Source.BAND) and len(thing.words) > 1
    return is_frame and holds_several(thing.box, context.state)


def wanted_text(context: Context) -> str:
    """What the target reads in this run, as far as that tells it; one letter is as likely a picture."""
    if not context.has_own_text or context.wanted.problem:
        return ""
    text = context.wanted.text
    if context.is_variable:
        return text
    text = core(text)
    return text if len(text.replace(" ", "")) > 1 or text.isdigit() else ""


def _read(found: Sequence[Candidate], context: Context) -> list[Candidate]:
    """Tells all how far they read as the target does; the words that do and are no thing of their own."""
    text = wanted_text(context)
    if not text or not context.text_was_read:
        return []
    owners = {frozenset(map(id, one.thing.words)): one for one in reversed(found) if one.thing.words}
    for one in found:
        one.said = _said(one.thing, context)
    captions = {id(word) for one in found if _is_caption(one.thing) for word in one.thing.words}
    others = []
    for level, words in runs_of(text, context.scene):
        if (owner := owners.get(frozenset(map(id, words)))) is not None:
            owner.said = max(owner.said, level)
            continue
        if not context.is_variable and all(id(word) in captions for word in words):
            continue  # a button is clicked as a whole, and says what all of it says
        thing = _of_words(words)
        others.append(Candidate(thing, {By.WORDS}, point_on(thing, context), level))
    return others


def _said(thing: Thing, context: Context) -> Alike:
    """How far it reads as the target does."""
    text, said = wanted_text(context), thing.text
    if not text or not context.text_was_read:
        return Alike.NO
    if thing.kind == ElementRole.MENU_ITEM and text == without_shortcut(text):
        said = without_shortcut(said) or said
    return max(alike(text, said), alike(text, core(said)) if not context.is_variable else Alike.NO)


def _is_caption(thing: Thing) -> bool:
    return thing.source is Source.ELEMENT and thing.kind in _WHOLE and thing.is_one_line


def _of_words(words: tuple[PlacedWord, ...]) -> Thing:
    """A run of words; where it is wrapped, its caption is the longer part, which is clicked."""
    thing = Thing(union(word.box for word in words), "text", Source.TEXT, words, 0.5)
    above = [word.box for word in words if word.box.y == words[0].box.y]
    below = [word.box for word in words if word.box.y != words[0].box.y]
    if below:
        thing.caption = max(union(above), union(below), key=lambda box: box.w)
    return thing


def point_on(thing: Thing, context: Context) -> Point:
    """Where to click: the same part of it that was clicked when it was taught."""
    target, own, box = context.target, context.taught, thing.box
    if context.is_variable and thing.caption is not None and thing.picture is None:
        return thing.caption.center
    if not own.area:
        return box.center
    clicked = (own.x + target.click[0] * own.w, own.y + target.click[1] * own.h)
    if target.caption is not None and thing.caption is not None:
        x, y, w, h = target.caption
        part = Box(own.x + round(x * own.w), own.y + round(y * own.h), round(w * own.w), round(h * own.h))
        if part.area and part.contains(Point(round(clicked[0]), round(clicked[1]))):
            own, box = part, thing.caption
    return Point(_along(clicked[0], own.x, own.w, box.x, box.w), _along(clicked[1], own.y, own.h, box.y, box.h))


def as_taught(thing: Thing, context: Context) -> Box | None:
    """What was taught, around the words of a thing that lie where they lay in it; None where that is the thing itself,
    or nobody knows."""
    own, part = context.taught, context.target.caption
    if part is None or thing.caption is None or not own.area or context.is_variable or len(context.scales) > 1:
        return None
    x, y = round(thing.caption.x - part[0] * own.w), round(thing.caption.y - part[1] * own.h)
    return None if thing.box.iou(box := Box(x, y, own.w, own.h)) > _SAME else box


def _along(clicked: float, start: int, length: int, now: int, size: int) -> int:
    """As far from the middle where it is about as long as it was, else in proportion."""
    if abs(length - size) < _AS_LONG * length:
        at = now + size / 2 + clicked - start - length / 2
    else:
        at = now + size * min(1.0, max(0.0, (clicked - start) / max(1, length)))
    return int(min(now + size - 1, max(now, at)))


def _places(context: Context, votes: np.ndarray, remembered: Box | None) -> Iterator[tuple[Box, By]]:
    """Where it was, and where the neighbours point."""
    if remembered is not None:
        yield remembered, By.REMEMBERED
    if (numbered := context.wanted_number.place) is not None:
        yield numbered, By.NUMBER
    taught, scale = context.taught, context.scales[0]
    if context.is_variable or not taught.area:
        return
    wide, high = round(taught.w * scale), round(taught.h * scale)
    for place in context.taught_places()[:1]:
        yield Box(place.center.x - wide // 2, place.center.y - high // 2, wide, high), By.PLACE
    for x, y in pointed_at(context, votes, alone=not wanted_text(context)):
        yield Box(round(x - wide / 2), round(y - high / 2), wide, high), By.POINTED


def _pictures(context: Context, is_read: bool) -> Iterator[tuple[Box, By]]:
    """Where the taught picture fits; in other sizes only where it is not there in its own, and its text is not read."""
    if context.is_variable:
        return
    sizes = context.scales if len(context.scales) > 1 else _SIZES
    for size in sizes:
        if (template := context.template_at(size)) is not None:
            found = peaks(context.grey, template.whole, minimum=_LEAST_PICTURE, region=context.area, rough=True)
            yield from ((peak.box, By.PICTURE) for peak in found[:_MOST_PICTURES])
            if is_read or (found and found[0].correlation >= SAME_PICTURE):
                return


def one_place(found: Sequence[Candidate], like: np.ndarray) -> np.ndarray:
    """Which candidates are one place: (n, n), bool. What lies within a control is no rival of it; `like` are those of
    the target's shape."""
    boxes = np.array([one.box for one in found], float).reshape(-1, 4)
    points = np.array([one.point for one in found], float).reshape(-1, 2)
    within = (points[None] >= boxes[:, None, :2] - 2) & (points[None] <= boxes[:, None, :2] + boxes[:, None, 2:] + 2)
    inside = within.all(axis=2)
    apart = np.abs(points[:, None] - points[None])
    close = (apart[:, :, 0] < 8) & (apart[:, :, 1] < 6)
    close |= (inside & like[:, None]) | (inside & like[:, None]).T
    area = boxes[:, 2] * boxes[:, 3]
    small = area[:, None] < 4 * area[None, :]
    return np.asarray(close | (inside & inside.T) | (inside & small) | (inside.T & small.T))
