"""A thing on a screen: a control or a free text, once, with its parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from execution.perception.elements.layout import union
from execution.types import Box, ElementState


class PlacedWord(NamedTuple):
    """A word, and where it stands on the screen."""

    text: str
    box: Box


class Source(StrEnum):
    """What saw a thing."""

    ELEMENT = "element"  # the detector
    FRAME = "frame"  # a frame that the detector takes for no control
    INK = "ink"  # ink beside the texts
    TEXT = "text"  # of a line, what is in no control
    VALUE = "value"  # of a line "label: value"
    BAND = "band"  # between two level lines
    PLACE = "place"  # where a thing was looked for and none was seen


@dataclass(slots=True, eq=False)
class Thing:
    """`kind` is a guess: an ElementRole's value, "picture" or "band". `words` are its caption in reading order and
    `caption` their box; where they stand below a picture, `picture` is the box of that. `sure` is how surely it was
    read or seen, 0 to 1."""

    box: Box
    kind: str
    source: Source
    words: tuple[PlacedWord, ...] = ()
    sure: float = 1.0
    states: frozenset[ElementState] = frozenset()
    picture: Box | None = None
    text: str = field(init=False)
    caption: Box | None = field(init=False)

    def __post_init__(self) -> None:
        self.text = " ".join(word.text for word in self.words)
        self.caption = union(word.box for word in self.words) if self.words else None

    @property
    def is_one_line(self) -> bool:
        """Whether its words stand in one line."""
        return len({round(word.box.y / 6) for word in self.words}) == 1

    def is_shaped(self, width: float, height: float, kind: str) -> bool:
        """Whether it is of about that size, and of that kind if it is not of exactly that size."""
        w, h = self.box.w, self.box.h
        is_box = self.source in (Source.ELEMENT, Source.FRAME, Source.INK)
        if is_box and abs(w - width) <= max(3, 0.1 * width) and abs(h - height) <= max(3, 0.1 * height):
            return True
        same = self.kind == kind or {self.kind, kind} <= {"picture", "icon"}
        return same and all(0.75 < (a + 4) / (b + 4) < 1.33 for a, b in ((w, width), (h, height)))


def letters_in(text: str) -> int:
    """How many letters and digits a text has: of a picture that was read there is hardly one."""
    return sum(c.isalnum() for c in text)
