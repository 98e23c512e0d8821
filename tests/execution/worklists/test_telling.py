"""What happened becomes messages that really leave, each thing once, to a mail server and a web server (S12.10)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, time, timedelta
from email import message_from_bytes
from email.header import decode_header, make_header
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.test import override_settings
from django.utils import timezone
from standardwebhooks import Webhook

from execution.choices import About, MessageState, NightEnd, StartState
from execution.exceptions import BadNotice
from execution.models import BroughtFile, ListStart, NoticeMark, NoticeMessage, NoticeRule, Robot, WorkItem, Worklist
from execution.models.worklist import ItemState, WorklistState
from execution.worklists import telling
from execution.worklists.actions.rows import again
from execution.worklists.actions.telling import drop_rule, keep_rule, send_test, try_now
from execution.worklists.outcome import finish_if_over, stand
from sentences.said import say
from tests.factories import make_user
from tests.support.lists import new_list, robot
from tests.support.nights import planned
from tests.support.post import SECRET, Caught, Mails
from workflows import vault
from workflows.models import Address, AddressKind, CredentialUse
from workflows.secret import Secret

pytestmark = pytest.mark.django_db

PATIENT = "GIRAUD Hélène"


@pytest.fixture(autouse=True)
def data(tmp_path: Path) -> Iterator[Path]:
    with override_settings(DATA_DIR=tmp_path, SITE_ADDRESS="https://surehand.example.org"):
        yield tmp_path


def address(name: str, url: str, *, secret: str = "") -> Address:
    """As an admin enters it."""
    kind = AddressKind.WEBHOOK if secret else AddressKind.MESSAGE
    one = Address(name=name, kind=kind)
    vault.seal(one, Secret(json.dumps({"url": url, "secret": secret})))
    one.save()
    return one


def hook(catcher: Caught, name: str = "Ward") -> Address:
    return address(name, f"http://127.0.0.1:{catcher.server_port}/in", secret=SECRET)


def rule(*abouts: About, to: str = "Ward", **more: Any) -> NoticeRule:
    return keep_rule(abouts=[about.value for about in abouts], address=to, **{"zone": "Europe/Paris", **more})


def set_aside(worklist: Worklist, *numbers: int) -> None:
    """As a run leaves rows that nobody answered for."""
    for item in worklist.items.filter(number__in=numbers):
        item.state = ItemState.NEW
        WorkItem.objects.filter(pk=item.pk).update(state=ItemState.NEW)
        asked = f"Which one is {PATIENT}?"
        assert item.move(ItemState.SET_ASIDE, reason=say("worklists.unanswered", asked=asked, n=10))


@pytest.fixture
def waits(catcher: Caught) -> Worklist:
    """A list with a rule that tells of the row that needs a person there."""
    worklist = new_list(PATIENT)
    hook(catcher)
    rule(About.PERSON_NEEDED)
    set_aside(worklist, 1)
    return worklist


def told(catcher: Caught) -> list[dict[str, Any]]:
    return [json.loads(body) for _headers, body in catcher.requests]


def test_a_row_that_needs_a_person_is_told_once_with_one_link_and_no_value(waits: Worklist, catcher: Caught) -> None:
    for _look in range(3):
        telling.tell()
    (headers, body), *others = catcher.requests
    assert not others
    payload = Webhook(SECRET).verify(body, headers)
    (event,) = payload["events"]
    assert (payload["type"], event["list"], event["rows"]) == ("list.person_needed", "Letters", [1])
    assert event["link"] == f"https://surehand.example.org/lists/{waits.worklist_id}?row=1"
    assert "GIRAUD" not in body.decode()
    kept = NoticeMessage.objects.get()
    assert (kept.state, kept.tries, kept.about) == (MessageState.DELIVERED, 1, About.PERSON_NEEDED)
    assert "GIRAUD" not in kept.subject + kept.body
    assert kept.body.count("https://") == 1
    assert CredentialUse.objects.get().credential == "address: Ward"


def test_a_mail_goes_to_a_person_by_the_mail_server_that_an_admin_entered(mails: tuple[Mails, str]) -> None:
    box, url = mails
    address("Mail server", url)
    make_user("operator", "otto", email="otto@example.org")
    worklist = new_list("Ada")
    keep_rule(abouts=["finished"], address="Mail server", person="otto", zone="UTC")
    worklist.items.update(state=ItemState.DONE)
    finish_if_over(worklist)
    telling.tell()
    (envelope,) = box.envelopes
    assert envelope.rcpt_tos == ["otto@example.org"]
    mail = message_from_bytes(envelope.content)
    assert str(make_header(decode_header(mail["subject"]))) == "The list “Letters” has finished."


def test_what_was_there_before_the_rule_is_not_told(catcher: Caught) -> None:
    worklist = new_list("Ada")
    set_aside(worklist, 1)
    hook(catcher)
    rule(About.PERSON_NEEDED)
    telling.tell()
    assert not catcher.requests


def test_a_message_that_does_not_arrive_is_tried_again_and_then_given_up(waits: Worklist, catcher: Caught) -> None:
    catcher.status = 503
    begins = timezone.now()
    telling.tell(begins)
    kept = NoticeMessage.objects.get()
    assert (kept.state, kept.tries, kept.next_at) == (MessageState.WAITING, 1, begins + timedelta(minutes=1))
    assert "the queue is full" in str(kept.said)
    telling.tell(begins + timedelta(seconds=30))
    assert len(catcher.requests) == 1
    catcher.status = 204
    telling.tell(begins + timedelta(minutes=1))
    kept.refresh_from_db()
    assert (kept.state, kept.tries) == (MessageState.DELIVERED, 2)
    ids = {headers["webhook-id"] for headers, _body in catcher.requests}
    assert ids == {kept.message_id}


def test_after_a_day_it_is_given_up_and_a_person_may_try_it_now(waits: Worklist, catcher: Caught) -> None:
    catcher.status = 500
    begins = moment = timezone.now()
    while moment <= begins + timedelta(days=1, hours=2):
        telling.send_due(moment) if NoticeMessage.objects.exists() else telling.make_messages(moment)
        moment += timedelta(minutes=30)
    kept = NoticeMessage.objects.get()
    assert kept.state == MessageState.FAILED
    catcher.status = 204
    try_now(message_id=kept.message_id)
    telling.send_due(timezone.now() + timedelta(seconds=1))
    kept.refresh_from_db()
    assert kept.state == MessageState.DELIVERED
    with pytest.raises(BadNotice, match="has arrived"):
        try_now(message_id=kept.message_id)


def test_two_that_look_at_once_make_one_message(waits: Worklist, catcher: Caught) -> None:
    """The mark of what is told is the database's to keep: the second one is refused."""
    now = timezone.now()
    found = telling.happened(now - timedelta(days=1), now)
    due = telling.notices.messages([telling.as_rule(NoticeRule.objects.get())], found, set(), now)
    one = NoticeRule.objects.get()
    assert [telling._keep(message, one, now) for message in (*due, *due)] == [True, False]
    assert (NoticeMessage.objects.count(), NoticeMark.objects.count()) == (1, 1)


