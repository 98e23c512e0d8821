"""Asking the focused application whether it has read everything that was sent to it.

Window managers ask this of every window (_NET_WM_PING) to find programs that hang. Events are read in order: an answer
means that all keys sent before it were read, with the meaning they had then.
"""

from __future__ import annotations

import itertools
import select
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from execution.desktop.x11_connection import XConnection

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
