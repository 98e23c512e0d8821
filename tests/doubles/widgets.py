"""What a scripted screen is made of, and how it is drawn: plain interface text that an OCR engine can read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from execution.perception.scene.painting import font
from execution.types import Box, Point, Size

if TYPE_CHECKING:
    from PIL import ImageDraw

Color = tuple[int, int, int]

BACKGROUND: Color = (242, 243, 246)
SURFACE: Color = (255, 255, 255)
TEXT: Color = (30, 34, 40)
MUTED: Color = (96, 104, 116)
BORDER: Color = (168, 176, 188)
ACCENT: Color = (32, 96, 196)
TITLE_BAR_HEIGHT = 34


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLabel:
    """Text at a place; `{name}` in it is replaced by what the world remembers under that name."""

    text: str
    at: Point
    name: str = ""
    size: int = 15
    bold: bool = False
    color: Color = TEXT

    @property
    def box(self) -> Box:
        return Box(*self.at, 0, 0)  # nothing to click on


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    name: str
    box: Box
    text: str = ""
    primary: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A place to type; what was typed is remembered under its name. `lines` > 1: Return starts a new line."""

    name: str
    box: Box
    label: str = ""
    secret: bool = False
    lines: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A line of a table; clicking anywhere on it counts. `widths` are the columns' widths in pixels."""

    name: str
    box: Box
    cells: tuple[str, ...]
    widths: tuple[int, ...]
    header: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Banner:
    text: str
    box: Box
    name: str = ""
    color: Color = (214, 240, 220)


Widget = TextLabel | Button | Field | TableRow | Banner


@dataclass(frozen=True, slots=True, kw_only=True)
class Goto:
    """Another screen (or the same one, by an empty name), and what the world remembers on the way."""

    screen: str = ""
    remember: Mapping[str, str] = field(default_factory=dict)


# Where an input leads: a screen's name, more than that, or a function of what the world remembers.
Effect = str | Goto | Callable[[Mapping[str, str]], "str | Goto | None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedScreen:
    """`on` says where inputs lead: "widget name" (click), "double:widget name", "right:widget name", "key:ctrl+s"."""

    name: str
    title: str
    widgets: Sequence[Widget] = ()
    on: Mapping[str, Effect] = field(default_factory=dict)
    app_name: str = "Scripted"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """All that decides how a screen looks."""

    screen: ScriptedScreen
    memory: Mapping[str, str]
    focus: str = ""
    caret: bool = True


def draw(view: View, *, size: Size) -> np.ndarray:
    """The screen's pixels (BGR)."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", size, BACKGROUND)
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, size.width, TITLE_BAR_HEIGHT), fill=(54, 62, 76))
    pen.text((14, 8), view.screen.title.format_map(Known(view.memory)), font=font(15), fill=(255, 255, 255))
    for widget in view.screen.widgets:
        _DRAWERS[type(widget)](pen, widget, view)
    return np.ascontiguousarray(np.asarray(image)[:, :, ::-1])


def hit(screen: ScriptedScreen, point: Point) -> str | None:
    """The name of the topmost widget at that place."""
    return next((widget.name for widget in reversed(screen.widgets) if widget.box.contains(point)), None)


class Known(dict[str, str]):
    """For texts with names in braces: a name that is not remembered is empty."""

    def __missing__(self, key: str) -> str:
        return ""


def _draw_label(pen: ImageDraw.ImageDraw, label: TextLabel, view: View) -> None:
    text = label.text.format_map(Known(view.memory))
    pen.multiline_text(label.at, text, font=font(label.size, bold=label.bold), fill=label.color, spacing=6)


def _draw_button(pen: ImageDraw.ImageDraw, button: Button, view: View) -> None:
    fill, ink = (ACCENT, SURFACE) if button.primary else ((226, 230, 236), TEXT)
    pen.rounded_rectangle(_corners(button.box), radius=5, fill=fill, outline=BORDER)
    pen.text(button.box.center, button.text or button.name, font=font(15), fill=ink, anchor="mm")


def _draw_field(pen: ImageDraw.ImageDraw, entry: Field, view: View) -> None:
    box = entry.box
    focused = view.focus == entry.name
    if entry.label:
        pen.text((box.x, box.y - 22), entry.label, font=font(14), fill=MUTED)
    pen.rectangle(_corners(box), fill=SURFACE, outline=ACCENT if focused else BORDER)
    value = view.memory.get(entry.name, "")
    lines = ("•" * len(value) if entry.secret else value).split("\n")
    for number, line in enumerate(lines):
        pen.text((box.x + 8, box.y + 8 + 21 * number), line, font=font(15), fill=TEXT)
    if focused and view.caret:
        x = box.x + 9 + int(font(15).getlength(lines[-1]))
        y = box.y + 7 + 21 * (len(lines) - 1)
        pen.line((x, y, x, y + 18), fill=TEXT)


def _draw_row(pen: ImageDraw.ImageDraw, row: TableRow, view: View) -> None:
    pen.rectangle(_corners(row.box), fill=(230, 233, 239) if row.header else SURFACE, outline=(214, 218, 226))
    x = row.box.x + 10
    for cell, width in zip(row.cells, row.widths, strict=True):
        text = cell.format_map(Known(view.memory))
        pen.text((x, row.box.center.y), text, font=font(15, bold=row.header), fill=TEXT, anchor="lm")
        x += width


def _draw_banner(pen: ImageDraw.ImageDraw, banner: Banner, view: View) -> None:
    pen.rectangle(_corners(banner.box), fill=banner.color, outline=BORDER)
    text = banner.text.format_map(Known(view.memory))
    pen.text((banner.box.x + 14, banner.box.center.y), text, font=font(15, bold=True), fill=TEXT, anchor="lm")


def _corners(box: Box) -> tuple[int, int, int, int]:
    return (box.x, box.y, box.right - 1, box.bottom - 1)


_DRAWERS: dict[type, Callable[[Any, Any, View], None]] = {
    TextLabel: _draw_label,
    Button: _draw_button,
    Field: _draw_field,
    TableRow: _draw_row,
    Banner: _draw_banner,
}
