"""What Windows does in its own way: text by SendInput, the foreground window, the session.

The structures and constants are those of winuser.h. Not run on Windows yet, see `native`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from pathlib import PureWindowsPath
from types import MappingProxyType
from typing import Any

from execution.desktop.base import DesktopError
from execution.types import Box
from sentences.said import say

INPUT_KEYBOARD = 1
KEYEVENTF_KEYUP = 0x0002
KEYEVENTF_UNICODE = 0x0004
VIRTUAL_KEYS = {"\n": 0x0D, "\t": 0x09}
MODIFIER_KEYS = (0x10, 0x11, 0x12, 0x5B, 0x5C)  # Shift, Control, Alt, both Windows keys
KEYBOARD_KEYS = range(0x08, 0xFF)  # the numbers below are mouse buttons
EXTENDED_FRAME_BOUNDS = 9
PROCESS_QUERY_LIMITED_INFORMATION = 0x1000
PER_MONITOR_AWARE_V2 = -4


class _KeyboardInput(ctypes.Structure):
    _fields_ = (
        ("wVk", ctypes.c_uint16),
        ("wScan", ctypes.c_uint16),
        ("dwFlags", ctypes.c_uint32),
        ("time", ctypes.c_uint32),
        ("dwExtraInfo", ctypes.c_size_t),
    )


class _MouseInput(ctypes.Structure):
    """Never used, but the largest member: it gives the union the size that SendInput checks."""

    _fields_ = (
        ("dx", ctypes.c_int32),
        ("dy", ctypes.c_int32),
        ("mouseData", ctypes.c_uint32),
        ("dwFlags", ctypes.c_uint32),
        ("time", ctypes.c_uint32),
        ("dwExtraInfo", ctypes.c_size_t),
    )


class _AnyInput(ctypes.Union):
    _fields_ = (("ki", _KeyboardInput), ("mi", _MouseInput))


class _Input(ctypes.Structure):
    _fields_ = (("type", ctypes.c_uint32), ("u", _AnyInput))


class _Rect(ctypes.Structure):
    _fields_ = tuple((side, ctypes.c_int32) for side in ("left", "top", "right", "bottom"))


class WindowsPlatform:
    """`libraries` is ctypes.windll unless given."""

    key_names: Mapping[str, str] = MappingProxyType({"super": "winleft", "menu": "apps"})
    wheel_unit = 120  # WHEEL_DELTA

    def __init__(self, libraries: Any = None) -> None:
        self._dll = libraries or ctypes.windll  # type: ignore[attr-defined]

    def prepare(self) -> None:
        # Without it Windows reports scaled coordinates, and clicks land beside what the picture shows.
        self._dll.user32.SetProcessDpiAwarenessContext(ctypes.c_void_p(PER_MONITOR_AWARE_V2))

    def type_text(self, text: str) -> None:
        """Characters go in as such, whatever the layout and Caps Lock; modifiers that are down are lifted first."""
        for key in self.keys_down():
            if key in MODIFIER_KEYS:
                self.lift(key)
        inputs = [one for char in text for one in _inputs_for(char)]
        batch = (_Input * len(inputs))(*inputs)
        sent = self._dll.user32.SendInput(len(inputs), batch, ctypes.sizeof(_Input))
        if sent != len(inputs):
            raise DesktopError(say("desktop.windows_refuses", sent=sent, count=len(inputs)))

    def active_window(self) -> tuple[str, str, Box | None] | None:
        user32 = self._dll.user32
        window = user32.GetForegroundWindow()
        if not window:
            return None
        length = user32.GetWindowTextLengthW(window)
        title = ctypes.create_unicode_buffer(length + 1)
        user32.GetWindowTextW(window, title, length + 1)
        return title.value, self._app_name(window), self._box(window)

    def boot_and_session(self) -> tuple[str, str]:
        return _boot_count(), str(self._dll.kernel32.WTSGetActiveConsoleSessionId())

    def keys_down(self) -> list[Any]:
        return [key for key in KEYBOARD_KEYS if self._dll.user32.GetAsyncKeyState(key) & 0x8000]

    def lift(self, key: Any) -> None:
        self._dll.user32.SendInput(1, (_Input * 1)(_key(vk=key, flags=KEYEVENTF_KEYUP)), ctypes.sizeof(_Input))

    def _box(self, window: Any) -> Box | None:
        """The visible frame; GetWindowRect would count an invisible border of seven pixels."""
        rect = _Rect()
        failed = self._dll.dwmapi.DwmGetWindowAttribute(
            window, EXTENDED_FRAME_BOUNDS, ctypes.byref(rect), ctypes.sizeof(rect)
        )
        return None if failed else Box(rect.left, rect.top, rect.right - rect.left, rect.bottom - rect.top)

    def _app_name(self, window: Any) -> str:
        process_id = ctypes.c_uint32()
        self._dll.user32.GetWindowThreadProcessId(window, ctypes.byref(process_id))
        kernel32 = self._dll.kernel32
        process = kernel32.OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, False, process_id.value)
        if not process:
            return ""
        try:
            size = ctypes.c_uint32(1024)
            path = ctypes.create_unicode_buffer(size.value)
            found = kernel32.QueryFullProcessImageNameW(process, 0, path, ctypes.byref(size))
        finally:
            kernel32.CloseHandle(process)
        return PureWindowsPath(path.value).stem if found else ""


def _inputs_for(char: str) -> list[_Input]:
    """Down and up; a character outside the basic plane is two halves, each with its own pair."""
    if char in VIRTUAL_KEYS:
        key = VIRTUAL_KEYS[char]
        return [_key(vk=key), _key(vk=key, flags=KEYEVENTF_KEYUP)]
    raw = char.encode("utf-16-le")
    units = [int.from_bytes(raw[start : start + 2], "little") for start in range(0, len(raw), 2)]
    return [
        _key(scan=unit, flags=flags)
        for unit in units
        for flags in (KEYEVENTF_UNICODE, KEYEVENTF_UNICODE | KEYEVENTF_KEYUP)
    ]


def _key(*, vk: int = 0, scan: int = 0, flags: int = 0) -> _Input:
    return _Input(INPUT_KEYBOARD, _AnyInput(ki=_KeyboardInput(vk, scan, flags, 0, 0)))


def _boot_count() -> str:
    """Windows counts its boots in the registry."""
    try:
        import winreg

        place = r"SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management\PrefetchParameters"
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, place) as key:  # type: ignore[attr-defined]
            return str(winreg.QueryValueEx(key, "BootId")[0])  # type: ignore[attr-defined]
    except (ImportError, OSError):
        return ""
