"""While a run's step is mended: its question waits for the teacher, and whoever watches the run is told (S1.10, S6.14).

The run itself is not touched: anybody may still answer, resume or stop.
"""

from __future__ import annotations

from django.db import transaction

from execution.actions.hold import hold, let_go
from execution.choices import STANDS_STILL
from execution.exceptions import AlreadyDecided, HeldBySomebody, NothingToDecide
from execution.models import Lesson, Prompt
from execution.record.events import emit_state


def begun(lesson: Lesson) -> None:
    """The teacher of a lesson on a run's step is there; nothing for any other lesson."""
    keep_waiting(lesson)
    _tell(lesson)


def keep_waiting(lesson: Lesson) -> None:
    """A sign that the teacher is still there: the time of the question stands still until the next one is due."""
    prompt = _question_of(lesson)
    if prompt is None or not Lesson.objects.open().filter(pk=lesson.pk).exists():
        return
    try:
        hold(prompt_id=prompt.pk, user=lesson.teacher)
    except (NothingToDecide, AlreadyDecided, HeldBySomebody):
        return  # it was just answered, or waits for somebody else already


def over(lesson: Lesson) -> None:
    """The teacher has gone, or is done: the time runs again."""
    prompt = _question_of(lesson)
    if prompt is not None:
        try:
            let_go(prompt_id=prompt.pk, user=lesson.teacher)
        except (NothingToDecide, AlreadyDecided):
            pass  # it was just answered
    _tell(lesson)


def _question_of(lesson: Lesson) -> Prompt | None:
    if lesson.execution_id is None or lesson.step_index is None or lesson.teacher_id is None:
        return None
    return Prompt.objects.open().filter(execution=lesson.execution_id, step__index=lesson.step_index).first()


def _tell(lesson: Lesson) -> None:
    run = lesson.execution
    if run is None or lesson.step_index is None:
        return
    run.refresh_from_db()
    if run.state in STANDS_STILL:
        with transaction.atomic():
            emit_state(run)
