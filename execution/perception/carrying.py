"""What is carried over from an earlier look at nearly the same screen: all that lies outside what changed (S2.11)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

from execution.perception.changes import Changes, merged, plan_reading, union
from execution.perception.elements import ElementDetector
from execution.perception.ocr.base import TextReader, in_reading_order, moved
from execution.types import Box, Element, Frame, ScreenState, Size, TextLine

_MOST_AREA = 0.5  # of the screen: beyond, one search of all is as quick
_MOST_REGIONS = 8


@runtime_checkable
class Remembering(Protocol):
    """A reader that remembers what it has read: asked for a whole picture of which little changed, it reads what is
    new and gives what a reading of all would give. It counts the lines that it really read."""

    lines_recognised: int


def read_changed(frame: Frame, reader: TextReader, before: ScreenState | None, changes: Changes | None) -> tuple[
    TextLine, ...
]:  # fmt: skip
    """All lines of the frame. A reader that does not remember is asked for the changed regions only.

    Carrying lines over to where a page was scrolled was tried and is not done: one line in five is not found where
    it was, or is read otherwise, because the detector's map hangs on the picture's own grid.
    """
    if before is None or changes is None or isinstance(reader, Remembering):
        return reader.read(frame.pixels)
    plan = plan_reading(changes, before.texts, frame.size)
    if plan.regions is None:
        return reader.read(frame.pixels)
    read: list[TextLine] = []
    for region in plan.regions:
        lines = _whole_lines(frame, reader, region, plan.kept)
        if lines is None:
            return reader.read(frame.pixels)
        read += lines
    return in_reading_order([*plan.kept, *read])


def _whole_lines(
    frame: Frame, reader: TextReader, region: Box, kept: tuple[TextLine, ...]
) -> tuple[TextLine, ...] | None:
    """The lines in a region; None where one may run on beyond it, so that all must be read."""
    lines = reader.read(frame.pixels, region)
    size = frame.size
    for line in lines:
        cut = (
            (line.box.x <= region.x + 2 and region.x > 0)
            or (line.box.right >= region.right - 2 and region.right < size.width)
            or (line.box.y <= region.y + 1 and region.y > 0)
            or (line.box.bottom >= region.bottom - 1 and region.bottom < size.height)
        )
        if cut or any(line.box.intersection(other.box).area > 0.2 * other.box.area for other in kept):
            return None
    return lines


def detect_changed(
    frame: Frame,
    detector: ElementDetector,
    texts: Sequence[TextLine],
    before: ScreenState | None,
    changes: Changes | None,
) -> tuple[Element, ...]:
    """All elements of the frame. Of a detector that says with `reach` how many pixels around an element it looks at,
    those that lie further from the changed regions are carried over from `before`; any other one is asked for all."""
    reach: int | None = getattr(detector, "reach", None)
    if before is None or changes is None or reach is None:
        return detector.detect(frame.pixels, texts)
    unlike = {line.box for line in {*before.texts} ^ {*texts}}
    regions = _closed(
        [box.grown(reach, frame.size) for box in (*changes.regions, *unlike)], before.elements, reach, frame.size
    )
    if regions is None:
        return detector.detect(frame.pixels, texts)
    kept = [e for e in before.elements if not any(_meet(e.box, region) for region in regions)]
    found: list[Element] = []
    for region in regions:
        new = _elements_in(frame, detector, texts, region, reach)
        if new is None or any(_meet(e.box, other) for e in new for other in regions if other != region):
            return detector.detect(frame.pixels, texts)
        found += new
    return tuple(sorted([*kept, *found], key=lambda e: (e.box.y, e.box.x, e.box.w, e.role)))


def _closed(boxes: Iterable[Box], elements: Sequence[Element], reach: int, size: Size) -> list[Box] | None:
    """The regions, grown until no element lies in one only in part; None where that is most of the screen."""
    regions = merged(boxes)
    while True:
        looked_at = sum(box.grown(reach, size).area for box in regions)
        if len(regions) > _MOST_REGIONS or looked_at > _MOST_AREA * size.width * size.height:
            return None
        out = [
            element.box.grown(reach // 4, size)
            for element in elements
            if any(_meet(element.box, region) and union([element.box, region]) != region for region in regions)
        ]
        if not out:
            return regions
        regions = merged([*regions, *out])


def _elements_in(
    frame: Frame, detector: ElementDetector, texts: Sequence[TextLine], region: Box, reach: int
) -> list[Element] | None:
    """The elements that lie in the region; None where one goes beyond it."""
    around = region.grown(reach, frame.size)
    near = [moved(line, dx=-around.x, dy=-around.y) for line in texts if _meet(line.box, around)]
    found = []
    for element in detector.detect(frame.crop(around), near):
        box = Box(element.box.x + around.x, element.box.y + around.y, element.box.w, element.box.h)
        if not _meet(box, region):
            continue
        if union([box, region]) != region:
            return None
        found.append(replace(element, box=box))
    return found


def _meet(one: Box, other: Box) -> bool:
    return one.intersection(other).area > 0
