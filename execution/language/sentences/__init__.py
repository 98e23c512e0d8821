"""All sentences about a run by their codes, a file for each room. A code is kept with rows: it is never given anew."""

from __future__ import annotations

from execution.language.acts import ACT
from execution.language.sentences import common, matching, record, targeting, turn, verification
from execution.language.sentences.base import Sentence, Words

__all__ = ["ROOMS", "SENTENCES", "Sentence"]

_FILES: tuple[Words, ...] = (
    common.WORDS,
    matching.WORDS,
    record.WORDS,
    targeting.WORDS,
    turn.WORDS,
    verification.WORDS,
)

SENTENCES: dict[str, Sentence] = {
    code: words if isinstance(words, Sentence) else Sentence(text=words)
    for file in _FILES
    for code, words in file.items()
}

ROOMS = frozenset(code.partition(".")[0] for code in (*SENTENCES, ACT))
