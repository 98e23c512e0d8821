"""X keysyms: the number that a key means, for names and for characters."""

from __future__ import annotations

NO_SYMBOL = 0
CAPS_LOCK = 0xFFE5
LEVEL3_SHIFT = 0xFE03

NAMED = {
    "ctrl": 0xFFE3,
    "shift": 0xFFE1,
    "alt": 0xFFE9,
    "super": 0xFFEB,
    "enter": 0xFF0D,
    "tab": 0xFF09,
    "esc": 0xFF1B,
    "backspace": 0xFF08,
    "delete": 0xFFFF,
    "insert": 0xFF63,
    "space": 0x20,
    "up": 0xFF52,
    "down": 0xFF54,
    "left": 0xFF51,
    "right": 0xFF53,
    "home": 0xFF50,
    "end": 0xFF57,
    "pageup": 0xFF55,
    "pagedown": 0xFF56,
    "capslock": CAPS_LOCK,
    "menu": 0xFF67,
    "printscreen": 0xFF61,
    **{f"f{number}": 0xFFBD + number for number in range(1, 13)},
}


# Keysyms older than Unicode that layouts still use. A character that is not here is only typed another way.
_LEGACY = {
    0x13BC: "Œ",
    0x13BD: "œ",
    0x13BE: "Ÿ",
    0x20AC: "€",
    0xAA9: "—",
    0xAAA: "–",
    0xAAE: "…",
    0xAC9: "™",
    0xAD0: "‘",
    0xAD1: "’",
    0xAD2: "“",
    0xAD3: "”",
    0xAE6: "•",
    0xAFD: "‚",
    0xAFE: "„",
    0x1A3: "Ł",
    0x1B3: "ł",
    0x1A1: "Ą",
    0x1B1: "ą",
    0x1A6: "Ś",
    0x1B6: "ś",
    0x1A9: "Š",
    0x1B9: "š",
    0x1AE: "Ž",
    0x1BE: "ž",
    0x1AF: "Ż",
    0x1BF: "ż",
    0x1C6: "Ć",
    0x1E6: "ć",
    0x1C8: "Č",
    0x1E8: "č",
    0x1CA: "Ę",
    0x1EA: "ę",
    0x1D1: "Ń",
    0x1F1: "ń",
}


def keysym_of(char: str) -> int:
    """The keysym that every X client reads as this character."""
    if char == "\n":
        return NAMED["enter"]
    if char == "\t":
        return NAMED["tab"]
    code = ord(char)
    return code if 0x20 <= code <= 0x7E or 0xA0 <= code <= 0xFF else 0x01000000 | code


def char_of(keysym: int) -> str | None:
    """The character a keysym of a layout stands for; None for function, dead and other keys."""
    if 0x20 <= keysym <= 0x7E or 0xA0 <= keysym <= 0xFF:
        return chr(keysym)
    if 0x01000100 <= keysym <= 0x0110FFFF:
        return chr(keysym & 0xFFFFFF)
    if keysym == NAMED["enter"]:
        return "\n"
    return "\t" if keysym == NAMED["tab"] else _LEGACY.get(keysym)
