"""Lessons by the API: beginning, changing, publishing and ending; for designers, and one teacher at a time (S6.10)."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from audit.models import Entry
from execution.models import Lesson
from tests.factories import make_execution
from tests.support.taught import make_lesson
from workflows.models import Node, Workflow

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]


@pytest.fixture
def lesson(designer: Any) -> Lesson:
    return make_lesson(designer)


def post(client: Client, path: str, **body: Any) -> Any:
    return client.post(f"/api/lessons/{path}", body, content_type="application/json")


def test_a_lesson_begins_with_a_new_workflow_and_says_where_its_page_is(lesson, make_user, client_of) -> None:
    Lesson.objects.update(state="done")
    answer = post(client_of(make_user("dan", "designer")), "", name="Print a letter", robot="host:1")
    assert answer.status_code == 201
    made = Lesson.objects.get(workflow__workflow_id="wf_print_a_letter")
    assert answer.json()["url"] == f"/teach/{made.lesson_id}"
    assert answer.json()["lesson"]["state"] == "waiting"


def test_a_second_teacher_is_told_who_has_it_and_leaves_no_empty_workflow(lesson, make_user, client_of) -> None:
    dan = client_of(make_user("dan", "designer"))
    taken = post(dan, "", workflow_id="wf_open_record", robot="host:1")
    assert (taken.status_code, taken.json()["error"]) == (409, "lesson_taken")
    assert taken.json()["detail"].startswith("designer is teaching “Open a record” since")
    before = Workflow.objects.count()
    assert post(dan, "", name="Another", robot="host:1").status_code == 409
    assert Workflow.objects.count() == before
    assert post(dan, f"{lesson.lesson_id}/screens/queue/", name="Mine").status_code == 409
    assert Node.objects.get(node_id="queue").name == "Queue"


def test_every_change_answers_with_the_draft_as_it_is_then(lesson, designer, client_of) -> None:
    client, path = client_of(designer), lesson.lesson_id
    answer = post(client, f"{path}/workflow/", name="Open one record")
    assert answer.json()["lesson"]["workflow"]["name"] == "Open one record"
    answer = post(client, f"{path}/screens/queue/", is_end=True, regions=[{"box": [0, 0, 1, 0.1], "kind": "must"}])
    assert answer.json()["lesson"]["screens"][0]["regions"] == [{"box": [0, 0, 1, 0.1], "kind": "must"}]
    answer = post(client, f"{path}/steps/3/", optional=True)
    assert answer.json()["lesson"]["steps"][2]["optional"] is True
    answer = post(client, f"{path}/variables/bed/", kind="number", example="12")
    assert [one["name"] for one in answer.json()["lesson"]["variables"]] == ["patient", "bed"]
    answer = post(client, f"{path}/variables/bed/remove/")
    assert [one["name"] for one in answer.json()["lesson"]["variables"]] == ["patient"]
    answer = post(client, f"{path}/steps/3/remove/")
    assert len(answer.json()["lesson"]["steps"]) == 2
    answer = post(client, f"{path}/publish/", note="first")
    assert (answer.status_code, answer.json()["version"]["number"]) == (200, 1)
    assert answer.json()["lesson"]["state"] == "done"
    assert post(client, f"{path}/workflow/", name="Too late").status_code == 409


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("screens/nowhere/", {"name": "A"}),
        ("steps/99/", {"optional": True}),
        ("steps/1/", {"value": {"kind": "fixed"}}),
        ("steps/3/", {"signs": {"text": "needed"}}),
        ("variables/9/", {}),
        ("variables/nobody/remove/", {}),
    ],
)
def test_what_cannot_be_changed_is_refused_with_a_sentence(lesson, designer, client_of, path: str, body: Any) -> None:
    answer = post(client_of(designer), f"{lesson.lesson_id}/{path}", **body)
    assert (answer.status_code, answer.json()["error"]) == (422, "bad_edit")
    assert answer.json()["detail"].endswith(".")


def test_a_draft_with_errors_is_not_published_and_says_why(lesson, designer, client_of) -> None:
    answer = post(client_of(designer), f"{lesson.lesson_id}/publish/")
    assert answer.status_code == 422
    assert "as the end" in answer.json()["detail"]


def test_another_designer_ends_a_lesson_that_holds_a_desktop_and_the_teacher_is_told_who(
    lesson, make_user, client_of
) -> None:
    """S9.4, S6.10: it is recorded, and nobody but a designer may, nor while nothing waits for that desktop."""
    dan = client_of(make_user("dan", "designer"))
    refused = post(dan, f"{lesson.lesson_id}/end/")
    assert (refused.status_code, refused.json()["error"]) == (409, "lesson_taken")
    make_execution(state="queued", desktop="elsewhere")
    assert post(dan, f"{lesson.lesson_id}/end/").status_code == 409
    make_execution(state="queued")
    assert post(client_of(make_user("otto", "operator")), f"{lesson.lesson_id}/end/").status_code == 403
    answer = post(dan, f"{lesson.lesson_id}/end/")
    assert answer.json()["lesson"]["state"] == "done"
    assert answer.json()["lesson"]["problem"].startswith("dan ended this lesson")
    entry = Entry.objects.get(verb="changed")
    assert (entry.who, entry.about, entry.detail["lesson"]) == ("dan", lesson.workflow.workflow_id, lesson.lesson_id)
