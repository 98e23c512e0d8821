"""What a key means while certain modifiers are down, and what dead keys and compose make of several (S6.2).

The X libraries of the desktop itself say so: Xlib knows every layout that the server has, xkbcommon what is composed
and which character a keysym is. Both are on every machine that shows a program, and need no compiler.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any

from execution.desktop.base import DesktopUnavailable
from sentences.said import say

CONTROL, ALT, SUPER = 0x04, 0x08, 0x40
SHIFT, LOCK, NUM_LOCK = 0x01, 0x02, 0x10
_GROUP = 0x6000
_UTF8 = "en_US.UTF-8"  # its table composes what other locales do; C has none
_COMPOSING, _COMPOSED, _CANCELLED = 1, 2, 3


class Keymap:
    """The server's layouts as they are now; made anew when they change.

    Nothing is sent over its connection once they are read: Xlib ends the whole process on one that broke.
    """

    def __init__(self, display_name: str) -> None:
        self._lib = _library("libX11.so.6", "libx11-6")
        self._lib.XOpenDisplay.restype = ctypes.c_void_p
        self._display = ctypes.c_void_p(self._lib.XOpenDisplay(display_name.encode()))
        if not self._display:
            raise DesktopUnavailable(say("desktop.no_server", name=display_name, error=""))
        self.keysym(9, 0)  # the first question loads them

    def keysym(self, keycode: int, state: int) -> int:
        """What the key means with these modifiers, and in the layout that `state` names; 0 for nothing."""
        left, found = ctypes.c_uint(0), ctypes.c_ulong(0)
        known = self._lib.XkbLookupKeySym(
            self._display, ctypes.c_ubyte(keycode), ctypes.c_uint(state), ctypes.byref(left), ctypes.byref(found)
        )
        return int(found.value) if known else 0

    def plain_keysym(self, keycode: int, state: int) -> int:
        """Its name in a chord: what it writes alone; in the first layout where that is no Latin letter."""
        here = self.keysym(keycode, state & _GROUP)
        is_of_all = here < 0x100 or 0xFE00 <= here < 0x1000000
        return here if is_of_all else self.keysym(keycode, 0) or here

    def close(self) -> None:
        """Call it only where the server has just answered."""
        self._lib.XCloseDisplay(self._display)

    def abandon(self) -> None:
        """The same where the server is gone: Xlib's own memory of it stays."""
        os.close(self._lib.XConnectionNumber(self._display))


class Composer:
    """Keysyms one after the other into text, with what the desktop's language composes."""

    def __init__(self) -> None:
        lib = self._lib = _library("libxkbcommon.so.0", "libxkbcommon0")
        for name in ("xkb_context_new", "xkb_compose_table_new_from_locale", "xkb_compose_state_new"):
            getattr(lib, name).restype = ctypes.c_void_p
        context = ctypes.c_void_p(lib.xkb_context_new(0))
        table = self._table(context)
        self._state = ctypes.c_void_p(lib.xkb_compose_state_new(table, 0))
        lib.xkb_compose_table_unref(table)  # the state holds it
        lib.xkb_context_unref(context)

    def feed(self, keysym: int) -> str | None:
        """The text that has arrived with this key; None while more keys are to come for one character.

        What composes nothing is dropped, as toolkits drop it.
        """
        self._lib.xkb_compose_state_feed(self._state, ctypes.c_uint32(keysym))
        status = self._lib.xkb_compose_state_get_status(self._state)
        if status == _COMPOSING:
            return None
        if status == _COMPOSED:
            text = self._text(self._lib.xkb_compose_state_get_utf8, self._state)
        else:
            text = "" if status == _CANCELLED else self.character(keysym)
        if status in (_COMPOSED, _CANCELLED):
            self.forget()
        return text

    def character(self, keysym: int) -> str:
        """What the keysym writes by itself; empty for nothing."""
        text = self._text(self._lib.xkb_keysym_to_utf8, ctypes.c_uint32(keysym))
        return text if text.isprintable() else ""

    def forget(self) -> None:
        """What was begun is not gone on with: a click, a chord."""
        self._lib.xkb_compose_state_reset(self._state)

    def close(self) -> None:
        self._lib.xkb_compose_state_unref(self._state)

    def _table(self, context: Any) -> Any:
        own = os.environ.get("LC_ALL") or os.environ.get("LC_CTYPE") or os.environ.get("LANG") or ""
        for locale in dict.fromkeys((own, _UTF8)):
            if "." not in locale or locale.startswith("C."):
                continue
            table = self._lib.xkb_compose_table_new_from_locale(context, locale.encode(), 0)
            if table:
                return ctypes.c_void_p(table)
        raise DesktopUnavailable(say("desktop.no_compose", package="libx11-data"))

    def _text(self, ask: Any, what: Any) -> str:
        buffer = ctypes.create_string_buffer(64)
        ask(what, buffer, ctypes.c_size_t(64))
        return buffer.value.decode()


def _library(name: str, package: str) -> Any:
    try:
        return ctypes.CDLL(name)
    except OSError:
        raise DesktopUnavailable(say("desktop.no_watch_library", file=name, package=package)) from None
