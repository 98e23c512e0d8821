"""Keys and text through XTEST, on whatever keyboard layout the X server has."""

from __future__ import annotations

import itertools
import select
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from execution.desktop.base import DesktopError
from execution.desktop.keysyms import NAMED, keysym_of
from execution.desktop.x11_layout import Layout, Stroke, runs_of
from execution.desktop.x11_window import active_window
from sentences.said import say

if TYPE_CHECKING:
    from execution.desktop.x11_connection import XConnection
    from execution.desktop.x11_layout import Layout


# Keys that mean nothing on the keyboard, given a meaning for as long as a text is typed.
# Each change of the mapping is told to every program; a window manager takes its key bindings anew each time
# (openbox: 33 ms, measured). So neighbouring keys are changed by one request, and put back once, at the end.

# On the root window, so that whoever takes over after a killed program can put the keyboard back.
LEFT_PROPERTY = "_SUREHAND_BORROWED_KEYS"

Meanings = Mapping[int, Sequence[int]]


class BorrowedKeys:
    """The spare keys of one layout, none unless they may be used; `borrowing` puts back whatever was changed."""

    def __init__(self, connection: XConnection, layout: Layout, *, allowed: bool) -> None:
        self._connection = connection
        self._layout = layout
        self._spare = [code for run in layout.spare_runs() for code in run] if allowed else []
        self._before: dict[int, Sequence[int]] = {}

    @property
    def count(self) -> int:
        return len(self._spare)

    def assign(self, keysyms: Sequence[int]) -> list[int]:
        """The keycodes that mean these keysyms from now on, until the next call."""
        if len(keysyms) > self.count:
            raise DesktopError(say("desktop.too_few_free_keys"))
        keycodes = self._spare[: len(keysyms)]
        before = {code: self._layout.symbols[code - self._layout.first_keycode] for code in keycodes}
        if before.keys() - self._before.keys():
            self._before |= before
            _note(self._connection, self._before)
        # Both levels, or X would make an upper-case letter the shifted form of its lower-case one.
        _change(self._connection, {code: (sym, sym) for code, sym in zip(keycodes, keysyms, strict=True)})
        return keycodes

    def give_back(self) -> None:
        if self._before:
            _give_back(self._connection, self._before)
            self._before = {}


@contextmanager
def borrowing(connection: XConnection, layout: Layout, *, allowed: bool = True) -> Iterator[BorrowedKeys]:
    keys = BorrowedKeys(connection, layout, allowed=allowed)
    try:
        yield keys
    finally:
        keys.give_back()


def give_back_what_was_left(connection: XConnection) -> None:
    """Undo what a program that was killed while typing had no time to undo."""
    raw = connection.property_of(connection.root, LEFT_PROPERTY)
    if raw is not None:
        _give_back(connection, _unpacked(list(raw)))


def _give_back(connection: XConnection, before: Meanings) -> None:
    _change(connection, before)
    connection.root.delete_property(connection.atom(LEFT_PROPERTY))
    connection.display.sync()


def _change(connection: XConnection, meanings: Meanings) -> None:
    for run in runs_of(meanings.keys()):
        width = max(len(meanings[code]) for code in run)
        rows = [(*meanings[code], *(0,) * (width - len(meanings[code]))) for code in run]
        connection.display.change_keyboard_mapping(run[0], rows)
    connection.display.sync()


def _note(connection: XConnection, before: Meanings) -> None:
    from Xlib import X, Xatom

    flat: list[int] = []
    for code, keysyms in before.items():
        flat += [code, len(keysyms), *keysyms]
    connection.root.change_property(connection.atom(LEFT_PROPERTY), Xatom.CARDINAL, 32, flat, X.PropModeReplace)


def _unpacked(flat: list[int]) -> dict[int, tuple[int, ...]]:
    before: dict[int, tuple[int, ...]] = {}
    while len(flat) >= 2:
        code, count = flat[0], flat[1]
        before[code] = tuple(flat[2 : 2 + count])
        flat = flat[2 + count :]
    return before


# Asking the focused application whether it has read everything that was sent to it.
# Window managers ask this of every window (_NET_WM_PING) to find programs that hang. Events are read in order: an
# answer means that all keys sent before it were read, with the meaning they had then.

# Marks our questions among those of the window manager; the field is a time stamp, of which any value is allowed.
_numbers = itertools.count(0x53480000)


