"""Comparing what was read with what was taught: tolerant of how a reader errs, strict where an edit changes the sense.

A reader loses accents, splits and glues words, takes 0 for O, 1 and I for l, m for rn, and the underlined O of a menu
for Q. What differs only so is the same text. Beyond that a few wrong letters are forgiven, but never a digit, and never
so many in one word that it may be another word ("on" and "off", "Lock" and "Unlock").
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from rapidfuzz.distance import Editops, Levenshtein

# One wrong letter in seven: a reader's slip in a word of a label. Enough to recognise a screen by several texts.
SEEN = 0.84
# For what is about to be clicked: at 0.8 "New Encounter" passes for "Save Encounter", at 0.9 it does not.
SAME = 0.9

NEGATIONS = frozenset(
    {
        "not", "no", "never", "cannot", "cant", "failed", "fails", "failure", "unable", "isnt", "wasnt", "couldnt",
        "dont", "didnt", "without", "error", "pas", "non", "aucun", "aucune", "jamais", "echec", "impossible", "sans",
        "erreur",
    }
)  # fmt: skip

_PLAIN = str.maketrans(
    {
        "’": "'", "‘": "'", "`": "'", "´": "'", "“": '"', "”": '"', "«": '"', "»": '"', "–": "-", "—": "-", "−": "-",
        "‐": "-", "‑": "-", "…": "...", "×": "x", "œ": "oe", "Œ": "Oe", "æ": "ae", "Æ": "Ae", "ø": "o", "Ø": "O",
        "ł": "l", "Ł": "L", "\u00a0": " ", "\u202f": " ",
    }
)  # fmt: skip
_EDGES = ".:,;\"'"  # at the ends of a word these say nothing; inside a number they do
_LOOSE = str.maketrans({"0": "o", "q": "o", "1": "l", "i": "l", "|": "l"})
_STRICT = str.maketrans(dict.fromkeys("Il|", "\x1e"))  # one stroke; no digit, so that no word is a number
_MEETING = "\x1f"  # between two numbers, which a reader that glues words must not make one
_SEAM = re.compile(r"(?<=[^\W\d_A-Z][^\W\d_A-Z])(?=[A-Z][^\W\d_A-Z])|(?<=\.\.)(?=\w)")  # "FileEdit", "Open...Save"
_PARTED = re.compile(r"(?<=[^\W\d_]) (?=\.[^\W\d_])")  # "j .weber@", read in letters of one width
_NAME_PREFIXES = ("mc", "mac", "de", "du", "le", "la", "van", "von", "fitz")  # "McDonald" is not two words
_GLUED = 0.95  # of the score, for what was found within a word
# What a word ends with in another form of it, as keys: "Enregistrer" is the button, "Enregistré" says that it was done.
_ENDINGS = frozenset({"", "s", "e", "es", "ee", "ees", "r", "er", "d", "ed", "x", "z", "ez"})
_STEM = 3  # letters that two forms of a word share at least
_SPLIT = re.compile(r"(?<!\d)[:;()\[\]{}\"=<>|]|[:;()\[\]{}\"=<>|](?!\d)|[\s_]+")  # "_" is read as a space at times


@dataclass(frozen=True, slots=True)
class Words:
    """A text made ready to be compared.

    `key` is the text without spaces, accents, case and confusions; `strict` keeps what case tells apart (I from i), and
    numbers as they are: no letter is a digit there, and two numbers are not one.
    `owners[i]` is the word that key[i] belongs to, `limits` how many wrong letters each word may have, and
    `starts` where in `key` each word begins (one more for the end); `firm` are the words, as keys, that may have none.
    """

    text: str
    key: str
    strict: str
    owners: tuple[int, ...]
    limits: tuple[int, ...]
    starts: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    plain: tuple[str, ...]
    firm: tuple[str, ...]

    @property
    def negated(self) -> bool:
        """True for a text that denies something; "Notsaved" and "NotSaved" are "Not saved", as a reader glued it."""
        return any(word.replace("'", "") in NEGATIONS for word in (*self.plain, *_pieces(self.text).plain))


def may_hold(key: str, needle: Words) -> bool:
    """False where a word of the needle that forgives no letter is not in `key`: a quick sieve before comparing."""
    return not needle.firm or all(word in key for word in needle.firm)


@lru_cache(maxsize=32768)  # words are asked again and again for each line that may name a record
def folded(text: str) -> str:
    """Case, accents and typographic variants taken away, spaces single."""
    return " ".join(_unaccented(text).casefold().split())


def typographic(text: str) -> str:
    """Typographic variants of signs taken away; case, accents and spaces stay."""
    return unicodedata.normalize("NFC", text).translate(_PLAIN)


def _unaccented(text: str) -> str:
    plain = _PARTED.sub("", text.translate(_PLAIN))
    if plain.isascii():
        return plain
    return "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))


@lru_cache(maxsize=32768)  # a screen of 5000 lines, what they join to, and the texts of a workflow
def words(text: str) -> Words:
    """`text` made ready to be compared."""
    plain_text = _unaccented(text)
    if len(plain_text) != len(text):  # positions in the original are lost: spans then refer to the plain form
        text = plain_text
    key, strict, plain = "", "", list[str]()
    spans, owners, limits, starts = list[tuple[int, int]](), list[int](), list[int](), list[int]()
    for start, end in _word_spans(plain_text):
        word = plain_text[start:end]
        loose = _key(word.casefold().translate(_LOOSE))
        starts.append(len(key))
        key += loose
        strict += _joint(strict, _strict_key(word))
        owners += [len(plain)] * len(loose)
        limits.append(0 if any(c.isdigit() for c in word) else _forgiven(len(loose)))
        plain.append(word.casefold())
        spans.append((start, end))
    return Words(
        text=text, key=key, strict=strict, owners=tuple(owners), limits=tuple(limits),
        starts=(*starts, len(key)), spans=tuple(spans), plain=tuple(plain),
        firm=tuple(key[a:b] for limit, (a, b) in zip(limits, pairwise([*starts, len(key)]), strict=True) if not limit),
    )  # fmt: skip


def _word_spans(text: str) -> list[tuple[int, int]]:
    """Where the words of `text` stand, punctuation at their ends left out; a number keeps its inner punctuation."""
    spans, start = [], 0
    for match in [*_SPLIT.finditer(text), None]:
        end = match.start() if match else len(text)
        word = text[start:end]
        left = len(word) - len(word.lstrip(_EDGES))
        right = len(word.rstrip(_EDGES))
        if left < right:
            spans.append((start + left, start + right))
        start = match.end() if match else end
    return spans


def _strict_key(word: str) -> str:
    has_digit = any(c.isdigit() for c in word)
    return word.casefold() if has_digit else _key(word.translate(_STRICT).casefold())


def _joint(text: str, word: str) -> str:
    return _MEETING + word if text[-1:].isdigit() and word[:1].isdigit() else word


def _key(text: str) -> str:
    return text.replace("rn", "m")


def _forgiven(length: int) -> int:
    """How many wrong letters still make it the same word: none in "on", one in "File", two in "Encounter"."""
    return 0 if length < 3 else 1 if length < 8 else length // 4


def similarity(one: str | Words, other: str | Words, *, strict: bool = False) -> float:
    """How much two texts are the same, 0 to 1; 0 where a digit, a word or its form differs. `strict`: 1 or 0."""
    a = words(one) if isinstance(one, str) else one
    b = words(other) if isinstance(other, str) else other
    if not a.key or not b.key:
        return 0.0
    if strict:
        return float(a.strict == b.strict or _together(a.plain) == _together(b.plain))
    if a.key == b.key:
        return 1.0
    return 0.0 if _is_inflected(a, b) else _graded(a.key, a.owners, a.limits, b)


def _is_inflected(a: Words, b: Words) -> bool:
    """True where a word is there in another form: no reader's slip looks like that, and it changes the sense."""
    if _are_forms(a.key, b.key):
        return True
    if len(a.starts) != len(b.starts):
        return False
    pairs = zip(pairwise(a.starts), pairwise(b.starts), strict=True)
    return any(_are_forms(a.key[i:j], b.key[k:m]) for (i, j), (k, m) in pairs)