def test_a_message_is_sent_by_whoever_takes_it_first(waits: Worklist, catcher: Caught) -> None:
    now = timezone.now()
    telling.make_messages(now)
    one, same, late = (NoticeMessage.objects.get() for _n in range(3))
    until = now + timedelta(minutes=2)
    assert (one.take(now, until), same.take(now, until)) == (True, False)
    NoticeMessage.objects.update(next_at=now)  # whoever took it is dead
    assert (telling.send_one(late, now), telling.send_one(same, now)) == (True, False)
    assert len(catcher.requests) == 1


def test_without_an_answer_others_are_told_and_with_one_nobody(catcher: Caught) -> None:
    worklist = new_list("Ada", "Bea")
    hook(catcher, "Ward")
    hook(catcher, "IT")
    rule(About.PERSON_NEEDED, escalate_minutes=20, escalate_to="IT")
    set_aside(worklist, 1, 2)
    begins = timezone.now()
    telling.tell(begins)
    assert again(worklist_id=worklist.worklist_id, numbers=[1]).numbers == (1,)
    telling.tell(begins + timedelta(minutes=19))
    assert len(catcher.requests) == 2
    telling.tell(begins + timedelta(minutes=21))
    *_first, last = told(catcher)
    assert (len(catcher.requests), last["step"], last["events"][0]["rows"]) == (3, "escalation", [2])
    assert NoticeMessage.objects.get(step="escalation").subject.startswith("Not answered yet")


