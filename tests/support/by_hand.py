"""A scripted desktop at whose mouse and keyboard a person sits: what they do is heard, then done, as on a real one."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from execution.desktop.watching import Heard, Touch
from execution.lesson.sight import WATCHES
from execution.types import Box, Frame, Point, TextLine, pixels_digest
from tests.doubles.scripted import ScriptedDesktop
from tests.support.display import wait_until
from tests.support.drawn_texts import text_box


class WatchedDesktop(ScriptedDesktop):
    """The acts of its `Desktop` methods are the product's, and not heard. A hand is no faster than the eyes."""

    _heard: Heard | None = None

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._grabbed: dict[str, tuple[str, dict[str, str]]] = {}
        self._looks = 0  # of the eyes of a lesson, which are not alone: the robot films as well

    def grab(self) -> Frame:
        self._looks += threading.current_thread().name == WATCHES
        frame = super().grab()
        self._grabbed[frame.digest] = (self._shown.screen.name, dict(self._shown.memory))
        return frame

    def on(self, pixels: np.ndarray) -> tuple[str, dict[str, str]]:
        """Which screen such a picture shows, and what stands in its fields: it may be read when it is gone."""
        return self._grabbed[pixels_digest(pixels)]

    def watch(self, heard: Heard, *, hot_keys: Sequence[str] = ()) -> WatchedDesktop:
        self._heard, self.hot_keys = heard, tuple(hot_keys)
        return self

    def stop(self) -> None:
        self._heard = None

    def hand_clicks(self, point: Point, *, button: Any = "left", held: str = "") -> None:
        self._hear(Touch(kind="down", point=point, button=button, keys=held))
        self._hear(Touch(kind="up", point=point, button=button, keys=held))
        self.click(point, button=button)
        self._rest()

    def hand_types(self, text: str, *, arrives: bool = True) -> None:
        for char in text:
            self._hear(Touch(kind="text", text=char))
            if arrives:
                self.type_text(char)
            self._rest()

    def hand_presses(self, keys: str) -> None:
        if keys in getattr(self, "hot_keys", ()):  # no program gets it, and after the one that ends it nobody looks
            self._hear(Touch(kind="hot", keys=keys))
            return
        self._hear(Touch(kind="keys", keys=keys))
        self.press(keys.split("+"))
        self._rest()

    def hand_scrolls(self, point: Point, dy: int) -> None:
        for _ in range(abs(dy)):
            self._hear(Touch(kind="wheel", point=point, dy=dy // abs(dy)))
        self.scroll(point, dy=dy)

    def _rest(self) -> None:
        before = self._looks
        wait_until(lambda: self._looks > before + 1, what="somebody who looks")  # whose look before that is over

    def _hear(self, touch: Touch) -> None:
        assert self._heard is not None, "nobody watches this desktop"
        self._heard(touch)


class FrameReader:
    """Reads what a picture of it shows; `field` with `dots` in the place of each character of it."""

    name = "known"

    def __init__(self, desktop: WatchedDesktop) -> None:
        self.desktop, self.dots, self.reads_fields = desktop, "", True
        self.seen: set[str] = set()  # what was read in fields

    def read(self, pixels: np.ndarray, region: Box | None = None) -> tuple[TextLine, ...]:
        if not np.ptp(pixels):  # what is read to warm up
            return ()
        name, memory = self.desktop.on(pixels)
        found = []
        for widget in self.desktop._screens[name].widgets:
            text = getattr(widget, "text", "")
            box = text_box(widget, text)
            if widget.name in memory and hasattr(widget, "label"):
                text = memory[widget.name] if self.reads_fields else ""
                self.seen.add(text)
                text, box = self.dots * len(text) or text, Box(box.x + 4, box.y + 4, 12 * len(text), 24)
            if text:
                found.append(TextLine(text=text, box=box))
        return tuple(found)