def _are_forms(one: str, other: str) -> bool:
    stem = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one != other and stem >= _STEM and one[stem:] in _ENDINGS and other[stem:] in _ENDINGS


def _together(plain: Sequence[str]) -> str:
    """Words as a reader may glue them, but for two numbers that meet."""
    text = ""
    for word in plain:
        text += _joint(text, word)
    return text


def _graded(key: str, owners: tuple[int, ...], limits: tuple[int, ...], b: Words) -> float:
    longest = max(len(key), len(b.key))
    if abs(len(key) - len(b.key)) > 0.5 * longest:
        return 0.0
    edits = Levenshtein.editops(key, b.key)
    if not (_tolerable(edits, "src", owners, limits) and _tolerable(edits, "dest", b.owners, b.limits)):
        return 0.0
    return 1.0 - len(edits) / longest


def _tolerable(edits: Editops, side: str, owners: tuple[int, ...], limits: tuple[int, ...]) -> bool:
    """True if no word of that side has more wrong letters than it may; a letter put in counts for both neighbours."""
    absent_tag = "insert" if side == "src" else "delete"
    counts = [0] * len(limits)
    for edit in edits:
        at = edit.src_pos if side == "src" else edit.dest_pos
        touched = {owners[i] for i in ((at - 1, at) if edit.tag == absent_tag else (at,)) if 0 <= i < len(owners)}
        for word in touched:
            # a letter put in between two words is a wrong letter of the one that forgives it, but not of a number
            if edit.tag == absent_tag and len(touched) > 1 and limits[word] == 0 and max(limits[w] for w in touched):
                continue
            counts[word] += 1
    return all(count <= limit for count, limit in zip(counts, limits, strict=True))