def test_in_quiet_hours_nothing_is_sent_and_at_their_end_one_message(catcher: Caught) -> None:
    worklist = new_list("Ada", "Bea")
    hook(catcher)
    rule(About.PERSON_NEEDED, zone="UTC", quiet_from=time(20), quiet_until=time(7))
    night = datetime(2027, 6, 5, 3, tzinfo=timezone.get_default_timezone())
    NoticeRule.objects.update(created_at=night - timedelta(days=1))
    set_aside(worklist, 1, 2)
    worklist.events.filter(kind="row").update(at=night)
    telling.tell(night)
    telling.tell(night.replace(hour=6, minute=59))
    assert not catcher.requests
    telling.tell(night.replace(hour=7))
    (payload,) = told(catcher)
    assert sorted(event["rows"] for event in payload["events"]) == [[1], [2]]


# --- what is told ------------------------------------------------------------------------------------------------
def abouts(catcher: Caught) -> list[str]:
    telling.tell()
    return sorted(payload["type"].removeprefix("list.") for payload in told(catcher))


def test_a_list_that_stands_is_told_and_is_answered_once_it_goes_on(catcher: Caught) -> None:
    worklist = new_list("Ada")
    hook(catcher)
    rule(About.STOPPED)
    stand(worklist, say("worklists.breaker", n=3, number=3, why="The letter was not found."))
    assert abouts(catcher) == ["stopped"]
    assert "3 rows in a row did not reach their end" in told(catcher)[0]["events"][0]["reason"]


def test_starts_that_did_not_come_and_files_that_were_refused_are_told(catcher: Caught) -> None:
    worklist = new_list("Ada", started=False)
    hook(catcher)
    rule(*About)
    one, now = planned(worklist, since=timezone.now()), timezone.now()
    made: dict[str, Any] = {"schedule": one, "told_at": now}
    ListStart.objects.create(at=now, state=StartState.MISSED, reason=say("clock.missed"), **made)
    ListStart.objects.create(at=now - timedelta(1), state=StartState.BEGUN, ended=NightEnd.FINISHED, **made)
    one.takes_files = True
    one.save()
    ListStart.objects.create(at=now + timedelta(1), state=StartState.EMPTY, reason=say("clock.no_new_file"), **made)
    BroughtFile.objects.create(worklist=worklist, name=f"{PATIENT}.csv", digest="a", is_taken=False)
    BroughtFile.objects.create(worklist=worklist, name="good.csv", digest="b", is_taken=True)
    assert abouts(catcher) == ["file_refused", "missed_start", "no_file"]
    assert all(b"GIRAUD" not in body for _headers, body in catcher.requests)


def test_a_window_that_leaves_rows_is_told(catcher: Caught) -> None:
    worklist = new_list("Ada")
    hook(catcher)
    rule(About.LEFT)
    reason = say("worklists.window_over", n=1)
    worklist.move(WorklistState.READY, among=[WorklistState.RUNNING], reason=reason)
    assert abouts(catcher) == ["left"]
    assert "1 row is left for the next start" in told(catcher)[0]["events"][0]["reason"]


def test_a_list_that_no_robot_works_on_is_told_after_two_minutes(catcher: Caught) -> None:
    new_list("Ada")
    hook(catcher)
    rule(About.ROBOT_AWAY)
    now = timezone.now()
    telling.tell(now + timedelta(minutes=1))
    assert not catcher.requests
    telling.tell(now + timedelta(minutes=3))
    telling.tell(now + timedelta(minutes=9))
    assert [payload["type"] for payload in told(catcher)] == ["list.robot_away"]


def test_a_robot_that_could_take_its_rows_is_not_away(catcher: Caught) -> None:
    new_list("Ada")
    hook(catcher)
    rule(About.ROBOT_AWAY)
    robot()
    Robot.objects.update(heartbeat_at=timezone.now())
    telling.tell(timezone.now() + timedelta(minutes=3))
    assert not catcher.requests


