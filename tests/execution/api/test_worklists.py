"""The API of lists (S12)."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from execution.models import WorkItem, Worklist
from execution.models.worklist import ItemState
from execution.worklists.claiming import take
from execution.worklists.outcome import settle
from tests.factories import make_published, make_user
from tests.support.lists import IDENTITY, new_list, robot

pytestmark = pytest.mark.django_db


@pytest.fixture
def dora(client: Client) -> Client:
    client.force_login(make_user("designer", "dora"))
    return client


def post(client: Client, path: str, body: dict[str, Any]) -> Any:
    return client.post(path, body, content_type="application/json")


def test_a_program_makes_a_list_fills_it_and_starts_it(dora: Client) -> None:
    workflow = make_published().workflow
    asked = {"name": "Letters", "workflow_id": workflow.workflow_id, "columns": ["Patient"], "keys": ["Patient"]}
    made = post(dora, "/api/lists/", {**asked, "mode": "automatic"})
    assert made.status_code == 201, made.json()
    place = made.headers["Location"]
    rows = [{"data": {"Patient": name}} for name in ("Ada", "Bea")]
    added = post(dora, f"{place}rows/", {"rows": rows})
    assert (added.status_code, added.json()["added"]) == (201, {"Ada": 1, "Bea": 2})
    again = post(dora, f"{place}rows/", {"rows": rows})
    assert (again.status_code, again.json()["known"]) == (200, {"Ada": 1, "Bea": 2})
    refused = post(dora, f"{place}control/", {"verb": "start"})
    assert (refused.status_code, refused.json()["error"]) == (422, "mode_not_earned")
    begun = post(dora, f"{place}control/", {"verb": "start", "reason": "tried"}).json()
    assert (begun["state"], begun["counts"]["new"], begun["total"]) == ("running", 2, 2)
    assert post(dora, f"{place}control/", {"verb": "start", "reason": "tried"}).status_code == 409
    assert post(dora, f"{place}control/", {"verb": "pause"}).json()["state"] == "paused"
    assert [one["worklist_id"] for one in dora.get("/api/lists/").json()["results"]] == [begun["worklist_id"]]


def test_bad_rows_are_each_named_and_none_is_kept(dora: Client) -> None:
    worklist = new_list("Ada", started=False)
    rows = [{"data": {"Patient": "Bea"}}, {"data": {"Else": "x"}}]
    path = f"/api/lists/{worklist.worklist_id}/rows/"
    refused = post(dora, path, {"rows": rows})
    assert (refused.status_code, [row["row"] for row in refused.json()["rows"]]) == (422, [2])
    assert worklist.items.count() == 1
    taken = post(dora, path, {"rows": rows, "atomic": False}).json()
    assert (taken["added"], len(taken["refused"])) == ({"Bea": 2}, 1)


def test_a_row_is_told_with_its_runs_and_what_was_read(dora: Client) -> None:
    worklist = new_list("Ada")
    claimed = take(robot(), IDENTITY)
    assert claimed is not None
    told = dora.get(f"/api/lists/{worklist.worklist_id}/rows/1/").json()
    assert (told["state"], told["data"], told["due"]) == ("running", {"Patient": "Ada"}, None)
    assert [one["execution_id"] for one in told["runs"]] == [claimed.execution.execution_id]
    assert not settle(claimed.execution.execution_id)
    assert dora.get(f"/api/lists/{worklist.worklist_id}/rows/9/").status_code == 404
    assert dora.get("/api/lists/nobody/").status_code == 404


def test_rows_are_found_by_their_state(dora: Client) -> None:
    worklist = new_list("Ada", "Bea", started=False)
    WorkItem.objects.filter(number=2).update(state=ItemState.SET_ASIDE)
    found = dora.get(f"/api/lists/{worklist.worklist_id}/rows/?state=set_aside").json()["results"]
    assert [row["reference"] for row in found] == ["Bea"]


def test_rows_are_changed_and_those_that_may_have_saved_are_named(dora: Client) -> None:
    worklist = new_list("Ada", "Bea", "Cy", started=False)
    WorkItem.objects.filter(number=1).update(state=ItemState.SET_ASIDE, saved=True)
    path = f"/api/lists/{worklist.worklist_id}/rows/change/"
    assert post(dora, path, {"verb": "again", "numbers": [1]}).json() == {"numbers": [], "left": [], "saved": [1]}
    assert post(dora, path, {"verb": "skip", "numbers": [2]}).status_code == 422
    assert post(dora, path, {"verb": "skip", "numbers": [2], "reason": "twice"}).json()["numbers"] == [2]
    done = post(dora, path, {"verb": "again", "numbers": [1], "not_saved": "looked"})
    assert done.json()["numbers"] == [1]
    assert post(dora, path, {"verb": "first", "numbers": [3]}).json()["numbers"] == [3]


def test_events_are_told_in_order_from_any_place(dora: Client) -> None:
    worklist = new_list("Ada", "Bea")
    path = f"/api/lists/{worklist.worklist_id}/events/"
    told = dora.get(path).json()
    assert [event["seq"] for event in told["events"]] == list(range(1, told["head"] + 1))
    assert dora.get(f"{path}?after={told['head'] - 1}").json()["events"] == told["events"][-1:]


def test_a_viewer_looks_and_changes_nothing(client: Client) -> None:
    """S10.1"""
    worklist = new_list("Ada")
    client.force_login(make_user("viewer"))
    path = f"/api/lists/{worklist.worklist_id}/"
    assert client.get(f"{path}rows/").status_code == 200
    for where, body in (("control/", {"verb": "pause"}), ("rows/change/", {"verb": "cancel", "numbers": [1]})):
        assert post(client, f"{path}{where}", body).status_code == 403
    assert Worklist.objects.get().state == "running"
