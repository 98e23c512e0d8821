"""What a person does with the mouse and the keyboard of a desktop, heard while it is done there (S6.2).

Heard, never held: it has reached the application by then. What the product does there by itself is not heard.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from execution.desktop.base import Button, Desktop, DesktopUnavailable
from execution.types import Point
from sentences.said import say

Kind = Literal["down", "up", "wheel", "keys", "text", "hot", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """One movement of a hand.

    `down` and `up` are a button at a point, `wheel` is a turn of it, each with the `keys` that were held meanwhile;
    `keys` a chord or a key that writes nothing, `text` what a key wrote, dead keys and compose done; `hot` is a chord
    that the application never got. `unknown` is what has no name here, such as a fourth button.
    """

    kind: Kind
    point: Point = Point(0, 0)  # noqa: RUF009  a tuple
    button: Button = "left"
    dx: int = 0
    dy: int = 0
    keys: str = ""
    text: str = field(default="", repr=False)  # it may be a password
    at: float = field(default_factory=time.monotonic)


Heard = Callable[[Touch], None]


class Watch(Protocol):
    def stop(self) -> None:
        """Nothing is heard any more when this returns."""


@runtime_checkable
class Watchable(Protocol):
    def watch(self, heard: Heard, *, hot_keys: Sequence[str] = ()) -> Watch: ...


def watch(desktop: Desktop, heard: Heard, *, hot_keys: Sequence[str] = ()) -> Watch:
    """Hear what a person does there, in a thread of its own; `hot_keys` are chords kept from the applications.

    Raises DesktopUnavailable where this desktop cannot be watched, and says why.
    """
    if not isinstance(desktop, Watchable):
        raise DesktopUnavailable(say("desktop.not_watchable", name=desktop.name))
    return desktop.watch(heard, hot_keys=hot_keys)
