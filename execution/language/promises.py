"""Texts by which a program says that it was done. Some say so before they know, and take it back."""

from __future__ import annotations

import re

from execution.language.fuzzy import folded
from workflows.graph import ExpectSpec

_COMPLETION = re.compile(
    r"\b(?:saved|sent|done|created|deleted|added|updated|success\w*|completed?|confirmed|copied|removed|registered"
    r"|submitted|received|signed|printed|booked|scheduled|transmise?s?|recue?s?|signee?s?|imprimee?s?|planifiee?s?"
    r"|enregistree?s?|envoyee?s?|terminee?s?|creee?s?|supprimee?s?|ajoutee?s?|mise? a jour|succes|confirmee?s?"
    r"|validee?s?|copiee?s?|effectuee?s?)\b"
)


def says_done(text: str) -> bool:
    """Whether `text` tells that something was completed, in English or French."""
    return _COMPLETION.search(folded(text)) is not None


def rests_on_a_promise(expect: ExpectSpec) -> bool:
    """Whether what was declared to be seen is a program's word that it was done."""
    return any(says_done(text) for text in expect.texts)
