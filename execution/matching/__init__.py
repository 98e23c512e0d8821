"""Which node of the workflow the present screen is, or none of them, with the reasons (S1.5, S1.6, S2.10).

`signs` weighs what a node declares (texts, window), `fusion` what its taught picture shows; `matcher` decides.
"""

from __future__ import annotations

from execution.matching.fusion import FusionEngine
from execution.matching.matcher import CONTEXT, Matcher
from execution.matching.references import Reading, Reference, ReferencesInMemory, ReferenceStore, maker_of, prepare
from execution.matching.scopes import ScopedMatcher

__all__ = [
    "CONTEXT",
    "FusionEngine",
    "Matcher",
    "Reading",
    "Reference",
    "ReferenceStore",
    "ReferencesInMemory",
    "ScopedMatcher",
    "maker_of",
    "prepare",
]
