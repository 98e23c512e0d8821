"""Where a secret was typed: its field is known by what surrounds it, and hidden while it is in sight (S10.3, S10.4).

It is in sight where it was as long as a corner or its outline is there, or something drawn in its stead and what is
written around it; else it is looked for on all of the screen. Only where none of it is found nothing is hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import cv2
import numpy as np

from execution.types import Box, Size, pixels_digest
from workflows.exceptions import PictureAway, PictureMissing, PictureRefused
from workflows.graph import NormBox
from workflows.pictures import PictureStore

_OUTLINE = 5  # pixels inside of a field that are still its outline; what is typed begins behind them
_NEAR = 10  # pixels around a corner of a field that tell it: few, as a window may leave no more of it in sight
_INK = 3.0  # grey levels by which something differs that tells more than the noise of a compressed picture
_EDGE = 8  # grey levels between neighbouring pixels that are an edge
_SAME = 0.6  # how like a corner is to what it was where its outline is drawn otherwise, because it has the focus
_STANDS = 0.5  # how like what is written around the field is where the screen is still the same one
_STANDS_WIDE = 0.7  # the same of all that is far around it
_UNMOVED = 0.8  # the same where nothing has moved, and where a line alone is looked for elsewhere
_COARSE = 4  # pixels of the screen in one of the picture that is searched for it
_RING = 6  # pixels by which the inside of a field differs with a thicker outline
_ZOOMED = (0.5, 2.0)  # how much smaller or larger a page is looked for that was zoomed


@dataclass(frozen=True, slots=True)
class TypedPlace:
    """A place that a secret was typed at. Without `around`, what stood around it then, it is hidden on every screen."""

    box: NormBox
    around: _Around | None = None
    focused: _Around | None = field(default=None, compare=False)  # the same once it was drawn otherwise

    @classmethod
    def on(cls, box: NormBox, pixels: np.ndarray, *, unseen: Sequence[NormBox] = ()) -> TypedPlace:
        """A place on the screen that it was typed on; what is `unseen` of that screen tells nothing."""
        around = _Around.of(box, Screen(pixels), unseen)
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

    def within(self, screen: Screen | np.ndarray) -> tuple[NormBox, ...]:
        """Where the field may be on a screen: its place in doubt, else where it has moved to; none if it is gone."""
        screen = screen if isinstance(screen, Screen) else Screen(screen)
        if self.around is None or self.around.size != screen.size:
            return (self.box,)
        stands = any(look.stands_on(screen) for look in self._looks)
        if stands and (not self.around.wide.tells or self.around.wide.likeness(screen) >= _UNMOVED):
            return (self.box,)
        found = [box for look in self._looks for box in look.moved_on(screen) if not (stands and look.is_at(box))]
        here: tuple[NormBox, ...] = (self.box,) if stands else ()
        if not stands and self.around.is_surrounded_on(screen):
            here = (self.box, self.around.row.normalised(screen.size))
        return (*here, *dict.fromkeys(box.normalised(screen.size) for box in found))

    def learnt_anew(self, screen: Screen | np.ndarray) -> TypedPlace:
        """With how its field looks now, the first time that it is in its place and drawn otherwise: with the focus."""
        screen = screen if isinstance(screen, Screen) else Screen(screen)
        if self.around is None or self.focused is not None or self.around.size != screen.size:
            return self
        if self.around.has_corner_on(screen) or not self.around.stands_on(screen):
            return self
        return replace(self, focused=_Around.of(self.box, screen, ()))

    @property
    def _looks(self) -> Iterable[_Around]:
        return (look for look in (self.around, self.focused) if look is not None)


class Screen:
    """What the places of one screen are looked for in, made once for all of them."""

    def __init__(self, pixels: np.ndarray) -> None:
        self.pixels, self.size = pixels, Size(pixels.shape[1], pixels.shape[0])

    def grey(self, box: Box) -> np.ndarray:
        grey = cv2.cvtColor(self.pixels[box.y : box.bottom, box.x : box.right], cv2.COLOR_BGR2GRAY)
        return cv2.GaussianBlur(grey, (3, 3), 0).astype(np.float32)

    @cached_property
    def edges(self) -> np.ndarray:
        grey = cv2.cvtColor(self.pixels, cv2.COLOR_BGR2GRAY)
        edges = np.zeros(grey.shape, np.uint8)
        edges[:, 1:] = cv2.absdiff(grey[:, 1:], grey[:, :-1])
        edges[1:] = cv2.max(edges[1:], cv2.absdiff(grey[1:], grey[:-1]))
        return cv2.threshold(edges, _EDGE, 255, cv2.THRESH_BINARY)[1]

    @cached_property
    def coarse(self) -> np.ndarray:
        """How much is written or drawn in each small square, whatever its colours."""
        width, height = self.size.width // _COARSE, self.size.height // _COARSE
        whole = self.edges[: height * _COARSE, : width * _COARSE]
        drawn = cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA).astype(np.float32)
        return cv2.GaussianBlur(drawn, (3, 3), 0)  # a line moved by half a square falls into two

    @cached_property
    def insides(self) -> np.ndarray:
        """Of every even part that an outline surrounds, its left, top, width and height."""
        even = cv2.bitwise_not(self.edges)
        return cv2.connectedComponentsWithStats(even, connectivity=4)[2][1:, : cv2.CC_STAT_AREA]


@dataclass(frozen=True, slots=True)
class _Written:
    """What is written and drawn around a field, coarsely, but for the field and its ring."""

    box: Box  # in coarse pixels
    drawn: np.ndarray = field(compare=False, repr=False)
    known: np.ndarray = field(compare=False, repr=False)
    untyped: np.ndarray = field(compare=False, repr=False)  # the same with its outline

    @classmethod
    def of(cls, around: Box, typed: Box, screen: Screen, unseen: Sequence[Box]) -> _Written:
        height, width = screen.coarse.shape
        box = _coarsely(around).intersection(Box(0, 0, width, height))
        drawn, known = _part(screen.coarse, box, Box(0, 0, 0, 0)).copy(), np.ones((box.h, box.w), np.uint8)
        for gone in unseen:
            for values in (drawn, known):
                _part(values, _coarsely(gone).intersection(box), box)[:] = 0
        inner, untyped = _coarsely(typed.grown(-min(_OUTLINE, typed.h // 4, typed.w // 4), screen.size)), known.copy()
        for values in (drawn, untyped):
            _part(values, inner.intersection(box), box)[:] = 0
        _part(known, _coarsely(typed.grown(_NEAR + 2, screen.size)).intersection(box), box)[:] = 0
        return cls(box, drawn, known, untyped)

    @property
    def tells(self) -> bool:
        return _has_ink(self.drawn, self.known)

    def likeness(self, screen: Screen, aside: int = 0, down: int = 0, zoom: float = 1.0) -> float:
        """How like it is to what stands there, in coarse pixels from where it was, with the field's corner fixed."""
        x, y = self.box.x + aside, self.box.y + down
        drawn, known = self._zoomed(self.drawn, zoom), self._zoomed(self.known, zoom)
        now = np.zeros_like(drawn)
        part = Box(x, y, drawn.shape[1], drawn.shape[0]).intersection(
            Box(0, 0, screen.coarse.shape[1], screen.coarse.shape[0])
        )
        if part.area:
            _part(now, part, Box(x, y, 0, 0))[:] = screen.coarse[part.y : part.bottom, part.x : part.right]
        return _likeness(drawn, now, known, either=False)

    def moved_on(self, screen: Screen) -> list[tuple[int, int]]:
        """The left tops of all that is like it, in coarse pixels."""
        scores = cv2.matchTemplate(
            screen.coarse, self.drawn, cv2.TM_CCOEFF_NORMED, mask=self.untyped.astype(np.float32)
        )
        scores[~np.isfinite(scores)] = 0
        found = []
        while scores.max() >= _UNMOVED:
            y, x = (int(n) for n in np.unravel_index(int(scores.argmax()), scores.shape))
            found.append((x, y))
            scores[max(0, y - 2) : y + 3, max(0, x - 2) : x + 3] = 0
        return found

    @staticmethod
    def _zoomed(values: np.ndarray, zoom: float) -> np.ndarray:
        if zoom == 1.0:
            return values
        size = (max(1, round(values.shape[1] * zoom)), max(1, round(values.shape[0] * zoom)))
        return cv2.resize(values, size, interpolation=cv2.INTER_NEAREST if values.dtype == np.uint8 else cv2.INTER_AREA)


