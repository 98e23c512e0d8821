"""Where the text of a drawn widget stands, as a reader of the picture would find it."""

from __future__ import annotations

from execution.types import Box
from tests.doubles.widgets import Banner, Button, Widget, font


def text_box(widget: Widget, text: str) -> Box:
    box = widget.box
    if not box.w:
        return Box(box.x, box.y, 12 * len(text), 24)
    if not isinstance(widget, (Banner, Button)):
        return box
    wide = min(round(font(15, bold=isinstance(widget, Banner)).getlength(text)) + 4, box.w)
    left = box.x + 12 if isinstance(widget, Banner) else box.center.x - wide // 2
    return Box(left, box.center.y - 10, wide, 20)
