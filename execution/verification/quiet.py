"""Keys after which a screen may stand as it stood though they did all that they do.

Whoever goes to the end may be there already, and the caret alone shows that one came there, which blinks: no sign.
What is copied shows nowhere. Keys that go one step on are none of them: after those something else is chosen, or not.
"""

from __future__ import annotations

from execution.desktop.base import UnknownKey
from execution.desktop.keys import known_keys
from workflows.graph import EdgeSpec

_TO_AN_END = ("home", "end")
_QUIET = frozenset(
    frozenset(keys)
    for keys in (
        *((key,) for key in _TO_AN_END),
        *(("ctrl", key) for key in (*_TO_AN_END, "c", "insert")),
        ("ctrl", "shift", "c"),
    )
)


def may_show_nothing(edge: EdgeSpec) -> bool:
    """Whether the edge presses such keys, and no more than that."""
    keys = edge.params.get("keys")
    if edge.action_type != "press_keys" or not keys:
        return False
    try:
        return frozenset(known_keys(str(keys).split("+") if isinstance(keys, str) else tuple(keys))) in _QUIET
    except UnknownKey:
        return False
