"""The keys that a menu names beside its entries: "Ctrl+S", "Maj+F3", "⌘Q", "F11", "Suppr"."""

from __future__ import annotations

import re

_MODIFIER = r"(?:ctrl|control|strg|alt|alt ?gr|shift|maj|umschalt|super|win|meta|cmd|command|option)"
_HELD = rf"{_MODIFIER}\s*[+\-]\s*"
_KEY = r"(?:[^\s+\-]{1,10}|page (?:up|down)|[+\-])"
_COMBINATION = rf"(?:{_HELD})+{_KEY}?|[⌘⇧⌥⌃]+\s*{_KEY}?"
_SINGLE = r"F\d{1,2}|Del|Suppr|Ins|Inser"
_AT_END = re.compile(rf"(?:^|\s+)(?:{_COMBINATION}|{_SINGLE})$", re.IGNORECASE)
# On all of a screen only a plus tells keys: "Night shift-2" and "option-B" are words.
_COMBINED_AT_END = re.compile(rf"(?:^|\s+)(?:(?:{_MODIFIER}\s*\+\s*)+{_KEY}?|[⌘⇧⌥⌃]+\s*{_KEY}?)$", re.IGNORECASE)
_HINT = re.compile(rf"\s*[(\[](?:{_COMBINATION})[)\]]$", re.IGNORECASE)
_NAMES_KEYS = re.compile(
    r"ctrl|strg|alt\b|shift|maj\b|super\b|meta\b|cmd|[⌘⇧⌥⌃]|f\d{1,2}\b|(?:del|delete|suppr|ins|insert|inser|home|end|tab|esc|"
    r"escape|échap|return|enter|entrée|space|espace|backspace|page (?:up|down))$",
    re.IGNORECASE,
)


def without_shortcut(text: str) -> str:
    """A menu entry's text without the keys that do the same; "" where it is nothing else."""
    return _AT_END.sub("", text.strip())


def without_hint(text: str) -> str:
    """A caption without the keys to hold together that it names in brackets: "Save [Ctrl+S]". "F1" may be a room."""
    return _HINT.sub("", text.strip()) or text


def is_shortcut(text: str) -> bool:
    """Whether a text beside a menu's entry is nothing but keys."""
    return bool(text.strip()) and not without_shortcut(text)


def names_keys(text: str) -> bool:
    """Whether a text that stands beside a menu's entries names keys, though it be read badly: "Ctrl Z", "Delete"."""
    return _NAMES_KEYS.match(text.strip()) is not None


def keys_from(text: str) -> int:
    """Where in a line of a menu the keys begin that a reader took together with the entry's words; its end without any.

    Keys to hold together only: "F1" may be a room.
    """
    found = _COMBINED_AT_END.search(text.rstrip())
    return found.start() if found else len(text)
