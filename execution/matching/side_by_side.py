"""A taught picture beside a screen, with what each has of the other, for people."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import cv2
import numpy as np
from django.utils.translation import gettext_lazy

from execution.matching import comparison as signs
from execution.matching.comparison import SEEN
from execution.matching.gallery import Gallery
from execution.matching.pairing import Pairing
from execution.matching.reasons import ruled_out
from execution.matching.references import Reading, Reference
from execution.matching.same import KINDS, Compared, fitted_model
from execution.matching.sheet import Sheet
from execution.types import Box, Reason, ScreenState, Size
from workflows.graph import NodeSpec

_GAP = 8  # pixels between the two


class Found(StrEnum):
    """Where a line of one of two screens stands."""

    BOTH = "both"
    ALONE = "alone"
    ON_TOP = "on_top"  # of this screen alone, and it lies over what they share


COLOURS = {Found.BOTH: (62, 138, 43), Found.ALONE: (42, 42, 201), Found.ON_TOP: (181, 54, 156)}  # BGR
SIGNS = {
    signs.TEXTS: gettext_lazy("texts"),
    signs.OWN: gettext_lazy("texts that few screens have"),
    signs.PLACES: gettext_lazy("places of the texts"),
    signs.HEADING: gettext_lazy("headings"),
    signs.LAYOUT: gettext_lazy("places of the controls"),
    signs.CHOSEN: gettext_lazy("chosen tab or entry"),
    signs.OVER: gettext_lazy("what lies on top"),
    signs.LOOK: gettext_lazy("appearance"),
    signs.WINDOW: gettext_lazy("window"),
    signs.DECLARED: gettext_lazy("declared texts"),
    signs.LEAD: gettext_lazy("lead over other screens"),
}


class Line(NamedTuple):
    text: str
    box: Box
    found: Found


class Beside(NamedTuple):
    """`shares` are what each kind of sign made of the logarithm of the odds; `differs` is a condition not held."""

    compared: Compared
    probability: float
    shares: dict[str, float]
    differs: Reason | None
    lines: tuple[tuple[Line, ...], tuple[Line, ...]]


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
        lines=_lines(taught, seen, (*comparison.over, *comparison.under) if comparison else ()),
    )


def _lines(
    taught: ScreenState, seen: ScreenState, on_top: tuple[str, ...]
) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    sheets = [Sheet(texts=s.texts, elements=s.elements, size=s.frame.size, window=s.window) for s in (taught, seen)]
    told = []
    for sheet, credit in zip(sheets, Pairing(*sheets).credit(), strict=True):
        room = int(sheet.unit / 2) + 2
        lines = []
        for text, found, (left, right, y) in zip(sheet.texts, credit, sheet.edges.astype(int).tolist(), strict=True):
            where = Found.BOTH if found >= SEEN else Found.ON_TOP if text in on_top else Found.ALONE
            lines.append(Line(text, Box(left - 2, y - room, right - left + 4, 2 * room), where))
        told.append(tuple(lines))
    return told[0], told[1]


def painted(found: Beside, taught: ScreenState, seen: ScreenState) -> np.ndarray:
    """Both pictures in BGR, the taught one left, with their lines in the colours of where they stand."""
    height = max(taught.frame.size[1], seen.frame.size[1])
    halves = []
    for state, lines in zip((taught, seen), found.lines, strict=True):
        half = np.full((height, state.frame.size[0] + _GAP, 3), 255, np.uint8)
        half[: state.frame.size[1], : state.frame.size[0]] = state.frame.pixels
        for line in lines:
            cv2.rectangle(half, line.box[:2], (line.box.right, line.box.bottom), COLOURS[line.found], 2)
        halves.append(half)
    return np.concatenate(halves, axis=1)
