"""Stand-ins for mss and pyautogui: one monitor, hands that note what they are told, in the libraries' own spelling."""

from __future__ import annotations

from typing import Any

from execution.types import Box

KEYBOARD_KEYS = {
    *("ctrl", "shift", "alt", "option", "winleft", "command", "enter", "tab", "esc", "backspace", "delete", "insert"),
    *("space", "up", "down", "left", "right", "home", "end", "pageup", "pagedown", "capslock", "apps", "printscreen"),
    *(f"f{number}" for number in range(1, 21)),
    *(chr(code) for code in range(0x20, 0x7F)),
}


class ScreenShotError(Exception):
    """As mss raises it; the product knows it by its name."""


class FakeShot:
    def __init__(self, width: int, height: int, raw: bytes) -> None:
        self.width, self.height, self.raw = width, height, raw


class FakeMss:
    """A module with `MSS()`; `scale` 2 is a dense screen, where a picture has more pixels than the monitor points."""

    def __init__(self, *, left: int = 0, top: int = 0, width: int = 640, height: int = 400, scale: int = 1) -> None:
        self.monitors = [{"left": left, "top": top, "width": width, "height": height}]
        self.scale = scale
        self.failing: Exception | None = None
        self.closed = False

    def MSS(self) -> FakeMss:  # noqa: N802 - the library's name
        return self

    def grab(self, region: dict[str, int]) -> FakeShot:
        if self.failing:
            raise self.failing
        width, height = region["width"] * self.scale, region["height"] * self.scale
        return FakeShot(width, height, bytes([10, 20, 30, 255]) * (width * height))

    def close(self) -> None:
        self.closed = True


class FakePyautogui:
    FAILSAFE = True
    PAUSE = 0.1

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def isValidKey(self, key: str) -> bool:  # noqa: N802 - the library's name
        return key in KEYBOARD_KEYS

    def __getattr__(self, name: str) -> Any:
        def note(*args: Any, **kwargs: Any) -> None:
            self.calls.append((name, *args, *kwargs.values()))

        return note


class FakePlatform:
    key_names = {"super": "winleft"}
    wheel_unit = 120

    def __init__(self) -> None:
        self.prepared = False
        self.typed: list[str] = []
        self.down: list[int] = []
        self.window: tuple[str, str, Box | None] | None = ("Notes", "notepad", Box(10, 20, 300, 200))

    def prepare(self) -> None:
        self.prepared = True

    def type_text(self, text: str) -> None:
        self.typed.append(text)

    def active_window(self) -> tuple[str, str, Box | None] | None:
        return self.window

    def boot_and_session(self) -> tuple[str, str]:
        return "boot 7", "1"

    def keys_down(self) -> list[int]:
        return list(self.down)

    def lift(self, key: int) -> None:
        self.down.remove(key)