class FocusPing:
    def __init__(self, connection: XConnection) -> None:
        self._connection = connection

    def wait(self, *, timeout: float) -> bool | None:
        """True once the application answered, False when it did not in time, None where it cannot be asked."""
        from Xlib import X, error

        root = self._connection.root
        try:
            window = self._window_to_ask()
            if window is None:
                return None
            # Qt answers to those who watch the root window itself, others to those who watch its children.
            root.change_attributes(event_mask=X.SubstructureNotifyMask | X.StructureNotifyMask)
            try:
                return self._answered(window, number=next(_numbers) & 0xFFFFFFFF, timeout=timeout)
            finally:
                root.change_attributes(event_mask=0)
                self._drop_events()
        except (error.BadWindow, error.BadDrawable):
            return None  # it closed meanwhile, as a dialog does on Return

    def _answered(self, window: Any, *, number: int, timeout: float) -> bool | None:
        from Xlib import X
        from Xlib.protocol import event

        display = self._connection.display
        ping, protocols = self._connection.atom("_NET_WM_PING"), self._connection.atom("WM_PROTOCOLS")
        question = (32, [ping, number, window.id, 0, 0])
        window.send_event(event.ClientMessage(window=window, client_type=protocols, data=question))
        display.flush()
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            while display.pending_events():
                answer = display.next_event()
                if answer.type == X.ClientMessage and answer.client_type == protocols and answer.data[1][1] == number:
                    return True
                if answer.type == X.DestroyNotify and answer.window == window:
                    return None
            self._connection.alive()
            select.select([display.fileno()], [], [], min(left, 1.0))
        return False

    def _window_to_ask(self) -> Any | None:
        """The focused window or the nearest one around it that says it answers."""
        window = self._connection.display.get_input_focus().focus
        ping = self._connection.atom("_NET_WM_PING")
        while not isinstance(window, int) and window != self._connection.root:
            if ping in (self._connection.property_of(window, "WM_PROTOCOLS") or ()):
                return window
            window = window.query_tree().parent
        return None

    def _drop_events(self) -> None:
        display = self._connection.display
        display.sync()
        while display.pending_events():
            display.next_event()


# Characters between two questions to the application whether it keeps up.
CHUNK = 48
# An application that has not read its events for so long hangs.
ANSWER_S = 15.0
# For applications that cannot be asked: how long a text with borrowed keys is left to be read.
UNASKED_S = 0.25
UNASKED_PER_CHARACTER_S = 0.004
FAR_HOLD_S = 0.05
# Window classes of clients that show a desktop of another machine: Citrix, Horizon, RDP, VNC.
FAR_VIEWERS = frozenset(
    {"wfica", "icasessionmgr", "vmware-view", "horizon-client", "xfreerdp", "wlfreerdp", "rdesktop", "remmina",
     "org.remmina.remmina", "vncviewer", "gvncviewer", "vinagre", "virt-viewer", "krdc"}
)  # fmt: skip
MODIFIER_MASK = 0x01 | 0x04 | 0x08 | 0x40 | 0x80  # Shift, Control, Mod1 (Alt), Mod4 (Super), Mod5 (AltGr)
LOCK_MASK = 0x02
BUTTON_MASK = 0x1F00  # the first five buttons


