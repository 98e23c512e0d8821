"""The picture that a vision model is shown: the allowed window alone, masked, no larger than is useful, with marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from execution.perception.marks import SomEngine
from execution.perception.masking import painted_over
from execution.types import Box, Element, Frame
from workflows.graph import NormBox

MOST_PIXELS = 1_500_000  # 1600 × 940: about 2000 tokens of the models in use; a 4K screen would be 10 000
LONGEST_SIDE = 1800


@dataclass(frozen=True, slots=True, eq=False)
class MarkedArea:
    """`picture` is BGR; `elements[n - 1]` is what mark n stands for, in pixels of the frame."""

    picture: np.ndarray
    elements: tuple[Element, ...]


def marked_area(
    frame: Frame, area: Box, elements: Sequence[Element], *, masks: Sequence[NormBox] = (), engine: SomEngine
) -> MarkedArea:
    """The `area` of a frame with marks on the elements; `masks` are fractions of the frame and are painted over."""
    picture = replace(frame, pixels=painted_over(frame.pixels, masks)).crop(area)
    scale = scale_for(picture.shape[1], picture.shape[0])
    if scale < 1:
        picture = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    shown = {replace(e, box=_moved(e.box, area, scale)): e for e in elements}
    marked = engine.mark(np.ascontiguousarray(picture), shown)
    return MarkedArea(marked.picture, tuple(shown[mark.element] for mark in marked.marks))


def scale_for(width: int, height: int) -> float:
    """How much smaller a picture of that size is shown, at most 1."""
    pixels = max(1, width * height)
    return min(1.0, LONGEST_SIDE / max(1, width, height), (MOST_PIXELS / pixels) ** 0.5)


def _moved(box: Box, area: Box, scale: float) -> Box:
    left, top = round((box.x - area.x) * scale), round((box.y - area.y) * scale)
    return Box(left, top, max(1, round(box.w * scale)), max(1, round(box.h * scale)))
