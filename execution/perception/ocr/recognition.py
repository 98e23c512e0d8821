"""What one line of text says: the recogniser's columns of letters turned into text, cut where the gaps are wide.

Letters outside the Latin script are left out of the choice: icons would be read as Chinese characters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import cv2
import numpy as np

from execution.perception.ocr.engines import Recogniser
from execution.perception.ocr.segments import EVEN, distance, ground, long_strokes
from execution.perception.ocr.words import SHAPES, Letter, never_apart, words_of
from execution.types import Box, Word

SUREST_RUBBISH = 0.5  # icons and arrows taken for letters score below, text above
_HEIGHT = 48
_WIDTH_STEP = 32  # few different widths: the engine makes a plan for each
_WIDE_STEP = 128
_WIDE = 640
_NARROWEST = 128  # narrower, very short words are misread ("7" as "1"); wider costs time and wins nothing
_WIDEST = 4096

# A gap as wide as two letters separates two texts (entries of a menu bar, a label and its value); a space in
# proportional type is half a letter wide, in monospaced type just over one.
_GAP_IN_LETTERS = 1.9
_SMALLEST_GAP = 9
_INK = 0.3  # of the contrast between the ground and the strongest ink
# Of the crop's height, 1.4 of the letters' with its margins: the gap that is a space where none was seen in the
# line, the least that ever is one, and how near to a gap the recogniser places the space that it sees there.
_SPACE, _LEAST_SPACE, _NEAR = 0.3, 0.16, 0.2
_AS_WIDE = 0.8  # of the spaces seen in the line
_ICON_GAP, _SURE_LETTER = 0.18, 0.95
# A letter alone at an end of its text: no farther from it than a space, in its ink, and which one is told in any case.
_LONE_GAP, _SAME_INK, _TOLD = 0.34, 0.9, 0.8
_ALIKE = {"0": "o", "l": "i", "1": "i"}
_MARGIN = 2  # pixels around the ink: letters fade at their edges

_SYMBOLS = "€£¥¢§©®™°µ•·…–—‘’“”«»←↑→↓↵⇧⌘⌥⌫✓✔✗✕✖×÷±≤≥≠≈∞√−½¼¾‹›„‚†‡‰№"


class Piece(NamedTuple):
    """A text, the part of the crop that its ink takes, and its words, from the left edge of that."""

    text: str
    box: Box
    confidence: float
    words: tuple[Word, ...] = ()
    beside: tuple[str, str] = ("", "")  # letters that were taken for pictures: before it, and behind it


def wanted(character: str) -> bool:
    """Whether the recogniser may answer it."""
    return len(character) == 1 and (ord(character) < 0x180 or character in _SYMBOLS + SHAPES)


def read_lines(crops: Sequence[np.ndarray], recogniser: Recogniser) -> list[list[Piece]]:
    """The texts in each crop of one line, left to right."""
    drawn = [_batch(crop) for crop in crops]
    answers = recogniser.run([batch for batch, _ in drawn])
    return [
        _texts(scores, crop, batch.shape[3] / len(scores) * per_pixel, recogniser.characters)
        for crop, (batch, per_pixel), scores in zip(crops, drawn, answers, strict=True)
    ]


def _texts(scores: np.ndarray, crop: np.ndarray, step: float, characters: Sequence[str]) -> list[Piece]:
    """The best character of each column, `step` pixels of the crop wide, put together and cut into texts."""
    best, confidence = scores.argmax(axis=1), scores.max(axis=1)
    fresh = np.r_[True, best[1:] != best[:-1]] & (best != 0)
    cased, drawn = _kinds(tuple(characters))
    placed = [
        Letter(
            characters[int(best[c])],
            (float(c) + 0.5) * step,
            float(confidence[c]),
            any_case=float(scores[c][cased == cased[best[c]]].sum()),
            alike=float(scores[c][drawn == drawn[best[c]]].sum()),
        )
        for c in np.flatnonzero(fresh)
    ]
    return [piece for piece in _pieces(placed, crop) if piece.text]


@lru_cache(maxsize=4)
def _kinds(characters: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Of each character a number that it shares with its other case, and one with what is drawn alike."""
    cased = [character.lower() for character in characters]
    drawn = [_ALIKE.get(character, character) for character in cased]
    return tuple(np.array([kinds.index(kind) for kind in kinds]) for kinds in (cased, drawn))  # type: ignore[return-value]


