"""The form that begins a lesson: from a desktop, from pictures, from a run's pictures (S6.16)."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from execution.models import Lesson
from tests.execution.lesson.test_uploads import picture
from tests.factories import make_execution
from workflows.models import Workflow

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]


def shots(*names: str) -> list[SimpleUploadedFile]:
    return [SimpleUploadedFile(name, picture(n)) for n, name in enumerate(names)]


def begin(client: Any, *, run: str = "", **fields: Any) -> Any:
    return client.post(f"/teach/new{'?run=' + run if run else ''}", fields)


def test_pictures_are_taught_from_without_any_robot(designer, client_of) -> None:
    answer = begin(client_of(designer), name="Old screens", source="pictures", pictures=shots("b.png", "a.png"))
    lesson = Lesson.objects.get()
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/teach/{lesson.lesson_id}")
    assert [one["name"] for one in lesson.pictures] == ["a.png", "b.png"]
    assert (lesson.kind, lesson.state, lesson.robot) == ("pictures", "waiting", None)
    page = client_of(designer).get(answer.headers["Location"])
    assert page.status_code == 200
    told = page.context["page_data"]["draft"]["pictures"]
    expected = {"kind": "pictures", "at": 0, "of": 2, "name": "a.png", "leads_on": True, "did": {}, "run": ""}
    assert told == expected
    assert lesson.pictures[0]["picture"] not in page.content.decode()


def test_what_is_refused_is_said_at_the_field_and_leaves_no_workflow(designer, client_of) -> None:
    client = client_of(designer)
    answer = begin(client, name="Old", source="pictures", pictures=[SimpleUploadedFile("a.png", b"x")])
    assert answer.status_code == 422
    assert "“a.png” is no picture that can be read" in answer.content.decode()
    assert begin(client, name="Old", source="pictures").status_code == 422
    assert begin(client, name="Old", source="desktop").status_code == 422
    assert not Workflow.objects.exists()
    assert not Lesson.objects.exists()


def test_a_run_of_which_nothing_is_kept_says_so(designer, client_of) -> None:
    run = make_execution()
    client = client_of(designer)
    form = client.get(f"/teach/new?run={run.execution_id}")
    assert f'value="{run.workflow_id}" selected' in form.content.decode()
    answer = begin(client, run=run.execution_id, workflow=run.workflow_id, source="run")
    assert answer.status_code == 422
    assert "No pictures of this run are kept" in answer.content.decode()


def test_a_lesson_on_other_pictures_ends_the_one_before_it(designer, make_user, client_of) -> None:
    """S6.10: of the same teacher; somebody else is told who has it."""
    client = client_of(designer)
    begin(client, name="Old", source="pictures", pictures=shots("a.png"))
    workflow = Workflow.objects.get().workflow_id
    begin(client, workflow=workflow, source="pictures", pictures=shots("c.png"))
    assert [(one.state, one.pictures[0]["name"]) for one in Lesson.objects.order_by("pk")] == [
        ("done", "a.png"),
        ("waiting", "c.png"),
    ]
    other = client_of(make_user("dan", "designer"))
    answer = begin(other, workflow=workflow, source="pictures", pictures=shots("d.png"))
    assert (answer.status_code, Lesson.objects.count()) == (422, 2)
    assert "designer is teaching “Old” since" in answer.content.decode()
