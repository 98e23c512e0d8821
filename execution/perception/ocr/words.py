"""Where the words of a line stand: the recogniser's columns of letters, snapped to the gaps in the ink (S2.12).

Of 13 565 words drawn in 13 fonts from 9 to 16 pixels, all were within 3 pixels so; by the columns alone, 84 of 100.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from statistics import median
from typing import NamedTuple

SHAPES = "▲▼△▽▶◀▷◁■□●○◆◇★☆☐☑☒"  # recognised, so that they are not taken for letters, but no part of a text
_NEAR = 2  # pixels that a letter's column may be beside its ink
# Of the letters' height: a gap that parts two words where the letters beside it are farther apart than others, and one
# that does so anyway.
_GAP, _WIDE_GAP = 0.2, 0.32
_FARTHER = 1.3  # of the distance of the line's letters
_LETTER = 0.55  # of the distance of letters: so far does one reach to either side
_NARROWEST = 0.35  # of the height, where letters are close
_PICTURE = 0.45  # of the height: ink so far beyond a word's outer letters is none of it


class Letter(NamedTuple):
    """A character and where its middle is, in columns of the crop.

    `any_case` is the confidence in that letter, large or small, `alike` that in any of those drawn as it is: O, o, 0.
    """

    character: str
    at: float
    confidence: float
    any_case: float = 0.0
    alike: float = 0.0


class _Part(NamedTuple):
    letters: tuple[Letter, ...]
    left: float
    right: float


def words_of(
    letters: Sequence[Letter], gaps: Sequence[tuple[int, int]], left: int, right: int, *, height: int
) -> list[tuple[str, float, float]]:
    """The words between two columns of a crop: each with the columns where it begins and ends.

    `gaps` are the columns without ink, `height` is that of the letters with their margins, in pixels.
    """
    runs = groupby(letters, key=_sort)
    groups = [tuple(run) for sort, run in runs if sort != " "]
    if not groups:
        return []
    cuts = [_gap(one[-1], other[0], gaps) for one, other in pairwise(groups)]
    starts, ends = [float(left), *(end for _, end in cuts)], [*(start for start, _ in cuts), float(right)]
    apart = [_Part(g, a, b) for g, a, b in zip(groups, starts, ends, strict=True) if _sort(g[0]) != SHAPES]
    parts = _without_pictures([part for one in apart for part in _parted(one, gaps, height)], height)
    return [("".join(x.character for x in part.letters), part.left, max(part.left + 1, part.right)) for part in parts]


def _sort(letter: Letter) -> str:
    """What parts words: a space, a shape, or neither."""
    return SHAPES if letter.character in SHAPES else " " if letter.character == " " else ""


def never_apart(one: Letter, other: Letter) -> bool:
    """True within a number, whose digits are as far apart as a table needs, and beside an underscore, a drawn space."""
    pair = one.character + other.character
    return "_" in pair or (any(c.isdigit() for c in pair) and all(c.isdigit() or c in ".,:/-+" for c in pair))


def _gap(one: Letter, other: Letter, gaps: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Where one letter's ink ends and the next one's begins: the widest gap between them, else their middle."""
    between = [gap for gap in gaps if one.at - _NEAR < sum(gap) / 2 < other.at + _NEAR]
    if between:
        start, end = max(between, key=lambda gap: gap[1] - gap[0])
        return float(start), float(end)
    middle = (one.at + other.at) / 2
    return middle, middle


def _parted(part: _Part, gaps: Sequence[tuple[int, int]], height: int) -> Iterator[_Part]:
    """The words of what was read without a space: cut where letters are too far apart, and behind a label's colon."""
    at = _unread_space(part.letters, gaps, height) or _behind_label(part.letters)
    if not at:
        yield part
        return
    start, end = _gap(part.letters[at - 1], part.letters[at], gaps)
    yield from _parted(_Part(part.letters[:at], part.left, start), gaps, height)
    yield from _parted(_Part(part.letters[at:], end, part.right), gaps, height)


def _unread_space(letters: Sequence[Letter], gaps: Sequence[tuple[int, int]], height: int) -> int:
    """The letter before which a space was not read; 0 where none was."""
    if len(letters) < 2:
        return 0
    apart = [b.at - a.at for a, b in pairwise(letters)]
    usual = median(apart)
    scale = max(height, 1.9 * usual) if len(apart) > 2 else height
    widths = [
        0.0 if never_apart(a, b) else max((e - s for s, e in gaps if a.at < (s + e) / 2 < b.at), default=0.0)
        for a, b in pairwise(letters)
    ]
    at = max(range(len(widths)), key=widths.__getitem__)
    is_space = widths[at] >= _WIDE_GAP * scale or (widths[at] >= _GAP * scale and apart[at] > _FARTHER * usual)
    return at + 1 if is_space and widths[at] >= 2 * _NEAR else 0


def _behind_label(letters: Sequence[Letter]) -> int:
    """The letter behind "Name:" that is no part of it, as in "Name:Durand"; 0 where there is none ("10:30", "C:/")."""
    said = "".join(letter.character for letter in letters)
    at = said.find(":") + 1
    is_label = at > 2 and said[: at - 1].isalpha() and at < len(said) and said[at] not in "/:\\"
    return at if is_label else 0


def _without_pictures(parts: Sequence[_Part], height: int) -> list[_Part]:
    """The words without what is drawn beside the first and the last of them, farther than a letter reaches."""
    if not parts:  # shapes alone
        return []
    every = [letter for part in parts for letter in part.letters]
    pitch = median(b.at - a.at for a, b in pairwise(every)) if len(every) > 2 else height / 2
    reach = _LETTER * max(min(pitch, height), _NARROWEST * height)
    first, last = parts[0], parts[-1]
    left, right = every[0].at - reach, every[-1].at + reach
    if every[0].at - first.left > reach + _PICTURE * height:
        first = first._replace(left=left)
    parts = [first, *parts[1:]]
    if last.right - every[-1].at > reach + _PICTURE * height:
        parts[-1] = parts[-1]._replace(right=right)
    return parts
