"""Where a text stands as words: runs of words of one line, or of a line and the one that it is wrapped to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from functools import lru_cache
from itertools import pairwise

from execution.language.fuzzy import words as made_ready
from execution.language.letters import alone
from execution.perception.scene import PlacedWord, Scene
from execution.perception.scene.lines import Line


class Alike(IntEnum):
    """How far two texts are the same: but for blanks, but for case, accents and signs, but for what readers confuse."""

    NO = 0
    CONFUSED = 1
    LETTERS = 2
    EXACT = 3


@lru_cache(8192)
def _exact(text: str) -> str:
    return "".join(text.split())


@lru_cache(8192)
def _letters(text: str) -> str:
    return alone(text)


@lru_cache(8192)
def _confused(text: str) -> str:
    return made_ready(text).key or _exact(text)


LEVELS: dict[Alike, Callable[[str], str]] = {
    Alike.EXACT: _exact, Alike.LETTERS: _letters, Alike.CONFUSED: _confused,
}  # fmt: skip


def alike(one: str, other: str) -> Alike:
    """How far two texts are the same."""
    return next((level for level, form in LEVELS.items() if form(one) and form(one) == form(other)), Alike.NO)


def core(text: str) -> str:
    """A caption without a lone sign at its ends: a picture that was read as a letter."""
    words = text.split()
    while len(words) > 1 and _is_sign(words[0]):
        words = words[1:]
    while len(words) > 1 and _is_sign(words[-1]):
        words = words[:-1]
    return " ".join(words)


def _is_sign(word: str) -> bool:
    return len(alone(word)) < 2 and not word.isdigit()


def runs_of(text: str, scene: Scene) -> Iterator[tuple[Alike, tuple[PlacedWord, ...]]]:
    """Every run of words that is the text, each once and as like as it is."""
    seen = set[tuple[int, ...]]()
    for level, form in LEVELS.items():
        if not (want := form(text)):
            continue
        for found in (*_in_lines(want, text, form, scene.lines), *_wrapped(want, form, scene.lines)):
            key = tuple(map(id, found))
            if key not in seen:
                seen.add(key)
                yield level, found


def _in_lines(
    want: str, text: str, form: Callable[[str], str], lines: Sequence[Line]
) -> Iterator[tuple[PlacedWord, ...]]:
    for line in lines:
        starts, said = [0], ""
        for word in line.words:
            said += form(word.text)
            starts.append(len(said))
        at = said.find(want)
        while at >= 0:
            end = at + len(want)
            if at in starts and end in starts:
                first = len(starts) - 1 - starts[::-1].index(at)
                last = starts.index(end, first)
                run = line.words[first:last]
                if run and not _joins_numbers(run, text):
                    yield run
            at = said.find(want, at + 1)


def _joins_numbers(run: Sequence[PlacedWord], text: str) -> bool:
    """Whether two numbers would be read as one: "2 8" is no "28"."""
    meeting = (f"{a.text[-1]} {b.text[0]}" for a, b in pairwise(run) if a.text[-1].isdigit() and b.text[0].isdigit())
    return any(pair not in text for pair in meeting)


def _wrapped(want: str, form: Callable[[str], str], lines: Sequence[Line]) -> Iterator[tuple[PlacedWord, ...]]:
    """Where it begins at the end of one line and goes on at the start of the next."""
    for line in lines:
        tails = ((n, "".join(form(word.text) for word in line.words[n:])) for n in range(len(line.words)))
        heads = [(n, tail) for n, tail in tails if tail and len(tail) < len(want) and want.startswith(tail)]
        if not heads:
            continue
        for below in lines:
            if not _goes_on(line, below):
                continue
            for n, tail in heads:
                said = tail
                for end, word in enumerate(below.words, 1):
                    said += form(word.text)
                    if said == want:
                        yield (*line.words[n:], *below.words[:end])
                    if len(said) >= len(want):
                        break


def _goes_on(line: Line, below: Line) -> bool:
    step, high = below.box.y - line.box.y, line.box.h
    return 0 < step < 2.2 * high and abs(below.box.h - high) < 0.5 * high and below.box.x < line.box.right
