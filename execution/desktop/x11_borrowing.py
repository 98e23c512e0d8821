"""Keys that mean nothing on the keyboard, given a meaning for as long as a text is typed.

Each change of the mapping is told to every program; a window manager takes its key bindings anew each time (openbox:
33 ms, measured). So neighbouring keys are changed by one request, and put back once, at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from execution.desktop.base import DesktopError
from execution.desktop.x11_layout import runs_of
from sentences.said import say

if TYPE_CHECKING:
    from execution.desktop.x11_connection import XConnection
    from execution.desktop.x11_layout import Layout

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
