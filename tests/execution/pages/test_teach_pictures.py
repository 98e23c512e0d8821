"""The form that begins a lesson without a desktop: on a workflow's own pictures, on a run's pictures (S6.10, S6.16)."""

from __future__ import annotations

from typing import Any

import pytest

from execution.models import Lesson
from tests.factories import NODES, make_execution, make_picture, make_workflow
from workflows.models import Workflow

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]


@pytest.fixture
def workflow() -> Workflow:
    nodes = [{**node, "picture": make_picture(seed=n).digest} for n, node in enumerate(NODES)]
    return make_workflow(nodes=nodes, name="Old screens")


def begin(client: Any, *, run: str = "", **fields: Any) -> Any:
    return client.post(f"/teach/new{'?run=' + run if run else ''}", fields)


def test_own_pictures_are_taught_from_without_any_robot(designer, client_of, workflow: Workflow) -> None:
    answer = begin(client_of(designer), workflow=workflow.workflow_id, source="own")
    lesson = Lesson.objects.get()
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/teach/{lesson.lesson_id}")
    assert {one["name"] for one in lesson.pictures} == {node["name"] for node in NODES}
    assert (lesson.kind, lesson.state, lesson.robot) == ("pictures", "waiting", None)
    page = client_of(designer).get(answer.headers["Location"])
    assert page.status_code == 200
    told = page.context["page_data"]["draft"]["pictures"]
    first = {"kind": "pictures", "at": 0, "of": 4, "name": lesson.pictures[0]["name"], "leads_on": True, "did": {}}
    assert told == {**first, "run": ""}


def test_what_is_refused_is_said_at_the_field_and_leaves_no_workflow(designer, client_of) -> None:
    client = client_of(designer)
    answer = begin(client, name="Old", source="own")
    assert answer.status_code == 422
    assert "A new workflow has no pictures of its own." in answer.content.decode()
    assert begin(client, name="Old", source="pictures").status_code == 422
    assert begin(client, name="Old", source="desktop").status_code == 422
    assert not Workflow.objects.exists()
    assert not Lesson.objects.exists()


def test_a_workflow_or_a_run_of_which_nothing_is_kept_says_so(designer, client_of) -> None:
    run = make_execution()
    client = client_of(designer)
    form = client.get(f"/teach/new?run={run.execution_id}")
    assert f'value="{run.workflow_id}" selected' in form.content.decode()
    for source, said in (("run", "No pictures of this run are kept"), ("own", "No pictures of this workflow are kept")):
        answer = begin(client, run=run.execution_id, workflow=run.workflow_id, source=source)
        assert answer.status_code == 422
        assert said in answer.content.decode()


def test_a_lesson_on_other_pictures_ends_the_one_before_it(designer, make_user, client_of, workflow: Workflow) -> None:
    """S6.10: of the same teacher; somebody else is told who has it."""
    client, again = client_of(designer), {"workflow": workflow.workflow_id, "source": "own"}
    begin(client, **again)
    begin(client, **again)
    assert [one.state for one in Lesson.objects.order_by("pk")] == ["done", "waiting"]
    answer = begin(client_of(make_user("dan", "designer")), **again)
    assert (answer.status_code, Lesson.objects.count()) == (422, 2)
    assert "designer is teaching “Old screens” since" in answer.content.decode()
