"""The socket routes. The application around them (rpa_site.asgi) checks the origin and reads the cookies."""

from __future__ import annotations

from pathlib import Path

from django.urls import path, re_path

from execution.actions.teach import come_back, lesson_by_id
from execution.choices import LessonState
from execution.exceptions import LessonTaken, UnknownExecution, UnknownLesson
from execution.models import Execution
from execution.running.teach_line import control_line_of, line_of_lesson
from execution.stream.clients import Refused
from execution.stream.consumers import no_socket, run_socket, runs_socket
from execution.stream.handing_on import TAKEN, UNKNOWN, handing_on
from execution.stream.sessions import allowed, controllers, teachers

# The socket of a lesson: `/ws/teach/<lesson_id>/`, designers only (S6.1, S10.1).


def _admit_to_lesson(key: str, lesson_id: str) -> Path:
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


lesson_socket = handing_on(_admit_to_lesson, name="lesson_id")


# The socket of whoever has control of a run's desktop: `/ws/control/<execution_id>/`, operators only (S6.15, S10.1).
# It is for the one who took control, as long as they have it; the wish itself goes by HTTP as all others do.


def _admit_to_control(key: str, execution_id: str) -> Path:
    """The line to the robot of a run that this session's person has control of. Raises Refused."""
    person = allowed(key, controllers)
    try:
        execution = Execution.objects.select_related("robot").by_id(execution_id)
    except UnknownExecution:
        raise Refused(UNKNOWN) from None
    if execution.controller_id != person or execution.is_final or execution.robot is None:
        raise Refused(TAKEN)
    return control_line_of(execution.robot.name)


control_socket = handing_on(_admit_to_control, name="execution_id")


websocket_urlpatterns = [
    path("ws/executions/<str:execution_id>/", run_socket, name="ws_execution"),  # type: ignore[arg-type]  # an ASGI application
    path("ws/runs/", runs_socket, name="ws_runs"),  # type: ignore[arg-type]
    path("ws/teach/<str:lesson_id>/", lesson_socket, name="ws_teach"),  # type: ignore[arg-type]
    path("ws/control/<str:execution_id>/", control_socket, name="ws_control"),  # type: ignore[arg-type]
    re_path(r"", no_socket),  # type: ignore[arg-type]
]
