"""Whether a text was written as it is shown, to the letter: case, accents, and nothing more than it.

Readers tell letters of two cases and accents well, and spaces badly: those do not count.
"""

from __future__ import annotations

from dataclasses import dataclass

from execution.language.fuzzy import folded, typographic
from execution.language.whole_values import as_written

# A caret, the arrow of a combo box and the picture of a calendar, read as letters; any other letter is an initial.
_SIGNS = frozenset("IilvVyY")


@dataclass(frozen=True, slots=True)
class Shown:
    """A text within another one: whether its letters are the same, and the letters and digits before and behind it."""

    same: bool
    before: str
    behind: str

    @property
    def is_all(self) -> bool:
        return self.same and not (self.before or self.behind)


def shown_in(typed: str, shown: str) -> Shown | None:
    """None where it does not stand there at all, case and accents aside."""
    ours, theirs = _letters(typed), _letters(shown)
    needle, hay = _plain(ours), _plain(theirs)
    at = hay.find(needle) if needle else -1
    if at < 0:
        return None
    found, end = theirs[at : at + len(ours)], at + len(ours)
    return Shown(
        same=found == ours or _in_capitals(ours, found),
        before=alone(theirs[:at]),
        behind="" if _is_sign(theirs[end:], shown) else alone(theirs[end:]),
    )


def alone(text: str) -> str:
    """Its letters and digits, case and accents taken away."""
    return "".join(filter(str.isalnum, folded(text)))


def _is_sign(behind: str, shown: str) -> bool:
    """Whether what is read behind a text is a sign: a caret, or what opens a list or a calendar, read as a letter."""
    return behind in _SIGNS and shown.split()[-1:] == [behind]


def _letters(text: str) -> str:
    return "".join(as_written(word) for word in typographic(text).split())


def _plain(letters: str) -> str:
    """Case and accents taken away, each letter in its place."""
    return "".join((folded(c) or c)[:1] for c in letters)


def _in_capitals(typed: str, shown: str) -> bool:
    """Whether a field has put a name in capitals: a key that is held, or a lock, would have made small letters, too."""
    mixed = any(c.islower() for c in typed) and any(c.isupper() for c in typed) and not any(map(str.isdigit, typed))
    return mixed and shown == typed.upper()
