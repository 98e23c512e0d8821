"""A lesson by somebody at the desktop itself, without a page: what they do is watched, hot keys say the rest (S6.2).

Begins paused. What is done while it is paused is no part of the draft, and of what shows then nothing is kept.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from dataclasses import dataclass

from django.utils import timezone

from execution.desktop.watching import Touch, watch
from execution.lesson.acts import Act
from execution.lesson.alone import Alone
from execution.lesson.gestures import Gestures
from execution.lesson.onlooking import Onlooker
from execution.lesson.recorder import KEYS_WAIT_S
from execution.models import Lesson
from execution.types import ScreenState
from sentences.said import say
from workflows.models import Node

HEAR_S = 0.1  # between two looks whether anything else is to be done
PRESENCE_EVERY_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class HotKeys:
    """Chords that the applications never get."""

    go: str = "ctrl+shift+f9"  # begins, pauses, goes on
    stop: str = "ctrl+shift+f10"
    name: str = "ctrl+shift+f11"  # this screen is to be given a name at the end
    secret: str = "ctrl+shift+f12"  # noqa: S105  what is typed next is one

    @property
    def all(self) -> tuple[str, ...]:
        return self.go, self.stop, self.name, self.secret


class Recording:
    """`run` returns when it is stopped. `on_told` hears in sentences what became of what was done.

    `read` and `went_wrong` are for the eyes.
    """

    def __init__(self, keys: HotKeys, *, on_told: Callable[[str], None]) -> None:
        self.keys, self.on_told = keys, on_told
        self.to_name: list[Node] = []
        self._inbox: queue.Queue[Callable[[], None]] = queue.Queue()
        self._stopped = False
        self._problem: Exception | None = None

    def stop(self) -> None:
        """May be called by anybody, a signal as well."""
        self._stopped = True

    def read(self, state: ScreenState) -> None:
        self._inbox.put(lambda: self._seen(state))

    def went_wrong(self, problem: Exception) -> None:
        self._problem = problem

    def run(self, parts: Alone) -> None:
        """Raises DesktopUnavailable where nothing can be watched, and whatever went wrong with the eyes."""
        self._recorder, self._sight = parts.recorder, parts.sight
        self._onlooker = Onlooker(parts.recorder, parts.secrets, on_told=self.on_told)
        self._gestures = Gestures(parts.sight.touched, self._touched)
        self._recorder.begin()
        self._recorder.paused = True
        watching = watch(parts.desktop, self._heard, hot_keys=self.keys.all)
        try:
            self.on_told(say("lesson.record_ready", go=self.keys.go, stop=self.keys.stop))
            self._serve()
        finally:
            watching.stop()
        if self._problem is not None:
            raise self._problem
        while not self._inbox.empty():
            self._inbox.get()()
        self._settle()
        if not self._recorder.paused:
            self._recorder.read_here(KEYS_WAIT_S)  # where the last step leads

    def _serve(self) -> None:
        present = 0.0
        while not self._stopped and self._problem is None:
            try:
                self._inbox.get(timeout=HEAR_S)()
            except queue.Empty:
                self._onlooker.tick()
                self._recorder.tick()
            if time.monotonic() - present > PRESENCE_EVERY_S:
                present = time.monotonic()
                Lesson.objects.filter(pk=self._recorder.lesson.pk).update(presence_at=timezone.now())

    # --- what is heard ------------------------------------------------------------------------------------------------
    def _heard(self, touch: Touch) -> None:
        """In the thread that hears."""
        if touch.kind == "hot":
            self._inbox.put(lambda: self._asked(touch.keys))
        else:
            self._gestures(touch)

    def _touched(self, act: Act) -> None:
        """In the thread that hears."""
        self._onlooker.coming()
        self._inbox.put(lambda: self._done(act))

    def _asked(self, keys: str) -> None:
        if keys == self.keys.stop:
            self.stop()
        elif keys == self.keys.go:
            self._go()
        elif self._recorder.paused:
            self.on_told(say("lesson.record_paused", go=self.keys.go))
        elif keys == self.keys.secret:
            self._settle()
            self._onlooker.next_is_secret = True
            self.on_told(say("lesson.record_secret"))
        elif keys == self.keys.name:
            self._name()

    def _go(self) -> None:
        recorder = self._recorder
        if recorder.paused:
            recorder.paused = False
            if (state := self._sight.current()) is not None:
                recorder.seen(state)
            self.on_told(say("lesson.record_goes", go=self.keys.go))
            return
        self._settle()
        recorder.paused = True
        self.on_told(say("lesson.record_paused", go=self.keys.go))

    def _name(self) -> None:
        self._settle()
        self._recorder.read_here()
        node = self._recorder.here.node()
        if node is None:
            self.on_told(say("lesson.reading"))
            return
        if node not in self.to_name:
            self.to_name.append(node)
        self.on_told(say("lesson.record_named", node=node.name))

    def _done(self, act: Act) -> None:
        before = self._recorder.lesson.next_index()
        self._onlooker.heard(act)
        steps = self._recorder.lesson.steps.kept().filter(index__gte=before).count()
        if steps and not self._onlooker.is_typing:
            self.on_told(say("lesson.record_step", n=before))

    def _settle(self) -> None:
        self._onlooker.settle()
        self._recorder.typing.close()

    def _seen(self, state: ScreenState) -> None:
        is_halfway = self._onlooker.is_typing or self._gestures.is_down(time.monotonic())
        if self._sight.current() is state and not is_halfway and not self._recorder.paused:
            self._recorder.seen(state)
