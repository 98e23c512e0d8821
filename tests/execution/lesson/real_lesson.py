"""A lesson on a real desktop, given from code: eyes, hands and rows are the product's, only the browser is left out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from execution.desktop.x11 import X11Desktop
from execution.language.fuzzy import folded
from execution.lesson.acts import Act, Acted
from execution.lesson.drafting import Draft
from execution.lesson.here import Here
from execution.lesson.recorder import Recorder
from execution.lesson.sight import Sight
from execution.models import Lesson
from execution.record.hidden import Hidden
from execution.record.redaction import redaction_of
from execution.types import Box, Point, ScreenState
from tests.support.display import VirtualDesktop, wait_until
from workflows.models import Workflow
from workflows.pictures import PictureStore
from workflows.specs import graph_of


class Given:
    """What a teacher does, and what became of it."""

    def __init__(self, lesson: Lesson, recorder: Recorder, sight: Sight) -> None:
        self.lesson, self.recorder, self.sight = lesson, recorder, sight

    def screen(self) -> ScreenState:
        """What shows, read, with its node known."""

        def read() -> ScreenState | None:
            state = self.sight.wait(5.0)
            if state is not None and not self.recorder.here.has_seen(state):
                self.recorder.seen(state)
            return state

        return wait_until(read, timeout=60, what="a screen that was read")

    def box_of(self, text: str) -> Box:
        """Where it stands, once it does: a page may come later than its window."""

        def found() -> Box | None:
            return next((line.box for line in self.screen().texts if folded(text) == folded(line.text)), None)

        return wait_until(found, what=f"“{text}” on the screen")

    def sets(self, kind: str, at: Point, **given: str) -> Acted:
        acted = self.recorder.act(Act(id="1", kind=kind, point=at, given=given))
        self.screen()
        return acted

    def click(self, at: Point) -> Acted:
        acted = self.recorder.act(Act(id="1", kind="click", point=at))
        self.screen()
        return acted


@contextmanager
def given_on(screen: VirtualDesktop, analyzer: Any, workflow: Workflow) -> Iterator[Given]:
    """A lesson of that workflow on what shows on a desktop."""
    analyzer.warm_up()  # as the run loop does: a first look that is too slow would be no reading of the screen
    lesson = Lesson.objects.create(workflow=workflow, state="live")
    with closing(X11Desktop(screen.display)) as desktop:
        sight = Sight(desktop, analyzer)
        redaction = redaction_of(graph_of(workflow), Hidden(()))
        here = Here(lesson, Draft(workflow, PictureStore()), analyzer, redaction)
        recorder = Recorder(lesson, desktop=desktop, sight=sight, here=here)
        recorder.begin()
        sight.start()
        try:
            given = Given(lesson, recorder, sight)
            given.screen()
            yield given
            recorder.typing.close()
        finally:
            sight.stop()
            desktop.release_all()
