"""Windows and macOS by contract: what the libraries are told, against stand-ins of them (D9)."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from execution.desktop.base import DesktopError, DesktopLost, DesktopUnavailable, UnknownKey
from execution.desktop.macos import MacPlatform
from execution.desktop.native import NativeDesktop, this_platform
from execution.desktop.windows import WindowsPlatform
from execution.types import Box, Point
from tests.doubles.native_desktop import FakeMss, FakePlatform, FakePyautogui, ScreenShotError


class Bench:
    def __init__(self, **monitor: int) -> None:
        self.mss, self.hands, self.platform = FakeMss(**monitor), FakePyautogui(), FakePlatform()
        self.desktop = NativeDesktop(platform=self.platform, mss_module=self.mss, pyautogui_module=self.hands)


def test_a_dense_screen_left_of_the_origin_is_mapped_both_ways_s5_5() -> None:
    bench = Bench(left=-100, top=-20, scale=2)
    frame = bench.desktop.grab()
    assert (frame.size, frame.scale, frame.origin) == ((1280, 800), 2.0, (-100, -20))
    assert frame.pixels[0, 0].tolist() == [10, 20, 30]
    bench.desktop.click(Point(1200, 400), button="right", count=2)
    assert bench.hands.calls == [("click", 500, 180, 2, 0.05, "right")]
    window = bench.desktop.window()
    assert window is not None
    assert window.box == Box(220, 80, 600, 400)


def test_the_corner_is_a_target_and_calls_do_not_pause() -> None:
    bench = Bench()
    assert (bench.hands.FAILSAFE, bench.hands.PAUSE, bench.platform.prepared) == (False, 0, True)


def test_a_chord_uses_the_systems_names_and_goes_up_in_reverse() -> None:
    bench = Bench()
    bench.desktop.press(["Ctrl", "Super", "s"])
    assert bench.hands.calls == [
        *(("keyDown", key) for key in ("ctrl", "winleft", "s")),
        *(("keyUp", key) for key in ("s", "winleft", "ctrl")),
    ]


def test_a_key_that_the_system_lacks_is_unknown_before_anything_is_pressed() -> None:
    bench = Bench()
    with pytest.raises(UnknownKey, match="“é”"):
        bench.desktop.press(["ctrl", "é"])
    assert bench.hands.calls == []


def test_the_wheel_is_turned_in_the_systems_units_and_direction() -> None:
    bench = Bench()
    bench.desktop.scroll(Point(1, 2), dy=2, dx=-1)
    assert bench.hands.calls == [("moveTo", 1, 2), ("scroll", -240), ("hscroll", -120)]


def test_text_goes_to_the_platform_and_keys_and_buttons_are_let_go_s9_2() -> None:
    bench = Bench()
    bench.platform.down = [17, 65]
    bench.desktop.type_text("é\r\n😀")
    bench.desktop.release_all()
    assert bench.platform.typed == ["é\n😀"]
    assert bench.platform.down == []
    assert bench.hands.calls == [("mouseUp", button) for button in ("left", "middle", "right")]


def test_a_screen_that_cannot_be_seen_is_lost_and_other_errors_are_not_hidden() -> None:
    bench = Bench()
    for problem in (ScreenShotError("BitBlt failed"), OSError("gone")):
        bench.mss.failing = problem
        for act in (bench.desktop.grab, lambda: bench.desktop.click(Point(1, 1)), bench.desktop.identity):
            with pytest.raises(DesktopLost, match="locked"):
                act()
    bench.mss.failing = ZeroDivisionError("a mistake of ours")
    with pytest.raises(ZeroDivisionError):
        bench.desktop.grab()
    bench.mss.failing = None
    assert bench.desktop.grab().size == (640, 400)


def test_a_library_that_cannot_start_is_said_with_what_to_do() -> None:
    def fails() -> None:
        raise KeyError("DISPLAY")

    with pytest.raises(DesktopUnavailable, match="graphical session"):
        NativeDesktop(platform=FakePlatform(), mss_module=SimpleNamespace(MSS=fails), pyautogui_module=FakePyautogui())


def test_elsewhere_there_is_no_native_desktop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "sunos5")
    with pytest.raises(DesktopUnavailable, match="sunos5"):
        this_platform()


class FakeWindowsLibraries:
    """user32, kernel32 and dwmapi as far as they are used; SendInput's events are kept as (vk, scan, flags)."""

    def __init__(self, *, taken: int | None = None, down: frozenset[int] = frozenset()) -> None:
        self.user32 = self.kernel32 = self.dwmapi = self
        self.sent: list[tuple[int, int, int]] = []
        self._taken, self._down = taken, down

    def SetProcessDpiAwarenessContext(self, context: ctypes.c_void_p) -> int:  # noqa: N802
        assert ctypes.c_ssize_t(context.value or 0).value == -4
        return 1

    def SendInput(self, count: int, inputs: Any, size: int) -> int:  # noqa: N802
        assert size == 40 if ctypes.sizeof(ctypes.c_void_p) == 8 else 28
        self.sent += [(one.u.ki.wVk, one.u.ki.wScan, one.u.ki.dwFlags) for one in inputs]
        return count if self._taken is None else self._taken

    def GetAsyncKeyState(self, key: int) -> int:  # noqa: N802
        return -32768 if key in self._down else 0

    def GetForegroundWindow(self) -> int:  # noqa: N802
        return 77

    def GetWindowTextLengthW(self, window: int) -> int:  # noqa: N802
        return 7

    def GetWindowTextW(self, window: int, buffer: Any, size: int) -> None:  # noqa: N802
        buffer.value = "Accueil"

    def DwmGetWindowAttribute(self, window: int, what: int, rect: Any, size: int) -> int:  # noqa: N802
        assert (what, size) == (9, 16)
        rect._obj.left, rect._obj.top, rect._obj.right, rect._obj.bottom = 10, 20, 110, 220
        return 0

    def GetWindowThreadProcessId(self, window: int, process_id: Any) -> None:  # noqa: N802
        process_id._obj.value = 4242

    def OpenProcess(self, access: int, inherit: bool, process_id: int) -> int:  # noqa: N802
        return 5 if process_id == 4242 else 0

    def QueryFullProcessImageNameW(self, process: int, flags: int, path: Any, size: Any) -> int:  # noqa: N802
        path.value = r"C:\Program Files\Carnet\Carnet.exe"
        return 1

    def CloseHandle(self, handle: int) -> None:  # noqa: N802
        assert handle == 5

    def WTSGetActiveConsoleSessionId(self) -> int:  # noqa: N802
        return 3


