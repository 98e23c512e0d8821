"""Which text can be typed."""

from __future__ import annotations

from execution.desktop.base import DesktopError
from sentences.said import say


def typeable(text: str) -> str:
    """The text with newlines as "\\n"; refuses characters that no keyboard can produce, naming the first one."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for position, char in enumerate(text):
        control = (ord(char) < 0x20 and char not in "\n\t") or 0x7F <= ord(char) < 0xA0
        if control or 0xD800 <= ord(char) < 0xE000:
            raise DesktopError(say("desktop.not_typeable", n=position + 1, char=f"U+{ord(char):04X}"))
    return text
