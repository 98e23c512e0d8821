"""Links: words in another colour than those around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from execution.perception.elements.found import Found, lines_in
from execution.perception.elements.inks import COLOURED, Word, chroma
from execution.perception.elements.layout import rows_of
from execution.perception.elements.scene import Scene
from execution.types import Box, Element, ElementRole

_ALL, _NONE = 0.97, 0.04  # of a line's ink: from here it is a link as a whole, up to here it holds none
_TINTED = 26  # chroma of a ground: text on a message's tint is coloured without being a link
_FEWEST_PAGES = 3
_CONTRAST = 50  # levels: fainter is the edge of something else


def links_of(scene: Scene, lines: Iterable[int]) -> list[Found]:
    """The links in the lines of those indices."""
    free = list(lines)
    pages = _pages(scene, free)
    numbered = lines_in(pages)
    return pages + [found for index in free if index not in numbered for found in _links(scene, index)]


def _pages(scene: Scene, lines: Sequence[int]) -> list[Found]:
    """The numbers of pages in a row at one distance, and the words before and after; each has its share of the row."""
    found = []
    for row in rows_of(scene.texts, lines):
        numbers = [i for i in row if scene.texts[i].text.isdigit() and len(scene.texts[i].text) <= 3]
        centres = [scene.texts[i].box.center.x for i in numbers]
        steps = [after - before for before, after in pairwise(centres)]
        pitch = min(steps, default=0)
        height = scene.texts[row[0]].box.h
        if len(numbers) < _FEWEST_PAGES or not height < pitch < 4 * height or not _coloured(scene, numbers):
            continue
        padding = pitch - min(scene.texts[i].box.w for i in numbers)
        for index in row:
            box = scene.texts[index].box
            gap = max(centres[0] - box.right, box.x - centres[-1])
            if index in numbers or gap < 1.5 * pitch:
                found.append(_link(_padded(scene, box, padding), scene.texts[index].text, index, whole=True))
    return found


def _coloured(scene: Scene, lines: Sequence[int]) -> bool:
    inks = [scene.inks[i] for i in lines]
    return sum(ink is not None and ink.coloured > 0.5 for ink in inks) > len(inks) / 2


def _padded(scene: Scene, box: Box, padding: int) -> Box:
    high = box.h // 2
    whole = Box(box.x - padding // 2, box.y - high, box.w + padding, box.h + 2 * high)
    return whole.intersection(Box(0, 0, *scene.size))


def _links(scene: Scene, index: int) -> Iterator[Found]:
    line, ink = scene.texts[index], scene.inks[index]
    if ink is None or ink.coloured <= _NONE or chroma(ink.ground) > _TINTED or ink.contrast < _CONTRAST:
        return
    if ink.coloured >= _ALL:
        yield _link(Box(ink.box.x, line.box.y, ink.box.w, line.box.h), line.text, index, whole=True)
        return
    words = scene.words(index)
    runs = _runs(words)
    if runs and len(runs[0]) == len(words):
        yield _link(Box(ink.box.x, line.box.y, ink.box.w, line.box.h), line.text, index, whole=True)
        return
    for run in runs:
        box = Box(words[run[0]].x, line.box.y, words[run[-1]].right - words[run[0]].x, line.box.h)
        if box.w >= 0.8 * box.h:
            yield _link(box, _text(line.text, words, run), index, whole=False)


def _link(box: Box, text: str, index: int, *, whole: bool) -> Found:
    """`box` has the width of the ink and the height of the line: a link's goes by its font, not by its letters."""
    return Found(Element(box=box, role=ElementRole.LINK, text=text, confidence=0.6), lines=(index,), whole=whole)


def _runs(words: list[Word]) -> list[list[int]]:
    """Stretches of coloured words."""
    found: list[list[int]] = []
    for i, word in enumerate(words):
        if chroma(word.colour) <= COLOURED:
            continue
        if found and found[-1][-1] == i - 1 and np.abs(words[i - 1].colour - word.colour).max() < 60:
            found[-1].append(i)
        else:
            found.append([i])
    return found


def _text(text: str, words: list[Word], run: list[int]) -> str:
    """The words of the run, by their number where there are as many as were read, else by their place in the line."""
    read = text.split()
    if len(read) == len(words):
        return " ".join(read[run[0] : run[-1] + 1])
    start, width = words[0].x, max(words[-1].right - words[0].x, 1)
    firsts = [i for i in range(len(text)) if not text[i].isspace() and (i == 0 or text[i - 1].isspace())]
    ends = [i for i in range(1, len(text) + 1) if not text[i - 1].isspace() and (i == len(text) or text[i].isspace())]
    first = min(firsts, key=lambda i: abs(i - (words[run[0]].x - start) / width * len(text)))
    end = min(ends, key=lambda i: abs(i - (words[run[-1]].right - start) / width * len(text)))
    return text[first : max(first, end)] or text
