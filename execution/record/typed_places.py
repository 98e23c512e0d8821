"""Where a secret was typed: its field is known by what surrounds it, and hidden while it is in sight (S10.3, S10.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from execution.types import Box, Size, pixels_digest
from workflows.exceptions import PictureAway, PictureMissing, PictureRefused
from workflows.graph import NormBox
from workflows.pictures import PictureStore

_OUTLINE = 5  # pixels inside of a field that are still its outline; what is typed begins behind them
_NEAR = 10  # pixels around a corner of a field that tell it: few, as a window may leave no more of it in sight
_INK = 3.0  # grey levels by which something differs that tells more than the noise of a compressed picture
_SAME = 0.6  # how like a corner is to what it was where its outline is drawn otherwise, because it has the focus
_MOVED = 0.8  # the same for all that surrounds the field, where it is looked for elsewhere
_ASIDE = 16  # pixels by which a scroll bar that comes moves a page


@dataclass(frozen=True, slots=True)
class TypedPlace:
    """A place that a secret was typed at. Without `around`, what stood around it then, it is hidden on every screen."""

    box: NormBox
    around: _Around | None = None

    @classmethod
    def on(cls, box: NormBox, pixels: np.ndarray, *, unseen: Sequence[NormBox] = ()) -> TypedPlace:
        """A place on the screen that it was typed on; what is `unseen` of that screen tells nothing."""
        around = _Around.of(box, pixels, unseen)
        return cls(box, around if around.tells else None)

    @classmethod
    def on_kept(cls, box: NormBox, picture: str, *, unseen: Sequence[NormBox] = ()) -> TypedPlace:
        """The same on a picture that was kept; without it only the place is known."""
        if not picture:
            return cls(box)
        try:
            return cls.on(box, PictureStore().get(picture), unseen=unseen)
        except (PictureMissing, PictureAway, PictureRefused):
            return cls(box)

    def within(self, pixels: np.ndarray) -> tuple[NormBox, ...]:
        """Where the field may be on a screen: its place in doubt, else where it has moved to; none if it is gone."""
        size = Size(pixels.shape[1], pixels.shape[0])
        if self.around is None or self.around.size != size or self.around.stands_on(pixels):
            return (self.box,)
        return tuple(box.normalised(size) for box in self.around.moved_on(pixels))


@dataclass(frozen=True, slots=True)
class _Around:
    """What surrounds a field: grey pixels, and which of them are neither typed nor unknown."""

    size: Size
    typed: Box
    region: Box
    grey: np.ndarray = field(compare=False, repr=False)
    known: np.ndarray = field(compare=False, repr=False)
    digest: str

    @classmethod
    def of(cls, box: NormBox, pixels: np.ndarray, unseen: Sequence[NormBox]) -> _Around:
        size = Size(pixels.shape[1], pixels.shape[0])
        typed = Box.from_normalised(box, size)
        region, inner = typed.grown(_NEAR, size), min(_OUTLINE, typed.h // 4, typed.w // 4)
        known = np.ones((region.h, region.w), np.uint8)
        within = Box(typed.x + inner, typed.y + inner, typed.w - 2 * inner, typed.h - 2 * inner)
        for gone in (within, *(Box.from_normalised(one, size).grown(2, size) for one in unseen)):
            _part(known, gone.intersection(region), region)[:] = 0
        grey = _grey(pixels, region)
        return cls(size, typed, region, grey, known, pixels_digest(np.where(known, grey, 0)))

    @property
    def tells(self) -> bool:
        return any(_has_ink(_part(self.grey, corner, self.region), known) for corner, known in self._corners())

    def stands_on(self, pixels: np.ndarray) -> bool:
        """Whether any of its corners is there: a window over the field may leave only one of them."""
        now = _grey(pixels, self.region)
        return any(
            _likeness(_part(self.grey, corner, self.region), _part(now, corner, self.region), known) >= _SAME
            for corner, known in self._corners()
        )

    def moved_on(self, pixels: np.ndarray) -> list[Box]:
        """Where else the same surrounds a field, above, below and a little aside."""
        left, right = max(0, self.region.x - _ASIDE), min(self.size.width, self.region.right + _ASIDE)
        strip = _grey(pixels, Box(left, 0, right - left, self.size.height))
        scores = cv2.matchTemplate(strip, self.grey, cv2.TM_CCOEFF_NORMED, mask=self.known.astype(np.float32))
        scores[~np.isfinite(scores)] = 0
        found = []
        while scores.size and scores.max() >= _MOVED:
            y, x = (int(n) for n in np.unravel_index(int(scores.argmax()), scores.shape))
            there = strip[y : y + self.region.h, x : x + self.region.w]
            if _likeness(self.grey, there, self.known) >= _MOVED:
                found.append(
                    Box(left + x + self.typed.x - self.region.x, y + self.typed.y - self.region.y, *self.typed[2:])
                )
            scores[max(0, y - _NEAR) : y + _NEAR + 1] = 0
        return found

    def _corners(self) -> list[tuple[Box, np.ndarray]]:
        """Those that the screen surrounds: its own edge tells nothing."""
        points = [(x, y) for x in (self.typed.x, self.typed.right) for y in (self.typed.y, self.typed.bottom)]
        boxes = [Box(x - _NEAR, y - _NEAR, 2 * _NEAR, 2 * _NEAR) for x, y in points]
        seen = [box for box in boxes if box.intersection(self.region) == box]
        return [(box, _part(self.known, box, self.region)) for box in seen]


def _grey(pixels: np.ndarray, box: Box) -> np.ndarray:
    grey = cv2.cvtColor(pixels[box.y : box.bottom, box.x : box.right], cv2.COLOR_BGR2GRAY)
    return cv2.GaussianBlur(grey, (3, 3), 0).astype(np.float32)


def _part(values: np.ndarray, box: Box, region: Box) -> np.ndarray:
    return values[box.y - region.y : box.bottom - region.y, box.x - region.x : box.right - region.x]


def _has_ink(grey: np.ndarray, known: np.ndarray) -> bool:
    seen = grey[known > 0]
    return bool(seen.size and seen.std() >= _INK)


def _likeness(then: np.ndarray, now: np.ndarray, known: np.ndarray) -> float:
    """How like two pictures are, from 0 to 1, whatever their colours; 0 where one of them shows nothing."""
    if not _has_ink(then, known) or not _has_ink(now, known):
        return 0.0
    one, other = then[known > 0], now[known > 0]
    one, other = one - one.mean(), other - other.mean()
    return abs(float(one @ other / np.sqrt((one @ one) * (other @ other))))
