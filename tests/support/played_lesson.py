"""A lesson played move by move in one thread: the session's own hearing and rows, with eyes that read at once."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from django.db import transaction

from execution.lesson.acts import Act
from execution.lesson.sight import Seen
from execution.lesson.telling import asked_now
from execution.models import Lesson
from execution.perception.analyzer import ScreenAnalyzer
from execution.running.lesson_session import LessonSession
from execution.types import Box, Frame, Point, ScreenState, Size, TextLine
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.widgets import Button, Field, Goto, ScriptedScreen, TextLabel, View, Widget
from tests.support.drawn_texts import text_box
from workflows.actions.publish import publish
from workflows.exceptions import InvalidWorkflow
from workflows.pictures import PictureStore
from workflows.specs import graph_of

SIZE = Size(640, 480)
PEOPLE = ("LEFEVRE Marie", "ROSSI Anna", "KELLER Jon")


def _page(name: str, head: str, widgets: list[Widget], on: Mapping[str, Any]) -> ScriptedScreen:
    top: list[Widget] = [TextLabel(text=head, at=Point(40, 50), size=22)]
    return ScriptedScreen(name=name, title=f"{head} - Ward", widgets=[*top, *widgets], on=on)


def ward() -> ScriptedDesktop:
    """A list of people, a record of each, a form that is saved, and a notice that may come over it."""
    rows: list[Widget] = []
    for number, person in enumerate(PEOPLE):
        y = 150 + 50 * number
        rows.append(TextLabel(text=person, at=Point(40, y), name=f"person{number}"))
        rows.append(Button(name=f"open{number}", text="Open", box=Box(360, y - 6, 100, 34)))
    fields: list[Widget] = [
        Field(name="note", label="Note", box=Box(160, 120, 300, 34)),
        Field(name="room", label="Room", box=Box(160, 190, 300, 34)),
        TextLabel(text="Note", at=Point(40, 126)),
        TextLabel(text="Room", at=Point(40, 196)),
        Button(name="save", text="Save", box=Box(160, 260, 100, 34)),
        Button(name="leave", text="Leave", box=Box(300, 260, 100, 34)),
    ]
    back = Button(name="back", text="Back", box=Box(40, 400, 100, 34))
    records = [
        _page(
            f"record{number}",
            "Record",
            [
                TextLabel(text="Name", at=Point(40, 126)),
                TextLabel(text=person, at=Point(160, 126)),
                TextLabel(text=f"Number: A-100{number}", at=Point(40, 176)),
                Button(name="form", text="New note", box=Box(160, 400, 140, 34)),
                back,
            ],
            {"back": "list", "form": "form", "key:escape": "list"},
        )
        for number, person in enumerate(PEOPLE)
    ]
    form = _page("form", "New note", fields, {"save": Goto(screen="saved"), "leave": "notice", "key:enter": "saved"})
    notice = [
        *fields,
        TextLabel(text="Discard what you wrote?", at=Point(60, 330)),
        Button(name="discard", text="Discard", box=Box(60, 370, 100, 34)),
        Button(name="stay", text="Stay", box=Box(180, 370, 100, 34)),
    ]
    return ScriptedDesktop(
        [
            _page("list", "Waiting list", rows, {f"open{n}": f"record{n}" for n in range(len(PEOPLE))}),
            *records,
            form,
            _page("notice", "New note", notice, {"discard": "list", "stay": "form"}),
            _page("saved", "Saved", [TextLabel(text="The note is saved.", at=Point(40, 126)), back], {"back": "list"}),
        ],
        size=SIZE,
    )


class PixelReader:
    """Reads each picture of the desktop that was ever grabbed, by its pixels; of any other nothing."""

    name = "pixels"

    def __init__(self) -> None:
        self._known: dict[bytes, View] = {}

    def knows(self, frame: Frame, view: View) -> None:
        self._known[frame.pixels.tobytes()] = view

    def read(self, pixels: np.ndarray, region: Box | None = None) -> tuple[TextLine, ...]:
        view = self._known.get(pixels.tobytes())
        return tuple(_lines(view)) if view is not None else ()


def _lines(view: View) -> list[TextLine]:
    found = []
    for widget in view.screen.widgets:
        if isinstance(widget, Field):
            if text := view.memory.get(widget.name, ""):
                found.append(TextLine(text=text, box=Box(widget.box.x + 6, widget.box.y + 6, 9 * len(text), 20)))
        elif text := getattr(widget, "text", ""):
            found.append(TextLine(text=text, box=text_box(widget, text)))
    return found


class EyesAtOnce:
    """`Looks` without threads: what shows is read whenever somebody asks, unless nobody `can_read` yet."""

    is_reading = False

    def __init__(self, desktop: ScriptedDesktop, analyzer: ScreenAnalyzer, reader: PixelReader) -> None:
        self._desktop, self._analyzer, self._reader = desktop, analyzer, reader
        self._state: ScreenState | None = None
        self.can_read = True

    def newest(self) -> Frame:
        frame = self._desktop.grab()
        self._reader.knows(frame, self._desktop._shown)
        return frame

    def current(self) -> ScreenState | None:
        if not self.can_read:
            return None
        if self._state is None:
            self._state = self._analyzer.analyze(self.newest(), self._desktop.window())
        return self._state

    def wait(self, timeout_s: float) -> ScreenState | None:
        return self.current()

    fresh = wait

    def seen(self) -> Seen:
        state = self.current()
        if state is None:
            return Seen(frame=self.newest(), window=self._desktop.window())
        return Seen(frame=state.frame, window=state.window, state=state)

    def stirred(self) -> None:
        self._state = None

    def effect(self, timeout_s: float) -> None:
        """It shows at once."""


@dataclass
class Browser:
    """What a browser of the lesson is told."""

    language: str = "en"
    watches: bool = False
    refusals: list[str] = field(default_factory=list)
    acted: list[Any] = field(default_factory=list)

    def taken(self) -> None:
        """There is always room."""

    def refuse(self, message: Mapping[str, Any], why: str) -> None:
        self.refusals.append(why)

    def tell_acted(self, act: str, acted: Any) -> None:
        self.acted.append(acted)


class PlayedLesson:
    """Whatever a teacher may do in a lesson, and what the lesson tells of itself."""

    def __init__(self, lesson: Lesson, desktop: ScriptedDesktop, analyzer: ScreenAnalyzer, reader: PixelReader) -> None:
        self.lesson, self.desktop, self.analyzer, self.reader = lesson, desktop, analyzer, reader
        self.browser = Browser()
        self.take_up()

    def take_up(self) -> None:
        """A run loop takes the lesson up, with what is in its rows."""
        self.lesson = Lesson.objects.get(pk=self.lesson.pk)
        self.session = LessonSession(
            self.lesson, desktop=self.desktop, analyzer=self.analyzer, store=PictureStore(), leave=threading.Event()
        )
        self.sight = EyesAtOnce(self.desktop, self.analyzer, self.reader)
        self.session.sight = self.session.recorder.sight = self.sight  # type: ignore[assignment]
        self.session.recorder.begin()
        self.look()

    def send(self, **message: Any) -> str:
        """A message of a browser; why it was refused, or ""."""
        self.browser.refusals.clear()
        self.browser.acted.clear()
        self.session._take(self.browser, message, time.perf_counter())  # type: ignore[arg-type]
        with suppress(queue.Empty):
            while True:
                self.session._inbox.get_nowait()()
        refused = [acted.why for acted in self.browser.acted if acted.state == "refused"]
        return str(next(iter([*self.browser.refusals, *refused]), ""))

    def click(self, widget: str, **more: Any) -> str:
        """A click on it, as `send`."""
        x, y = self.desktop.box_of(widget).center
        return self.send(id="1", type="act", act="click", x=x, y=y, **more)

    def question(self) -> dict[str, Any]:
        """What is asked; raises AssertionError where nothing is."""
        asked = self.asked()
        assert asked is not None, "nothing is asked"
        return asked

    def asked(self) -> dict[str, Any] | None:
        return asked_now(self.lesson.steps.exclude(question={}).order_by("index"))

    def draft(self) -> dict[str, Any]:
        """The graph as it is drawn now."""
        return graph_of(self.lesson.workflow).to_json()

    def answer(self, choice: str, **values: Any) -> str:
        return self.send(id="1", type="answer", question=self.question()["id"], choice=choice, values=values)

    def hand_types(self, text: str) -> None:
        self.by_hand(kind="type_text", text=text)

    def by_hand(self, **act: Any) -> None:
        """What a person does on the desktop itself."""
        heard = Act(id="", seen=self.sight.seen(), **act)
        self.session._onlooker.coming()
        if heard.kind == "type_text":
            self.desktop.type_text(heard.text)
        elif heard.kind == "press_keys":
            self.desktop.press(tuple(heard.keys.split("+")))
        else:
            self.desktop.click(heard.point)
        self.sight.stirred()
        self.session._done_by_hand(heard)

    def look(self) -> None:
        """Nothing more is heard for a while, and the eyes have read what shows."""
        self.session._onlooker.tick()
        self.session.recorder.tick()
        if (state := self.sight.current()) is not None:
            self.session._seen(state)

    def comes(self, screen: str) -> None:
        """Another screen, by itself."""
        self.sight.newest()  # what was done shows first
        self.desktop.show(screen)
        self.sight.stirred()
        self.look()

    def told(self) -> dict[str, Any]:
        told: dict[str, Any] = self.session._lesson_message()["lesson"]
        return told

    def why_not_published(self) -> list[str]:
        """The errors that keep the draft from being published; it is not published by this."""
        try:
            with transaction.atomic():
                publish(workflow=self.lesson.workflow, user=None)
                transaction.set_rollback(True)
        except InvalidWorkflow as error:
            return [f"{one.code}: {one.message}" for one in error.problems]
        return []


def analyzer() -> tuple[ScreenAnalyzer, PixelReader]:
    reader = PixelReader()
    return ScreenAnalyzer(reader, None, None), reader
