"""A place on a stored picture, for a page: the part around it, and where in that part it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workflows.exceptions import PictureAway
from workflows.pictures import PictureStore

AROUND = 3.0  # times the place
LEAST_WIDE, LEAST_HIGH = 0.28, 0.2  # of the screen: less shows nobody where that is


@dataclass(frozen=True, slots=True, kw_only=True)
class Crop:
    """`part` is what is asked of the picture, "" for the whole; `rect` the place in it in per cent;
    without a digest there is no picture any more, or nobody can tell now (`is_away`)."""

    digest: str = ""
    is_away: bool = False
    part: str = ""
    rect: tuple[str, str, str, str] | None = None


def crop(digest: str, box: Any = None, *, store: PictureStore | None = None) -> Crop | None:
    """None for no picture."""
    if not digest:
        return None
    try:
        if not (store or PictureStore()).has(digest):
            return Crop()
    except PictureAway:
        return Crop(is_away=True)
    if not is_box(box):
        return Crop(digest=digest)
    x, y, w, h = (float(n) for n in box)
    left, wide = _around(x, w, LEAST_WIDE)
    top, high = _around(y, h, LEAST_HIGH)
    rect = ((x - left) / wide, (y - top) / high, w / wide, h / high)
    part = ",".join(f"{n:.5f}" for n in (left, top, wide, high))
    x_, y_, w_, h_ = (f"{100 * n:.2f}" for n in rect)
    return Crop(digest=digest, part=part, rect=(x_, y_, w_, h_))


def is_box(value: Any) -> bool:
    numbers = isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 4
    return numbers and all(isinstance(n, int | float) for n in value)


def _around(begin: float, length: float, least: float) -> tuple[float, float]:
    """Where the part begins, and how long it is; inside the picture."""
    whole = min(1.0, max(least, AROUND * length))
    return min(max(0.0, begin + length / 2 - whole / 2), 1.0 - whole), whole
