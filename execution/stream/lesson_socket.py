"""The socket of a lesson: `/ws/teach/<lesson_id>/`, designers only (S6.1, S10.1)."""

from __future__ import annotations

from pathlib import Path

from execution.actions.teach import come_back, lesson_by_id
from execution.choices import LessonState
from execution.exceptions import LessonTaken, UnknownLesson
from execution.running.teach_line import line_of_lesson
from execution.stream.clients import Refused
from execution.stream.handing_on import TAKEN, UNKNOWN, handing_on
from execution.stream.sessions import allowed, teachers


def _admit(key: str, lesson_id: str) -> Path:
    """The line to the robot of a lesson that this session may teach. Raises Refused."""
    teacher = allowed(key, teachers)
    try:
        lesson = lesson_by_id(lesson_id)
        if lesson.teacher_id != teacher:
            raise Refused(TAKEN)
        if lesson.state == LessonState.AWAY:
            come_back(lesson)
    except UnknownLesson:
        raise Refused(UNKNOWN) from None
    except LessonTaken:
        raise Refused(TAKEN) from None
    return line_of_lesson(lesson)


lesson_socket = handing_on(_admit, name="lesson_id")