class XKeyboard:
    """`hold_s`: how long modifiers are down before and after their key; in the window of a viewer of another desktop,
    which asks for them a moment later, at least `FAR_HOLD_S`."""

    def __init__(self, connection: XConnection, *, borrows: bool = True, hold_s: float = 0.0) -> None:
        self._connection, self._borrows, self._hold_s = connection, borrows, hold_s

    def chord(self, keys: Sequence[str]) -> None:
        """All down in order, up in reverse; a key that the layout lacks is borrowed for the moment."""
        began = time.monotonic()
        with self._connection.talking() as display, self.neutral():
            layout = self._layout()
            self._connection.refuse_stale(began, "desktop.not_pressed")
            missing = [key for key in dict.fromkeys(keys) if _stroke_of(layout, key) is None]
            with borrowing(self._connection, layout, allowed=self._borrows) as spare:
                borrowed = self._borrow(missing, spare=spare)
                strokes = [_stroke_of(layout, key) or Stroke(borrowed[key]) for key in keys]
                self._hold(
                    list(dict.fromkeys(code for stroke in strokes for code in (*stroke.modifiers, stroke.keycode))),
                    hold_s=self._needed_hold_s(),
                )
                if missing:
                    self._let_it_read(len(keys), borrowed=True)
            display.sync()

    def write(self, text: str) -> None:
        """Type the text; keys that a person or a killed program left down and Caps Lock do not change it."""
        if not text:
            return
        began = time.monotonic()
        with self._connection.talking(), self.neutral():
            layout = self._layout()
            self._connection.refuse_stale(began, "desktop.not_typed")
            with borrowing(self._connection, layout, allowed=self._borrows) as spare:
                for part, missing in _parts(text, layout=layout, spare=spare.count):
                    self._write_part(part, missing, layout=layout, spare=spare)

    def lacking(self, text: str) -> frozenset[str]:
        with self._connection.talking():
            layout = self._layout()
        return frozenset(char for char in text if layout.stroke_for(char) is None)

    def release_keys(self) -> None:
        """Let go of every key that is down, and give back keys that a killed program had borrowed."""
        with self._connection.talking() as display:
            for keycode in self._keys_down():
                self._fake(keycode, down=False)
            give_back_what_was_left(self._connection)
            display.sync()

    def _write_part(self, part: str, missing: Sequence[str], *, layout: Layout, spare: BorrowedKeys) -> None:
        borrowed, hold_s = self._borrow(missing, spare=spare), self._needed_hold_s()
        for start in range(0, len(part), CHUNK):
            chunk = part[start : start + CHUNK]
            for char in chunk:
                stroke = Stroke(borrowed[char]) if char in borrowed else layout.strokes[char]
                self._hold([*stroke.modifiers, stroke.keycode], hold_s=hold_s)
                self._connection.alive()
            if missing or start + CHUNK < len(part):
                # An application looks a key up when it reads it: until then a borrowed key must keep its meaning.
                self._let_it_read(len(chunk), borrowed=bool(missing))
        self._connection.display.sync()

    def _borrow(self, keys: Sequence[str], *, spare: BorrowedKeys) -> dict[str, int]:
        """The keycodes that mean these characters or names for now, known to the application before they are used."""
        if not keys:
            return {}
        keycodes = spare.assign([_keysym_of(key) for key in keys])
        # Chromium takes a new meaning in a little later than it is told: without this it lost 1 first key in 60.
        self._let_it_read(0, borrowed=True)
        return dict(zip(keys, keycodes, strict=True))

    def _let_it_read(self, count: int, *, borrowed: bool) -> None:
        """Wait until the application has read what was sent; needed with borrowed keys, a courtesy with others."""
        answered = FocusPing(self._connection).wait(timeout=ANSWER_S)
        if answered or not borrowed:
            return
        if answered is None:
            time.sleep(UNASKED_S + count * UNASKED_PER_CHARACTER_S)
            return
        raise DesktopError(say("desktop.keyboard_not_read", n=ANSWER_S))

    @contextmanager
    def neutral(self) -> Iterator[None]:
        """No modifier and no button down, and Caps Lock off, during an act; Caps Lock is put back as it was.

        Raises DesktopError where somebody holds one: a click with Ctrl adds to what is chosen.
        """
        layout = self._layout()
        for keycode in self._keys_down():
            if keycode in layout.modifier_keycodes:
                self._fake(keycode, down=False)
        mask = self._mask()
        if mask & MODIFIER_MASK:
            raise DesktopError(say("desktop.modifier_held"))
        if mask & BUTTON_MASK:
            raise DesktopError(say("desktop.button_held"))
        if not mask & LOCK_MASK:
            yield
            return
        self._toggle_caps_lock(layout)
        if self._mask() & LOCK_MASK:
            raise DesktopError(say("desktop.caps_lock"))
        try:
            yield
        finally:
            self._toggle_caps_lock(layout)
            self._connection.display.sync()

    def _toggle_caps_lock(self, layout: Layout) -> None:
        if layout.caps_lock_keycode is not None:
            self._hold([layout.caps_lock_keycode])

    def _hold(self, keycodes: Sequence[int], *, hold_s: float = 0.0) -> None:
        *modifiers, key = keycodes
        for keycode in modifiers:
            self._fake(keycode, down=True)
        self._let_be_seen(hold_s if modifiers else 0.0)
        self._fake(key, down=True)
        self._fake(key, down=False)
        self._let_be_seen(hold_s if modifiers else 0.0)
        for keycode in reversed(modifiers):
            self._fake(keycode, down=False)

    def _let_be_seen(self, hold_s: float) -> None:
        if hold_s:
            self._connection.display.sync()
            time.sleep(hold_s)

    def _needed_hold_s(self) -> float:
        window = active_window(self._connection)
        is_far = window is not None and window.app_name.lower() in FAR_VIEWERS
        return max(self._hold_s, FAR_HOLD_S) if is_far else self._hold_s

    def _fake(self, keycode: int, *, down: bool) -> None:
        from Xlib import X

        self._connection.display.xtest_fake_input(X.KeyPress if down else X.KeyRelease, keycode)

    def _mask(self) -> int:
        return int(self._connection.root.query_pointer().mask)

    def _keys_down(self) -> list[int]:
        bits = self._connection.display.query_keymap()
        return [code for code in range(8, 256) if bits[code // 8] >> (code % 8) & 1]

    def _layout(self) -> Layout:
        display = self._connection.display
        first, last = display.display.info.min_keycode, display.display.info.max_keycode
        return Layout(
            display.get_keyboard_mapping(first, last - first + 1),
            display.get_modifier_mapping(),
            first_keycode=first,
            group=self._mask() >> 13 & 0x3,
        )


def _parts(text: str, *, layout: Layout, spare: int) -> Iterator[tuple[str, list[str]]]:
    """The text cut where the characters that the layout lacks would need more keys than there are to borrow."""
    start, missing = 0, dict[str, None]()
    for position, char in enumerate(text):
        if layout.stroke_for(char) is not None or char in missing:
            continue
        if not spare:
            raise DesktopError(say("desktop.no_free_key", char=char))
        if len(missing) == spare:
            yield text[start:position], list(missing)
            start, missing = position, {}
        missing[char] = None
    yield text[start:], list(missing)


def _keysym_of(key: str) -> int:
    return NAMED.get(key) or keysym_of(key)


def _stroke_of(layout: Layout, key: str) -> Stroke | None:
    if key not in NAMED:
        return layout.stroke_for(key)
    keycode = layout.keycode_of(NAMED[key])
    return None if keycode is None else Stroke(keycode)