def test_windows_sends_unicode_units_and_real_return_and_tab_keys() -> None:
    libraries = FakeWindowsLibraries()
    WindowsPlatform(libraries).type_text("é\n😀")
    unicode, up = 0x0004, 0x0002
    assert libraries.sent == [
        (0, 0xE9, unicode),
        (0, 0xE9, unicode | up),
        (0x0D, 0, 0),
        (0x0D, 0, up),
        *[(0, unit, unicode | flag) for unit in (0xD83D, 0xDE00) for flag in (0, up)],
    ]


def test_windows_lifts_modifiers_before_typing_and_finds_all_keys_that_are_down() -> None:
    libraries = FakeWindowsLibraries(down=frozenset({0x11, 0x41, 0x01}))
    platform = WindowsPlatform(libraries)
    platform.prepare()
    assert platform.keys_down() == [0x11, 0x41], "a mouse button is not a key"
    platform.type_text("a")
    assert libraries.sent[0] == (0x11, 0, 0x0002)


def test_windows_says_when_a_program_did_not_take_the_keys() -> None:
    with pytest.raises(DesktopError, match=r"took 1 of 4.*administrator"):
        WindowsPlatform(FakeWindowsLibraries(taken=1)).type_text("ab")


def test_windows_tells_title_program_visible_frame_and_session() -> None:
    platform = WindowsPlatform(FakeWindowsLibraries())
    assert platform.active_window() == ("Accueil", "Carnet", Box(10, 20, 100, 200))
    assert platform.boot_and_session() == ("", "3")


