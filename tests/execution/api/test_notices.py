"""The API of who is told of lists (S12.10)."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from execution.choices import MessageState
from execution.models import NoticeMessage, NoticeRule
from tests.factories import make_user
from tests.support.lists import new_list
from workflows.models import Address

pytestmark = pytest.mark.django_db

RULES = "/api/notices/rules/"


@pytest.fixture(autouse=True)
def addresses() -> None:
    for name, kind in (("Ward", "message"), ("Ward IT", "message"), ("Bed management", "incoming")):
        Address.objects.create(name=name, kind=kind, ciphertext="sealed")


@pytest.fixture
def olga(client: Client) -> Client:
    client.force_login(make_user("operator", "olga"))
    return client


def send(client: Client, how: str, path: str, body: dict[str, Any]) -> Any:
    return getattr(client, how)(path, body, content_type="application/json")


def rule(**more: Any) -> dict[str, Any]:
    return {"abouts": ["stopped", "person_needed"], "address": "Ward", "zone": "Europe/Paris", **more}


def test_a_program_makes_reads_changes_and_drops_a_rule(olga: Client) -> None:
    one = new_list("Ada", started=False).worklist_id
    made = send(olga, "post", RULES, rule(worklist_id=one, escalate_minutes=20, escalate_to="Ward IT"))
    assert made.status_code == 201, made.json()
    told = made.json()
    assert (told["worklist_id"], told["abouts"]) == (one, ["person_needed", "stopped"])
    assert (told["escalate_to"], told["is_on"], told["quiet_from"]) == ("Ward IT", True, None)
    place = f"{RULES}{told['rule_id']}/"
    changed = send(olga, "put", place, rule(quiet_from="22:00", quiet_until="07:00", is_on=False)).json()
    assert (changed["worklist_id"], changed["quiet_until"], changed["is_on"]) == (None, "07:00", False)
    assert olga.get(place).json() == changed
    assert olga.delete(place).status_code == 204
    assert olga.get(place).status_code == 404


def test_rules_of_a_list_are_its_own_and_those_of_all(olga: Client) -> None:
    one, other = (new_list("Ada", started=False, name=name).worklist_id for name in ("Letters", "Bills"))
    for worklist_id in (one, other, ""):
        send(olga, "post", RULES, rule(worklist_id=worklist_id))
    found = olga.get(f"{RULES}?worklist_id={one}").json()["results"]
    assert [each["worklist_id"] for each in found] == [one, None]
    assert olga.get(RULES).json()["count"] == 3


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"address": "Nobody"}, "There is no address"),
        ({"address": "Bed management"}, "There is no address"),  # it takes calls, and sends none
        ({"abouts": []}, "at least 1"),
        ({"abouts": ["weather"]}, "weather"),
        ({"zone": "Paris"}, "no time zone"),
        ({"quiet_from": "22:00"}, "Quiet hours need a beginning and an end"),
        ({"escalate_to": "Ward IT"}, "after how many minutes"),
        ({"colour": "red"}, "not known here"),
    ],
)
def test_what_tells_nobody_is_refused_with_its_reason(olga: Client, wrong: dict[str, Any], why: str) -> None:
    answer = send(olga, "post", RULES, rule(**wrong))
    assert answer.status_code in (400, 422)
    assert why in str(answer.json())
    assert not NoticeRule.objects.exists()


@pytest.mark.security
def test_values_of_rows_are_let_out_by_an_admin_alone(olga: Client) -> None:
    """S10.6"""
    assert send(olga, "post", RULES, rule(with_values=True)).status_code == 403
    olga.force_login(make_user("admin", "ada"))
    assert send(olga, "post", RULES, rule(with_values=True)).status_code == 201


def test_a_test_is_sent_and_what_came_of_messages_is_told(olga: Client) -> None:
    made = send(olga, "post", RULES, rule()).json()
    message = send(olga, "post", f"{RULES}{made['rule_id']}/test/", {})
    assert (message.status_code, message.json()["about"], message.json()["state"]) == (201, "test", "waiting")
    again = f"/api/notices/messages/{message.json()['message_id']}/try/"
    NoticeMessage.objects.update(state=MessageState.FAILED, next_at=None, said="The server is away.")
    [told] = olga.get("/api/notices/messages/").json()["results"]
    assert (told["rule_id"], told["said"], told["next_at"]) == (made["rule_id"], "The server is away.", None)
    assert send(olga, "post", again, {}).json()["state"] == "waiting"
    NoticeMessage.objects.update(state=MessageState.DELIVERED)
    assert send(olga, "post", again, {}).status_code == 422
