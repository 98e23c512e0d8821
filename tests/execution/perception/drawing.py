"""Screens drawn for tests, with the truth about what is on them, and stand-ins for the outside of perception."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from execution.types import Box, Element, Frame, ScreenState, TextLine, Window, pixels_digest
from workflows.exceptions import PictureMissing

FONTS = Path("/usr/share/fonts/truetype/dejavu")
LIGHT, DARK, GREY = (245, 245, 245), (24, 24, 28), (150, 150, 150)


@cache
def face_of(font: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(FONTS / f"{font}.ttf"), size)


class Canvas:
    """A screen to draw on; `lines` is the truth of what is written, as a perfect reader would give it."""

    def __init__(self, width: int = 1280, height: int = 800, *, background: tuple[int, int, int] = LIGHT) -> None:
        self.image = Image.new("RGB", (width, height), background)
        self.draw = ImageDraw.Draw(self.image)
        self.ink = DARK if sum(background) > 380 else LIGHT
        self.lines: list[TextLine] = []

    def text(
        self, text: str, x: int, y: int, *, size: int = 13, font: str = "DejaVuSans", ink: tuple[int, ...] | None = None
    ) -> Box:
        """Write at the top left corner; gives the box of the ink."""
        face = face_of(font, size)
        left, top, right, bottom = (int(v) for v in self.draw.textbbox((x, y), text, font=face))
        self.draw.text((x, y), text, font=face, fill=ink or self.ink)
        box = Box(left, top, right - left, bottom - top)
        self.lines.append(TextLine(text=text, box=box))
        return box

    def button(self, text: str, box: Box, *, ink: tuple[int, ...] | None = None) -> Box:
        """A framed control with its text in the middle."""
        self.draw.rectangle((box.x, box.y, box.right - 1, box.bottom - 1), fill=(228, 228, 228), outline=GREY)
        face = face_of("DejaVuSans", 13)
        width = int(self.draw.textlength(text, font=face))
        self.text(text, box.x + (box.w - width) // 2, box.y + (box.h - 16) // 2, ink=ink or DARK)
        return box

    def field(self, box: Box, text: str = "") -> Box:
        self.draw.rectangle((box.x, box.y, box.right - 1, box.bottom - 1), fill=(255, 255, 255), outline=GREY)
        if text:
            self.text(text, box.x + 8, box.y + (box.h - 16) // 2, ink=DARK)
        return box

    def icon(self, x: int, y: int, *, seed: int = 0) -> Box:
        """A small picture unlike any text; the same seed draws the same one."""
        random = np.random.default_rng(seed)
        for _ in range(6):
            a, b, c, d = (int(v) for v in random.integers(0, 24, 4))
            colour = tuple(int(v) for v in random.integers(0, 200, 3))
            self.draw.rectangle((x + min(a, b), y + min(c, d), x + max(a, b), y + max(c, d)), outline=colour, width=2)
        return Box(x, y, 24, 24)

    @property
    def pixels(self) -> np.ndarray:
        return cv2.cvtColor(np.asarray(self.image), cv2.COLOR_RGB2BGR)

    def state(self, *, window: Window | None = None, elements: Sequence[Element] = ()) -> ScreenState:
        """What a perfect reader makes of it."""
        return ScreenState(
            frame=frame(self.pixels),
            window=window,
            texts=tuple(self.lines),
            elements=tuple(elements),
            text_method="truth",
        )


def frame(pixels: np.ndarray) -> Frame:
    return Frame(pixels=pixels, taken_at=datetime(2026, 1, 1, tzinfo=UTC), digest=pixels_digest(pixels))


class Pictures(dict[str, np.ndarray]):
    """A picture store in memory."""

    def put(self, pixels: np.ndarray) -> str:
        digest = pixels_digest(pixels)
        self[digest] = pixels
        return digest

    def load(self, digest: str) -> np.ndarray:
        try:
            return self[digest]
        except KeyError:
            raise PictureMissing(f"no picture {digest}") from None


class ListReader:
    """Reads the lines it was given for a picture, and keeps what it was asked for."""

    name = "list"

    def __init__(self, known: Mapping[str, Sequence[TextLine]]) -> None:
        self.known = dict(known)
        self.asked: list[Box | None] = []

    def read(self, pixels: np.ndarray, region: Box | None = None) -> tuple[TextLine, ...]:
        self.asked.append(region)
        lines = self.known[pixels_digest(pixels)]
        return tuple(line for line in lines if region is None or region.intersection(line.box).area)
