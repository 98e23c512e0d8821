"""What hands do on a desktop, as acts: a press and a release are a click, or a drag, or the half of a double click."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from execution.desktop.watching import Touch
from execution.lesson.acts import Act
from execution.lesson.sight import Seen
from execution.types import Point

DOUBLE_S = 0.4  # from one press to the next
SLIPPED = 8  # pixels: a hand is never quite still; further is a drag
HELD_S = 5.0  # a button that is said to be down for longer was let go of unheard
BY_HAND = "hand"  # the id of such an act
UNKNOWN = "unknown"  # the kind of one that is no step of a workflow
_CLICKS = {"left": "click", "right": "right_click"}


class Gestures:
    """Called in the thread that hears: `seen` is asked at once, before the application has answered."""

    def __init__(self, seen: Callable[[], Seen], acted: Callable[[Act], None]) -> None:
        self._seen, self._acted = seen, acted
        self._down: tuple[Touch, Seen] | None = None
        self._last: Touch | None = None  # the press of a single click that was the last act

    def is_down(self, now: float) -> bool:
        """Whether a button is down: what shows meanwhile is half of an act."""
        down = self._down
        return down is not None and now - down[0].at < HELD_S

    def __call__(self, touch: Touch) -> None:
        if touch.kind == "up":
            self._let_go(touch)
            return
        seen, last, self._last = self._seen(), self._last, None
        if touch.kind == "down":
            if self._down is not None:
                self._act(Act(id=BY_HAND, kind=UNKNOWN, keep=False, seen=seen))
            self._down, self._last = (touch, seen), last
        elif touch.kind == "wheel" and not touch.keys:
            self._act(Act(id=BY_HAND, kind="scroll", point=touch.point, dx=touch.dx, dy=touch.dy, seen=seen))
        elif touch.kind == "keys":
            self._act(Act(id=BY_HAND, kind="press_keys", keys=touch.keys, seen=seen))
        elif touch.kind == "text":
            self._act(Act(id=BY_HAND, kind="type_text", text=touch.text, seen=seen))
        else:
            self._act(Act(id=BY_HAND, kind=UNKNOWN, keep=False, seen=seen))

    def _let_go(self, touch: Touch) -> None:
        if self._down is None or self._down[0].button != touch.button:
            return  # it went down before anybody listened
        (pressed, seen), self._down = self._down, None
        last, self._last = self._last, None
        act = Act(id=BY_HAND, kind=_CLICKS.get(touch.button, UNKNOWN), point=pressed.point, seen=seen)
        if pressed.keys or act.kind == UNKNOWN:
            act = Act(id=BY_HAND, kind=UNKNOWN, keep=False, seen=seen)
        elif _apart(pressed.point, touch.point) > SLIPPED:
            by = Point(touch.point.x - pressed.point.x, touch.point.y - pressed.point.y)
            is_left = touch.button == "left"
            act = replace(act, kind="drag" if is_left else UNKNOWN, dx=by.x, dy=by.y, keep=is_left)
        elif act.kind == "click" and last is not None and _is_second(last, pressed):
            act = replace(act, kind="double_click", again=True)
        elif act.kind == "click":
            self._last = pressed
        self._act(act)

    def _act(self, act: Act) -> None:
        self._acted(act)


def _is_second(first: Touch, second: Touch) -> bool:
    return second.at - first.at <= DOUBLE_S and _apart(first.point, second.point) <= SLIPPED


def _apart(one: Point, other: Point) -> int:
    return abs(one.x - other.x) + abs(one.y - other.y)
