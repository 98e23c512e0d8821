"""A lesson on three scripted pages, and its teacher; files with another desktop have fixtures of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # models are not there yet when this is read
    from execution.models import Lesson
    from tests.doubles.scripted import ScriptedDesktop
    from tests.support.teaching import Teacher


@pytest.fixture
def proofs() -> None:
    """What was taught is tried on all pictures, as in the product."""


@pytest.fixture(autouse=True)
def _untried(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each change would try everything anew beside the lesson, which is most of the work: for whoever asks for it."""
    if "proofs" not in request.fixturenames:
        monkeypatch.setattr("execution.running.lesson_proofs.Proofs.ask", lambda proofs: None)


@pytest.fixture
def desktop() -> ScriptedDesktop:
    from tests.doubles.scripted import ScriptedDesktop
    from tests.support.scripted import screens

    return ScriptedDesktop(screens("one", "two", "three"))


@pytest.fixture
def lesson(desktop: ScriptedDesktop) -> Iterator[Lesson]:
    from tests.factories import make_user
    from tests.support.teaching import taught_on
    from workflows.models import Workflow

    workflow = Workflow.objects.create(workflow_id="wf_pages", name="Pages")
    with taught_on(desktop, user=make_user("designer"), workflow=workflow) as lesson:
        yield lesson


@pytest.fixture
def teacher(lesson: Lesson) -> Iterator[Teacher]:
    from tests.support.teaching import teacher_of

    with teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("node_id") or teacher.screen.get("state") == "known", what="a screen")
        yield teacher
