"""Roles of elements that are taken for one another."""

from __future__ import annotations

from functools import lru_cache

from execution.types import ElementRole

# What detectors take for one another, and what one toolkit draws as another does not.
_KINDS = (
    {ElementRole.BUTTON, ElementRole.TAB, ElementRole.LINK, ElementRole.ICON, ElementRole.MENU_ITEM},
    {ElementRole.FIELD, ElementRole.BUTTON},
    {ElementRole.CHECKBOX, ElementRole.RADIO, ElementRole.ICON},
    {ElementRole.TEXT, ElementRole.LINK, ElementRole.MENU_ITEM, ElementRole.TAB},
)

TICKED = frozenset({ElementRole.CHECKBOX, ElementRole.RADIO})


@lru_cache(1024)  # asked of every pair of elements of a screen
def same_kind(one: str, other: str) -> bool:
    """True for roles that are the same, or are taken for one another."""
    return one == other or any(one in kind and other in kind for kind in _KINDS)
