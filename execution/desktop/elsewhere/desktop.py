"""A desktop elsewhere as the loop knows it: X11's eyes and hands on the client, without what only the client knows."""

from __future__ import annotations

import getpass
import socket
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from execution.desktop.acts import typeable
from execution.desktop.base import Button, DesktopIdentity
from execution.desktop.elsewhere.address import Address
from execution.desktop.elsewhere.session import Session
from execution.desktop.x11 import X11Desktop
from execution.desktop.x11_connection import STALL_S
from execution.desktop.x11_keyboard import FAR_HOLD_S
from execution.types import Frame, Point, Size, Window
from workflows.secret import Login

PAINTED_WITHIN_S = 5.0
LOOK_EVERY_S = 0.05


class DesktopElsewhere:
    """Raises DesktopLost where the connection was cut: before an act nothing of it was done, after it nobody knows."""

    def __init__(self, address: Address, login: Login | None, *, home: Path, stall_s: float = STALL_S) -> None:
        self.name = address.name
        self._identity = identity_of(address, login)
        with ExitStack() as undone:
            self._session = Session(address, login, home=home, stall_s=stall_s)
            undone.callback(self._session.close)
            # What goes by RDP are keys, and the other side says what they mean: one that was given another meaning here
            # would be another character there.
            self._borrows_keys = address.kind != "rdp"
            self._screen = X11Desktop(
                self._session.display.name,
                stall_s=stall_s,
                borrows_keys=self._borrows_keys,
                modifier_hold_s=FAR_HOLD_S,
            )
            undone.callback(self._screen.close)
            self._until_painted()
            # A server takes up its keyboard with the first key, and may lose what that key was to mean: Xvnc does.
            self.press(["shift"])
            undone.pop_all()

    def grab(self) -> Frame:
        with self._there():
            return self._screen.grab()

    def silent_s(self) -> float:
        return self._screen.silent_s()

    def window(self) -> Window | None:
        """None: which window has the focus there, nobody tells."""
        return None

    def identity(self) -> DesktopIdentity:
        """The other desktop's, not that of the display which shows it: that one is new with every connection."""
        with self._there():
            size = self._screen.identity().size
        return replace(self._identity, size=size)

    def click(self, point: Point, *, button: Button = "left", count: int = 1) -> None:
        with self._acting():
            self._screen.click(point, button=button, count=count)

    def drag(self, start: Point, end: Point, *, button: Button = "left") -> None:
        with self._acting():
            self._screen.drag(start, end, button=button)

    def scroll(self, point: Point, *, dx: int = 0, dy: int = 0) -> None:
        with self._acting():
            self._screen.scroll(point, dx=dx, dy=dy)

    def press(self, keys: Sequence[str]) -> None:
        with self._acting():
            self._screen.press(keys)

    def type_text(self, text: str) -> None:
        """What the keyboard over there lacks goes alone: its server gives such a character a key as it comes, and the
        application there, which nobody can ask, may not know yet what that key means."""
        text = typeable(text)
        with self._acting():
            # Where no key may be borrowed the text is refused as a whole, before anything of it is typed.
            for part in _apart(text, self._screen.lacking(text)) if self._borrows_keys else (text,):
                self._screen.type_text(part)

    def move(self, point: Point) -> None:
        with self._acting():
            self._screen.move(point)

    def release_all(self) -> None:
        with self._acting():
            self._screen.release_all()

    def close(self) -> None:
        self._screen.close()
        self._session.close()

    @contextmanager
    def _there(self) -> Iterator[None]:
        self._session.check()
        yield
        self._session.check()

    @contextmanager
    def _acting(self) -> Iterator[None]:
        """A client that is gone reads no keys, and its display takes them all the same."""
        self._session.check()
        yield
        self._session.until_taken()

    def _until_painted(self) -> None:
        """A client's window is black before the first picture comes; a screen may be black as well, or asleep."""
        end = time.monotonic() + PAINTED_WITHIN_S
        while time.monotonic() < end:
            pixels = self.grab().pixels
            if (pixels != pixels[0, 0]).any():
                return
            time.sleep(LOOK_EVERY_S)


def _apart(text: str, lacking: Collection[str]) -> Iterator[str]:
    """The text in parts, each of the characters that are lacking by itself."""
    start = 0
    for position, char in enumerate(text):
        if char in lacking:
            yield from filter(None, (text[start:position], char))
            start = position + 1
    if start < len(text):
        yield text[start:]


def identity_of(address: Address, login: Login | None) -> DesktopIdentity:
    """What is known of it before it is connected to: all but its size."""
    user = login.username if login else ""
    return DesktopIdentity(
        name=address.name,
        host=socket.gethostname(),
        boot_id="",
        session="",
        user=user or getpass.getuser(),
        size=Size(0, 0),
        mark=address.mark(user),
    )
