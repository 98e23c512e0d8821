"""How much the text of a control may still be the taught one: abbreviated, added to, cut short, in another language."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from execution.language.fuzzy import NEGATIONS, SAME, folded, similarity
from execution.language.lexicon import mean_different, mean_the_same
from execution.language.screen_texts import Wanted
from execution.language.shortcuts import without_hint
from execution.language.volatile import own_text
from sentences.said import say

EXACT, TRANSLATED, ABBREVIATED, LONGER = 1.0, 0.9, 0.8, 0.7
SHARED = 0.4  # at most, for labels that have words in common and others that differ
_MISREAD = 0.7  # one letter of a short word: it may be read wrongly, or be another word ("Send", "Sent")

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SHORTEST_STEM = 3
# Words that make another command of the same one; without them "Save" and "Save changes" are one button renamed.
_OTHER_COMMAND = frozenset(
    {
        "as", "all", "copy", "every", "everything", "new", "another", "later", "draft", "template", "close", "quit",
        "exit", "next", "previous", "sous", "tout", "toute", "tous", "toutes", "copie", "nouveau", "nouvelle", "autre",
        "fermer", "quitter", "suivant", "precedent", "brouillon", "modele", "plus", "alle", "alles", "unter", "neu",
        "todo", "todos", "como", "nuevo", "only", "seulement", "selected", "selection", "permanently",
        "definitivement",
    }
)  # fmt: skip
_SAYS_LITTLE = frozenset(
    {"the", "a", "an", "of", "to", "my", "your", "this", "le", "la", "les", "l", "un", "une", "de", "du", "des", "d",
     "mon", "ma", "votre", "ce", "cette", "der", "die", "das", "el", "los", "las", "now", "please"}
)  # fmt: skip


class Wording(NamedTuple):
    """How like the taught text a text is, 0 to 1, and in words.

    `against`: it says something else; `unknown` where it has no word in common, so that nobody knows what it says.
    """

    score: float
    note: str
    against: bool = False
    unknown: bool = False


def compare(want: Wanted, text: str) -> Wording:
    """The taught text with what a control says now. A text with a variable in it must be that very text."""
    if want.problem:
        return Wording(0.0, want.problem, against=True)
    if not folded(text):
        return Wording(0.0, say("wording.no_text"))
    if want.exact:
        same = similarity(want.text, text, strict=True) == 1.0
        return (
            Wording(EXACT, say("targeting.reads", text=text))
            if same
            else Wording(0.0, say("targeting.reads", text=text), against=True)
        )
    score = similarity(want.text, text)
    if score >= SAME:
        return Wording(score, say("targeting.reads", text=text))
    said = _of_itself(text)
    if said != text and (score := similarity(want.text, said)) >= SAME:
        return Wording(score, say("targeting.reads", text=text))
    if mean_the_same(want.text, said):
        return Wording(TRANSLATED, say("wording.means_same", text=text, taught=want.text))
    if mean_different(want.text, text):
        return Wording(
            0.0,
            say("wording.means_else", text=text, taught=want.text),
            against=True,
        )
    by_words = _by_words(want.text, text)
    if by_words.against and score >= _MISREAD:
        return Wording(score / 2, say("wording.nearly", text=text, taught=want.text))
    return by_words


@lru_cache(4096)  # of every place of a screen, at each look
def _of_itself(text: str) -> str:
    """A caption without what changes beside it, which is not kept when it is taught either, and without its keys."""
    return without_hint(own_text(text) or text)


def _by_words(taught: str, now: str) -> Wording:
    """Word by word: each word of the one is one of the other, or is short for it, and what is left over says little."""
    mine, yours = _words(taught), _words(now)
    if not mine or not yours or _negated(mine) != _negated(yours) or _numbers(mine) != _numbers(yours):
        return Wording(0.0, say("wording.reads", now=now), against=True)
    pairs = _paired(mine, yours)
    left_mine = [w for w in mine if w not in {a for a, _ in pairs} and w not in _SAYS_LITTLE]
    left_yours = [w for w in yours if w not in {b for _, b in pairs} and w not in _SAYS_LITTLE]
    if not any(a not in _SAYS_LITTLE for a, _ in pairs):
        return Wording(0.0, say("wording.reads", now=now), against=True, unknown=True)
    if not left_mine and not left_yours:
        return Wording(ABBREVIATED, say("wording.written_otherwise", now=now, taught=taught))
    if left_mine and left_yours:
        share = len(pairs) / (len(pairs) + max(len(left_mine), len(left_yours)))
        return Wording(
            SHARED * share,
            say("wording.shares_a_word", now=now, taught=taught),
            against=True,
        )
    if _OTHER_COMMAND & {*left_mine, *left_yours}:
        return Wording(SHARED, say("wording.other_command", now=now, taught=taught), against=True)
    letters = sum(len(a) for a, _ in pairs)
    share = letters / (letters + sum(map(len, left_mine)) + sum(map(len, left_yours)))
    return Wording(
        LONGER * (0.8 + 0.2 * share),
        say("wording.more_words", now=now, taught=taught),
    )


def _words(text: str) -> list[str]:
    return [word.replace("’", "'") for word in _WORD.findall(folded(text))]


def _negated(words: list[str]) -> bool:
    return any(word.replace("'", "") in NEGATIONS for word in words)


def _numbers(words: list[str]) -> list[str]:
    return sorted(word for word in words if any(c.isdigit() for c in word))


def _paired(mine: list[str], yours: list[str]) -> list[tuple[str, str]]:
    """Words that are the same or short for one another, each used once, the surest first."""
    left, pairs = list(yours), list[tuple[str, str]]()
    for test in (_same, _short_for):
        for word in mine:
            if any(a == word for a, _ in pairs):
                continue
            other = next((o for o in left if test(word, o)), None)
            if other is not None:
                left.remove(other)
                pairs.append((word, other))
    return pairs


def _same(one: str, other: str) -> bool:
    return one == other or similarity(one, other) >= SAME


def _short_for(one: str, other: str) -> bool:
    """Whether one is cut short, or has lost letters, of the other: "Info", "Nr" and "Qty" for what they stand for."""
    short, long = sorted((one, other), key=len)
    if len(short) == len(long) or short[0] != long[0] or any(c.isdigit() for c in short + long):
        return False
    if len(short) >= _SHORTEST_STEM and long.startswith(short):
        return len(long) >= 2 * len(short)  # "Print" is not short for "Printer"
    vowels = frozenset("aeiouy")
    bare = all(c not in vowels for c in short[1:-1])
    return bare and 2 <= len(short) <= 4 and len(long) >= 5 and _within(short, long)


def _within(short: str, long: str) -> bool:
    rest = iter(long)
    return all(c in rest for c in short)
