"""Areas of a node's picture: what must be read there, must not be, does not matter, or is the lines of a list.

They were drawn on the whole screen; where the taught window and the present one are known they go with the window.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from execution.matching.declared import ABSENT
from execution.matching.references import Reference
from execution.matching.sheet import key_of, outside
from execution.types import Box, ElementRole, Reason, ScreenState, Size, Window
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


def with_areas(reference: Reference, ignored: tuple[NormBox, ...], lists: tuple[NormBox, ...]) -> Reference:
    """The reference, and its further looks, without what was read in areas that do not matter; it knows its lists."""
    if not ignored and not lists:
        return reference
    looks = tuple(with_areas(look, ignored, lists) for look in reference.looks)
    reading = reference.reading
    if reading is not None:
        areas = [Box.from_normalised(box, reading.size) for box in ignored]
        texts, elements = outside(reading.texts, areas), outside(reading.elements, areas)
        reading = replace(reading, texts=texts, elements=elements)
    return replace(reference, reading=reading, looks=looks, ignored=ignored, lists=lists)


def ignored_on(state: ScreenState, reference: Reference) -> tuple[Box, ...]:
    """Where on that screen nothing counts."""
    return tuple(placed(reference.ignored, size=state.frame.size, window=state.window, taught=reference))


def lists_on(state: ScreenState, reference: Reference) -> tuple[Box, ...]:
    """Where the lists stand on that screen: each from where its first line stood down to what stood below its last one,
    however many lines it has today."""
    size, window = state.frame.size, state.window
    lists = placed(reference.lists, size=size, window=window, taught=reference)
    end = window.box.bottom if window and window.box else size.height
    found = []
    for area, drawn in zip(lists, reference.lists, strict=True):
        keys = _below(drawn, reference)
        stops = (t.box.y for t in state.texts if t.box.y > area.y and key_of(t.text) in keys)
        found.append(area._replace(h=max(0, min(stops, default=end) - area.y)))
    return tuple(found)


def shows_no_line(state: ScreenState, reference: Reference) -> bool:
    """Whether nothing is where the lists of a screen stand; False where it has none, or nothing was read."""
    areas = lists_on(state, reference) if state.text_method else ()
    things = [*(t.box for t in state.texts), *(e.box for e in state.elements if e.role is not ElementRole.GROUP)]
    return any(area.area for area in areas) and not any(area.contains(box.center) for area in areas for box in things)


def _below(drawn: NormBox, reference: Reference) -> frozenset[str]:
    """What its picture says below a list and nowhere else."""
    if reference.reading is None:
        return frozenset()
    area = Box.from_normalised(drawn, reference.reading.size)
    below, elsewhere = set[str](), set[str]()
    for line in reference.reading.texts:
        (below if line.box.y >= area.bottom else elsewhere).add(key_of(line.text))
    return frozenset(key for key in below - elsewhere if len(key) >= _LEAST_LETTERS)


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
