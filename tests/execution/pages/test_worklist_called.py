"""Which other systems call a list, beside its times (S12.10)."""

from __future__ import annotations

import pytest
from django.test import Client

from execution.models import IncomingWebhook, Worklist
from tests.factories import make_user
from tests.support.lists import new_list
from workflows.choices import LearningState
from workflows.models import Address, AddressKind, Workflow

pytestmark = pytest.mark.django_db


@pytest.fixture
def letters() -> Worklist:
    worklist = new_list("Ada", started=False)
    Workflow.objects.update(learning_state=LearningState.AUTO_CONFIRMED)
    return worklist


def place(worklist: Worklist) -> str:
    return f"/lists/{worklist.worklist_id}/when"


def secret() -> Address:
    """No call comes here, so that what is sealed in it does not matter."""
    return Address.objects.create(name="Bed management", kind=AddressKind.INCOMING)


def test_a_system_is_let_in_changed_and_let_in_no_more(otto: Client, letters: Worklist) -> None:
    secret()
    answer = otto.post(f"{place(letters)}/called", {"verb": "save", "secret": "Bed management", "is_on": "1"})
    one = IncomingWebhook.objects.get()
    assert (one.worklist, one.begins, one.is_on, one.changed_by.username) == (letters, False, True, "otto")
    assert answer["Location"] == f"{place(letters)}?system={one.hook_id}#when-called"
    page = otto.get(f"{place(letters)}?system={one.hook_id}").content.decode()
    assert f'value="http://testserver/api/webhooks/{one.hook_id}/"' in page
    assert "with the rights of otto" in page

    changed = {"verb": "save", "system": one.hook_id, "secret": "Bed management", "begins": "1"}
    otto.post(f"{place(letters)}/called", changed)
    one.refresh_from_db()
    assert (one.begins, one.is_on) == (True, False)
    otto.post(f"{place(letters)}/called", {"verb": "drop", "system": one.hook_id})
    assert not IncomingWebhook.objects.exists()


@pytest.mark.parametrize(
    ("posted", "said"),
    [
        ({"secret": "Nobody’s"}, "There is no secret “Nobody’s”"),
        ({"secret": "Bed management", "system": "hook_other"}, "There is no webhook “hook_other”"),
        ({"verb": "drop", "system": "hook_other"}, "There is no webhook “hook_other”"),
    ],
)
def test_what_cannot_be_is_said_and_nothing_is_kept(otto, letters, posted, said) -> None:
    secret()
    other = new_list("Bea", started=False)
    IncomingWebhook.objects.create(worklist=other, address=Address.objects.get(), hook_id="hook_other")
    page = otto.post(f"{place(letters)}/called", {"verb": "save", **posted}, follow=True)
    assert said in page.content.decode()
    assert IncomingWebhook.objects.get().worklist == other


def test_a_list_that_may_not_act_by_itself_asks_why_a_call_begins_it(client: Client, letters: Worklist) -> None:
    secret()
    Workflow.objects.update(learning_state=LearningState.COACHING)
    Worklist.objects.update(mode="automatic")
    client.force_login(make_user("designer", "dora"))
    asked = {"verb": "save", "secret": "Bed management", "begins": "1", "is_on": "1"}
    page = client.post(f"{place(letters)}/called", asked, follow=True).content.decode()
    assert "has not earned to act by itself yet" in page
    assert not IncomingWebhook.objects.exists()
    client.post(f"{place(letters)}/called", {**asked, "reason": "Tried for a month by hand"})
    assert IncomingWebhook.objects.get().reason == "Tried for a month by hand"
