"""A robot in maintenance, and its tags: on its page and over REST, and who may say so (S9.4, S10.1)."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client

from audit.models import Entry
from execution.actions.maintain import set_maintenance, set_tags
from execution.models import Ability, AbilityOrigin, Execution, Lesson, Robot
from execution.record.claims import lessons_on_pictures
from tests.execution.record.test_places import queued, robot, taken, workflow
from tests.factories import make_user
from workflows.choices import AbilityKind, Priority

pytestmark = pytest.mark.django_db


def of(role: str, client: Client, name: str = "") -> Client:
    client.force_login(make_user(role, name or None))
    return client


def test_an_operator_puts_it_in_maintenance_and_takes_it_out(client: Client) -> None:
    one, run = robot(), queued(workflow())
    of("operator", client, "ada")
    assert client.post("/robots/here:7/maintenance", {"on": "1"}).status_code == 302
    assert taken(one) is None
    page = client.get("/robots").content.decode()
    assert "ada put it in maintenance: it finishes what it has and takes nothing new." in page
    assert "It takes no run." in page
    client.post("/robots/here:7/maintenance", {"on": "0"})
    assert "put it in maintenance" not in client.get("/robots").content.decode()
    assert taken(one) == run.execution_id
    assert [entry.detail["now"] for entry in Entry.objects.filter(kind="robot").order_by("pk")] == [
        "maintenance", "at work",
    ]  # fmt: skip


def test_who_put_it_there_first_is_kept() -> None:
    one = robot()
    for name in ("ada", "bob"):
        set_maintenance(robot=one, on=True, user=make_user("operator", name))
    assert Robot.objects.get().maintenance_by == "ada"
    assert Entry.objects.filter(kind="robot").count() == 1


def test_a_viewer_sees_it_and_may_not_say_so(client: Client) -> None:
    one = robot(tags=["lab"])
    page = of("viewer", client).get("/robots").content.decode()
    assert "lab" in page
    assert "/maintenance" not in page
    assert 'name="tags"' not in page
    with pytest.raises(PermissionDenied):
        set_maintenance(robot=one, on=True, user=make_user("viewer"))
    with pytest.raises(PermissionDenied):
        set_tags(robot=one, tags=["er"], user=make_user("operator"))


def test_a_designer_gives_it_tags_and_those_of_the_setting_stay(client: Client) -> None:
    one = robot(tags=["old"])
    Ability.objects.say(one, AbilityKind.TAG, ["ward"], origin=AbilityOrigin.SETTING)
    of("designer", client).post("/robots/here:7/tags", {"tags": " Lab, ER,, lab"})
    assert one.abilities.of(AbilityKind.TAG) == ["er", "lab", "ward"]  # type: ignore[attr-defined]
    assert 'value="er, lab"' in client.get("/robots").content.decode()


def test_over_rest(client: Client) -> None:
    robot(programs=["notes"])
    of("designer", client)
    path = "/api/robots/here:7/"
    found = client.post(f"{path}maintenance/", {"on": True}, content_type="application/json").json()
    assert found["maintenance_at"]
    found = client.post(f"{path}tags/", {"tags": ["Lab"]}, content_type="application/json").json()
    assert (found["tags"], found["programs"]) == (["lab"], ["notes"])
    assert client.get("/api/robots/").json()[0]["maintenance_by"]
    assert client.post("/api/robots/no:1/tags/", {"tags": []}, content_type="application/json").status_code == 404


def test_nobody_is_taught_on_one_in_maintenance(client: Client) -> None:
    one = robot()
    page = lambda: client.get("/teach/new").content.decode()  # noqa: E731
    of("designer", client)
    assert "here:7" in page()
    set_maintenance(robot=one, on=True, user=make_user("operator"))
    assert "here:7" not in page()


def test_it_reads_on_the_pictures_of_the_lessons_that_it_has_and_of_no_others() -> None:
    one = robot()
    teacher = make_user("designer")
    mine = Lesson.objects.create(workflow=workflow(), teacher=teacher, kind="pictures", robot=one)
    Lesson.objects.create(workflow=workflow(), teacher=teacher, kind="pictures")
    set_maintenance(robot=one, on=True, user=make_user("operator"))
    assert lessons_on_pictures(one) == [mine]
    set_maintenance(robot=one, on=False, user=make_user("operator"))
    assert len(lessons_on_pictures(one)) == 2


def test_whoever_starts_a_run_may_choose_its_priority(client: Client) -> None:
    flow: Any = workflow(priority=Priority.HIGH)
    of("operator", client)
    page = client.get(f"/runs/new?workflow={flow.workflow_id}")
    assert page.context["form"]["priority"].value() == Priority.HIGH
    for asked in ({"priority": "-1"}, {}):
        client.post("/runs/new", {"workflow": flow.workflow_id, "mode": "coaching", "var_patient": "Ada", **asked})
    body = {"workflow_id": flow.workflow_id, "variables": {"patient": "Ada"}, "priority": 0}
    assert client.post("/api/executions/", body, content_type="application/json").json()["priority"] == 0
    assert list(Execution.objects.order_by("pk").values_list("priority", flat=True)) == [-1, 1, 0]
    assert client.post("/api/executions/", {**body, "priority": 7}, content_type="application/json").status_code == 400
