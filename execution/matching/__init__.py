"""Which node of the workflow the present screen is, or none of them, with the reasons (S1.5, S1.6, S2.10).

`comparison` lays a screen beside a taught picture, `same` says how probable it is that both are one screen, `declared`
looks for what a node declares; `matcher` decides.
"""

from __future__ import annotations

from execution.matching.gallery import Gallery
from execution.matching.matcher import CONTEXT, Matcher
from execution.matching.references import Reading, Reference, ReferencesInMemory, ReferenceStore, maker_of, prepare
from execution.matching.scopes import ScopedMatcher

__all__ = [
    "CONTEXT",
    "Gallery",
    "Matcher",
    "Reading",
    "Reference",
    "ReferenceStore",
    "ReferencesInMemory",
    "ScopedMatcher",
    "maker_of",
    "prepare",
]
