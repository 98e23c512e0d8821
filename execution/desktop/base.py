"""The desktop as the loop knows it: eyes, hands, and which desktop it is.

Points are frame pixels; an implementation maps them to its own input coordinates (Frame.origin, Frame.scale).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from execution.types import Frame, Point, Size, Window

Button = Literal["left", "middle", "right"]


# All that a field holds: the first does in most programs, in Tk and in shells it goes to the beginning, and the second
# chooses from there; where all is chosen already it changes nothing.
CHOOSE_ALL = (("ctrl", "a"), ("shift", "end"))


class DesktopError(Exception):
    """Something about the desktop is wrong; the message, a sentence of `sentences`, says what and what to do."""


class DesktopUnavailable(DesktopError):
    """There is no desktop to connect to (no display, wrong display, no permission)."""


class DesktopRefused(DesktopUnavailable):
    """It is there and does not let us in: to try again by oneself would lock an account."""


class DesktopLost(DesktopError):
    """The desktop was there and is gone: input may or may not have arrived."""


class DesktopBusy(DesktopError):
    """Another run loop holds this desktop's lock."""


class UnknownKey(DesktopError):
    """A key name that no keyboard has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopIdentity:
    """Enough to tell whether this is the desktop a run was started on; empty text where a platform cannot say.

    `mark` is one for everybody who reaches this desktop, by whatever name; it is what the lock is for.
    """

    name: str
    host: str
    boot_id: str
    session: str
    user: str
    size: Size
    mark: str = ""


class Desktop(Protocol):
    """Eyes and hands on one desktop. Every method may raise DesktopLost."""

    name: str

    def grab(self) -> Frame:
        """The whole desktop as it is now."""

    def window(self) -> Window | None:
        """The window that has the focus, None if there is none or the platform cannot tell."""

    def identity(self) -> DesktopIdentity: ...

    def click(self, point: Point, *, button: Button = "left", count: int = 1) -> None: ...

    def drag(self, start: Point, end: Point, *, button: Button = "left") -> None: ...

    def scroll(self, point: Point, *, dx: int = 0, dy: int = 0) -> None:
        """Turn the wheel at `point`: `dy` > 0 scrolls down, `dx` > 0 to the right, in wheel clicks."""

    def press(self, keys: Sequence[str]) -> None:
        """Press a chord such as ("ctrl", "shift", "s"): all down in order, up in reverse. Raises UnknownKey."""

    def type_text(self, text: str) -> None:
        """Type any Unicode text into the focused application; a newline is Return, a tab is Tab."""

    def move(self, point: Point) -> None:
        """Move the pointer without pressing anything."""

    def release_all(self) -> None:
        """Let go of every key and button that is down, whoever pressed it."""

    def close(self) -> None: ...