def _batch(crop: np.ndarray) -> tuple[np.ndarray, float]:
    """The crop as the network takes it, and how many pixels of the crop one of its own is."""
    height, width = crop.shape[:2]
    drawn = min(_WIDEST, max(16, math.ceil(_HEIGHT * width / height)))
    step = _WIDTH_STEP if drawn <= _WIDE else _WIDE_STEP
    padded = max(_NARROWEST, math.ceil(drawn / step) * step)
    resized = cv2.resize(crop, (drawn, _HEIGHT), interpolation=cv2.INTER_LINEAR)
    batch = np.zeros((1, 3, _HEIGHT, padded), np.float32)
    batch[0, :, :, :drawn] = resized.transpose(2, 0, 1) / np.float32(127.5) - 1
    return batch, width / drawn


def _pieces(placed: Sequence[Letter], crop: np.ndarray) -> list[Piece]:
    """The letters cut into texts at the wide gaps in the ink."""
    contrast = distance(crop, ground(crop))
    ink = _ink(contrast)
    ink &= ~long_strokes(ink)  # the underline of a link or of a chosen menu does not bridge gaps
    columns = np.flatnonzero(ink.any(axis=0))
    if not placed or not len(columns):
        return []
    gaps = [(int(a) + 1, int(b)) for a, b in pairwise(columns) if b - a > 1]
    cuts = _cuts(columns, gaps, letters=sum(p.character != " " for p in placed))
    edges = [-math.inf, *((a + b) / 2 for a, b in cuts), math.inf]
    starts = [int(columns[0]), *(b for _, b in cuts)]
    ends = [*(a for a, _ in cuts), int(columns[-1]) + 1]
    pieces = []
    for index, (left, right) in enumerate(zip(starts, ends, strict=True)):
        letters = [p for p in placed if edges[index] <= p.at < edges[index + 1]]
        inside = [(a, b) for a, b in gaps if left < a and b < right]
        letters, beside = _without_icon(letters, inside, contrast[:, left:right], left)
        letters, box = _spaced(letters, inside, height=len(crop)), _ink_box(ink, left, right)
        piece = _piece(letters, box, words_of(letters, inside, left, right, height=box.h))
        pieces.append(piece._replace(beside=beside))
    return pieces


def _spaced(letters: Sequence[Letter], gaps: Sequence[tuple[int, int]], *, height: int) -> list[Letter]:
    """The letters with the spaces that the recogniser missed: gaps nearly as wide as where it saw one.

    Never inside a number, which is what must not change.
    """
    near = _NEAR * height
    beside = [[b - a for a, b in gaps if a - near <= p.at <= b + near] for p in letters if p.character == " "]
    seen = [max(widths) for widths in beside if widths]
    enough = max(_LEAST_SPACE * height, _AS_WIDE * float(np.median(seen))) if seen else _SPACE * height
    spaced = list[Letter]()
    for letter in letters:
        before = spaced[-1] if spaced else letter
        widest = max((b - a for a, b in gaps if before.at < (a + b) / 2 < letter.at), default=0)
        if widest >= enough and " " not in (before.character, letter.character) and not never_apart(before, letter):
            spaced.append(Letter(" ", (before.at + letter.at) / 2, 1.0))
        spaced.append(letter)
    return spaced


