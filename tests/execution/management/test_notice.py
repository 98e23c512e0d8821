"""`manage.py notice`: who is told of lists, without a browser (S12.10)."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from execution.choices import MessageState
from execution.models import NoticeMessage, NoticeRule
from tests.support.lists import new_list
from workflows.models import Address

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def addresses() -> None:
    for name in ("Ward", "Ward IT"):
        Address.objects.create(name=name, ciphertext="sealed")


def said(*arguments: str) -> str:
    out = StringIO()
    call_command("notice", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_a_rule_is_added_listed_switched_tried_and_deleted() -> None:
    one = new_list("Ada", started=False).worklist_id
    made = said("add", one, "--about", "stopped", "--about", "finished", "--address", "Ward", "--zone", "Europe/Paris",
                "--quiet", "22:00", "07:00", "--escalate", "20", "Ward IT")  # fmt: skip
    rule = NoticeRule.objects.get()
    assert made == f"{rule.rule_id}  Letters  stopped, finished  Ward  on\n"
    assert (f"{rule.quiet_from:%H:%M}", rule.escalate_minutes, rule.escalate_to.name) == ("22:00", 20, "Ward IT")
    assert said("list", one) == said("list") == made
    assert said("list", new_list("Bea", started=False).worklist_id) == ""
    assert said("off", rule.rule_id).endswith("off\n")
    assert said("on", rule.rule_id).endswith("on\n")
    assert "  test  Ward  waiting" in said("test", rule.rule_id)
    NoticeMessage.objects.update(state=MessageState.FAILED, next_at=None)
    message = NoticeMessage.objects.get()
    assert said("messages", one).startswith(message.message_id)
    assert said("try", message.message_id).rstrip().endswith("waiting")
    said("delete", rule.rule_id)
    assert not NoticeRule.objects.exists()


def test_a_rule_of_all_lists_is_told_with_each() -> None:
    said("add", "--about", "stopped", "--address", "Ward", "--digest", "07:00")
    assert "  all lists  " in said("list", new_list("Ada", started=False).worklist_id)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (["--address", "Nobody"], "There is no address “Nobody”"),
        (["--address", "Ward", "--digest", "noon"], "is no time"),
        (["--address", "Ward", "--escalate", "soon", "Ward IT"], "takes minutes"),
    ],
)
def test_what_tells_nobody_is_refused_with_its_reason(wrong: list[str], why: str) -> None:
    with pytest.raises(CommandError, match=why):
        said("add", "--about", "stopped", *wrong)
    assert not NoticeRule.objects.exists()
