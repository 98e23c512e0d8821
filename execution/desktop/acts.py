"""Every physical act: which are possible on any desktop, and the hands that note them on one that is not real."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from execution.desktop.base import Button, DesktopError
from execution.desktop.keys import known_keys
from execution.types import Point, Size
from sentences.said import say

# Which text can be typed.


def typeable(text: str) -> str:
    """The text with newlines as "\\n"; refuses characters that no keyboard can produce, naming the first one."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for position, char in enumerate(text):
        control = (ord(char) < 0x20 and char not in "\n\t") or 0x7F <= ord(char) < 0xA0
        if control or 0xD800 <= ord(char) < 0xE000:
            raise DesktopError(say("desktop.not_typeable", n=position + 1, char=f"U+{ord(char):04X}"))
    return text


# Frame pixels and input coordinates.


def checked(point: Point, *, size: Size) -> Point:
    """The point, if it lies on the desktop: a click past the edge would land on whatever is at the edge."""
    if not (0 <= point[0] < size.width and 0 <= point[1] < size.height):
        raise DesktopError(say("desktop.point_outside", x=point[0], y=point[1], w=size.width, h=size.height))
    return Point(*point)


def to_input(point: Point, *, origin: Point, scale: float) -> Point:
    """The input coordinate that holds a pixel's middle; rounding up would leave the monitor at its last pixel."""
    return Point(origin.x + int((point.x + 0.5) / scale), origin.y + int((point.y + 0.5) / scale))


ActKind = Literal["click", "drag", "scroll", "press", "type_text", "move", "release_all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One physical act; what a kind of act does not have is left empty."""

    kind: ActKind
    at: datetime
    point: Point | None = None
    end: Point | None = None
    button: Button | None = None
    count: int = 0
    dx: int = 0
    dy: int = 0
    keys: tuple[str, ...] = ()
    text: str = ""

    @property
    def changes(self) -> bool:
        """Whether an application could take it for input."""
        return self.kind not in {"move", "release_all"}


class NotingHands:
    """The hands of a desktop without a screen: checks what real ones check and hands each act to `_do`."""

    def click(self, point: Point, *, button: Button = "left", count: int = 1) -> None:
        self._do(Act(kind="click", at=_now(), point=self._checked(point), button=button, count=count))

    def drag(self, start: Point, end: Point, *, button: Button = "left") -> None:
        self._do(Act(kind="drag", at=_now(), point=self._checked(start), end=self._checked(end), button=button))

    def scroll(self, point: Point, *, dx: int = 0, dy: int = 0) -> None:
        self._do(Act(kind="scroll", at=_now(), point=self._checked(point), dx=dx, dy=dy))

    def press(self, keys: Sequence[str]) -> None:
        self._do(Act(kind="press", at=_now(), keys=known_keys(keys)))

    def type_text(self, text: str) -> None:
        self._do(Act(kind="type_text", at=_now(), text=typeable(text)))

    def move(self, point: Point) -> None:
        self._do(Act(kind="move", at=_now(), point=self._checked(point)))

    def release_all(self) -> None:
        self._do(Act(kind="release_all", at=_now()))

    def _do(self, act: Act) -> None:
        raise NotImplementedError

    def _size(self) -> Size:
        raise NotImplementedError

    def _checked(self, point: Point) -> Point:
        return checked(point, size=self._size())


def _now() -> datetime:
    return datetime.now(UTC)
