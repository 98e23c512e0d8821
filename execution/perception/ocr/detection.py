"""Where the lines of text are: the detector's map of text-like pixels turned into boxes.

The map is made tile by tile, each with a margin of its surroundings, and depends on nothing but that tile's pixels.
So a screen of which only a part changed has exactly the map, and the lines, that a search of all of it would find
(S2.11).
Text on a screen is level, so boxes are upright rectangles.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator

import cv2
import numpy as np

from execution.perception.changes import union
from execution.types import Box, Size, pixels_digest

Detect = Callable[[np.ndarray], np.ndarray]

# In pixels of the map; multiples of the network's step of 32, and of 3, so that they are whole on the screen as well.
_CORE = Size(384, 192)
_MARGIN = 48
_STEP = 32
_TILES_KEPT = 320  # 74 kB each: a few screens of 2560×1600

_TEXT_PIXEL = 0.3
_TEXT_BOX = 0.5
_GROW = 1.6  # the map marks the core of a line; this ratio of area to outline gives its full height back
_SMALLEST = 3


def detection_scale(screen: Size) -> float:
    """How much a picture of that size is shrunk before lines are looked for.

    Measured on drawn pages: at three quarters text of 9 px is read as well as at full size, in half the time. Screens
    above 3000 pixels are shown at 150 % and more.
    """
    longest = max(screen)
    return 1.0 if longest <= 1100 else 0.75 if longest <= 3000 else 0.5


class LineFinder:
    """Finds the lines of one picture after another; tiles that were seen before are not searched again."""

    def __init__(self, detect: Detect) -> None:
        self._detect = detect
        self._last: np.ndarray | None = None
        self._map = np.zeros((0, 0), np.uint8)
        self._known: OrderedDict[str, np.ndarray] = OrderedDict()
        self.tiles_searched = 0

    def forget(self) -> None:
        """The next picture is searched whole."""
        self._last = None
        self._known.clear()

    def find(self, pixels: np.ndarray) -> list[Box]:
        """Boxes of the lines of text in `pixels`."""
        scale = detection_scale(Size(pixels.shape[1], pixels.shape[0]))
        self._search(pixels, scale)
        return joined_in_rows(_boxes(self._map, pixels.shape[1], pixels.shape[0]))

    def _search(self, pixels: np.ndarray, scale: float) -> None:
        """Bring the map up to date with the picture."""
        last = self._last
        if last is None or last.shape != pixels.shape:
            height, width = pixels.shape[:2]
            last, self._last = None, np.empty(pixels.shape, np.uint8)
            self._map = np.zeros((max(1, round(height * scale)), max(1, round(width * scale))), np.uint8)
        assert self._last is not None
        for core, around in _tiles(Size(pixels.shape[1], pixels.shape[0]), scale):
            part = _part(pixels, around)
            if last is None or not np.array_equal(part, _part(last, around)):
                found = self._tile(np.ascontiguousarray(part), core, around, scale)
                x, y = round(core.x * scale), round(core.y * scale)
                place = self._map[y : y + found.shape[0], x : x + found.shape[1]]
                place[:] = found[: place.shape[0], : place.shape[1]]
        np.copyto(self._last, pixels)

    def _tile(self, part: np.ndarray, core: Box, around: Box, scale: float) -> np.ndarray:
        """The map of the core of one tile, 0 to 255."""
        key = f"{pixels_digest(part)} {core.x - around.x} {core.y - around.y} {core.w} {core.h} {scale}"
        if key not in self._known:
            self.tiles_searched += 1
            x, y = round((core.x - around.x) * scale), round((core.y - around.y) * scale)
            w, h = max(1, round(core.w * scale)), max(1, round(core.h * scale))
            self._known[key] = _text_map(part, self._detect, scale)[y : y + h, x : x + w].copy()
            if len(self._known) > _TILES_KEPT:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return self._known[key]


def _tiles(size: Size, scale: float) -> Iterator[tuple[Box, Box]]:
    """The tiles of a picture: the core of each, and the core with its margin, in pixels of the picture."""
    whole = Box(0, 0, *size)
    w, h, margin = round(_CORE.width / scale), round(_CORE.height / scale), round(_MARGIN / scale)
    for top in range(0, size.height, h):
        for left in range(0, size.width, w):
            core = Box(left, top, w, h).intersection(whole)
            yield core, core.grown(margin, size)


def _part(pixels: np.ndarray, box: Box) -> np.ndarray:
    return pixels[box.y : box.bottom, box.x : box.right]


def _text_map(pixels: np.ndarray, detect: Detect, scale: float) -> np.ndarray:
    """How much each pixel of the shrunk picture looks like text, 0 to 255."""
    height, width = pixels.shape[:2]
    w, h = max(1, round(width * scale)), max(1, round(height * scale))
    if np.ptp(pixels[::3, ::3]) < 8 and np.ptp(pixels) < 8:
        return np.zeros((h, w), np.uint8)  # nothing is drawn here
    shrunk = cv2.resize(pixels, (w, h), interpolation=cv2.INTER_LINEAR) if scale != 1.0 else pixels
    padded = cv2.copyMakeBorder(shrunk, 0, -h % _STEP, 0, -w % _STEP, cv2.BORDER_REPLICATE)
    heat = detect(cv2.dnn.blobFromImage(padded, 1 / 127.5, mean=(127.5, 127.5, 127.5)))[0, 0, :h, :w]
    return np.asarray(heat * np.float32(255)).astype(np.uint8)


def _boxes(heat: np.ndarray, width: int, height: int) -> Iterator[Box]:
    """Boxes around the patches of text-like pixels, in pixels of a picture of that width and height."""
    mask = cv2.dilate((heat > _TEXT_PIXEL * 255).astype(np.uint8), np.ones((2, 2), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    fx, fy = width / heat.shape[1], height / heat.shape[0]
    for index in range(1, count):
        x, y, bw, bh, _area = (int(value) for value in stats[index])
        if min(bw, bh) < _SMALLEST:
            continue
        part = slice(y, y + bh), slice(x, x + bw)
        if heat[part][labels[part] == index].mean() >= _TEXT_BOX * 255:
            box = _grown(x, y, bw, bh, fx, fy, Size(width, height))
            if box.w > _SMALLEST and box.h > _SMALLEST:
                yield box


def joined_in_rows(boxes: Iterable[Box]) -> list[Box]:
    """Boxes that continue one another on a row made one: whether two words are one text is told by their gap later."""
    lines: list[Box] = []
    for box in sorted(boxes):
        index = next((i for i, line in enumerate(lines) if _continues(line, box)), None)
        if index is None:
            lines.append(box)
        else:
            lines[index] = union([lines[index], box])
    return lines


def _continues(line: Box, box: Box) -> bool:
    low, high = (line.h, box.h) if line.h < box.h else (box.h, line.h)
    level = abs(line.center.y - box.center.y) <= 0.25 * low
    return level and low >= 0.6 * high and box.x - line.right <= 0.5 * low


def _grown(x: int, y: int, w: int, h: int, fx: float, fy: float, size: Size) -> Box:
    by = _GROW * w * h / (2 * (w + h))
    left, top = max(0, round((x - by) * fx)), max(0, round((y - by) * fy))
    right, bottom = min(size.width, round((x + w + by) * fx)), min(size.height, round((y + h + by) * fy))
    return Box(left, top, right - left, bottom - top)
