"""The page on which workflows are taught, open in a browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Page

if TYPE_CHECKING:
    from execution.models import Lesson
    from tests.support.taught import RobotEnd


@pytest.fixture
def teach(page_of: Callable[..., Page], designer: Any) -> Callable[..., tuple[Page, RobotEnd, Lesson]]:
    """The designer's browser on a lesson that is given, and the robot's end of its socket."""
    from tests.support.taught import RobotEnd, at_work, make_lesson  # models, which are not there yet when this is read
    from tests.support.teach_page import shown

    def begin(
        on_open: Any = at_work, *, steps: bool = True, refuses: int = 0, **options: Any
    ) -> tuple[Page, RobotEnd, Lesson]:
        lesson = make_lesson(designer, steps=steps)
        end = RobotEnd(lesson, on_open=on_open, refuses=refuses)
        page = page_of(designer, f"/teach/{lesson.lesson_id}", sockets={"**/ws/teach/**": end.serve}, **options)
        if on_open is at_work:
            shown(page)
        return page, end, lesson

    return begin
