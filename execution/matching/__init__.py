"""Which node of the workflow the present screen is, or none of them, with the reasons (S1.5, S1.6, S2.10)."""

from __future__ import annotations

from execution.matching.matcher import CONTEXT, Matcher

__all__ = ["CONTEXT", "Matcher"]
