"""What one picture was taken apart into, shared by all that look for elements in it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np

from execution.lately import Lately
from execution.perception.elements.cursor import without_parting
from execution.perception.elements.frames import BorderedBox, Letters, frames_of
from execution.perception.elements.inks import Ink, Word, em_of, inks_of, words_of
from execution.perception.elements.lines import cut_at_frames, joined, without_pictures, without_signs
from execution.perception.elements.outlines import edges_of, outlines_of
from execution.perception.elements.selection import without_selection
from execution.types import Box, Size, TextLine

_SQUARE = 0.93  # of its box that the outline of a button or a cell encloses


class Scene:
    """A picture (BGR), its lines of text, its edges, outlines and frames; what is costly is made on first use.

    `captions` are those of the lines that begin behind a marker: no picture stands before their words.
    """

    def __init__(self, pixels: np.ndarray, texts: Sequence[TextLine], captions: Collection[TextLine] = ()) -> None:
        self.pixels = pixels = without_parting(without_selection(pixels, texts), texts)
        self.size = Size(pixels.shape[1], pixels.shape[0])
        whole = Box(0, 0, *self.size)
        self.edges = edges_of(pixels)
        self.outlines = outlines_of(self.edges)
        usable = (t for t in texts if _is_inside(t.box, whole) and t.text.strip() and not _is_picture(t))
        read = joined(self.edges, without_signs(self.edges, usable, self.outlines.squares()))
        self._letters = Letters(self.size, read)
        self.frames: list[BorderedBox] = frames_of(pixels, self.outlines, self._letters)
        cut = cut_at_frames(read, [f.box for f in self.frames if f.fullness > _SQUARE])
        self.texts = without_pictures(pixels, self.edges, cut, but=captions)
        self.boxes = np.array([t.box for t in self.texts], np.int32).reshape(-1, 4)

    @cached_property
    def inks(self) -> list[Ink | None]:
        """How each line of `texts` is written."""
        return inks_of(self.pixels, self.texts)

    @cached_property
    def frame_boxes(self) -> np.ndarray:
        """The boxes of the frames, (n, 4)."""
        return np.array([f.box for f in self.frames], np.int32).reshape(-1, 4)

    @cached_property
    def contrasts(self) -> np.ndarray:
        """The contrast of each line, in levels; 0 where it has no ink."""
        return np.array([ink.contrast if ink else 0.0 for ink in self.inks])

    def em(self, index: int) -> float:
        """The size of the font of that line, in pixels; readers' boxes are higher than their letters, some much."""
        line, ink = self.texts[index], self.inks[index]
        return min(em_of(line.text, ink.box.h), 1.4 * line.box.h) if ink else float(line.box.h)

    def is_letter(self, frame: BorderedBox) -> bool:
        """True for a part of a line as it was read."""
        return bool(self._letters.hold(np.array([frame.box]), np.array([frame.fullness]), leading=False)[0])

    def near(self, box: Box, *, up: float) -> list[int]:
        """Indices of the lines whose middle is no more than `up` pixels above or below that of the box."""
        middles = self.boxes[:, 1] + self.boxes[:, 3] // 2
        return [int(i) for i in np.flatnonzero(np.abs(middles - box.center.y) <= up)]

    def words(self, index: int) -> list[Word]:
        """The words of the line of that index."""
        ink = self.inks[index]
        return words_of(self.pixels, self.texts[index], ink) if ink else []

    def tells_words(self, box: Box) -> bool:
        """Whether the places of their words are known of the lines in the row of a box."""
        return all(self.texts[i].words for i in self.near(box, up=box.h / 2))

    def drawn(self, box: Box, *, gap: int) -> list[tuple[int, int]]:
        """Half-open stretches of x in which anything is drawn within `box`; those closer than `gap` are one."""
        part = self.edges[max(0, box.y) : max(0, box.bottom), max(0, box.x) : max(0, box.right)]
        return runs(np.asarray(part.any(axis=0)), start=max(0, box.x), gap=gap)


_lately = Lately[list[Box]](2)  # pictures of several megabytes


def frames_on(pixels: np.ndarray, texts: tuple[TextLine, ...], scene: Scene | None = None) -> list[Box]:
    """The frames of a picture with those lines; they are known where it was just looked at, as that `scene`."""
    return _lately.of(pixels, texts, make=lambda: [f.box for f in (scene or Scene(pixels, texts)).frames])


def _is_inside(box: Box, whole: Box) -> bool:
    return bool(box.area) and box.intersection(whole) == box


def _is_picture(line: TextLine) -> bool:
    """True for an arrow, a tick and the like that was read as text."""
    text = line.text.strip()
    return len(text) <= 2 and not any(c.isalnum() for c in text) and line.box.w < 2 * line.box.h


def runs(marked: np.ndarray, *, start: int = 0, gap: int = 1) -> list[tuple[int, int]]:
    """Half-open stretches of what is marked, shifted by `start`; those closer than `gap` are one."""
    places = np.flatnonzero(marked)
    if not len(places):
        return []
    breaks = np.flatnonzero(np.diff(places) > gap)
    first = places[np.concatenate(([0], breaks + 1))] + start
    last = places[np.concatenate((breaks, [len(places) - 1]))] + start + 1
    return list(zip(first.tolist(), last.tolist(), strict=True))
