"""A lesson without a browser: a desktop of its own, its eyes and its recorder, while a command runs (S6.16)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from django.conf import settings

from execution.actions.teach import close_lesson
from execution.desktop.base import Desktop
from execution.desktop.lock import DesktopLock
from execution.lesson.drafting import Draft
from execution.lesson.here import Here
from execution.lesson.recorder import Recorder
from execution.lesson.secrecy import TypedSecrets, typed_before
from execution.lesson.sight import Sight
from execution.models import Lesson
from execution.perception.analyzer import ScreenAnalyzer
from execution.record.hidden import Hidden
from execution.record.redaction import redaction_of
from execution.types import ScreenState
from workflows.pictures import PictureStore
from workflows.specs import graph_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Alone:
    desktop: Desktop
    sight: Sight
    recorder: Recorder
    secrets: TypedSecrets


@contextmanager
def alone(
    lesson: Lesson,
    desktop: Desktop,
    analyzer: ScreenAnalyzer,
    *,
    on_read: Callable[[ScreenState], None] = lambda state: None,
    on_problem: Callable[[Exception], None] = lambda problem: None,
    by_hand: bool = False,
) -> Iterator[Alone]:
    """The desktop is locked, and let go of at the end, whatever ends it; so is the lesson. Raises DesktopBusy."""
    analyzer.warm_up()  # else the first screen waits for it
    with ExitStack() as stack:
        stack.callback(close_lesson, lesson)
        stack.callback(desktop.close)
        stack.enter_context(DesktopLock(desktop.identity(), settings.DATA_DIR / "locks"))
        redaction = redaction_of(graph_of(lesson.workflow), Hidden(()), typed=typed_before(lesson))
        sight = Sight(desktop, analyzer, on_read=on_read, on_problem=on_problem, by_hand=by_hand)
        here = Here(lesson, Draft(lesson.workflow, PictureStore()), analyzer, redaction)
        recorder = Recorder(lesson, desktop=desktop, sight=sight, here=here)
        sight.start()
        if not by_hand:
            stack.callback(desktop.release_all)  # a person's own keys are theirs
        stack.callback(sight.stop)
        yield Alone(desktop=desktop, sight=sight, recorder=recorder, secrets=TypedSecrets(recorder, redaction))
        recorder.typing.close()
