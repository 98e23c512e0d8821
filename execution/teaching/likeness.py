"""Whether two taught pictures show the same thing, drawn again."""

from __future__ import annotations

import cv2
import numpy as np

from execution.perception.pictures import PictureSource
from execution.targeting.search import peaks, usable
from workflows.exceptions import PictureError

SAME_PICTURE = 0.92  # correlation; the same icon drawn again has 0.99, another of its set 0.8 and below
EVEN_CONTRAST = 0.7  # of the contrast, at least: what is greyed out is another thing
_AS_LARGE = 1.5  # times the smaller of the two
_CUT, _ROOM = 2, 4  # pixels: a box is drawn by hand, or read, so much otherwise


def alike_pictures(one: str, other: str, pictures: PictureSource | None) -> bool:
    """True for the same digest, and for pictures that look alike; an almost empty one is like none but itself.

    Without `pictures`, and where one cannot be read, only the same digest is the same picture.
    """
    if not one or not other or one == other or pictures is None:
        return one == other != ""
    try:
        first, second = (cv2.cvtColor(pictures.load(digest), cv2.COLOR_BGR2GRAY) for digest in (one, other))
    except PictureError:
        return False
    return _are_alike(np.asarray(first), np.asarray(second))


def _are_alike(one: np.ndarray, other: np.ndarray) -> bool:
    """At one size: the middle of the one is somewhere in the other, as clear."""
    height, width = one.shape
    if (
        max(height / other.shape[0], other.shape[0] / height, width / other.shape[1], other.shape[1] / width)
        > _AS_LARGE
    ):
        return False
    scaled = np.asarray(cv2.resize(other, (width, height), interpolation=cv2.INTER_AREA))
    middle = one[_CUT : height - _CUT, _CUT : width - _CUT]
    if not middle.size or usable(middle):
        return False
    for screen in (scaled, other):  # drawn at another scale, or in a box of another size
        room = cv2.copyMakeBorder(screen, _ROOM, _ROOM, _ROOM, _ROOM, cv2.BORDER_REPLICATE)
        if any(is_as_clear(peak.contrast) for peak in peaks(np.asarray(room), middle, minimum=SAME_PICTURE)):
            return True
    return False


def is_as_clear(contrast: float) -> bool:
    """True for the contrast of what can be used as it could be when it was taught."""
    return EVEN_CONTRAST <= contrast <= 1 / EVEN_CONTRAST
