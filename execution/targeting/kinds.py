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


_LIKENESS = {
    frozenset(pair): likeness
    for likeness, pairs in (
        (0.8, [("text", "link"), ("text", "")]),
        (0.7, [("field", "picture"), ("icon", "picture"), ("link", "")]),
        (0.6, [("menu_item", "text"), ("menu_item", "link"), ("tab", "button"), ("field", "band"), ("tab", "menu_item"),
               ("", "picture"), ("menu_item", "")]),
        (0.5, [("button", "picture"), ("tab", "text"), ("checkbox", "picture"), ("picture", "band"), ("", "band"),
               ("", "field"), ("", "icon"), ("menu_item", "band"), ("radio", "checkbox")]),
        (0.4, [("field", "button"), ("icon", "button"), ("checkbox", "icon"), ("link", "icon"),
               ("menu_item", "button")]),
    )
    for pair in pairs
}  # fmt: skip


def kind_likeness(one: str, other: str) -> float:
    """How likely one kind is taken for the other, 0 to 1."""
    return 1.0 if one == other else _LIKENESS.get(frozenset((one, other)), 0.0)
