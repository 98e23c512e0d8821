"""Webhooks that come in: signed, in time, once for each id, with the rights of whoever let them in (S12.10)."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from standardwebhooks import Webhook

from execution.models import IncomingWebhook, WebhookCall, Worklist
from execution.models.worklist import WorklistState
from tests.factories import make_user
from tests.support.lists import new_list
from tests.support.post import SECRET
from workflows import vault
from workflows.models import Address, AddressKind
from workflows.secret import Secret

pytestmark = [pytest.mark.django_db, pytest.mark.security]

OTHER = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
ADA = {"rows": [{"data": {"Patient": "Ada"}}]}


@pytest.fixture(autouse=True)
def secret(settings: Any, tmp_path: Any) -> None:
    settings.DATA_DIR = tmp_path
    address = Address(name="Bed management", kind=AddressKind.INCOMING)
    vault.seal(address, Secret(json.dumps({"url": "", "secret": SECRET})))
    address.save()


@pytest.fixture
def worklist() -> Worklist:
    return new_list(started=False)


def let_in(worklist: Worklist, role: str = "designer", **more: Any) -> str:
    """Where the other system calls, once a person has let it in; the program's own login is not asked for there."""
    client = Client()
    client.force_login(make_user(role, f"a {role}"))
    body = {"secret": "Bed management", "begins": True, "reason": "tried by hand", **more}
    made = client.post(f"/api/lists/{worklist.worklist_id}/webhooks/", body, content_type="application/json")
    assert made.status_code == 201, made.json()
    return str(made.json()["url"])


def call(
    place: str, data: dict[str, Any], *, name: str = "msg_1", key: str = SECRET, ago: timedelta = timedelta()
) -> Any:
    body, at = json.dumps({"type": "patients", "data": data}), datetime.now(UTC) - ago
    headers = {
        "webhook-id": name,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": Webhook(key).sign(name, at, body),
    }
    return Client().post(place, body, content_type="application/json", headers=headers)


def test_rows_come_in_and_the_list_begins(worklist: Worklist) -> None:
    answer = call(let_in(worklist), {**ADA, "start": True})
    assert answer.status_code == 200, answer.json()
    told = answer.json()
    assert (told["added"], told["begun"], told["state"]) == ({"Ada": 1}, True, "running")
    worklist.refresh_from_db()
    assert (worklist.state, worklist.items.get().data) == (WorklistState.RUNNING, {"Patient": "Ada"})


def test_the_same_call_again_is_answered_as_before_and_does_nothing(worklist: Worklist) -> None:
    """Also where the row was cancelled meanwhile: what was done once is not done again."""
    place = let_in(worklist)
    first = call(place, ADA).json()
    worklist.items.all().delete()
    assert call(place, ADA).json() == first
    assert not worklist.items.exists()
    assert WebhookCall.objects.count() == 1
    assert call(place, ADA, name="msg_2").json()["added"] == {"Ada": 2}


def test_another_body_under_the_same_id_is_refused(worklist: Worklist) -> None:
    place = let_in(worklist)
    call(place, ADA)
    answer = call(place, {"rows": [{"data": {"Patient": "Bea"}}]})
    assert (answer.status_code, answer.json()["error"]) == (409, "webhook_again")
    assert worklist.items.count() == 1


def test_a_field_that_is_not_known_is_refused(worklist: Worklist) -> None:
    answer = call(let_in(worklist), {**ADA, "no_such_field": 1})
    assert answer.status_code == 400
    assert "is not known here. Known are: atomic, rows, start." in answer.json()["detail"]


def test_what_was_refused_may_be_sent_again_under_its_id(worklist: Worklist) -> None:
    """One bad row lets nothing in, and keeps nothing of the call."""
    place = let_in(worklist)
    bad = call(place, {"rows": [*ADA["rows"], {"data": {"Nobody": "Bea"}}]})
    assert bad.status_code == 422
    assert (worklist.items.count(), WebhookCall.objects.count()) == (0, 0)
    assert call(place, ADA).status_code == 200


