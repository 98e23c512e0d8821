"""One movement of a teacher's hands, as the page sends it, and how it is done on the desktop."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from execution.desktop.base import Desktop
from execution.types import Box, Point

POINTED = ("click", "double_click", "right_click", "drag", "scroll")


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """`kind` is an action type. `secret` is typed in the place of `text`, then the {{variable}} for it."""

    id: str
    kind: str
    point: Point = Point(0, 0)  # noqa: RUF009  a tuple
    dx: int = 0
    dy: int = 0
    text: str = ""
    keys: str = ""
    keep: bool = True
    box: Box | None = None
    again: bool = False  # the second of two quick clicks, of which the first was done
    secret: str = field(default="", repr=False)
    heard_at: float = field(default_factory=time.perf_counter)

    @property
    def params(self) -> dict[str, Any]:
        """Those of the edge that it is kept as."""
        if self.kind in ("drag", "scroll"):
            return {"dx": self.dx, "dy": self.dy}
        if self.kind == "press_keys":
            return {"keys": self.keys}
        return {"text": self.text} if self.kind == "type_text" else {}

    @property
    def told(self) -> dict[str, Any]:
        """The same with where it was done."""
        return {**self.params, "x": self.point.x, "y": self.point.y} if self.kind in POINTED else self.params

    @property
    def length(self) -> int:
        """How many characters it types; a key that writes one is typing, and 0 is none."""
        if self.kind == "type_text":
            return len(self.text)
        return 1 if self.kind == "press_keys" and writes(self.keys) else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Acted:
    """What became of an act: done, held until a question is answered, or refused with why."""

    state: str
    ms: float = 0.0
    why: str = ""


def do(desktop: Desktop, act: Act) -> None:
    """Raises DesktopError where it cannot be done, DesktopLost where nobody knows whether it was."""
    point = act.point
    if act.kind == "click":
        desktop.click(point)
    elif act.kind == "double_click":
        desktop.click(point, count=1 if act.again else 2)
    elif act.kind == "right_click":
        desktop.click(point, button="right")
    elif act.kind == "drag":
        desktop.drag(point, Point(point.x + act.dx, point.y + act.dy))
    elif act.kind == "scroll":
        desktop.scroll(point, dx=act.dx, dy=act.dy)
    elif act.kind == "press_keys":
        desktop.press(tuple(act.keys.split("+")) if act.keys != "+" else ("+",))
    elif act.kind == "type_text":
        desktop.type_text(act.secret or act.text)
    else:
        raise ValueError(f"{act.kind} is not done with the hands")


def writes(keys: str) -> bool:
    """Whether a chord writes a character: pressed one by one a password would be read in the record."""
    *held, key = keys.split("+") if not keys.endswith("+") else [*keys[:-1].split("+")[:-1], "+"]
    return len(key) == 1 and not set(held) - {"shift", "altgr"}
