"""A taught picture beside a screen, with what each has of the other, for people."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

from execution.matching.comparison import SEEN
from execution.matching.gallery import Gallery
from execution.matching.pairing import Pairing
from execution.matching.reasons import ruled_out
from execution.matching.references import Reading, Reference
from execution.matching.same import KINDS, Compared, fitted_model
from execution.matching.sheet import Sheet
from execution.types import Reason, ScreenState, Size
from workflows.graph import NodeSpec

_FOUND, _ALONE, _ON_TOP = (62, 138, 43), (42, 42, 201), (181, 54, 156)  # BGR: green, red, purple
_GAP = 8  # pixels between the two


class Beside(NamedTuple):
    """`shares` are what each kind of sign made of the logarithm of the odds; `differs` is a condition not held."""

    compared: Compared
    probability: float
    shares: dict[str, float]
    differs: Reason | None
    picture: np.ndarray


def beside(taught: ScreenState, seen: ScreenState, *, name: str) -> Beside:
    """How probable it is that both are one screen, as if nothing else were taught; the node is called `name`."""
    reading = Reading(
        picture=taught.frame.digest, maker="", size=Size(*taught.frame.size), texts=taught.texts,
        elements=taught.elements,
    )  # fmt: skip
    reference = Reference(
        picture=reading.picture, reading=reading, embedding=taught.embedding, window=taught.window
    )  # fmt: skip
    compared = Gallery({name: reference}).compared(seen, among=[name])
    judged = fitted_model().judge(compared)[name]
    comparison = judged.compared.comparison
    return Beside(
        compared=judged.compared,
        probability=judged.probability,
        shares=dict(zip(KINDS, judged.shares.tolist(), strict=True)),
        differs=ruled_out(judged.compared, NodeSpec(node_id=name, name=name)),
        picture=_painted(taught, seen, (*comparison.over, *comparison.under) if comparison else ()),
    )


def _painted(taught: ScreenState, seen: ScreenState, on_top: tuple[str, ...]) -> np.ndarray:
    """Both pictures, the taught one left: lines that the other has in green, others in red, what lies on top in
    purple."""
    sheets = [Sheet(texts=s.texts, elements=s.elements, size=s.frame.size, window=s.window) for s in (taught, seen)]
    credits = Pairing(*sheets).credit()
    height = max(taught.frame.size[1], seen.frame.size[1])
    halves = []
    for state, sheet, credit in zip((taught, seen), sheets, credits, strict=True):
        half = np.full((height, state.frame.size[0] + _GAP, 3), 255, np.uint8)
        half[: state.frame.size[1], : state.frame.size[0]] = state.frame.pixels
        for text, found, (left, right, y) in zip(sheet.texts, credit, sheet.edges.astype(int), strict=True):
            colour = _FOUND if found >= SEEN else _ON_TOP if text in on_top else _ALONE
            room = int(sheet.unit / 2) + 2
            cv2.rectangle(half, (left - 2, y - room), (right + 2, y + room), colour, 2)
        halves.append(half)
    return np.concatenate(halves, axis=1)
