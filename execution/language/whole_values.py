"""Whether a line names a record: its name, its number or a date of it, whole and to the letter (S9.6).

The value may stand among other things on the line ("DUPONT Léa – IPP 8812 – née le 3/4/71", "Patient : DUPONT Léa"), in
parts, and with its surname first or last. It ends where a separator, a label or what is told of somebody begins: what
goes on is a longer name, or a longer number, and another record. What may be the value and may be not is no yes:

* Digits are compared one by one, and no letter counts for a digit, however a reader takes them for each other.
* A date is the same with or without leading zeros; of two digits of a year nobody knows the century.
* An accent may be missing where the letter is a capital, as French capitals are written and read; in small letters, or
  where two accents differ, nobody can tell.
* A capital I and a small l are one stroke: which of them it is, is told by the letters beside it. rn may be m.
* Readers take œ for oe, ce or e; no two names differ by oe and ce alone, but by oe and e they may.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from execution.language.fuzzy import folded, typographic
from execution.types import Answer

_WORD = re.compile(r"[^\W_]+(?:(?:['_-](?=[^\W_])|(?<=\d)[./,:](?=\d))[^\W_]+)*")
_PART = re.compile(r"\d+|[^\W\d_]+")
_DATE = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})|(\d{4})([/.-])(\d{1,2})\6(\d{1,2})")
_ENDS_CUT = re.compile(r"(?:\.{2,}|…)\s*$")
_SEPARATORS = frozenset(':,;|()[]{}=·•<>°#"→')
_ABBREVIATED = 3  # letters of a word that a point ends and that goes on: "Dr."
_DIGIT_LIKE = str.maketrans({"o": "0", "i": "1", "l": "1", "s": "5", "b": "8", "z": "2", "g": "9"})

TITLES = frozenset(
    {"m", "mr", "mrs", "ms", "miss", "mme", "mlle", "dr", "pr", "prof", "monsieur", "madame", "mademoiselle"}
)
# They say whose name follows.
_BEFORE = TITLES | {
    "patient", "patiente", "nom", "prenom", "name", "surname", "dossier", "record", "file", "chart", "for", "pour",
    "of",
}  # fmt: skip
_OF = frozenset({"de", "du", "of", "the", "le", "la"})
# They say what follows a name: a number, a birthday, a place. Names are among them, so a number must follow.
_BEHIND = frozenset(
    {
        "ipp", "nip", "nda", "ins", "nir", "iep", "mrn", "id", "no", "n", "num", "numero", "number", "ref", "dossier",
        "ne", "nee", "born", "dob", "ddn", "age", "aged", "sex", "sexe", "chambre", "room", "lit", "bed", "tel",
    }
)  # fmt: skip
_SEX = frozenset({"f", "h", "m"})
_PARTS_OF_NAMES = frozenset(
    {"nom", "prenom", "prenoms", "name", "first", "last", "given", "family", "surname", "forename", "firstname",
     "lastname"}
)  # fmt: skip
_ALWAYS_LABELS = frozenset({"nom", "prenom", "prenoms"})
# Who is named behind them is somebody else than the one the record is of.
_SOMEBODY_ELSE = frozenset(
    {
        "medecin", "docteur", "doctor", "physician", "prescripteur", "infirmier", "infirmiere", "nurse", "auteur",
        "author", "user", "utilisateur", "mere", "pere", "mother", "father", "conjoint", "spouse", "contact",
        "naissance", "birth", "maiden", "by", "par",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Token:
    """A word as it is written, its parts (letters and digits apart), and whether what is before it separates it."""

    text: str
    parts: tuple[str, ...]
    apart: bool
    gap: str
    has_digit: bool

    @property
    def key(self) -> str:
        return folded(self.text)


def has_words(text: str) -> bool:
    """False for a value that says nothing."""
    return bool(_tokens(text))


def compare(value: str, shown: str) -> Answer:
    """Whether `shown` begins with the value, but for a title; what may follow it is left out."""
    return _either(value, shown, anywhere=False)


def stands_in(value: str, line: str) -> Answer:
    """Whether the value stands in a line, alone or among other things."""
    return _either(value, line, anywhere=True)


def _either(value: str, shown: str, *, anywhere: bool) -> Answer:
    answers = [_answer(one, shown, anywhere=anywhere) for one in {value, value.translate(_AS_READ)}]
    return max(answers, key=_RANK.__getitem__)


@lru_cache(maxsize=8192)
def _answer(value: str, shown: str, *, anywhere: bool) -> Answer:
    ours, theirs = _tokens(value), _tokens(shown)
    if not ours or not theirs:
        return Answer.NO
    cut = _ENDS_CUT.search(shown) is not None
    capitals = sum(t.text[0].isupper() for t in theirs) > 0
    answers = {Answer.NO}
    for first in range(len(theirs)):
        if first and not anywhere and not _is_introduction(theirs, first):
            break
        for last in range(first + 1, min(len(theirs), first + _longest(ours)) + 1):
            same = _same(ours, list(_named(theirs, first, last)), capitals=capitals)
            if same is Answer.NO:
                continue
            at_end = cut and last == len(theirs)
            sure = min(_bounded_left(ours, theirs, first), _bounded_right(ours, theirs, last), key=_RANK.__getitem__)
            answers.add(min(same, sure, Answer.CANNOT_TELL if at_end else Answer.YES, key=_RANK.__getitem__))
    if cut and _RANK[max(answers, key=_RANK.__getitem__)] < _RANK[Answer.YES] and _begins(ours, theirs):
        answers.add(Answer.CANNOT_TELL)
    return max(answers, key=_RANK.__getitem__)


_AS_READ = str.maketrans({"œ": "ce", "Œ": "CE"})
_RANK = {Answer.NO: 0, Answer.CANNOT_TELL: 1, Answer.YES: 2}


def _tokens(text: str) -> tuple[_Token, ...]:
    plain = typographic(text)
    found, end = list[_Token](), 0
    for hit in _WORD.finditer(plain):
        gap = plain[end : hit.start()]
        before = found[-1].text if found else ""
        text, apart = hit.group(), not found or _separates(gap, before)
        has_digit = any(c.isdigit() for c in text)
        found.append(_Token(text, tuple(_PART.findall(text)), apart, gap, has_digit))
        end = hit.end()
    return tuple(found)


def _separates(gap: str, before: str) -> bool:
    """Whether what stands between two words tells two things apart; a dash does with a space on either side."""
    signs = gap.strip()
    if not signs:
        return len(gap) > 1
    if _SEPARATORS.intersection(signs):
        return True
    if signs == ".":
        return len(before) > _ABBREVIATED
    return gap[:1].isspace() and gap[-1:].isspace() and "'" not in signs


def _longest(ours: Sequence[_Token]) -> int:
    """How many words the value may be read as: split at hyphens, with a label or two between its parts."""
    return sum(len(t.parts) for t in ours) + 3


def _named(theirs: Sequence[_Token], first: int, last: int) -> Iterator[_Token]:
    """The words of the run, without the labels of the parts of a name within it."""
    for index in range(first, last):
        inner = first < index < last - 1
        if not (inner and _is_label_of_part(theirs, index)):
            yield theirs[index]


def _is_label_of_part(theirs: Sequence[_Token], index: int) -> bool:
    key = theirs[index].key
    if key not in _PARTS_OF_NAMES or index + 1 >= len(theirs):
        return False
    return key in _ALWAYS_LABELS or ":" in theirs[index + 1].gap or _is_label_of_part(theirs, index + 1)


def _is_introduction(theirs: Sequence[_Token], first: int) -> bool:
    """Whether all words before that one are titles or labels."""
    return all(t.key in _BEFORE or t.key in _BEHIND for t in theirs[:first])


def _bounded_left(ours: Sequence[_Token], theirs: Sequence[_Token], first: int) -> Answer:
    """Whether the value begins there: no name or number goes before it."""
    if first == 0:
        return Answer.YES
    before, token = theirs[first - 1], theirs[first]
    if before.key in _SOMEBODY_ELSE and not ours[0].has_digit:
        return Answer.CANNOT_TELL
    if token.apart:
        return Answer.YES
    if before.has_digit:
        return Answer.CANNOT_TELL if token.has_digit else Answer.YES
    if token.has_digit and ours[0].has_digit:
        return Answer.YES  # what a number is of: "IPP 8812"
    introduced = before.key in _BEFORE
    of = before.key in _OF and first > 1 and theirs[first - 2].key in _BEFORE
    return Answer.YES if introduced or of else Answer.NO


def _bounded_right(ours: Sequence[_Token], theirs: Sequence[_Token], last: int) -> Answer:
    """Whether the value ends there: no name or number goes on behind it."""
    if last == len(theirs):
        return Answer.YES
    token = theirs[last]
    following = theirs[last + 1 : last + 4]
    if token.apart:
        more = "," in token.gap and len(ours) == 1 and not ours[0].has_digit and not token.has_digit
        return Answer.CANNOT_TELL if more and token.key not in _BEHIND else Answer.YES
    if token.has_digit:
        return Answer.CANNOT_TELL if theirs[last - 1].has_digit else Answer.YES
    if token.key in _SEX and following and following[0].has_digit:
        return Answer.YES
    told = any(t.has_digit for t in following) or (following and ":" in following[0].gap)
    if token.key in _BEHIND and (told or (token.key in ("ne", "nee") and token.text[0].islower())):
        return Answer.YES
    if theirs[last - 1].has_digit or len(token.text) == 1:
        return Answer.CANNOT_TELL
    return Answer.NO


def _begins(ours: Sequence[_Token], theirs: Sequence[_Token]) -> bool:
    """Whether a text that is cut off ends with the beginning of the value."""
    wanted = "".join(folded(p) for t in ours for p in t.parts)
    for first in range(len(theirs)):
        rest = "".join(folded(p) for t in theirs[first:] for p in t.parts)
        if rest and wanted.startswith(rest):
            return True
    return False


# --- whether these are the same words ---------------------------------------------------------------------------------
def _same(ours: Sequence[_Token], theirs: Sequence[_Token], *, capitals: bool) -> Answer:
    """The same words in their order, or with those from the end put first: "Marie DUPONT" is "DUPONT Marie"."""
    turns = range(len(ours)) if sum(t.has_digit for t in ours) <= 1 else range(1)
    best = Answer.NO
    for turn in turns:
        turned = [*ours[turn:], *ours[:turn]]
        best = max(best, _same_in_order(turned, theirs, capitals=capitals), key=_RANK.__getitem__)
        if best is Answer.YES:
            break
    return best


def _same_in_order(ours: Sequence[_Token], theirs: Sequence[_Token], *, capitals: bool) -> Answer:
    if len(ours) == len(theirs) == 1 and (when := _same_date(ours[0].text, theirs[0].text)) is not None:
        return when
    mine, shown = [p for t in ours for p in t.parts], [p for t in theirs for p in t.parts]
    digits = any(t.has_digit for t in (*ours, *theirs))
    if len(mine) == len(shown):
        answers = [_same_part(a, b, capitals=capitals) for a, b in zip(mine, shown, strict=True)]
        if Answer.NO not in answers:
            return min(answers, key=_RANK.__getitem__)
    joined, other = "".join(folded(p) for p in mine), "".join(folded(p) for p in shown)
    if digits:  # letters for digits, or a number in pieces: it may be this one, and it may be another
        alike = joined.translate(_DIGIT_LIKE) == other.translate(_DIGIT_LIKE)
        return Answer.CANNOT_TELL if alike else Answer.NO
    written = [as_written(p) for p in shown]
    glued = _same_letters("".join(mine), "".join(written), lower_first=False)
    if glued is Answer.NO and joined.replace("rn", "m") == other.replace("rn", "m"):
        return Answer.CANNOT_TELL
    return glued


def _same_part(ours: str, shown: str, *, capitals: bool) -> Answer:
    if ours.isdigit() or shown.isdigit():
        return Answer.YES if ours == shown else Answer.NO
    if ours == shown:  # "All": its A alone does not tell how the others are written
        return Answer.YES
    return _same_letters(ours, as_written(shown), lower_first=capitals)


@lru_cache(maxsize=8192)
def as_written(part: str) -> str:
    """A word as its other letters say that it is written: "MlLLET" in capitals, "AIain" in small letters."""
    others = [c for c in part if c not in "Il"]
    if others and all(c.isupper() for c in others):
        return part.replace("l", "I")
    if any(c.islower() for c in others):
        return part[:1] + part[1:].replace("I", "l")
    return part


def _same_letters(ours: str, shown: str, *, lower_first: bool) -> Answer:
    """Letter by letter; `lower_first`: the line is written with capitals, so that a small l before a name is an I."""
    if len(ours) != len(shown):
        return Answer.NO
    answer = Answer.YES
    for index, (a, b) in enumerate(zip(ours, shown, strict=True)):
        if a.casefold() == b.casefold():
            continue
        if index == 0 and lower_first and a == "I" and b == "l" and shown[1:].islower():
            continue
        (base, accent), (other, other_accent) = _taken_apart(a), _taken_apart(b)
        if base.casefold() != other.casefold():
            return Answer.NO
        bare = other if accent else base
        if (accent and other_accent) or not bare.isupper():
            answer = Answer.CANNOT_TELL
    return answer


def _taken_apart(letter: str) -> tuple[str, str]:
    """The letter without its accent, and the accent."""
    decomposed = unicodedata.normalize("NFD", letter)
    return decomposed[0], decomposed[1:]


def _same_date(ours: str, shown: str) -> Answer | None:
    """None where one of them is no date."""
    mine, theirs = _DATE.fullmatch(ours), _DATE.fullmatch(shown)
    if mine is None or theirs is None:
        return None
    (day, month, year), (other_day, other_month, other_year) = _numbers(mine), _numbers(theirs)
    if (int(day), int(month)) != (int(other_day), int(other_month)) or year[-2:] != other_year[-2:]:
        return Answer.NO
    same_form = bool(mine.group(1)) == bool(theirs.group(1))
    return Answer.YES if year == other_year and same_form else Answer.CANNOT_TELL


def _numbers(date: re.Match[str]) -> tuple[str, str, str]:
    """Day, month and year."""
    if date.group(1):
        return date.group(1), date.group(3), date.group(4)
    return date.group(8), date.group(7), date.group(5)