@pytest.mark.parametrize(
    "wrong", [{"key": OTHER}, {"ago": timedelta(minutes=6)}, {"ago": -timedelta(minutes=6)}], ids=str
)
def test_a_call_that_is_not_signed_or_not_in_time_is_refused(worklist: Worklist, wrong: dict[str, Any]) -> None:
    answer = call(let_in(worklist), ADA, **wrong)
    assert answer.status_code == 403
    assert "signature" in str(answer.json()).lower()
    assert not worklist.items.exists()


def test_a_login_counts_for_nothing_there(worklist: Worklist) -> None:
    place, client = let_in(worklist), Client()
    client.force_login(make_user("admin", "ada"))
    assert client.post(place, {"data": ADA}, content_type="application/json").status_code == 403


def test_an_id_that_is_not_known_is_answered_like_a_wrong_signature(worklist: Worklist) -> None:
    place = let_in(worklist)
    assert call("/api/webhooks/hook_0/", ADA).json() == call(place, ADA, key=OTHER).json()


def test_switched_off_or_after_its_person_has_gone_it_takes_nothing(worklist: Worklist) -> None:
    place = let_in(worklist)
    webhook = IncomingWebhook.objects.get()
    webhook.changed_by.groups.clear()
    assert call(place, ADA).status_code == 403
    type(webhook.changed_by).objects.update(is_active=False)
    assert call(place, ADA).status_code == 403
    IncomingWebhook.objects.update(is_on=False)
    assert call(place, ADA).status_code == 403
    assert not worklist.items.exists()


def test_one_that_brings_rows_alone_begins_nothing(worklist: Worklist) -> None:
    place = let_in(worklist, begins=False)
    assert call(place, {**ADA, "start": True}).status_code == 403
    assert call(place, ADA).json()["begun"] is False
    assert worklist.items.count() == 1


@pytest.mark.parametrize("state", [WorklistState.PAUSED, WorklistState.STANDS, WorklistState.RUNNING])
def test_what_stands_was_paused_or_runs_is_begun_by_no_program(worklist: Worklist, state: str) -> None:
    place = let_in(worklist)
    Worklist.objects.update(state=state)
    told = call(place, {**ADA, "start": True}).json()
    assert (told["begun"], told["state"], told["added"]) == (False, state, {"Ada": 1})


def test_a_list_that_has_not_earned_to_act_is_let_begin_by_a_designer_with_a_reason(worklist: Worklist) -> None:
    client, place = Client(), f"/api/lists/{worklist.worklist_id}/webhooks/"
    body = {"secret": "Bed management", "begins": True}
    for role, reason, status in (("operator", "tried", 403), ("designer", "", 422), ("viewer", "tried", 403)):
        client.force_login(make_user(role, f"the {role}"))
        answer = client.post(place, {**body, "reason": reason}, content_type="application/json")
        assert answer.status_code in (status, 422), (role, answer.json())
    assert not IncomingWebhook.objects.exists()


def test_they_are_listed_without_their_secret_changed_and_dropped(worklist: Worklist) -> None:
    let_in(worklist)
    client, place = Client(), f"/api/lists/{worklist.worklist_id}/webhooks/"
    client.force_login(make_user("designer", "dora"))
    [one] = client.get(place).json()
    assert (one["secret"], one["changed_by"]) == ("Bed management", "a designer")
    assert SECRET not in str(one)
    body = {"secret": "Bed management", "is_on": False}
    where = f"{place}{one['hook_id']}/"
    changed = client.put(where, body, content_type="application/json").json()
    assert (changed["is_on"], changed["begins"], changed["changed_by"]) == (False, False, "dora")
    assert client.get(where).json() == changed
    assert client.delete(where).status_code == 204
    assert client.get(where).status_code == 404


def test_a_secret_that_signs_what_goes_out_lets_nobody_in(worklist: Worklist) -> None:
    Address.objects.create(name="Ward", kind=AddressKind.WEBHOOK, ciphertext="sealed")
    client = Client()
    client.force_login(make_user("designer", "dora"))
    place = f"/api/lists/{worklist.worklist_id}/webhooks/"
    answer = client.post(place, {"secret": "Ward"}, content_type="application/json")
    assert (answer.status_code, "There is no secret" in str(answer.json())) == (422, True)
