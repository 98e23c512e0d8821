"""What macOS does in its own way: text by Quartz events, the frontmost window, the session.

Quartz and AppKit come with pyautogui on macOS (pyobjc). Not run on macOS yet, see `native`.
"""

from __future__ import annotations

import importlib
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from execution.types import Box

# One event carries at most 20 UTF-16 units.
UNITS_PER_EVENT = 20
KEY_CODES = {"\n": 36, "\t": 48}
ALL_KEY_CODES = range(128)


class MacPlatform:
    """`quartz` and `appkit` are the system's modules unless given."""

    key_names: Mapping[str, str] = MappingProxyType(
        {"super": "command", "alt": "option", "menu": "f20", "printscreen": "f13"}
    )
    wheel_unit = 1  # a line

    def __init__(self, quartz: Any = None, appkit: Any = None) -> None:
        self._quartz = quartz or importlib.import_module("Quartz")
        self._appkit = appkit or importlib.import_module("AppKit")

    def prepare(self) -> None:
        """Nothing: input is in points, pictures are in pixels, and a frame's scale says how they go together."""

    def type_text(self, text: str) -> None:
        """Text goes in as such, whatever the layout and Caps Lock; modifiers do not count, their flags are cleared."""
        run = ""
        for char in text:
            if char in KEY_CODES or len((run + char).encode("utf-16-le")) > 2 * UNITS_PER_EVENT:
                self._send(run)
                run = ""
            if char in KEY_CODES:
                self._post(KEY_CODES[char], "")
            else:
                run += char
        self._send(run)

    def active_window(self) -> tuple[str, str, Box | None] | None:
        application = self._appkit.NSWorkspace.sharedWorkspace().frontmostApplication()
        if application is None:
            return None
        app_name = str(application.localizedName() or "")
        quartz = self._quartz
        options = quartz.kCGWindowListOptionOnScreenOnly | quartz.kCGWindowListExcludeDesktopElements
        for window in quartz.CGWindowListCopyWindowInfo(options, quartz.kCGNullWindowID) or ():
            # Layer 0 holds ordinary windows, front to back.
            if window.get("kCGWindowOwnerPID") == application.processIdentifier() and window.get("kCGWindowLayer") == 0:
                bounds = window["kCGWindowBounds"]
                box = Box(*(round(bounds[key]) for key in ("X", "Y", "Width", "Height")))
                return str(window.get("kCGWindowName") or ""), app_name, box
        return "", app_name, None

    def boot_and_session(self) -> tuple[str, str]:
        done = subprocess.run(
            ["/usr/sbin/sysctl", "-n", "kern.bootsessionuuid"], capture_output=True, text=True, check=False, timeout=5
        )
        # Whoever is signed in at the screen owns the console.
        return done.stdout.strip(), str(Path("/dev/console").stat().st_uid)

    def keys_down(self) -> list[Any]:
        state = self._quartz.kCGEventSourceStateCombinedSessionState
        return [code for code in ALL_KEY_CODES if self._quartz.CGEventSourceKeyState(state, code)]

    def lift(self, key: Any) -> None:
        quartz = self._quartz
        quartz.CGEventPost(quartz.kCGHIDEventTap, quartz.CGEventCreateKeyboardEvent(None, key, False))

    def _send(self, text: str) -> None:
        if text:
            self._post(0, text)

    def _post(self, key_code: int, text: str) -> None:
        quartz = self._quartz
        for down in (True, False):
            event = quartz.CGEventCreateKeyboardEvent(None, key_code, down)
            quartz.CGEventSetFlags(event, 0)
            if text:
                quartz.CGEventKeyboardSetUnicodeString(event, len(text.encode("utf-16-le")) // 2, text)
            quartz.CGEventPost(quartz.kCGHIDEventTap, event)