def _without_icon(
    letters: list[Letter], gaps: Sequence[tuple[int, int]], contrast: np.ndarray, left: int
) -> tuple[list[Letter], tuple[str, str]]:
    """The letters without a picture before or after them that was taken for one: alone, and not surely a letter.

    What was left out so, and is a letter by what the recogniser says of rubbish, comes along: before it, and behind it;
    so does a letter of the text (“O pos”) of which nobody can say which one it is. `contrast` begins at column `left`.
    """
    height = len(contrast)
    said = [p for p in letters if p.character != " "]
    apart = [gap for gap in gaps if gap[1] - gap[0] >= _ICON_GAP * height]
    if len(said) < 3 or not apart:
        return letters, ("", "")
    (first, second), (before_last, last) = said[:2], said[-2:]
    beside = ["", ""]
    start, end = apart[0], apart[-1]
    if first.confidence < _SURE_LETTER and first.at < _middle(start) < second.at:
        own, rest = contrast[:, : start[0] - left], contrast[:, start[1] - left :]
        if not _is_lone_letter(first, own, rest, start):
            letters = [p for p in letters if p.at > _middle(start)]
            beside[0] = first.character if first.confidence >= SUREST_RUBBISH else ""
        elif first.any_case < _TOLD:
            beside[0] = first.character
    if last.confidence < _SURE_LETTER and before_last.at < _middle(end) < last.at:
        rest, own = contrast[:, : end[0] - left], contrast[:, end[1] - left :]
        if not _is_lone_letter(last, own, rest, end):
            letters = [p for p in letters if p.at < _middle(end)]
            beside[1] = last.character if last.confidence >= SUREST_RUBBISH else ""
        elif last.any_case < _TOLD:
            beside[1] = last.character
    return letters, (beside[0], beside[1])


def _middle(gap: tuple[int, int]) -> float:
    return (gap[0] + gap[1]) / 2


def _is_lone_letter(letter: Letter, own: np.ndarray, rest: np.ndarray, gap: tuple[int, int]) -> bool:
    """Whether it is a letter of its text whichever of those that are drawn alike it is, and no marker beside it.

    The markers of radio buttons and check boxes are drawn in another ink, stand farther away, or look like no letter
    for certain. Measured on Tk in six fonts, and on 210 screens of others.
    """
    if letter.alike < _SURE_LETTER or not letter.character.isalnum() or gap[1] - gap[0] > _LONE_GAP * len(own):
        return False
    ours, theirs = _strongest(own), _strongest(rest)
    return min(ours, theirs) >= _SAME_INK * max(ours, theirs)


def _strongest(contrast: np.ndarray) -> float:
    """How far the ink of a text is from its ground."""
    ink = contrast[_ink(contrast)]
    return float(np.percentile(ink, 98)) if ink.size else 0.0


def _cuts(columns: np.ndarray, gaps: list[tuple[int, int]], *, letters: int) -> list[tuple[int, int]]:
    """The gaps between inked columns that are wide enough to part two texts."""
    spaces = [(a, b) for a, b in gaps if b - a >= _SMALLEST_GAP]
    inked = int(columns[-1]) + 1 - int(columns[0]) - sum(b - a for a, b in spaces)
    widest = max(_SMALLEST_GAP, _GAP_IN_LETTERS * inked / max(1, letters))
    return [(a, b) for a, b in gaps if b - a >= widest]


def _piece(letters: Sequence[Letter], box: Box, words: Sequence[tuple[str, float, float]]) -> Piece:
    text = "".join(p.character for p in letters if p.character not in SHAPES)
    sure = [p.confidence for p in letters if p.character != " "]
    placed = (Word(said, max(0, round(left) - box.x), min(box.w, round(right) - box.x)) for said, left, right in words)
    return Piece(" ".join(text.split()), box, float(np.mean(sure)) if sure else 0.0, tuple(placed))


def _ink(contrast: np.ndarray) -> np.ndarray:
    """True where a pixel differs clearly from the line's ground."""
    return np.asarray(contrast > max(EVEN, _INK * float(np.percentile(contrast, 99))))


def _ink_box(ink: np.ndarray, left: int, right: int) -> Box:
    """The box of the letters between two columns, with a margin: from the middle out to where the ink ends."""
    height = ink.shape[0]
    rows = np.flatnonzero(ink[:, left:right].any(axis=1))
    top = bottom = int(rows[np.abs(rows - height // 2).argmin()]) if len(rows) else height // 2
    reach = max(3, height // 7)  # over the gap between a letter and its accent, not to the border of a button
    for row in rows[rows >= bottom]:
        bottom = int(row) if row - bottom <= reach else bottom
    for row in rows[rows <= top][::-1]:
        top = int(row) if top - row <= reach else top
    top, bottom = max(0, top - _MARGIN), min(height, bottom + 1 + _MARGIN)
    left, right = max(0, left - _MARGIN), min(ink.shape[1], right + _MARGIN)
    return Box(left, top, right - left, bottom - top)
