"""What of the texts on a screen is not kept, by its shape (S10.4): built-in shapes by name, or regular expressions.

A pattern is matched against texts that were read, so against what somebody else may have written: it must not be able
to take long. Nested and alternative repeats are refused, their number and the length that is looked at are bounded.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from re import _constants as opcodes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

MOST = 20
LONGEST = 200  # characters of a pattern
MOST_REPEATS = 3  # of no fixed number, in one pattern
MOST_TIMES = 64  # what is repeated more often counts as endless
WINDOW = 256  # characters that are looked at in one go; what is longer than half of it may be found in parts
_SLOW_S = 0.1  # of the processor, for one window of the worst kind; a usual pattern takes a thousandth of that

# Digits as a reader may have read them. Where a number is meant, spaces, dots and strokes within it are left out first.
_D = "[0-9OoIl|]"
SHAPES = {
    "email": r"[\w.%+'-]+\s?(?:@|\(at\))(?:\s?[\w.-]+)?",
    "phone": rf"(?:\+[0-9]|0[0-9O]){_D}{{7,13}}",
    "national_number": rf"[0-9](?:{_D}|[AB]){{10,18}}[0-9]",  # and other long numbers, those of cards among them
    "iban": rf"[A-Z]{{2}}{_D}{{2}}[A-Z0-9]{{11,30}}",
}
_SEPARATORS = re.compile(r"[\s./·–—_()-]")
_READ_AS = str.maketrans("OoIl|", "00111")


class Patterns:
    """The patterns of one workflow. ValueError, with a sentence, for one that is not to be used."""

    def __init__(self, wanted: Iterable[str]) -> None:
        self._patterns = tuple((name, checked(name)) for name in wanted)

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """The parts of a text that match, in order and none over another."""
        if not self._patterns or not text:
            return []
        kept = [i for i, letter in enumerate(text) if not _SEPARATORS.match(letter)]
        closed = "".join(text[i] for i in kept)
        found = []
        for name, pattern in self._patterns:
            found += _matches(pattern, text)
            forms = [closed] if name in SHAPES else [closed, closed.translate(_READ_AS)]
            for form in forms if name != "email" else ():
                found += [(kept[a], kept[b - 1] + 1) for a, b in _matches(pattern, form)]
        return _merged(found)


def mask_pattern_list(value: Any) -> None:
    """ValidationError unless the value is a list of names of shapes and of regular expressions that may be used."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValidationError(_("Write a list of patterns, each a text in quotation marks."))
    if len(value) > MOST:
        raise ValidationError(_("At most %(n)d patterns are taken.") % {"n": MOST})
    try:
        Patterns(value)
    except ValueError as error:
        raise ValidationError(str(error)) from error


def checked(wanted: str) -> re.Pattern[str]:
    """The pattern, compiled; ValueError says why it is none that can be used."""
    if wanted in SHAPES:
        return re.compile(SHAPES[wanted])
    words = {"pattern": wanted[:80], "shapes": ", ".join(SHAPES)}
    if not wanted.strip() or len(wanted) > LONGEST:
        raise ValueError(_("A pattern has 1 to %(n)d characters.") % {"n": LONGEST})
    try:
        tree = parser.parse(wanted)
        compiled = re.compile(wanted)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(
            _("“%(pattern)s” is neither one of the shapes %(shapes)s nor a regular expression: %(error)s")
            % {**words, "error": error}
        ) from error
    if compiled.search(""):
        raise ValueError(_("“%(pattern)s” matches nothing at all, so everything.") % words)
    if _repeats(tree, within=False) > MOST_REPEATS:
        raise ValueError(
            _(
                "“%(pattern)s” could take too long: write no repeat or choice within a repeat, no back reference, and "
                "at most %(n)d repeats without a fixed number."
            )
            % {**words, "n": MOST_REPEATS}
        )
    if _slowest(compiled, wanted) > _SLOW_S:
        raise ValueError(_("“%(pattern)s” takes too long to look for. Make it simpler.") % words)
    return compiled


def _repeats(tree: Any, *, within: bool) -> int:
    """How many repeats of no fixed number are in it; more than are allowed where one could make it endless."""
    count = 0
    for operation, given in tree:
        if operation in (opcodes.MAX_REPEAT, opcodes.MIN_REPEAT, opcodes.POSSESSIVE_REPEAT):
            least, most, inner = given
            varies = least != most or most > MOST_TIMES
            if within and varies:
                return MOST_REPEATS + 1
            count += int(varies) + _repeats(inner, within=within or most > 1)
        elif operation is opcodes.SUBPATTERN:
            count += _repeats(given[-1], within=within)
        elif operation is opcodes.BRANCH:
            if within:
                return MOST_REPEATS + 1
            count += max(_repeats(branch, within=within) for branch in given[1])
        elif operation in (opcodes.ASSERT, opcodes.ASSERT_NOT):
            count += _repeats(given[1], within=within)
        elif operation in (opcodes.GROUPREF, opcodes.GROUPREF_EXISTS, opcodes.ATOMIC_GROUP):
            return MOST_REPEATS + 1
    return count


def _slowest(pattern: re.Pattern[str], wanted: str) -> float:
    """Seconds of the processor for one window of the kinds of text that cost most."""
    slowest = 0.0
    for letter in ("0", "a", "A", " ", "-", ".", *sorted(set(wanted) - set("\\"))[:10]):
        began = time.thread_time()  # a busy machine makes no pattern worse
        for _match in pattern.finditer(letter * (WINDOW - 1) + "\x00"):
            pass
        slowest = max(slowest, time.thread_time() - began)
        if slowest > _SLOW_S:
            break
    return slowest


def _matches(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    """Non-empty matches, looked for in overlapping windows so that a long text takes no longer than its length."""
    starts = range(0, max(1, len(text) - WINDOW // 2), WINDOW // 2)
    return [
        (start + match.start(), start + match.end())
        for start in starts
        for match in pattern.finditer(text[start : start + WINDOW])
        if match.end() > match.start()
    ]


def _merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for a, b in sorted(spans):
        if merged and a <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(b, merged[-1][1]))
        else:
            merged.append((a, b))
    return merged
