"""What people do on an X desktop, by the server's RECORD extension (S6.2).

Whose act an event is, the server says itself: right before an event that a program made, it records that program's
request to XTEST, with the connection it came by. What came by the product's own is not a person's; no device and no
clock is asked, so a program that types for a person, such as a keyboard on the screen, is heard like one.
"""

from __future__ import annotations

import ctypes
import logging
import os
import struct
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from execution.desktop.base import Button, DesktopError, DesktopUnavailable
from execution.desktop.keys import MODIFIERS, known_keys
from execution.desktop.keysyms import NAMED, keysym_of
from execution.desktop.watching import Heard, Touch
from execution.desktop.x11_connection import CONNECT_S, connected
from execution.types import Point
from sentences.said import cause, say

if TYPE_CHECKING:
    from execution.desktop.x11_connection import XConnection


# What a key means while certain modifiers are down, and what dead keys and compose make of several (S6.2).
#
# The X libraries of the desktop itself say so: Xlib knows every layout that the server has, xkbcommon what is composed
# and which character a keysym is. Both are on every machine that shows a program, and need no compiler.

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


log = logging.getLogger(__name__)

_KEY_DOWN, _KEY_UP, _DOWN, _UP = 2, 3, 4, 5
_FAKE_INPUT = 2  # the minor opcode
_CHANGE_MAPPING = 100
_BUTTONS: Mapping[int, Button] = {1: "left", 2: "middle", 3: "right"}
_WHEEL = {4: (0, -1), 5: (0, 1), 6: (-1, 0), 7: (1, 0)}
_HELD = (("ctrl", CONTROL), ("alt", ALT), ("super", SUPER), ("shift", SHIFT))
_NAMES = {keysym: name for name, keysym in NAMED.items()} | {
    0xFE20: "tab", 0xFF8D: "enter", **{0xFF95 + n: name for n, name in enumerate(
        ("home", "left", "up", "right", "down", "pageup", "pagedown", "end"))},
    0xFF9E: "insert", 0xFF9F: "delete",
}  # fmt: skip
# Keys that write nothing by themselves, and make no chord: modifiers, locks, layout switches.
_WALKERS = frozenset({"alt", "super"})  # held, they go from window to window with Tab
_WALKS = frozenset(range(0xFFE7, 0xFFED))  # their keys: meta, alt, super
_MUTE = frozenset((*range(0xFFE1, 0xFFEF), *range(0xFE01, 0xFE14), 0xFF7E, 0xFF7F, 0xFF14))