# --- who may -----------------------------------------------------------------------------------------------------
def test_values_leave_only_where_an_admin_allows_it_and_do_not_stay(catcher: Caught) -> None:
    worklist = new_list(PATIENT)
    hook(catcher)
    asked: dict[str, Any] = {"abouts": ["person_needed"], "address": "Ward", "zone": "UTC", "with_values": True}
    with pytest.raises(PermissionDenied):
        keep_rule(**asked, user=make_user("designer", "dora"))
    one = keep_rule(**asked, user=make_user("admin", "ada"))
    with pytest.raises(PermissionDenied):
        keep_rule(**{**asked, "with_values": False}, rule_id=one.rule_id, user=make_user("operator", "otto"))
    set_aside(worklist, 1)
    telling.tell()
    assert "GIRAUD" in json.dumps(told(catcher), ensure_ascii=False)
    kept = NoticeMessage.objects.get()
    assert (kept.body, kept.payload) == ("", {})


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"abouts": []}, "at least one thing"),
        ({"abouts": ["gossip"]}, "is nothing that is told"),
        ({"address": "Nobody"}, "There is no address “Nobody”"),
        ({"zone": "Paris"}, "There is no time zone “Paris”"),
        ({"person": "nobody"}, "is nobody here, or has no mail address"),
        ({"quiet_from": time(20)}, "need a beginning and an end"),
        ({"escalate_to": "Ward"}, "after how many minutes"),
        ({"escalate_to": "Ward", "escalate_minutes": 9999}, "At most 1440 minutes"),
    ],
)
def test_what_cannot_be_is_said_and_nothing_is_kept(wrong: dict[str, Any], why: str) -> None:
    address("Ward", "json://127.0.0.1")
    asked: dict[str, Any] = {"abouts": ["finished"], "address": "Ward", "zone": "UTC"}
    with pytest.raises(BadNotice, match=why):
        keep_rule(**{**asked, **wrong})
    assert not NoticeRule.objects.exists()


def test_a_test_message_says_whether_it_arrives(catcher: Caught) -> None:
    hook(catcher)
    one = rule(About.FINISHED)
    message = send_test(rule_id=one.rule_id, user=make_user("operator", "otto"))
    telling.tell()
    message.refresh_from_db()
    assert (message.state, told(catcher)[0]["type"]) == (MessageState.DELIVERED, "list.test")
    drop_rule(rule_id=one.rule_id)
    assert NoticeMessage.objects.get().rule is None


def test_whatever_a_library_fails_with_the_next_message_leaves(catcher, monkeypatch) -> None:
    """And what it says of itself, which may hold the address, is not kept."""
    hook(catcher)
    address("Mail", "mailtos://robot:h0spital-pw@mail.example.org")
    for to in ("Mail", "Ward"):
        send_test(rule_id=rule(About.FINISHED, to=to).rule_id)
    monkeypatch.setattr(telling.channels, "send", lambda to, *_text: (_ for _ in ()).throw(KeyError(to)))
    telling.tell()
    said = dict(NoticeMessage.objects.values_list("address__name", "said"))
    assert len(catcher.requests) == 1
    assert "KeyError" in str(said["Mail"])
    assert "h0spital-pw" not in str(said)


def test_an_address_that_runs_something_here_is_refused(catcher: Caught) -> None:
    """S10.6: also where somebody wrote it past the form."""
    address("Bad", "syslog://")
    one = rule(About.FINISHED, to="Bad")
    send_test(rule_id=one.rule_id)
    telling.tell()
    assert str(NoticeMessage.objects.get().said) == (
        "This address tells no person: it runs or writes something on the server."
    )


def test_a_look_costs_the_same_however_much_was_told_and_answered(django_assert_max_num_queries: Any) -> None:
    """Four times a minute: of rows that wait no more nothing is read, and marks are asked for by their names."""
    address("Team", "json://127.0.0.1:9/")
    rule = keep_rule(abouts=["person_needed"], address="Team", zone="UTC")
    worklist = new_list(*(f"P{n}" for n in range(40)))
    for item in worklist.items.all():
        item.move(ItemState.RUNNING, started_at=timezone.now())
        item.move(ItemState.SET_ASIDE, reason=say("worklists.stopped"), ended_at=timezone.now())
    now = timezone.now()
    assert telling.make_messages(now) == 40
    message = NoticeMessage.objects.first()
    NoticeMark.objects.bulk_create([NoticeMark(mark=f"old {n}", message=message) for n in range(2000)])
    worklist.items.exclude(number=1).update(state=ItemState.SKIPPED)
    assert [event.rows for event in telling.happened(now - timedelta(days=1), now)] == [(1,)]
    with django_assert_max_num_queries(15) as asked:
        assert telling.make_messages(now) == 0
    read = [one["sql"] for one in asked.captured_queries if "noticemark" in one["sql"]]
    assert len(read) == 1
    assert f"{rule.address_id}|first|" in read[0]