class FakeQuartz(SimpleNamespace):
    """Events are kept as (key code, down, text) when they are posted."""

    def __init__(self) -> None:
        super().__init__(
            kCGHIDEventTap=0,
            kCGEventSourceStateCombinedSessionState=0,
            kCGWindowListOptionOnScreenOnly=1,
            kCGWindowListExcludeDesktopElements=16,
            kCGNullWindowID=0,
            posted=[],
            down={56},
        )

    def CGEventCreateKeyboardEvent(self, source: None, code: int, down: bool) -> dict[str, Any]:  # noqa: N802
        return {"code": code, "down": down, "text": "", "flags": 7}

    def CGEventSetFlags(self, event: dict[str, Any], flags: int) -> None:  # noqa: N802
        event["flags"] = flags

    def CGEventKeyboardSetUnicodeString(self, event: dict[str, Any], length: int, text: str) -> None:  # noqa: N802
        assert length == len(text.encode("utf-16-le")) // 2 <= 20
        event["text"] = text

    def CGEventPost(self, tap: int, event: dict[str, Any]) -> None:  # noqa: N802
        self.posted.append(event)

    def CGEventSourceKeyState(self, state: int, code: int) -> bool:  # noqa: N802
        return code in self.down

    def CGWindowListCopyWindowInfo(self, options: int, relative: int) -> list[dict[str, Any]]:  # noqa: N802
        bounds = {"X": 5.0, "Y": 25.0, "Width": 300.0, "Height": 200.0}
        menu_bar = {"kCGWindowOwnerPID": 9, "kCGWindowLayer": 24, "kCGWindowBounds": bounds}
        other = {"kCGWindowOwnerPID": 8, "kCGWindowLayer": 0, "kCGWindowBounds": bounds}
        return [menu_bar, other, {**other, "kCGWindowOwnerPID": 9, "kCGWindowName": "Réglages"}]


def _appkit(application: Any) -> SimpleNamespace:
    workspace = SimpleNamespace(frontmostApplication=lambda: application)
    return SimpleNamespace(NSWorkspace=SimpleNamespace(sharedWorkspace=lambda: workspace))


FRONT = SimpleNamespace(localizedName=lambda: "Carnet", processIdentifier=lambda: 9)


def test_macos_sends_text_in_pieces_and_real_return_keys() -> None:
    quartz = FakeQuartz()
    text = "é" * 19 + "😀" + "b\nc"
    MacPlatform(quartz, _appkit(FRONT)).type_text(text)
    down = [(event["code"], event["text"]) for event in quartz.posted if event["down"]]
    assert down == [(0, "é" * 19), (0, "😀b"), (36, ""), (0, "c")]
    assert len(quartz.posted) == 2 * len(down)
    assert {event["flags"] for event in quartz.posted} == {0}


def test_macos_tells_the_frontmost_programs_window_and_lifts_keys() -> None:
    quartz = FakeQuartz()
    platform = MacPlatform(quartz, _appkit(FRONT))
    platform.prepare()
    assert platform.active_window() == ("Réglages", "Carnet", Box(5, 25, 300, 200))
    assert platform.keys_down() == [56]
    platform.lift(56)
    assert quartz.posted == [{"code": 56, "down": False, "text": "", "flags": 7}]
    assert MacPlatform(quartz, _appkit(None)).active_window() is None


def test_macos_asks_the_system_for_its_boot_session(monkeypatch: pytest.MonkeyPatch) -> None:
    done = SimpleNamespace(stdout="B00T-UUID\n")
    monkeypatch.setattr(subprocess, "run", lambda command, **_: done if "kern.bootsessionuuid" in command else None)
    monkeypatch.setattr(Path, "stat", lambda path, **_: SimpleNamespace(st_uid=501))
    assert MacPlatform(FakeQuartz(), _appkit(FRONT)).boot_and_session() == ("B00T-UUID", "501")
