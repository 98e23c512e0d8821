"""A desktop made of the pictures of a lesson: what is done there is done nowhere and shows the next one (S6.16).

The rows say which pictures there are, and which of them shows, so that a lesson goes on where it was left.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np

from execution.desktop.acts import Act, NotingHands
from execution.desktop.base import DesktopIdentity
from execution.models import Lesson
from execution.perception.pictures import PictureSource
from execution.types import Frame, Size, Window, pixels_digest

# Keys that are pressed while a form is filled in: they show another screen to nobody.
_STAYING = frozenset({"tab", "backspace", "delete", "left", "right", "up", "down", "home", "end", "shift", "insert"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Slide:
    """One picture of a lesson: its digest and size, what people call it, the title of its window where it is known.

    Of a run's picture `step` is the step that it is of, and `did` what was done on it (`known_acts`).
    """

    picture: str
    size: tuple[int, int]
    name: str = ""
    title: str = ""
    step: int | None = None
    did: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of_json(cls, data: Any) -> Slide:
        return cls(**{**data, "size": (int(data["size"][0]), int(data["size"][1]))})


def slides_of(lesson: Lesson) -> tuple[Slide, ...]:
    return tuple(Slide.of_json(one) for one in lesson.pictures)


class Slides(NotingHands):
    """`leads_on`: whether an act that usually changes a screen shows the next picture."""

    def __init__(self, lesson: Lesson, store: PictureSource) -> None:
        """Raises PictureMissing where a picture is gone, and ValueError where there are none."""
        self.slides: Sequence[Slide] = slides_of(lesson)
        if not self.slides:
            raise ValueError("a lesson without pictures")
        self.name = f"pictures:{lesson.lesson_id}"
        self.leads_on = True
        self._pk, self._store = lesson.pk, store
        self._lock = threading.RLock()
        self._at = min(lesson.showing, len(self.slides) - 1)
        self._stays = False
        self._frame = self._framed()

    @property
    def at(self) -> int:
        return self._at

    @property
    def current(self) -> Slide:
        return self.slides[self._at]

    def show(self, at: int) -> bool:
        """Another picture, counted from 0; whether there is one."""
        if not 0 <= at < len(self.slides):
            return False
        with self._lock:
            self._at = at
            self._frame = self._framed()
        Lesson.objects.filter(pk=self._pk).update(showing=at)
        return True

    def stay_once(self) -> None:
        """The next act is the second of two quick clicks, of which the first has shown the next picture already."""
        self._stays = True

    # --- as a desktop -----------------------------------------------------------------------------------------------
    def grab(self) -> Frame:
        with self._lock:
            return self._frame

    def window(self) -> Window | None:
        title = self.current.title
        return Window(title=title) if title else None

    def identity(self) -> DesktopIdentity:
        return DesktopIdentity(name=self.name, host="", boot_id="", session="", user="", size=self._size())

    def close(self) -> None:
        """Nothing is held."""

    def _size(self) -> Size:
        return self._frame.size

    def _do(self, act: Act) -> None:
        with self._lock:
            stays, self._stays = self._stays, False
        if self.leads_on and leads_on(act) and not stays:
            self.show(self._at + 1)

    def _framed(self) -> Frame:
        pixels = np.ascontiguousarray(self._store.load(self.current.picture))
        pixels.setflags(write=False)
        return Frame(pixels=pixels, taken_at=datetime.now(UTC), digest=pixels_digest(pixels), method="recorded")


def leads_on(act: Act) -> bool:
    """Whether an act usually shows another screen: a click and a chord do; what is typed, and the wheel, do not."""
    if act.kind in ("click", "drag"):
        return True
    if act.kind != "press" or not act.keys:
        return False
    held = set(act.keys[:-1]) - {"shift"}
    return bool(held) or (act.keys[-1] not in _STAYING and len(act.keys[-1]) > 1)
