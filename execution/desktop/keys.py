"""The names of keys, the same on every platform."""

from __future__ import annotations

from collections.abc import Sequence

from execution.desktop.base import UnknownKey
from sentences.said import say

MODIFIERS = ("ctrl", "shift", "alt", "super")
NAMED_KEYS = (
    *MODIFIERS,
    *("enter", "tab", "esc", "backspace", "delete", "insert", "space"),
    *("up", "down", "left", "right", "home", "end", "pageup", "pagedown"),
    *("capslock", "menu", "printscreen"),
    *(f"f{number}" for number in range(1, 13)),
)

# Other names that people and other tools use for the same keys.
ALIASES = {
    "control": "ctrl",
    "option": "alt",
    "win": "super",
    "windows": "super",
    "meta": "super",
    "cmd": "super",
    "command": "super",
    "return": "enter",
    "escape": "esc",
    "del": "delete",
    "ins": "insert",
    "pgup": "pageup",
    "page_up": "pageup",
    "pgdn": "pagedown",
    "page_down": "pagedown",
    "caps_lock": "capslock",
    " ": "space",
    "\n": "enter",
    "\r": "enter",
    "\t": "tab",
}


def known_keys(keys: Sequence[str]) -> tuple[str, ...]:
    """The chord in the spelling used here, case ignored; raises UnknownKey for a name that no keyboard has."""
    if isinstance(keys, str) or not keys:
        raise UnknownKey(say("desktop.no_chord", example='["ctrl", "s"]', got=repr(keys)))
    return tuple(_known_key(key) for key in keys)


def _known_key(key: str) -> str:
    name = key if len(key) == 1 else key.strip().lower()
    name = ALIASES.get(name, name)
    if name in NAMED_KEYS:
        return name
    if len(name) == 1 and name.isprintable():
        return name.lower() if len(name.lower()) == 1 else name
    raise UnknownKey(say("desktop.no_key", key=key, keys=NAMED_KEYS))
