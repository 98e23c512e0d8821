"""Corrections and replays over REST, in the shapes that the schema promises (S8.3)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from django.test import Client

from audit.models import Entry
from execution.models import CorrectionUse, LearnedCorrection, Lesson, Prototype, Replay
from tests.execution.actions.test_corrections_decided import BROKEN, THERE, look
from tests.execution.api.test_views import check, schema
from tests.execution.pages.test_replays import asked
from tests.factories import make_picture, make_published
from tests.support.learned import run_of
from workflows.actions.publish import publish
from workflows.models import Target

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]
__all__ = ["asked", "schema"]


def post(client: Client, path: str, **said: Any) -> Any:
    return client.post(f"/api/{path}", said, content_type="application/json")


def test_they_are_listed_and_told_with_how_they_did(client, viewer, schema, django_assert_max_num_queries) -> None:
    version = make_published()
    row, other = look(version), look(version, THERE)
    for step, outcome in zip(run_of(version).steps.all(), ("right", "wrong", "right"), strict=False):
        CorrectionUse.objects.create(correction=row, step=step, part="place", outcome=outcome)
    for _n in range(20):
        look(make_published(), state="off")
    client.force_login(viewer)
    with django_assert_max_num_queries(9):
        listed = check(schema, "/api/corrections/", client.get("/api/corrections/?limit=30"))
    assert listed["count"] == 22
    of_one = client.get(f"/api/corrections/?workflow_id={version.workflow.workflow_id}&state=on_trial").json()
    assert [one["number"] for one in of_one["results"]] == [other.pk, row.pk]
    told = check(schema, "/api/corrections/{number}/", client.get(f"/api/corrections/{row.pk}/"))
    assert (told["uses"], told["contradicts"]) == ({"right": 2, "wrong": 1, "unknown": 0}, [other.pk])
    assert client.get("/api/corrections/99999/").status_code == 404


def test_where_it_is_trusted_is_told_and_why_no_run_goes_by_it(client: Client, viewer: Any, schema: Any) -> None:
    version, dark = make_published(), {"theme": "dark", "size": [1000, 600]}
    proved = [{**dark, "runs": 2, "trusted": True}]
    row, off = look(version, state="trusted", proved=proved), look(version, edge_id="click_other", state="off")
    client.force_login(viewer)
    told = check(schema, "/api/corrections/{number}/", client.get(f"/api/corrections/{row.pk}/"))
    assert (told["proved"], told["unused"]) == (proved, "")
    Target.objects.filter(workflow=version.workflow, target_id="save_button").update(text="Archive")
    publish(workflow=version.workflow, user=None)
    told = client.get(f"/api/corrections/{row.pk}/").json()
    assert told["unused"] == "That was taught anew since: runs of version 2 do not go by it."
    listed = check(schema, "/api/corrections/", client.get("/api/corrections/"))
    assert {one["number"]: bool(one["unused"]) for one in listed["results"]} == {row.pk: True, off.pk: False}


def test_a_way_that_a_person_went_is_taught_from_there(client: Client, designer: Any, schema: Any) -> None:
    client.force_login(designer)
    version = make_published()
    run, picture = run_of(version), make_picture(width=1200, height=700)
    step = run.steps.get(edge_id="click_save")
    step.picture_before, step.screen = picture.digest, {"window": {"screen_resolution": [1200, 700]}}
    step.save()
    fields: dict[str, Any] = {"execution_id": run.execution_id, "step": step.index, "state": "needs_person"}
    way = look(version, kind="way", edge_id="click_save", payload={"to": "saved"}, **fields)
    path = f"corrections/{way.pk}/teach/"
    told = check(schema, "/api/corrections/{number}/teach/", post(client, path), method="post", status=201)
    lesson = Lesson.objects.get()
    assert told["url"] == f"/teach/{lesson.lesson_id}"
    assert [slide["picture"] for slide in lesson.pictures] == [picture.digest]
    assert LearnedCorrection.objects.get(pk=way.pk).payload["lesson"] == lesson.lesson_id
    assert post(client, f"corrections/{look(version).pk}/teach/").json()["error"] == "bad_decision"
    assert post(client, "corrections/99999/teach/").status_code == 404
    assert Lesson.objects.count() == 1


def test_one_prototype_is_put_back(client: Client, designer: Any, schema: Any) -> None:
    """S6.6: the other pictures of the screen, and other screens, stay as they are by now."""
    workflow = make_published().workflow
    for node, picture in (("save_dialog", "a"), ("save_dialog", "b"), ("saved", "c")):
        Prototype.objects.create(
            workflow=workflow, node_id=node, picture=picture * 64, model="eye", number=1, away=0.1,
            vector=np.array([1.0, 0.0], "<f4").tobytes(),
        )  # fmt: skip
    client.force_login(designer)
    path = f"workflows/{workflow.workflow_id}/prototypes/"
    rest = "/api/workflows/{workflow_id}/prototypes/"
    rows = check(schema, rest, client.get(f"/api/{path}"))
    assert [(one["node_id"], one["picture"][0], one["is_reset"]) for one in rows] == [
        ("save_dialog", "a", False), ("save_dialog", "b", False), ("saved", "c", False)
    ]  # fmt: skip
    answer = post(client, f"{path}save_dialog/reset/", picture="a" * 64)
    assert check(schema, rest + "{node_id}/reset/", answer, method="post") == {"put_back": 1}
    assert [(p.picture[0], p.name) for p in Prototype.objects.filter(is_reset=True)] == [("a", "designer")]
    entry = Entry.objects.get(kind="prototype")
    assert (entry.about, entry.who, entry.detail["put_back"]) == ("save_dialog", "designer", 1)
    assert post(client, f"{path}save_dialog/reset/").json() == {"put_back": 1}, "the other one"
    assert post(client, f"{path}save_dialog/reset/").json() == {"put_back": 0}
    assert post(client, f"{path}saved/reset/", picture="a" * 64).status_code == 404
    assert Prototype.objects.filter(node_id="saved").count() == 1


def test_a_designer_decides_chooses_and_merges(client: Client, designer: Any, schema: Any) -> None:
    client.force_login(designer)
    version = make_published()
    row, other = look(version, breaks=BROKEN, state="needs_person"), look(version, THERE)
    path = f"corrections/{row.pk}/decide/"
    assert post(client, path, state="trusted").json()["error"] == "bad_decision"
    assert post(client, path, state="trusted", reason="it is new", was="off").status_code == 422
    told = check(
        schema, "/api/corrections/{number}/decide/", post(client, path, state="trusted", reason="it is new"),
        method="post",
    )  # fmt: skip
    assert (told["state"], told["why"], told["changed_by"]) == ("trusted", "“it is new”", "designer")
    assert post(client, f"corrections/{row.pk}/choose/").json()["state"] == "trusted"
    other.refresh_from_db()
    assert other.state == "off"
    tried = post(client, "corrections/merge/", corrections=[row.pk], dry_run=True).json()
    assert (tried["version"], tried["open_changes"], version.workflow.versions.count()) == (None, False, 1)
    (change,) = tried["changes"]
    assert (change["correction"], change["where"]) == (row.pk, "On “Save dialog”: Click “Save”")
    assert [line["text"] for line in change["after"]["lines"] if line["differs"]] == ["Text “Keep”"]
    merged = check(
        schema, "/api/corrections/merge/", post(client, "corrections/merge/", corrections=[row.pk]), method="post"
    )
    assert merged["version"] == 2
    assert LearnedCorrection.objects.get(pk=row.pk).state == "merged"
    assert set(Entry.objects.filter(kind="correction").values_list("origin", flat=True)) == {"page"}


def test_a_replay_is_asked_for_followed_and_stopped(client: Client, operator: Any, schema: Any, asked: Replay) -> None:
    client.force_login(operator)
    run = run_of(make_published())
    answer = post(client, "replays/", workflow_id=run.workflow_id, runs=1)
    made = check(schema, "/api/replays/", answer, method="post", status=201)
    assert client.get(answer.headers["Location"]).json()["replay_id"] == made["replay_id"]
    assert post(client, "replays/", workflow_id=run.workflow_id, version=9).json()["error"] == "bad_replay"
    assert post(client, "replays/", workflow_id=run.workflow_id, runs=0).status_code == 400
    check(schema, "/api/replays/", client.get("/api/replays/"))
    path = f"/api/replays/{asked.replay_id}/"
    rows = check(schema, "/api/replays/{replay_id}/differences/", client.get(f"{path}differences/?verdict=wrong"))
    assert [(one["verdict"], one["now"]) for one in rows["results"]] == [("wrong", THERE)]
    stopped = check(schema, "/api/replays/{replay_id}/stop/", client.post(f"{path}stop/"), method="post")
    assert stopped["state"] == "stopped"
    assert client.post(f"{path}stop/").status_code == 422
