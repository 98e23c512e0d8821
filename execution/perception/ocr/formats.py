"""What other text readers answer, as our lines of text: one place for each engine's format (S5.5).

`part` is the part of the picture that the engine was given: its answers are moved there and cut to it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from execution.perception.changes import union
from execution.types import Box, TextLine, Word

_LINE_OF_WORD = ("page_num", "block_num", "par_num", "line_num")


def easyocr_lines(found: Iterable[tuple[Any, str, float]], *, part: Box) -> list[TextLine]:
    """EasyOCR's `readtext`: four corners, text and confidence of each line."""
    return _kept(line_of(corners, text, confidence, part=part) for corners, text, confidence in found)


def tesseract_lines(table: str | Mapping[str, Sequence[Any]], *, part: Box, scale: float = 1.0) -> list[TextLine]:
    """Tesseract's words, as its TSV or as a dictionary of columns, joined to lines as it numbers them.

    `scale` is how many times the part was enlarged before it was read.
    """
    lines: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in _rows(table):
        if float(row["conf"] or -1) >= 0 and (row["text"] or "").strip():
            lines.setdefault(tuple(row[k] for k in _LINE_OF_WORD), []).append(row)
    return _kept(_joined(words, part, scale) for words in lines.values())


def line_of(corners: Any, text: str, confidence: float, *, part: Box) -> TextLine:
    """Four corners, which may lie beside the picture, as an upright box of the whole picture."""
    xs, ys = [float(x) for x, _ in corners], [float(y) for _, y in corners]
    left, top = int(min(xs)), int(min(ys))
    box = Box(part.x + left, part.y + top, round(max(xs)) - left, round(max(ys)) - top)
    sure = min(1.0, max(0.0, float(confidence)))
    return TextLine(text=" ".join(text.split()), box=box.intersection(part), confidence=sure)


def _rows(table: str | Mapping[str, Sequence[Any]]) -> Iterator[dict[str, str]]:
    if isinstance(table, str):
        yield from csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE)
    else:
        for values in zip(*table.values(), strict=True):
            yield {name: str(value) for name, value in zip(table, values, strict=True)}


def _joined(words: Sequence[Mapping[str, str]], part: Box, scale: float) -> TextLine:
    confidence = sum(float(w["conf"]) for w in words) / len(words) / 100
    said, boxes = [w["text"].strip() for w in words], [_word_box(w, scale) for w in words]
    box = union(boxes)
    placed = Box(part.x + box.x, part.y + box.y, box.w, box.h).intersection(part)
    at = tuple(Word(text, b.x - box.x, b.right - box.x) for text, b in zip(said, boxes, strict=True))
    return TextLine(text=" ".join(said), box=placed, confidence=confidence, words=at)


def _word_box(row: Mapping[str, str], scale: float) -> Box:
    x, y, w, h = (round(int(row[k]) / scale) for k in ("left", "top", "width", "height"))
    return Box(x, y, max(1, w), max(1, h))


def _kept(lines: Iterable[TextLine]) -> list[TextLine]:
    return [line for line in lines if line.text and line.box.area]
