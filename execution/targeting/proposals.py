"""Every place that may be the target: all cheap signs propose together, and one thing is proposed once (S5.3)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from execution.language.fuzzy import SEEN
from execution.language.screen_texts import Sighting, wanted
from execution.targeting.boxes import holds_several, same_thing
from execution.targeting.context import Context
from execution.targeting.kinds import same_kind
from execution.targeting.looks import REACH, fit
from execution.targeting.search import peaks
from execution.types import Box, Element

_MOST_SIGHTINGS, _MOST_ELEMENTS, _MOST_POINTERS, _MOST_PICTURES = 24, 40, 6, 12
_MOST_SEEN = 3  # sightings of one neighbour that are believed to point at the target
_POINTED_APART = 14  # pixels
_LEAST_PICTURE = 0.8  # of correlation, in the search of all of the window
_LEAST_EDGES = 0.7  # of theirs, around a text: of the same in another theme (`picture_fit`)
_SIZES = (1.0, 1.25, 0.8, 1.5, 2 / 3, 1.1, 0.9)  # where nothing tells how large things are drawn
_TOO_HIGH, _TOO_WIDE = 0.8, 0.6  # of a logarithm: what differs by more is of another kind
_OTHER_KIND = 0.4  # of it, for what is of another kind
_WIDTH, _KIND = 0.3, 0.5  # what a logarithm of the width, and another kind, count beside one of the height
_HELD = 0.8  # of the text: a control that holds less of it is a part of what was read as one
_AS_HIGH, _AS_WIDE, _AS_WIDE_OF_OTHER = 0.4, 1.0, 0.3
_MOST_HEIGHTS = 5.0  # of what lies within: what is higher holds it beside other things
_DESCRIBED = 8  # pixels
_MUCH_WIDER = 1.6  # than the words
_OFF_CENTRE = 0.25  # of the box: farther from its middle, the text alone does not tell where to click


class Proposer(StrEnum):
    """Which sign proposed a place; the first of those that agree gives the box.

    WORDS are the target's own within a longer line: clicked is where they stand.
    """

    ELEMENT = "element"
    TEXT = "text"
    WORDS = "words"
    PICTURE = "picture"
    REMEMBERED = "remembered"
    PLACE = "place"
    POINTED = "pointed"


_ORDER = tuple(Proposer)


@dataclass(slots=True)
class Proposal:
    """A place, and who proposed it."""

    box: Box
    by: set[Proposer]


def proposals(context: Context, remembered: Box | None = None) -> list[Proposal]:
    """The places within the searched area, each thing once, elements first."""
    whole = Box(0, 0, *context.state.frame.size)
    every = [(box.intersection(whole), by) for box, by in _every(context, remembered)]
    found = [(box, by) for box, by in every if box.area and context.area.contains(box.center)]
    found.sort(key=lambda pair: _ORDER.index(pair[1]))
    about_one = _about_one([box for box, _ in found])
    kept, boxes = list[Proposal](), list[int]()  # `boxes`: which of `found` each that is kept has its box of
    for number, (box, by) in enumerate(found):
        near = ((at, kept[at].box) for at in np.flatnonzero(about_one[number, boxes]).tolist())
        same_as = [n for n, b in near if same_thing(b, box) and not _is_part(box, by, b, context)]
        if not same_as:
            kept.append(Proposal(box, {by}))
            boxes.append(number)
            continue
        at = next((n for n in same_as if kept[n].box.contains(box.center)), same_as[0])
        same = kept[at]
        if by is Proposer.TEXT and same.by == {Proposer.ELEMENT} and _is_no_frame_of(same.box, box, context):
            same.box, boxes[at] = box, number  # what was taught is the text, or both, and is looked at there
        same.by.add(by)
    return kept


def _every(context: Context, remembered: Box | None) -> Iterator[tuple[Box, Proposer]]:
    if remembered is not None:
        yield remembered, Proposer.REMEMBERED
    if (place := context.wanted_number.place) is not None:
        yield click_box(place, context) or place, Proposer.ELEMENT
    sightings = 0
    if context.has_own_text and context.text_was_read and not context.wanted.problem:
        want = context.wanted
        seen = [s for s in context.sightings(want.text, exact=want.exact) if s.score >= SEEN]
        if context.target.row:  # of very many, those in the wanted row come first
            seen.sort(key=lambda s: not context.wanted_row.holds(s.box, context.peers))
        for sighting in seen[:_MOST_SIGHTINGS]:
            if (box := click_box(sighting.box, context)) is not None:
                sightings += 1
                is_part = box == sighting.box and not sighting.whole and _is_beside_others(sighting, context)
                yield box, Proposer.WORDS if is_part else Proposer.TEXT
    for scale in context.scales:
        for place in context.taught_places()[:4]:
            yield _sized(place, context, scale), Proposer.PLACE
        for place in _pointed_at(context, scale)[:_MOST_POINTERS]:
            yield _sized(place, context, scale), Proposer.POINTED
    if context.target.row and not context.wanted_row.problem:
        for box in context.peers:
            if context.wanted_row.holds(box, context.peers):
                yield click_box(box, context) or box, Proposer.ELEMENT
    for element in _of_its_size(context):
        yield element.box, Proposer.ELEMENT
    if not sightings:
        for box in _by_picture(context):
            yield box, Proposer.PICTURE


def _about_one(boxes: Sequence[Box]) -> np.ndarray:
    """Whether two boxes may be of one thing: its text, its frame, a box of the taught size around its middle.

    Shape (boxes, boxes), bool: the middle of the smaller one lies in the larger, which is not many times as high.
    """
    x, y, w, h = np.array(boxes, int).reshape(-1, 4).T
    across, down = x + w // 2 - x[:, None], y + h // 2 - y[:, None]
    holds = (across >= 0) & (across < w[:, None]) & (down >= 0) & (down < h[:, None])
    holds &= h[:, None] <= _MOST_HEIGHTS * h
    area = w * h
    return np.where(area <= area[:, None], holds, holds.T)


def _is_no_frame_of(box: Box, text: Box, context: Context) -> bool:
    """True for what is beside the text, as a box to tick, or so much wider than the target that its middle is not where
    the target's was."""
    wide = bool(context.taught.area) and box.w >= _MUCH_WIDER * context.taught.w * max(context.scales)
    return wide or not box.contains(text.center)


