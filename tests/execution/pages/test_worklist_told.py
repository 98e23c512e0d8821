"""Who is told, on the page of a list's times (S12.10)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import time
from pathlib import Path
from typing import Any

import pytest
from django.test import Client, override_settings

from execution.choices import MessageState
from execution.models import NoticeMessage, NoticeRule, Worklist
from tests.factories import make_user
from tests.support.lists import new_list
from workflows import vault
from workflows.models import Address
from workflows.secret import Secret

pytestmark = pytest.mark.django_db

RULE: dict[str, Any] = {
    "verb": "save",
    "about": ["person_needed", "stopped"],
    "address": "Duty nurse",
    "when": "quiet",
    "quiet_from": "20:00",
    "quiet_until": "07:00",
    "escalate_to": "Ward IT",
    "escalate_minutes": "20",
    "is_on": "1",
}


@pytest.fixture(autouse=True)
def data(tmp_path: Path) -> Iterator[None]:
    with override_settings(DATA_DIR=tmp_path):
        yield


@pytest.fixture
def letters() -> Worklist:
    return new_list("Ada", started=False)


def enter(*names: str) -> None:
    """As an admin does."""
    for name in names:
        one = Address(name=name)
        vault.seal(one, Secret(json.dumps({"url": f"json://secret-of-{name}", "secret": ""})))
        one.save()


def place(worklist: Worklist) -> str:
    return f"/lists/{worklist.worklist_id}/when"


def test_a_rule_is_kept_shown_in_words_and_deleted(otto: Client, letters: Worklist) -> None:
    enter("Duty nurse", "Ward IT")
    otto.post(f"{place(letters)}/tell", RULE)
    one = NoticeRule.objects.get()
    assert (one.abouts, one.worklist, one.quiet_from, one.quiet_until) == (
        ["person_needed", "stopped"], letters, time(20), time(7),
    )  # fmt: skip
    page = otto.get(f"{place(letters)}?rule={one.rule_id}").content.decode()
    for words in ("A person is needed and 1 more", "Duty nurse", "after 20 min without an answer: Ward IT"):
        assert words in page
    assert "The list “Letters” needs a person. Row 61." in page
    assert "secret-of" not in page
    otto.post(f"{place(letters)}/tell", {"verb": "drop", "rule": one.rule_id})
    assert not NoticeRule.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"about": []}, "Choose at least one thing to tell."),
        ({"quiet_from": "late"}, "Say at what time."),
        ({"escalate_minutes": ""}, "Say after how many minutes without an answer."),
        ({"address": "Nobody"}, "There is no address “Nobody”"),
        ({"person": "otto"}, "has no mail address"),
    ],
)
def test_what_cannot_be_is_said(otto: Client, letters: Worklist, wrong: dict[str, Any], why: str) -> None:
    enter("Duty nurse", "Ward IT")
    page = otto.post(f"{place(letters)}/tell", {**RULE, **wrong}, follow=True).content.decode()
    assert why in page
    assert not NoticeRule.objects.exists()


def test_only_an_admin_lets_values_leave(client: Client, letters: Worklist) -> None:
    enter("Duty nurse", "Ward IT")
    asked = {**RULE, "with_values": "1"}
    client.force_login(make_user("designer", "dora"))
    assert client.post(f"{place(letters)}/tell", asked).status_code == 403
    assert "Only an admin allows it." in client.get(f"{place(letters)}?rule=new").content.decode()
    client.force_login(make_user("admin", "ada"))
    client.post(f"{place(letters)}/tell", asked)
    assert NoticeRule.objects.get().with_values


def test_a_message_that_failed_is_told_with_the_other_sides_words_and_tried_now(otto, letters) -> None:
    enter("Duty nurse", "Ward IT")
    otto.post(f"{place(letters)}/tell", RULE)
    one = NoticeRule.objects.get()
    otto.post(f"{place(letters)}/tell", {"verb": "test", "rule": one.rule_id})
    message = NoticeMessage.objects.get()
    NoticeMessage.objects.update(said="550 no such user", tries=3, state=MessageState.FAILED, next_at=None)
    page = otto.get(place(letters)).content.decode()
    for words in ("last message failed", "550 no such user", "Tried 3 times.", "Try now"):
        assert words in page
    otto.post(f"{place(letters)}/tell", {"verb": "try", "message": message.message_id})
    message.refresh_from_db()
    assert (message.state, message.next_at is not None) == (MessageState.WAITING, True)


def test_the_page_asks_no_more_of_the_database_with_many_rules(otto, letters, django_assert_max_num_queries) -> None:
    enter("Duty nurse", "Ward IT")
    for _n in range(4):
        otto.post(f"{place(letters)}/tell", RULE)
        otto.post(f"{place(letters)}/tell", {"verb": "test", "rule": NoticeRule.objects.latest("pk").rule_id})
    with django_assert_max_num_queries(16):
        otto.get(f"{place(letters)}?rule=new&schedule=new")
