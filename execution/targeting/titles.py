"""Whether two window titles are of one program."""

from __future__ import annotations

import re

from execution.language.fuzzy import SEEN, folded, similarity
from execution.language.lexicon import mean_the_same

_WORD = re.compile(r"[^\W\d_]{3,}")
_FILE = re.compile(r"\S*[/\\.]\S+")  # what a document is called says nothing of the program
_SEPARATOR = re.compile(r"\s+[-|:·]\s+")


def related(one: str, other: str) -> bool:
    """True for titles of one program, whose name comes last: "a.txt - Editor" and "b.txt - Editor"."""
    if similarity(one, other) >= SEEN or mean_the_same(one, other):
        return True
    names = [_SEPARATOR.split(folded(title)) for title in (one, other)]
    if all(len(parts) > 1 for parts in names):
        one, other = (parts[-1] for parts in names)
    words, others = (set(_WORD.findall(_FILE.sub(" ", folded(title)))) for title in (one, other))
    return bool(words & others)  # names of documents alone do not tell


def names_only_a_document(title: str) -> bool:
    """True for a title without a word of the program: "report.odt", "/home/ana/notes.txt"."""
    return bool(title.strip()) and not _WORD.search(_FILE.sub(" ", folded(title)))