@dataclass(frozen=True, slots=True)
class _Around:
    """What surrounds a field: grey pixels, and which of them are neither typed nor unknown; what is written further."""

    size: Size
    typed: Box
    region: Box
    grey: np.ndarray = field(compare=False, repr=False)
    known: np.ndarray = field(compare=False, repr=False)
    digest: str
    inside: Box = field(compare=False)
    is_outlined: bool = field(compare=False)
    near: _Written = field(compare=False, repr=False)  # above and below, where a window holds its caption
    wide: _Written = field(compare=False, repr=False)
    sides: tuple[_Written, ...] = field(compare=False, repr=False)
    lines: int = field(compare=False)  # how many of its four sides are drawn

    @classmethod
    def of(cls, box: NormBox, screen: Screen, unseen: Sequence[NormBox]) -> _Around:
        size = screen.size
        typed = Box.from_normalised(box, size)
        region, inner = typed.grown(_NEAR, size), min(_OUTLINE, typed.h // 4, typed.w // 4)
        known = np.ones((region.h, region.w), np.uint8)
        within = Box(typed.x + inner, typed.y + inner, typed.w - 2 * inner, typed.h - 2 * inner)
        gone = [Box.from_normalised(one, size).grown(2, size) for one in unseen]
        for one in (within, *gone):
            _part(known, one.intersection(region), region)[:] = 0
        grey = screen.grey(region)
        outlined = _alike(screen.insides, typed, by=_NEAR)
        by = max(typed.h, 2 * _NEAR)
        near = Box(typed.x - _NEAR, typed.y - by, typed.w + 2 * _NEAR, typed.h + 2 * by)
        sides = (
            Box(typed.x, typed.y - by, typed.w, by),
            Box(typed.x, typed.bottom, typed.w, by),
            Box(typed.x - 3 * by, typed.y, 3 * by, typed.h),
            Box(typed.right, typed.y, 3 * by, typed.h),
        )
        return cls(
            size,
            typed,
            region,
            grey,
            known,
            pixels_digest(np.where(known, grey, 0)),
            min(outlined, key=lambda inside: typed.area - inside.area, default=within),
            bool(outlined),
            _Written.of(near, typed, screen, gone),
            _Written.of(typed.grown(3 * by, size), typed, screen, gone),
            tuple(side for one in sides if (side := _Written.of(one, typed, screen, gone)).tells),
            _lines(screen, region),
        )

    @property
    def tells(self) -> bool:
        return any(_has_ink(_part(self.grey, corner, self.region), known) for corner, known in self._corners())

    @property
    def row(self) -> Box:
        """The field's line, as far aside as what surrounds it."""
        return Box(self.wide.box.x * _COARSE, self.region.y, self.wide.box.w * _COARSE, self.region.h)

    def stands_on(self, screen: Screen) -> bool:
        """Whether one of its corners or an outline as large as its own is where it was."""
        return self.has_corner_on(screen) or bool(_alike(screen.insides, self.inside, by=_RING))

    def has_corner_on(self, screen: Screen) -> bool:
        """A window over the field may leave only one of them."""
        now = screen.grey(self.region)
        return any(
            _likeness(_part(self.grey, corner, self.region), _part(now, corner, self.region), known) >= _SAME
            for corner, known in self._corners()
        )

    def is_at(self, box: Box) -> bool:
        """Whether that is the place itself."""
        return box.iou(self.typed) >= _UNMOVED / 2

    def is_surrounded_on(self, screen: Screen) -> bool:
        """Whether the screen is the same: something is drawn where its outline was, and what is around it stands."""
        if _lines(screen, self.region) < self.lines:
            return False
        near, wide = self.near, self.wide
        return (near.tells and near.likeness(screen) >= _STANDS) or (
            wide.tells and wide.likeness(screen) >= _STANDS_WIDE
        )

    def moved_on(self, screen: Screen) -> list[Box]:
        """Where else the same surrounds a field, or an outline of its size, on all of the screen and zoomed."""
        aside, down = self.typed.x - self.near.box.x * _COARSE, self.typed.y - self.near.box.y * _COARSE
        found = [
            Box(x * _COARSE + aside, y * _COARSE + down, *self.typed[2:]).grown(_COARSE, self.size)
            for x, y in (() if self.is_outlined else self.near.moved_on(screen))
        ]
        wide, high = screen.insides[:, 2], screen.insides[:, 3]
        zooms = wide / self.inside.w
        alike = (np.abs(high - self.inside.h * zooms) <= _RING) & (zooms >= _ZOOMED[0]) & (zooms <= _ZOOMED[1])
        alike &= bool(self.sides) | (np.abs(wide - self.inside.w) <= _RING)  # a size alone tells no field from others
        for (x, y, w, h), zoom in zip(screen.insides[alike].tolist(), zooms[alike].tolist(), strict=True):
            if self._may_stand_at(screen, x, y, zoom):
                found.append(Box(x, y, w, h).grown(_RING, self.size))
        return found

    def _may_stand_at(self, screen: Screen, x: int, y: int, zoom: float) -> bool:
        """Whether an outline of its size may be its own: what is written around it, where anything is, is there too."""
        for one in self.sides:
            left = x - (self.inside.x - one.box.x * _COARSE) * zoom
            top = y - (self.inside.y - one.box.y * _COARSE) * zoom
            aside, down = round(left / _COARSE) - one.box.x, round(top / _COARSE) - one.box.y
            if one.likeness(screen, aside, down, zoom) >= _STANDS:
                return True
        return not self.sides

    def _corners(self) -> list[tuple[Box, np.ndarray]]:
        """Those that the screen surrounds: its own edge tells nothing."""
        points = [(x, y) for x in (self.typed.x, self.typed.right) for y in (self.typed.y, self.typed.bottom)]
        boxes = [Box(x - _NEAR, y - _NEAR, 2 * _NEAR, 2 * _NEAR) for x, y in points]
        seen = [box for box in boxes if box.intersection(self.region) == box]
        return [(box, _part(self.known, box, self.region)) for box in seen]


def _coarsely(box: Box) -> Box:
    left, top = box.x // _COARSE, box.y // _COARSE
    return Box(left, top, -(-box.right // _COARSE) - left, -(-box.bottom // _COARSE) - top)


def _alike(insides: np.ndarray, box: Box, *, by: int) -> list[Box]:
    """Those of which no side is further from the box's than that."""
    ends = np.hstack([insides[:, :2], insides[:, :2] + insides[:, 2:]])
    alike = (np.abs(ends - (box.x, box.y, box.right, box.bottom)) <= by).all(axis=1)
    return [Box(*one) for one in insides[alike].tolist()]


def _lines(screen: Screen, region: Box) -> int:
    """Along how many sides of a field something is drawn, whatever it is: its outline, or a ring around it."""
    drawn, deep = _part(screen.edges, region, Box(0, 0, 0, 0)) > 0, _NEAR + _OUTLINE
    strips = (drawn[:deep], drawn[-deep:], drawn[:, :deep].T, drawn[:, -deep:].T)
    along = [np.asarray(strip.any(axis=0))[_NEAR:-_NEAR] for strip in strips]
    return sum(float(side.mean()) >= _UNMOVED for side in along if side.size)


def _part(values: np.ndarray, box: Box, region: Box) -> np.ndarray:
    return values[box.y - region.y : box.bottom - region.y, box.x - region.x : box.right - region.x]


def _has_ink(grey: np.ndarray, known: np.ndarray) -> bool:
    seen = grey[known > 0]
    return bool(seen.size and seen.std() >= _INK)


def _likeness(then: np.ndarray, now: np.ndarray, known: np.ndarray, *, either: bool = True) -> float:
    """How like two pictures are, from 0 to 1, whatever their colours, or `either` way light on dark; 0 where one of
    them shows nothing."""
    if not _has_ink(then, known) or not _has_ink(now, known):
        return 0.0
    one, other = then[known > 0], now[known > 0]
    one, other = one - one.mean(), other - other.mean()
    like = float(one @ other / np.sqrt((one @ one) * (other @ other)))
    return abs(like) if either else like
