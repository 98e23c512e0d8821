"""What an act of several movements may do with the desktop; every look and touch asks first whether it still may."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from execution.types import Box, Point, ScreenState, Suggestion


class Movements(Protocol):
    """Points and boxes are frame pixels. Every method raises Stopped once the act must end, and DesktopLost."""

    touched: bool

    def still(self) -> ScreenState:
        """The desktop once it stands still, read."""

    def click(self, point: Point) -> None: ...

    def click_seen(self, box: Box, state: ScreenState) -> str:
        """Click the middle of what was read there, if it is still drawn so; else why not, in a sentence."""

    def enter(self, suggestion: Suggestion, box: Box) -> str:
        """Click into a field near its beginning; why nothing may be typed in it, "" if it may."""

    def scroll(self, point: Point, dy: int) -> None: ...

    def type_text(self, text: str) -> None: ...

    def press(self, keys: Sequence[str]) -> None: ...
