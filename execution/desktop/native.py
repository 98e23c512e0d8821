"""The desktop of a Windows or macOS machine, seen through mss and used through pyautogui.

What differs between the two lies in `windows` and `macos`. Tested by contract against stand-ins of the libraries; it
has not been run on those systems.
"""

from __future__ import annotations

import getpass
import socket
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Protocol

import cv2
import numpy as np

from execution.desktop.acts import checked, to_input, typeable
from execution.desktop.base import Button, DesktopIdentity, DesktopLost, DesktopUnavailable, UnknownKey
from execution.desktop.digests import Digests
from execution.desktop.keys import known_keys
from execution.types import Box, Frame, Point, Size, Window
from sentences.said import say

BUTTONS: tuple[Button, ...] = ("left", "middle", "right")
# pyautogui wants a time for a drag: programs recognise one by the motion.
DRAG_S = 0.2
DOUBLE_CLICK_S = 0.05


class Platform(Protocol):
    """What one operating system does in its own way."""

    key_names: Mapping[str, str]  # names that pyautogui spells otherwise
    wheel_unit: int  # what pyautogui calls one click of the wheel

    def prepare(self) -> None:
        """Called before any library looks at the screen."""

    def type_text(self, text: str) -> None: ...

    def active_window(self) -> tuple[str, str, Box | None] | None:
        """Title, program and box in input coordinates."""

    def boot_and_session(self) -> tuple[str, str]: ...

    def keys_down(self) -> list[Any]:
        """What `lift` needs for every key that is down."""

    def lift(self, key: Any) -> None: ...


class NativeDesktop:
    """`platform`, `mss_module` and `pyautogui_module` are taken from the running system unless given."""

    def __init__(
        self,
        name: str | None = None,
        *,
        platform: Platform | None = None,
        mss_module: Any = None,
        pyautogui_module: Any = None,
    ) -> None:
        self.name = name or "local"
        self._lock = threading.RLock()
        self._platform = platform or this_platform()
        self._platform.prepare()
        try:
            self._hands = pyautogui_module or _imported("pyautogui")
            self._screen = (mss_module or _imported("mss")).MSS()
        except Exception as problem:  # each system, and each missing permission, has its own kind of error
            raise DesktopUnavailable(say("desktop.not_usable", error=problem)) from problem
        self._digests = Digests()
        # A target in a corner is a target; a run is stopped by its own means. And no pause of a tenth after each call.
        self._hands.FAILSAFE = False
        self._hands.PAUSE = 0

    def grab(self) -> Frame:
        with self._using():
            monitor = self._screen.monitors[0]
            shot = self._screen.grab(monitor)
            whole = np.frombuffer(shot.raw, dtype=np.uint8).reshape(shot.height, shot.width, 4)
            pixels = cv2.cvtColor(whole, cv2.COLOR_BGRA2BGR)
            digest = self._digests.of(pixels)
        return Frame(
            pixels=pixels,
            taken_at=datetime.now(UTC),
            origin=Point(monitor["left"], monitor["top"]),
            scale=shot.width / monitor["width"],
            digest=digest,
            method="mss",
        )

    def window(self) -> Window | None:
        with self._using():
            found = self._platform.active_window()
            if found is None:
                return None
            title, app_name, box = found
            origin, scale, _ = self._geometry()
        if box is not None:
            box = Box(
                round((box.x - origin.x) * scale),
                round((box.y - origin.y) * scale),
                round(box.w * scale),
                round(box.h * scale),
            )
        return Window(title=title, app_name=app_name, box=box)

    def identity(self) -> DesktopIdentity:
        with self._using():
            boot_id, session = self._platform.boot_and_session()
            _, _, size = self._geometry()
        return DesktopIdentity(
            name=self.name,
            host=socket.gethostname(),
            boot_id=boot_id,
            session=session,
            user=getpass.getuser(),
            size=size,
        )

    def click(self, point: Point, *, button: Button = "left", count: int = 1) -> None:
        with self._using():
            self._hands.click(*self._place(point), clicks=count, interval=DOUBLE_CLICK_S, button=button)

    def drag(self, start: Point, end: Point, *, button: Button = "left") -> None:
        with self._using():
            begin, finish = self._place(start), self._place(end)
            self._hands.moveTo(*begin)
            self._hands.dragTo(*finish, duration=DRAG_S, button=button)

    def scroll(self, point: Point, *, dx: int = 0, dy: int = 0) -> None:
        with self._using():
            self._hands.moveTo(*self._place(point))
            unit = self._platform.wheel_unit
            if dy:
                self._hands.scroll(-dy * unit)  # pyautogui counts upwards
            if dx:
                self._hands.hscroll(dx * unit)

    def press(self, keys: Sequence[str]) -> None:
        names = [self._key(key) for key in known_keys(keys)]
        with self._using():
            down: list[str] = []
            try:
                for name in names:
                    self._hands.keyDown(name)
                    down.append(name)
            finally:
                for name in reversed(down):
                    self._hands.keyUp(name)

    def type_text(self, text: str) -> None:
        text = typeable(text)
        with self._using():
            self._platform.type_text(text)

    def move(self, point: Point) -> None:
        with self._using():
            self._hands.moveTo(*self._place(point))

    def release_all(self) -> None:
        with self._using():
            for key in self._platform.keys_down():
                self._platform.lift(key)
            for button in BUTTONS:
                self._hands.mouseUp(button=button)

    def close(self) -> None:
        with self._lock:
            self._screen.close()

    def _key(self, key: str) -> str:
        name = self._platform.key_names.get(key, key)
        if not self._hands.isValidKey(name):
            raise UnknownKey(say("desktop.key_not_here", key=key))
        return name

    def _place(self, point: Point) -> Point:
        origin, scale, size = self._geometry()
        return to_input(checked(point, size=size), origin=origin, scale=scale)

    def _geometry(self) -> tuple[Point, float, Size]:
        """Origin, scale and size of a frame. Only a picture tells the scale of a dense screen."""
        monitor = self._screen.monitors[0]
        probe = self._screen.grab({**monitor, "width": 1, "height": 1})
        scale = float(probe.width)
        size = Size(round(monitor["width"] * scale), round(monitor["height"] * scale))
        return Point(monitor["left"], monitor["top"]), scale, size

    @contextmanager
    def _using(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except OSError as problem:
                raise DesktopLost(say("desktop.out_of_reach", error=problem)) from problem
            except Exception as problem:  # known by name: its module must not be imported where a stand-in is used
                if type(problem).__name__ != "ScreenShotError":
                    raise
                raise DesktopLost(say("desktop.not_seen", error=problem)) from problem


def this_platform() -> Platform:
    if sys.platform == "win32":
        from execution.desktop.windows import WindowsPlatform

        return WindowsPlatform()
    if sys.platform == "darwin":
        from execution.desktop.macos import MacPlatform

        return MacPlatform()
    raise DesktopUnavailable(say("desktop.unknown_platform", platform=sys.platform))


def _imported(module: str) -> Any:
    import importlib

    return importlib.import_module(module)