class X11Watch:
    """Heard from when it is made until it is stopped. Raises DesktopUnavailable where the server does not record."""

    def __init__(self, connection: XConnection, heard: Heard, *, hot_keys: Sequence[str] = ()) -> None:
        self._heard, self._name = heard, connection.name
        self._own = int(connection.display.display.info.resource_id_base)
        self._composer = Composer()
        self._keymap: Keymap | None = None
        self._borrowed: dict[int, Sequence[int]] = {}
        self._asked: tuple[int, int, int] | None = None  # what was asked of XTEST last: kind, detail, by whom
        self._walks = False  # Alt is held since it went with a Tab
        self._stopping = False
        self._control, self._data = (connected(self._name, stall_s=CONNECT_S) for _ in range(2))
        self._talking = threading.Lock()  # one thread at a time: python-xlib may lose the answer that another waits for
        self._control.set_error_handler(lambda *_: None)
        try:
            self._keymap = Keymap(self._name)
            self._hot = self._grabbed(hot_keys)
            self._context = self._recorded()
        except DesktopError:
            self._close()
            raise
        self._thread = threading.Thread(target=self._record, name=f"x11-hear{self._name}", daemon=True)
        self._thread.start()
        self._began.wait(CONNECT_S)

    def stop(self) -> None:
        from Xlib import error

        self._stopping = True
        try:
            with self._talking:
                self._control.record_disable_context(self._context)
                self._control.sync()
        except (error.ConnectionClosedError, OSError):
            log.info("the X server %s went away before the watch ended", self._name)
        if threading.current_thread() is not self._thread:
            self._thread.join()
        self._close()

    # --- the server ---------------------------------------------------------------------------------------------------
    def _recorded(self) -> int:
        from Xlib.ext import record

        for extension in ("RECORD", "XTEST"):
            if not self._control.has_extension(extension):
                raise DesktopUnavailable(say("desktop.no_record", name=self._name, extension=extension))
        self._began = threading.Event()
        self._xtest = self._control.query_extension("XTEST").major_opcode
        ranges = {
            "core_requests": (_CHANGE_MAPPING, _CHANGE_MAPPING),
            "core_replies": (0, 0),
            "ext_requests": (self._xtest, self._xtest, _FAKE_INPUT, _FAKE_INPUT),
            "ext_replies": (0, 0, 0, 0),
            "delivered_events": (0, 0),
            "device_events": (_KEY_DOWN, _UP),
            "errors": (0, 0),
            "client_started": False,
            "client_died": False,
        }
        context = self._control.record_create_context(0, [record.AllClients], [ranges])
        self._control.sync()
        return int(context)

    def _record(self) -> None:
        from Xlib import error

        try:
            self._data.record_enable_context(self._context, self._take)
        except (error.ConnectionClosedError, error.XError, OSError) as problem:
            if not self._stopping:
                log.warning("nothing is heard from the X server %s any more: %s", self._name, problem)
        finally:
            self._began.set()

    def _take(self, reply: Any) -> None:
        """In the thread: what the server recorded, several of one kind at once."""
        from Xlib.ext import record

        if reply.category == record.StartOfData:
            self._began.set()
        elif reply.category == record.FromClient and not reply.client_swapped:
            self._requests(reply.data, reply.id_base)
        elif reply.category == record.FromServer:
            for at in range(0, len(reply.data) - 31, 32):
                self._event(reply.data[at : at + 32])

    def _requests(self, data: bytes, client: int) -> None:
        while len(data) >= 4:
            opcode, minor, length = struct.unpack_from("=BBH", data)
            if opcode == self._xtest and minor == _FAKE_INPUT:
                kind, detail = struct.unpack_from("=BB", data, 4)
                self._asked = (kind, detail, client)
            elif opcode == _CHANGE_MAPPING:
                self._remapped(data[: 4 * length], count=minor)
            data = data[4 * max(length, 1) :]

    def _remapped(self, request: bytes, *, count: int) -> None:
        """A program that types what the layout lacks gives a key a meaning for the moment."""
        first, width = struct.unpack_from("=BB", request, 4)
        symbols = struct.unpack_from(f"={count * width}I", request, 8)
        for number in range(count):
            meanings = symbols[number * width : (number + 1) * width]
            self._borrowed[first + number] = meanings
            if not any(meanings):
                del self._borrowed[first + number]

    def _event(self, data: bytes) -> None:
        kind, detail = data[0] & 0x7F, data[1]
        x, y, state = (*struct.unpack_from("=hh", data, 20), *struct.unpack_from("=H", data, 28))
        asked, self._asked = self._asked, None
        if asked is not None and asked[2] == self._own and asked[0] == kind and (kind >= _DOWN or asked[1] == detail):
            return
        try:
            if kind == _KEY_DOWN:
                self._key(detail, state)
            elif kind in (_DOWN, _UP):
                self._button(kind, detail, Point(x, y), _held(state))
        except Exception:  # what is heard must go on being heard
            log.exception("what was done on %s could not be taken in", self._name)
            self._heard(Touch(kind="unknown"))

    # --- what it means ------------------------------------------------------------------------------------------------
    def _button(self, kind: int, detail: int, point: Point, held: str) -> None:
        self._composer.forget()
        if detail in _BUTTONS:
            self._heard(Touch(kind="down" if kind == _DOWN else "up", point=point, button=_BUTTONS[detail], keys=held))
        elif kind == _DOWN:
            dx, dy = _WHEEL.get(detail, (0, 0))
            self._heard(Touch(kind="wheel" if dx or dy else "unknown", point=point, dx=dx, dy=dy, keys=held))

    def _key(self, keycode: int, state: int) -> None:
        self._follow_layout()
        if hot := self._hot.get((keycode, state & (SHIFT | CONTROL | ALT | SUPER))):
            self._heard(Touch(kind="hot", keys=hot))
            return
        keysym = self._meaning(keycode, state)
        if keysym in _MUTE:
            self._walks = self._walks and keysym not in _WALKS
            return
        if state & (CONTROL | ALT | SUPER):
            self._composer.forget()
            self._chord(_held(state), self._plain(keycode, state))
            return
        if keysym in _NAMES and keysym != NAMED["space"]:
            self._composer.forget()
            self._chord(_held(state), keysym)
            return
        text = self._composer.feed(keysym)
        if text:
            self._heard(Touch(kind="text", text=text))
        elif text is not None:
            self._heard(Touch(kind="unknown"))

    def _chord(self, held: str, keysym: int) -> None:
        name = _NAMES.get(keysym) or self._composer.character(keysym).lower()
        if name == "tab" and not _WALKERS.isdisjoint(held.split("+")):
            # Tab again, with Alt still held, goes one window on in a list; Alt+Tab done twice goes there and back.
            again, self._walks = self._walks, True
            if again:
                self._heard(Touch(kind="unknown"))
                return
        self._heard(Touch(kind="keys", keys="+".join(filter(None, (held, name)))) if name else Touch(kind="unknown"))

    def _meaning(self, keycode: int, state: int) -> int:
        if borrowed := self._borrowed.get(keycode):
            return borrowed[min(1, len(borrowed) - 1)] if state & SHIFT and len(borrowed) > 1 else borrowed[0]
        return self._keymap.keysym(keycode, state) if self._keymap else 0

    def _plain(self, keycode: int, state: int) -> int:
        if borrowed := self._borrowed.get(keycode):
            return borrowed[0]
        return self._keymap.plain_keysym(keycode, state) if self._keymap else 0

    def _follow_layout(self) -> None:
        """Another layout was chosen, or a key was given another meaning: every program is told."""
        from Xlib import X

        changed = False
        with self._talking:
            while self._control.pending_events():
                changed |= self._control.next_event().type == X.MappingNotify
        if changed and self._keymap:
            self._keymap.close()
            self._keymap = Keymap(self._name)

    # --- hot keys -----------------------------------------------------------------------------------------------------
    def _grabbed(self, chords: Sequence[str]) -> dict[tuple[int, int], str]:
        """The chords kept from all applications, by key and modifiers; raises where another program has one."""
        from Xlib import X, error

        found: dict[tuple[int, int], str] = {}
        masks = {"shift": SHIFT, "ctrl": CONTROL, "alt": ALT, "super": SUPER}
        root = self._control.screen().root
        for chord in chords:
            *held, key = known_keys(chord.split("+"))
            keycode = self._control.keysym_to_keycode(NAMED.get(key) or keysym_of(key))
            if not keycode or key in MODIFIERS or not set(held) <= set(MODIFIERS):
                raise DesktopError(say("desktop.no_hot_key", keys=chord))
            mask = sum(masks[name] for name in held)
            refused = error.CatchError(error.BadAccess)
            for locks in (0, LOCK, NUM_LOCK, LOCK | NUM_LOCK):
                root.grab_key(keycode, mask | locks, False, X.GrabModeAsync, X.GrabModeAsync, onerror=refused)
            self._control.sync()
            if refused.get_error():
                raise DesktopError(say("desktop.hot_key_taken", keys=chord))
            found[(keycode, mask)] = chord
        return found

    def _close(self) -> None:
        from Xlib import error

        self._composer.close()
        keymap, self._keymap = self._keymap, None
        for display in (self._control, self._data):
            try:
                display.sync()
            except (error.ConnectionClosedError, OSError) as problem:
                log.info("the X server %s had gone: %s", self._name, cause(problem))
                if keymap is not None:
                    keymap.abandon()
                return
        if keymap is not None:
            keymap.close()
        for display in (self._control, self._data):
            display.close()


def _held(state: int) -> str:
    """The modifiers that are down, as a chord without its key."""
    return "+".join(name for name, mask in _HELD if state & mask)
