"""Screen states drawn by hand for the tests of what the loop looks at; nothing is read from the pixels."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from execution.types import Box, Element, ElementRole, Frame, ScreenState, TextLine, Window, pixels_digest

SIZE = (400, 600)  # rows, columns


def frame(*patches: tuple[Box, int], ground: int = 200) -> Frame:
    """Grey, with patches of other greys."""
    pixels = np.full((*SIZE, 3), ground, np.uint8)
    for box, grey in patches:
        pixels[box.y : box.bottom, box.x : box.right] = grey
    return Frame(pixels=pixels, taken_at=datetime(2026, 11, 21, tzinfo=UTC), digest=pixels_digest(pixels))


def line(text: str, x: int, y: int) -> TextLine:
    return TextLine(text=text, box=Box(x, y, 8 * len(text), 14))


def screen(
    *lines: TextLine,
    title: str = "Notes",
    box: Box | None = None,
    patches: Sequence[tuple[Box, int]] = (),
    groups: Sequence[Box] = (),
    method: str = "reader",
) -> ScreenState:
    return ScreenState(
        frame=frame(*patches),
        window=Window(title=title, app_name="notes", box=box or Box(0, 0, 600, 400)),
        texts=tuple(lines),
        elements=tuple(Element(box=group, role=ElementRole.GROUP) for group in groups),
        text_method=method,
    )
