"""A step's screen as it was kept: its texts and elements, and its pixels where the picture is still there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from execution.models import Step
from execution.perception.pictures import PictureSource
from execution.types import Box, Element, ElementRole, ElementState, Frame, ScreenState, Size, TextLine, Window
from workflows.exceptions import PictureError


def size_of(screen: Any) -> Size | None:
    """Of a screen that was kept, in pixels."""
    sides = list(((screen or {}).get("window") or {}).get("screen_resolution") or ())
    return Size(int(sides[0]), int(sides[1])) if len(sides) == 2 else None


def title_of(screen: Any) -> str:
    """The title of the window on a screen that was kept."""
    return str(((screen or {}).get("window") or {}).get("window_title") or "")


def frame_of(step: Step, pictures: PictureSource) -> Frame | None:
    """The picture before the step; None where it is gone."""
    if not step.picture_before:
        return None
    try:
        return Frame(pixels=pictures.load(step.picture_before), taken_at=step.started_at, digest=step.picture_before)
    except PictureError:
        return None


def window_of(screen: Any, size: Size) -> Window | None:
    """The window that was in front, where its title or its program was known."""
    kept = (screen or {}).get("window") or {}
    title, name, box = str(kept.get("window_title") or ""), str(kept.get("app_name") or ""), kept.get("box")
    if not title and not name:
        return None
    return Window(title=title, app_name=name, box=Box.from_normalised(tuple(box), size) if box else None)


def state_of(step: Step, frame: Frame | None = None) -> ScreenState | None:
    """The screen as it was read then, on its pixels or, without, on none; None where its size is not known."""
    size, perception = size_of(step.screen), (step.screen or {}).get("perception") or {}
    if size is None:
        return None
    if frame is None:
        nothing = np.broadcast_to(np.zeros(3, np.uint8), (size.height, size.width, 3))
        frame = Frame(pixels=nothing, taken_at=step.started_at)
    lines = zip(perception.get("detected_text") or (), perception.get("text_boxes") or (), strict=False)
    return ScreenState(
        frame=frame,
        window=window_of(step.screen, size),
        texts=tuple(TextLine(text=text, box=Box.from_normalised(tuple(box), size)) for text, box in lines),
        elements=tuple(_elements(step.screen.get("ui_elements") or (), size)),
        text_method=str(perception.get("text_detection_method") or ""),
    )


def _elements(kept: Sequence[Mapping[str, Any]], size: Size) -> Iterator[Element]:
    for one in kept:
        yield Element(
            box=Box.from_normalised(tuple(one["box"]), size),
            role=ElementRole(one["role"]),
            text=str(one.get("text") or ""),
            confidence=float(one.get("confidence") or 0),
            states=frozenset(ElementState(state) for state in one.get("states") or ()),
            label=str(one.get("label") or ""),
        )
