"""The things of a scene drawn over its picture, for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from execution.perception.scene.thing import Source, Thing
from execution.types import Box

_LARGER = 2  # times the picture, so that what is written beside a thing can be read
_SIZE, _LONGEST = 12, 32  # pixels; letters
_COLOURS = {
    Source.ELEMENT: "#c92a2a",
    Source.FRAME: "#2b8a3e",
    Source.INK: "#9c36b5",
    Source.TEXT: "#1864ab",
    Source.VALUE: "#0b7285",
    Source.BAND: "#6b7480",
}


def painted(pixels: np.ndarray, things: Sequence[Thing]) -> np.ndarray:
    """A larger copy of a BGR picture: each thing framed in the colour of its source, with number, kind and words."""
    large = cv2.resize(pixels, None, fx=_LARGER, fy=_LARGER, interpolation=cv2.INTER_CUBIC)
    image = Image.fromarray(cv2.cvtColor(large, cv2.COLOR_BGR2RGB))
    pen = ImageDraw.Draw(image)
    frames = [Box(*(_LARGER * side for side in thing.box)) for thing in things]
    for thing, box in zip(things, frames, strict=True):
        pen.rectangle((box.x, box.y, box.right - 1, box.bottom - 1), outline=_COLOURS[thing.source], width=2)
    tags = list[Box]()
    for number, (thing, box) in enumerate(zip(things, frames, strict=True), 1):
        what = thing.kind if thing.kind == thing.source else f"{thing.kind} · {thing.source}"
        said = f"{number} {what} {thing.text}".strip()
        said = said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"
        tag = _free_place(box, int(pen.textlength(said, font(_SIZE))) + 6, Box(0, 0, *image.size), tags)
        tags.append(tag)
        pen.rectangle((tag.x, tag.y, tag.right - 1, tag.bottom - 1), fill=_COLOURS[thing.source])
        pen.text((tag.x + 3, tag.y + 1), said, font=font(_SIZE), fill="white")
    return np.asarray(cv2.cvtColor(np.asarray(image), cv2.COLOR_RGB2BGR))


def _free_place(box: Box, width: int, whole: Box, tags: Iterable[Box]) -> Box:
    """Where a tag covers no other: over its thing, under it or at a side; over it where there is no such place."""
    height = _SIZE + 4
    places = [
        Box(min(max(0, x), whole.w - width), min(max(0, y), whole.h - height), width, height)
        for x, y in (
            (box.x, box.y - height),
            (box.x, box.bottom),
            (box.right - width, box.y - height),
            (box.right, box.y),
            (box.x - width, box.y),
            (box.x, box.y),
        )
    ]
    return next((p for p in places if not any(p.intersection(tag).area for tag in tags)), places[0])


@lru_cache(maxsize=32)
def font(size: int, *, bold: bool = False) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """DejaVu Sans where the system has it, else the font that Pillow brings."""
    try:
        return ImageFont.truetype("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf", size)
    except OSError:
        return ImageFont.load_default(size)