def _is_part(box: Box, by: Proposer, other: Box, context: Context) -> bool:
    """True for the target's words beside others that stand in one control with them."""
    if by not in (Proposer.TEXT, Proposer.WORDS) or other.w < _MUCH_WIDER * box.w:
        return False
    return by is Proposer.WORDS or holds_several(other, context.state)


def _is_beside_others(sighting: Sighting, context: Context) -> bool:
    """True where what holds the words holds more of their line."""
    held = [e.box.intersection(sighting.line.box).w for e in _holding(sighting.box, context)]
    return not held or min(held) >= _MUCH_WIDER * sighting.box.w


def _holding(text: Box, context: Context) -> list[Element]:
    """The controls in which nearly all of a text lies."""
    x, y, w, h = context.control_boxes.T
    wide = np.minimum(x + w, text.right) - np.maximum(x, text.x)
    high = np.minimum(y + h, text.bottom) - np.maximum(y, text.y)
    held = np.where((wide > 0) & (high > 0), wide * high, 0) >= _HELD * text.area
    return [context.controls[i] for i in np.flatnonzero(held).tolist()]


def _sized(place: Box, context: Context, scale: float) -> Box:
    """A box of the target's size, drawn so large, around the middle of the other."""
    if not context.taught.area:
        return place
    width, height = round(context.taught.w * scale), round(context.taught.h * scale)
    return Box(place.center.x - width // 2, place.center.y - height // 2, width, height)


def click_box(line: Box, context: Context) -> Box | None:
    """The control that holds a text, by its taught size; or a box of that size around a text clicked in its middle.

    None where the text does not tell what was clicked beside it.
    """
    taught, click = context.taught, context.target.click
    holding = _holding(line, context)
    if not taught.area:  # nobody has seen it
        return min((e.box for e in holding), key=lambda box: box.area, default=line)
    for scale in context.scales:
        fitting = [e for e in holding if _same_size(e.box, taught, scale, context.target.role == e.role)]
        if fitting:
            return min(fitting, key=lambda e: abs(e.box.h - taught.h * scale) + abs(e.box.w - taught.w * scale)).box
    off = max(abs(click[0] - 0.5), abs(click[1] - 0.5)) > _OFF_CENTRE
    if taught.area <= 2 * line.area:
        return line
    return None if off else _around(line, context, context.scales[0])


def _around(line: Box, context: Context, scale: float) -> Box:
    """Where the taught picture fits around a text of it, which need not stand in its middle; else around that."""
    box, template = _sized(line, context, scale), context.template_at(scale)
    if template is None or context.is_variable:
        return box
    whole = Box(0, 0, *context.state.frame.size)
    reach = Box(line.right - box.w, line.bottom - box.h, 2 * box.w - line.w, 2 * box.h - line.h).intersection(whole)
    found = fit(context.grey, template, reach, scale)
    if found is None or (found.grey < _LEAST_PICTURE and found.edges < _LEAST_EDGES):
        return box
    is_near = max(abs(found.box.x - box.x), abs(found.box.y - box.y)) <= REACH
    return box if is_near else found.box


def _same_size(one: Box, taught: Box, scale: float, same_role: bool) -> bool:
    wide = _AS_WIDE if same_role else _AS_WIDE_OF_OTHER
    return abs(one.h / (taught.h * scale) - 1) <= _AS_HIGH and abs(one.w / (taught.w * scale) - 1) <= wide


def _of_its_size(context: Context) -> list[Element]:
    """The controls most like the target in height, width and kind."""
    taught, role = context.taught, context.target.role
    if not taught.area:
        return []
    fitting: list[tuple[float, int, Element]] = []
    for number, element in enumerate(context.controls):
        high = min(abs(math.log(max(1, element.box.h) / (taught.h * s))) for s in context.scales)
        wide = min(abs(math.log(max(1, element.box.w) / (taught.w * s))) for s in context.scales)
        of_kind = not role or same_kind(role, element.role)
        if high <= _TOO_HIGH and (of_kind or (high <= _OTHER_KIND and wide <= _TOO_WIDE)):
            fitting.append((high + _WIDTH * wide + (0 if of_kind else _KIND), number, element))
    return [element for _, _, element in sorted(fitting)[:_MOST_ELEMENTS]]


def _by_picture(context: Context) -> Iterator[Box]:
    """Where in all of the window the taught picture fits; at every size where nothing says how large things are."""
    sizes = context.scales if len(context.scales) > 1 or context.state.elements else _SIZES
    for scale in sizes:
        template = context.template_at(scale)
        if template is None:
            continue
        found = peaks(context.grey, template.whole, minimum=_LEAST_PICTURE, region=context.area, rough=True)
        yield from (peak.box for peak in found[:_MOST_PICTURES])


def _pointed_at(context: Context, scale: float) -> list[Box]:
    """The places that are to each neighbour, and to the label, as the target was."""
    taught, target, places = context.taught, context.target, list[Box]()
    for neighbour in (n for n in (target.named_by, *target.neighbours) if n is not None):
        if target.row and not wanted(neighbour.text, {}).problem:
            continue
        middles = context.neighbour_boxes(neighbour)
        if len(middles) <= _MOST_SEEN:
            for x, y in middles:
                centre_x, centre_y = x - neighbour.dx * scale, y - neighbour.dy * scale
                places.append(Box(round(centre_x - taught.w / 2), round(centre_y - taught.h / 2), taught.w, taught.h))
    if not taught.area:  # of what is described and was never seen
        places = [_control_at(place, context) for place in places]
    return _apart(places)


def _control_at(place: Box, context: Context) -> Box:
    """The smallest control there, else a little box: so many pixels are as near as a description tells."""
    near = place.grown(_DESCRIBED, context.state.frame.size)
    there = [e.box for e in context.controls if near.intersection(e.box).area]
    return min(there, key=lambda box: box.area) if there else near


def _apart(places: list[Box]) -> list[Box]:
    kept: list[Box] = []
    for place in places:
        near = (abs(place.x - k.x) <= _POINTED_APART and abs(place.y - k.y) <= _POINTED_APART // 2 for k in kept)
        if not any(near):
            kept.append(place)
    return kept
