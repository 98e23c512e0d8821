"""A desktop shown by an X server: seen through mss, used through XTEST."""

from __future__ import annotations

import getpass
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from execution.desktop.acts import checked, typeable
from execution.desktop.base import Button, DesktopError, DesktopIdentity, DesktopUnavailable
from execution.desktop.digests import Digests
from execution.desktop.keys import known_keys
from execution.desktop.watching import Heard
from execution.desktop.x11_connection import STALL_S, XConnection
from execution.desktop.x11_keyboard import XKeyboard
from execution.desktop.x11_watching import X11Watch
from execution.desktop.x11_window import active_window
from execution.types import Frame, Point, Size, Window
from sentences.said import cause, say

BUTTONS = {"left": 1, "middle": 2, "right": 3}
WHEEL = {"up": 4, "down": 5, "left": 6, "right": 7}
ALL_BUTTONS = range(1, 10)
# A drag is recognised by the motion: programs want to see the pointer on its way.
DRAG_STEPS = 12
DRAG_STEP_S = 0.03
DRAG_STIRS = 5
DRAG_REST_S = 0.3  # over the place where it is let go: a browser asks the page whether it may be dropped there


class X11Desktop:
    """`display` is a name such as ":0"; None takes DISPLAY. Usable from several threads, one call at a time.

    `borrows_keys`: what the keyboard layout lacks is typed with spare keys, else it is refused. `modifier_hold_s`: how
    long modifiers are down before and after their key.
    """

    def __init__(
        self,
        display: str | None = None,
        *,
        stall_s: float = STALL_S,
        borrows_keys: bool = True,
        modifier_hold_s: float = 0.0,
    ) -> None:
        self._connection = XConnection(display, stall_s=stall_s)
        self.name = self._connection.name
        self._keyboard = XKeyboard(self._connection, borrows=borrows_keys, hold_s=modifier_hold_s)
        self._grab_lock = threading.Lock()
        self._digests = Digests()
        self._screen: Any = None
        self._screen_size = Size(0, 0)

    def grab(self) -> Frame:
        with self._grab_lock:
            size = self._connection.size()
            pixels = self._pixels(size)
            digest = self._digests.of(pixels)
        return Frame(pixels=pixels, taken_at=datetime.now(UTC), digest=digest, method="mss")

    def silent_s(self) -> float:
        return self._connection.silent_s()

    def window(self) -> Window | None:
        return active_window(self._connection)

    def identity(self) -> DesktopIdentity:
        session = self._connection.session()
        return DesktopIdentity(
            name=self.name,
            host=socket.gethostname(),
            boot_id=_boot_id(),
            session=session,
            mark=f"X server {session}",
            user=getpass.getuser(),
            size=self._connection.size(),
        )

    def click(self, point: Point, *, button: Button = "left", count: int = 1) -> None:
        began = time.monotonic()
        with self._connection.talking(), self._keyboard.neutral():
            self._aim(point, began)
            self._push(BUTTONS[button], count=count)

    def drag(self, start: Point, end: Point, *, button: Button = "left") -> None:
        began = time.monotonic()
        size = self._connection.size()
        start, end = checked(start, size=size), checked(end, size=size)
        with self._connection.talking() as display, self._keyboard.neutral():
            code = self._code_of(BUTTONS[button])
            self._move(start)
            display.sync()
            self._connection.refuse_stale(began, "desktop.not_dragged")
            self._button(code, down=True)
            try:
                for point in _way(start, end):
                    self._move(point)
                    display.sync()
                    time.sleep(DRAG_STEP_S)
                time.sleep(DRAG_REST_S)
            finally:
                self._button(code, down=False)
                display.sync()

    def scroll(self, point: Point, *, dx: int = 0, dy: int = 0) -> None:
        began = time.monotonic()
        with self._connection.talking(), self._keyboard.neutral():
            self._aim(point, began)
            self._push(WHEEL["down" if dy > 0 else "up"], count=abs(dy))
            self._push(WHEEL["right" if dx > 0 else "left"], count=abs(dx))

    def press(self, keys: Sequence[str]) -> None:
        self._keyboard.chord(known_keys(keys))

    def type_text(self, text: str) -> None:
        self._keyboard.write(typeable(text))

    def lacking(self, text: str) -> frozenset[str]:
        """Its characters that the keyboard layout has no key for."""
        return self._keyboard.lacking(text)

    def move(self, point: Point) -> None:
        point = checked(point, size=self._connection.size())
        with self._connection.talking() as display:
            self._move(point)
            display.sync()

    def watch(self, heard: Heard, *, hot_keys: Sequence[str] = ()) -> X11Watch:
        """Hear what a person does there; `hot_keys` are chords that no application gets meanwhile."""
        return X11Watch(self._connection, heard, hot_keys=hot_keys)

    def release_all(self) -> None:
        self._keyboard.release_keys()
        with self._connection.talking() as display:
            for button in ALL_BUTTONS:  # a button that is up ignores this
                self._button(button, down=False)
            display.sync()

    def close(self) -> None:
        with self._grab_lock:
            self._close_screen()
        self._connection.close()

    def _aim(self, point: Point, began: float) -> None:
        """Point at it; raises DesktopError where the server stood still since `began`: what is there is not known."""
        self.move(point)
        self._connection.refuse_stale(began, "desktop.not_clicked")

    def _push(self, button: int, *, count: int) -> None:
        if not count:
            return
        with self._connection.talking() as display:
            code = self._code_of(button)
            for _ in range(count):
                self._button(code, down=True)
                self._button(code, down=False)
            display.sync()

    def _code_of(self, button: int) -> int:
        """What means that button there: a mouse that is set for the left hand has them the other way round."""
        mapping = list(self._connection.display.get_pointer_mapping())
        if button not in mapping:
            raise DesktopError(say("desktop.no_button", n=button))
        return mapping.index(button) + 1

    def _button(self, button: int, *, down: bool) -> None:
        from Xlib import X

        self._connection.display.xtest_fake_input(X.ButtonPress if down else X.ButtonRelease, button)

    def _move(self, point: Point) -> None:
        from Xlib import X

        self._connection.display.xtest_fake_input(X.MotionNotify, x=point.x, y=point.y)

    def _pixels(self, size: Size) -> np.ndarray:
        region = {"left": 0, "top": 0, "width": size.width, "height": size.height}
        try:
            shot = self._screen_of(size).grab(region)
        except _capture_problems() as problem:
            self._close_screen()
            # Gone (then this raises DesktopLost), or changed its size between the question and the picture.
            if self._connection.size() == size:
                raise DesktopUnavailable(say("desktop.no_pictures", name=self.name, error=cause(problem))) from problem
            return self._pixels(self._connection.size())
        whole = np.frombuffer(shot.raw, dtype=np.uint8).reshape(size.height, size.width, 4)
        return cv2.cvtColor(whole, cv2.COLOR_BGRA2BGR)

    def _screen_of(self, size: Size) -> Any:
        """The capturing connection; mss sizes its buffer once, so a larger screen needs a new one."""
        if self._screen is None or size != self._screen_size:
            self._close_screen()
            import mss

            self._screen, self._screen_size = mss.MSS(display=self.name), size
        return self._screen

    def _close_screen(self) -> None:
        """Once only: on a dead connection mss frees it and then raises, and a second time ends the process."""
        screen, self._screen = self._screen, None
        if screen is not None:
            with suppress(*_capture_problems()):
                screen.close()


def _way(start: Point, end: Point) -> Iterator[Point]:
    """Where the pointer is on its way; at its end it stirs, as what lies there hears of a drag when it moves on it."""
    for step in range(1, DRAG_STEPS + 1):
        yield Point(*(a + (b - a) * step // DRAG_STEPS for a, b in zip(start, end, strict=True)))
    for _ in range(DRAG_STIRS):
        yield Point(end.x - 1 if end.x else 1, end.y)
        yield end


def _capture_problems() -> tuple[type[Exception], ...]:
    """What mss raises; where the server dies in the middle of a picture it trips over a null pointer instead."""
    from mss.exception import ScreenShotError

    return ScreenShotError, AssertionError, ValueError


def _boot_id() -> str:
    """Linux's mark of this boot; other systems that show X desktops have none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
