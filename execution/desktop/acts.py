"""What was done to a desktop that is not a real one: every physical act, and the hands that note it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from execution.desktop.base import Button
from execution.desktop.keys import known_keys
from execution.desktop.points import checked
from execution.desktop.text import typeable
from execution.types import Point, Size

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