@dataclass(frozen=True, slots=True)
class _Pieces:
    """The words of a text, those cut apart that were glued: like the fields of `Words` of these names."""

    spans: tuple[tuple[int, int], ...]
    starts: tuple[int, ...]
    plain: tuple[str, ...]


@lru_cache(maxsize=8192)
def _pieces(text: str) -> _Pieces:
    """Where a reader may have left out spaces: at a capital within a word, and behind dots."""
    ready = words(text)
    folded_text = _unaccented(ready.text)
    if not _SEAM.search(folded_text):
        return _Pieces(ready.spans, ready.starts, ready.plain)
    spans, starts, plain = list[tuple[int, int]](), list[int](), list[str]()
    for (first, last), start in zip(ready.spans, ready.starts, strict=False):
        for left, right in _cut(folded_text, first, last):
            spans.append((left, right))
            starts.append(start + len(_key(folded_text[first:left].casefold().translate(_LOOSE))))
            plain.append(folded_text[left:right].strip(_EDGES).casefold())
    return _Pieces(tuple(spans), (*starts, len(ready.key)), tuple(plain))


def _cut(text: str, first: int, last: int) -> list[tuple[int, int]]:
    """The word text[first:last] cut at its seams."""
    if text[first:last].isupper() or text[first:last].casefold().startswith(_NAME_PREFIXES):
        return [(first, last)]
    seams = [m.start() for m in _SEAM.finditer(text, first, last) if first < m.start() < last]
    return list(pairwise([first, *seams, last]))


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Where in a longer text something was found: positions in its characters (of `Words.text`), and how well.

    `glued` where it begins or ends within a word.
    """

    start: int
    end: int
    score: float
    glued: bool = False


def find(needle: str | Words, text: str | Words, *, minimum: float = SEEN, strict: bool = False) -> Occurrence | None:
    """The best run of whole words of `text` that is `needle`, None if there is none."""
    return max(find_all(needle, text, minimum=minimum, strict=strict), key=lambda p: p.score, default=None)


def find_all(
    needle: str | Words,
    text: str | Words,
    *,
    minimum: float = SEEN,
    strict: bool = False,
    glued: bool = False,
    across: Sequence[int] = (),
) -> list[Occurrence]:
    """Every run of whole words of `text` that is `needle`, from left to right; of those that overlap the best.

    `across`: only what goes over one of these places in the text, in order; all of it where there are none.

    `glued`: also what begins or ends where a reader seems to have left out a space ("Edit" in "FileEdit"); never of a
    text that is asked for strictly, which may be a name.
    """
    n = words(needle) if isinstance(needle, str) else needle
    t = words(text) if isinstance(text, str) else text
    if not n.key:
        return []
    found = _runs_like(n, t, t.spans, t.starts, minimum=minimum, strict=strict, across=across)
    if glued and not strict and (pieces := _pieces(t.text)).spans != t.spans:
        edges = {edge for span in t.spans for edge in span}
        within = _runs_like(n, t, pieces.spans, pieces.starts, minimum=minimum, strict=False, across=across)
        found += [
            Occurrence(p.start, p.end, p.score * _GLUED, glued=True)
            for p in within
            if not {p.start, p.end} <= edges and p.score * _GLUED >= minimum
        ]
    return _best_apart(found)


def _runs_like(
    n: Words,
    t: Words,
    spans: tuple[tuple[int, int], ...],
    starts: tuple[int, ...],
    *,
    minimum: float,
    strict: bool,
    across: Sequence[int],
) -> list[Occurrence]:
    """Every run of the words at `spans` that is the needle, overlapping ones too."""
    found = []
    slack = 0 if strict else max(1, round(len(n.key) * (1 - minimum)))
    for first in range(len(spans)) if not across else _before_seams(spans, starts, across, len(n.key) + slack):
        last = bisect_left(starts, starts[first] + len(n.key) - slack, first + 1) - 1
        while last < len(spans) and starts[last + 1] - starts[first] <= len(n.key) + slack:
            start, end = spans[first][0], spans[last][1]
            score = _alike(n, t, start, end, t.key[starts[first] : starts[last + 1]], minimum=minimum, strict=strict)
            if score >= minimum:
                found.append(Occurrence(start, end, score))
            last += 1
    return found


def _before_seams(
    spans: tuple[tuple[int, int], ...], starts: tuple[int, ...], across: Sequence[int], longest: int
) -> list[int]:
    """The words with which a run over one of those places may begin."""
    found = []
    for first, (start, _) in enumerate(spans):
        seam = bisect_right(across, start)
        if seam < len(across):
            after = bisect_left(spans, (across[seam], 0), first)
            if after > first and spans[after - 1][1] > across[seam]:
                after -= 1  # the place is within a word: a hyphen was taken away there
            if after < len(spans) and starts[after + 1] - starts[first] <= longest:
                found.append(first)
    return found


def _alike(n: Words, t: Words, start: int, end: int, key: str, *, minimum: float, strict: bool) -> float:
    """How much t.text[start:end], whose key this is, is the needle; the cheap answers first."""
    if key == n.key and not strict:
        return 1.0
    if not may_hold(key, n) or Levenshtein.normalized_similarity(n.key, key, score_cutoff=minimum) < minimum:
        return 0.0
    return similarity(n, t.text[start:end], strict=strict)


def _best_apart(found: list[Occurrence]) -> list[Occurrence]:
    """From left to right; of places that overlap only the best, of equals the tightest."""
    kept: list[Occurrence] = []
    for place in sorted(found, key=lambda p: (-p.score, p.end - p.start, p.start)):
        if all(place.end <= other.start or place.start >= other.end for other in kept):
            kept.append(place)
    return sorted(kept, key=lambda p: p.start)
