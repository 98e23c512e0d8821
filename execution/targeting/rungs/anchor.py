"""The taught picture: near where it should be, then on things of its size, then in all of its window (S5.3)."""

from __future__ import annotations

from collections.abc import Iterator

from execution.language.screen_texts import wanted
from execution.targeting.choice import choose, same_thing
from execution.targeting.context import ANCHOR, Context
from execution.targeting.examination import signs_of
from execution.targeting.looks import look_at, scaled_template
from execution.targeting.picture_fit import PictureFit
from execution.targeting.search import peaks, usable
from execution.targeting.signs import Signs
from execution.types import Box, Element, ResolveStatus, RungResult
from sentences.said import say

_NEAR, _POINTED_AT = 24, 14  # pixels around a place
_PROPOSED = 0.5  # of the picture's score: less is not worth a closer look
_LEAST = 0.8  # of correlation, in the search of all of the window
_MOST_ELEMENTS = 80
_MOST_POINTERS = 3  # sightings of one neighbour that are believed to point at the target
_AS_HIGH, _AS_WIDE = 0.3, 0.4
_MOST_LOOKS = 12
_MOST_ROWS = 4
_SIZES = (1.0, 1.25, 0.8, 1.5, 2 / 3, 1.1, 0.9)  # where nothing tells how large things are drawn


def find(context: Context) -> RungResult:
    """Where the taught picture is, unique among its like; at any of the sizes that screens are drawn at."""
    template = context.template
    if template is None:
        status = ResolveStatus.NOT_FOUND if context.target.picture else ResolveStatus.NOT_NEEDED
        return RungResult(rung=ANCHOR, status=status, note=context.template_problem)
    if problem := usable(template):
        return RungResult(rung=ANCHOR, status=ResolveStatus.NOT_FOUND, note=problem)
    on_elements = list(_on_elements(context))
    looks = _sure([*_near(context), *on_elements, *_in_row(context)])
    # what is not seen as an element has twins that are not seen as such either
    if not any(look.score >= context.threshold for look in on_elements):
        looks = _sure([*looks, *_everywhere(context)])
    signs = [signs_of(look.box, context, scale=_odd(look, context)) for look in _different(looks, context)]
    if not context.has_own_text or context.target.row:
        signs += _of_its_kind(context)
    return choose(ANCHOR, signs, context, nothing=say("targeting.nothing_alike"))


def _sure(looks: list[PictureFit]) -> list[PictureFit]:
    return sorted((look for look in looks if look.score >= _PROPOSED / 2), key=lambda look: -look.score)


def _odd(look: PictureFit, context: Context) -> float | None:
    """The size of what was found at none of the likely ones; None for those."""
    return None if look.scale in context.scales else look.scale


def _different(looks: list[PictureFit], context: Context) -> list[PictureFit]:
    """One look for each thing, the most alike first; of a wanted row only what is in it, where anything is."""
    kept: list[PictureFit] = []
    for look in looks:
        if not any(same_thing(look.box, other.box) for other in kept):
            kept.append(look)
    if context.target.row:
        kept = [look for look in kept if signs_of(look.box, context).in_row] or kept[:1]
    return kept[:_MOST_LOOKS]


def _of_its_kind(context: Context) -> list[Signs]:
    """Controls of the target's kind and height, as wide as they may be now, in its row or among its neighbours."""
    if context.target.row:
        return [s for box in context.peers if (s := signs_of(box, context)).in_row]
    role, heights = context.target.role, [context.taught.h * scale for scale in context.scales]
    fitting = [
        e.box
        for e in context.controls
        if role and e.role == role and any(abs(e.box.h / max(1.0, h) - 1) <= _AS_HIGH for h in heights)
    ]
    signs = sorted((signs_of(box, context) for box in fitting[:_MOST_ELEMENTS]), key=lambda s: -(s.standing or 0.0))
    return [s for s in signs[:3] if (s.standing or 0.0) >= _PROPOSED]


def _near(context: Context) -> Iterator[PictureFit]:
    """Where it was taught, and where its neighbours and its label point."""
    for scale in context.scales:
        for place in context.taught_places():
            look = look_at(place, context, scale=scale, reach=_NEAR)
            if look:
                yield look
        for place in _pointed_at(context, scale):
            look = look_at(place, context, scale=scale, reach=_POINTED_AT)
            if look:
                yield look


def _in_row(context: Context) -> Iterator[PictureFit]:
    """All along the line of each text of the wanted row."""
    places = {box for boxes in context.wanted_row.places for box in boxes} if context.target.row else set()
    for scale in context.scales:
        template = scaled_template(context, scale)
        if template is None:
            continue
        for text in sorted(places)[:_MOST_ROWS]:
            half = max(text.h, round(template.shape[0] * 0.8))
            strip = Box(context.area.x, text.center.y - half, context.area.w, 2 * half).intersection(context.area)
            for peak in peaks(context.grey, template, minimum=_LEAST, region=strip):
                look = look_at(peak.box, context, scale=scale)
                if look:
                    yield look


def _pointed_at(context: Context, scale: float) -> list[Box]:
    """The places that are to each neighbour as the target was."""
    taught, target, places = context.taught, context.target, list[Box]()
    pointers = [n for n in (target.named_by, *target.neighbours) if n is not None]
    for neighbour in pointers:
        if target.row and not wanted(neighbour.text, {}).problem:
            continue
        middles = context.neighbour_boxes(neighbour)
        if 0 < len(middles) <= _MOST_POINTERS:
            for x, y in middles:
                centre_x, centre_y = x - neighbour.dx * scale, y - neighbour.dy * scale
                places.append(Box(round(centre_x - taught.w / 2), round(centre_y - taught.h / 2), taught.w, taught.h))
    return _apart(places)


def _apart(places: list[Box]) -> list[Box]:
    kept: list[Box] = []
    for place in places:
        near = (abs(place.x - k.x) <= _POINTED_AT and abs(place.y - k.y) <= _POINTED_AT // 2 for k in kept)
        if not any(near):
            kept.append(place)
    return kept


def _on_elements(context: Context) -> Iterator[PictureFit]:
    """What is of the target's size; all of it, so that twins show up."""
    for scale in context.scales:
        fitting = [e for e in context.state.elements if _fits(e, scale, context)]
        for element in fitting[:_MOST_ELEMENTS]:
            look = look_at(element.box, context, scale=scale)
            if look:
                yield look


def _fits(element: Element, scale: float, context: Context) -> bool:
    box, taught = element.box, context.taught
    if not taught.area or not context.area.contains(box.center):
        return False
    if context.has_own_text and element.text:  # what reads otherwise is another; what reads so is the text's to find
        return False
    return abs(box.h / (taught.h * scale) - 1) <= _AS_HIGH and abs(box.w / (taught.w * scale) - 1) <= _AS_WIDE


def _everywhere(context: Context) -> Iterator[PictureFit]:
    """All of the window, at the likely sizes; at every size only where nothing else says how large things are."""
    if context.has_own_text and context.text_was_read:
        return  # its text is nowhere, or the text's rung has it: a picture without its text would be refused
    sizes = context.scales if len(context.scales) > 1 or context.state.elements else _SIZES
    for scale in sizes:
        template = scaled_template(context, scale)
        if template is None:
            continue
        found = peaks(context.grey, template, minimum=_LEAST, region=context.area, rough=True)
        looks = [look for p in found if (look := look_at(p.box, context, scale=scale))]
        yield from looks
        if any(look.score >= context.threshold for look in looks):
            return
