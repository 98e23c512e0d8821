"""One movement of a teacher's hands, as the page sends it, and how it is done on the desktop."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from execution.desktop.base import Desktop
from execution.lesson.sight import Seen
from execution.types import Box, Point
from workflows.catalogue import SETTING_ACTION_TYPES

POINTED = ("click", "double_click", "right_click", "drag", "scroll")


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """`kind` is an action type. `secret` is typed in the place of `text`, then the {{variable}} for it.

    `kept` is the text as the draft has it where that is another one, with {{variables}}; it is a step of its own then.
    `seen` is what showed when a person did it on the desktop itself: there is nothing left to do then.
    `given` are the parameters of an act that is done by several movements.
    """

    id: str
    kind: str
    point: Point = Point(0, 0)  # noqa: RUF009  a tuple
    dx: int = 0
    dy: int = 0
    text: str = ""
    kept: str = ""
    keys: str = ""
    keep: bool = True
    box: Box | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    again: bool = False  # the second of two quick clicks, of which the first was done
    secret: str = field(default="", repr=False)
    seen: Seen | None = field(default=None, repr=False)
    heard_at: float = field(default_factory=time.perf_counter)

    @property
    def params(self) -> dict[str, Any]:
        """Those of the edge that it is kept as."""
        if self.given:
            return dict(self.given)
        if self.kind in ("drag", "scroll"):
            return {"dx": self.dx, "dy": self.dy}
        if self.kind == "press_keys":
            return {"keys": self.keys}
        return {"text": self.text} if self.kind == "type_text" else {}

    @property
    def told(self) -> dict[str, Any]:
        """The same with where it was done."""
        is_pointed = self.kind in POINTED or self.is_setting
        return {**self.params, "x": self.point.x, "y": self.point.y} if is_pointed else self.params

    @property
    def is_setting(self) -> bool:
        """Whether it brings a control to what it says, as a run does: a list opened, a box ticked, a date put."""
        return self.kind in SETTING_ACTION_TYPES

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
    if act.seen is not None:
        return
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
