"""Areas that a person drew on a node's picture: what is read there must be there, nothing may be, or nothing matters.

They were drawn on the whole screen; where the taught window and the present one are known they go with the window.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from execution.matching.declared import ABSENT
from execution.matching.references import Reading, Reference
from execution.types import Box, Element, Reason, ScreenState, Size, TextLine, Window
from sentences.said import say
from workflows.choices import RegionKind
from workflows.graph import NodeSpec, NormBox

_LEAST_LETTERS = 2  # a lone sign is a speck, or an icon


def boxes_of(node: NodeSpec, kind: RegionKind) -> tuple[NormBox, ...]:
    return tuple(region.box for region in node.regions if region.kind == kind)


def placed(boxes: Iterable[NormBox], *, size: Size, window: Window | None, taught: Reference | None) -> list[Box]:
    """The areas in pixels of a screen of that size; moved with its window where both windows are known."""
    found = [Box.from_normalised(box, size) for box in boxes]
    was = taught.window.box if taught and taught.window else None
    now = window.box if window else None
    if was is None or now is None or taught is None or taught.reading is None or not (was.w and was.h):
        return found
    drawn = [Box.from_normalised(box, taught.reading.size) for box in boxes]
    across, down = now.w / was.w, now.h / was.h
    return [
        Box(
            round(now.x + (box.x - was.x) * across), round(now.y + (box.y - was.y) * down),
            round(box.w * across), round(box.h * down),
        )
        for box in drawn
    ]  # fmt: skip


def outside(things: Iterable[TextLine | Element], areas: Iterable[Box]) -> list[TextLine | Element]:
    """Those whose middle lies in none of the areas."""
    areas = list(areas)
    return [thing for thing in things if not any(area.contains(thing.box.center) for area in areas)]


def taught_without(reference: Reference, ignored: tuple[NormBox, ...]) -> Reference:
    """The reference, and its further looks, without what was read in areas that do not matter."""
    if not ignored:
        return reference
    looks = tuple(taught_without(look, ignored) for look in reference.looks)
    if reference.reading is None:
        return replace(reference, looks=looks, ignored=ignored)
    reading = reference.reading
    areas = [Box.from_normalised(box, reading.size) for box in ignored]
    return replace(reference, reading=_left(reading, areas), looks=looks, ignored=ignored)


def _left(reading: Reading, areas: list[Box]) -> Reading:
    texts = tuple(one for one in outside(reading.texts, areas) if isinstance(one, TextLine))
    elements = tuple(one for one in outside(reading.elements, areas) if isinstance(one, Element))
    return replace(reading, texts=texts, elements=elements)


def must_texts(node: NodeSpec, reference: Reference | None) -> tuple[str, ...]:
    """What the node's picture reads in areas that must be there."""
    must = boxes_of(node, RegionKind.MUST)
    if not must or reference is None or reference.reading is None:
        return ()
    areas = [Box.from_normalised(box, reference.reading.size) for box in must]
    lines = [line.text.strip() for line in reference.reading.texts if any(a.contains(line.box.center) for a in areas)]
    return tuple(text for text in lines if text)


def forbidden(node: NodeSpec, reference: Reference | None, state: ScreenState) -> Reason | None:
    """What stands in an area in which nothing may be read; None where nothing does, or nothing was read at all."""
    empty = boxes_of(node, RegionKind.MUST_NOT)
    if not empty or not state.text_method:
        return None
    areas = placed(empty, size=state.frame.size, window=state.window, taught=reference)
    for line in state.texts:
        if any(area.contains(line.box.center) for area in areas) and len(line.text.strip()) >= _LEAST_LETTERS:
            return Reason(sign=ABSENT, score=0.0, note=say("matching.area_not_empty", text=line.text.strip()))
    return None
