"""The page on which workflows are taught, open in a browser; and an operator on any other page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client
from playwright.sync_api import Page

if TYPE_CHECKING:
    from execution.models import Lesson
    from tests.support.taught import RobotEnd


@pytest.fixture
def otto(make_user: Callable[..., Any], client_of: Callable[..., Client]) -> Client:
    return client_of(make_user("otto", "operator"))


@pytest.fixture
def worker_at_once(settings: Any, tmp_path: Any) -> None:
    """What is asked for is done at once, and its files lie in a folder of the test's own."""
    settings.TASKS = {"default": {"BACKEND": "django_tasks.backends.immediate.ImmediateBackend"}}
    settings.DATA_DIR = tmp_path
    exports = {**settings.STORAGES["exports"], "OPTIONS": {"location": tmp_path / "exports"}}
    settings.STORAGES = {**settings.STORAGES, "exports": exports}


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
