"""People are told: what happened becomes messages, which are kept, sent, and tried again (S12.10).

A message and the marks of what it tells are made in one transaction, so that two who look at once tell nobody twice. It
is sent outside of one. Who dies in the middle of sending leaves it to be sent again: a webhook then has the same id.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone, translation

from execution.choices import About, MessageState
from execution.models import NoticeMark, NoticeMessage, NoticeRule, Worklist
from execution.worklists import channels, notices
from execution.worklists.channels import Outcome
from execution.worklists.happenings import LOOKED_BACK, happened
from sentences.said import say, told_by, worded
from workflows import vault
from workflows.exceptions import DomainError
from workflows.models import Address, AddressKind

log = logging.getLogger(__name__)

AT_ONCE = 500  # marks that are asked for in one statement
LONGEST_MARK = 400
MOST_AT_ONCE = 20  # messages that one look sends, so that the next look is not long after
_HELD = timedelta(minutes=2)  # by whoever sends it


def tell(now: datetime | None = None) -> None:
    """Make the messages that are due, and send what waits."""
    now = now or timezone.now()
    make_messages(now)
    send_due(now)


# --- made --------------------------------------------------------------------------------------------------------
def make_messages(now: datetime) -> int:
    """Keep the messages that are due now and were not made yet; how many."""
    rules = {rule.rule_id: rule for rule in _rules()}
    if not rules:
        return 0
    events = happened(now - LOOKED_BACK, now, with_values=any(rule.with_values for rule in rules.values()))
    found = notices.due([as_rule(rule) for rule in rules.values()], events, now)
    told = _made_before({mark[:LONGEST_MARK] for message in found for mark in message.marks})
    return sum(_keep(message, rules[message.rule], now) for message in notices.untold(found, told))


def _made_before(marks: Collection[str]) -> set[str]:
    """Those of the marks that were kept: asked for by name, so that what was told long ago costs nothing."""
    told: set[str] = set()
    ordered = sorted(marks)
    for begin in range(0, len(ordered), AT_ONCE):
        some = NoticeMark.objects.filter(mark__in=ordered[begin : begin + AT_ONCE])
        told.update(some.values_list("mark", flat=True))
    return told


def _rules() -> Any:
    return NoticeRule.objects.filter(is_on=True).select_related("worklist", "address", "escalate_to", "person")


def as_rule(rule: NoticeRule) -> notices.Rule:
    return notices.Rule(
        abouts=frozenset(About(about) for about in rule.abouts),
        channel=_channel(rule.address, rule.person_id),
        zone=rule.zone,
        lists=frozenset([rule.worklist.worklist_id] if rule.worklist else []),
        quiet_from=rule.quiet_from,
        quiet_until=rule.quiet_until,
        digest_at=rule.digest_at,
        escalate_after=timedelta(minutes=rule.escalate_minutes) if rule.escalate_minutes else None,
        escalate_to=_channel(rule.escalate_to) if rule.escalate_to else "",
        with_values=rule.with_values,
        since=rule.created_at,
        name=rule.rule_id,
    )


def _channel(address: Address, person_id: int | None = None) -> str:
    return f"{address.pk}" if person_id is None else f"{address.pk} {person_id}"


def _keep(message: notices.Message, rule: NoticeRule, now: datetime) -> bool:
    escalates = message.step == notices.Step.ESCALATION
    address = rule.escalate_to if escalates else rule.address
    first = message.events[0]
    with translation.override(rule.language):
        subject, body = notices.subject(message)[:300], notices.body(message)
        payload = payload_of(message)
    try:
        with transaction.atomic():
            kept = NoticeMessage.objects.create(
                rule=rule,
                worklist=Worklist.objects.filter(worklist_id=first.list_id).first(),
                address=address,
                person=None if escalates else rule.person,
                about=first.about,
                step=message.step,
                subject=subject,
                body=body,
                payload=payload,
                has_values=message.with_values,
                made_at=now,
                next_at=now,
            )
            NoticeMark.objects.bulk_create(
                [NoticeMark(mark=one[:LONGEST_MARK], message=kept, at=now) for one in message.marks]
            )
    except IntegrityError:
        return False  # another one made it, a moment ago
    return True


def payload_of(message: notices.Message) -> dict[str, Any]:
    """What a webhook carries: the same as the text, for programs; in the active language."""
    return {
        "type": f"list.{message.events[0].about}",
        "step": message.step,
        "events": [
            {
                "about": event.about,
                "list_id": event.list_id,
                "list": event.list_name,
                "rows": list(event.rows),
                "reason": worded(event.reason if message.with_values else notices.without_values(event.reason)),
                "at": event.at.isoformat(),
                "link": event.link,
                **({"values": event.values} if message.with_values and event.values else {}),
            }
            for event in message.events[: notices.MOST_TOLD]
        ],
    }


# --- sent --------------------------------------------------------------------------------------------------------
def send_due(now: datetime) -> int:
    """Send what waits; how many arrived."""
    found = NoticeMessage.objects.due(now).select_related("address", "person", "rule")[:MOST_AT_ONCE]
    return sum(send_one(message, now) for message in list(found))


def send_one(message: NoticeMessage, now: datetime) -> bool:
    """Send it, if nobody else does, and keep what came of it."""
    if not message.take(now, now + _HELD):
        return False
    message.refresh_from_db()
    try:
        outcome = _sent(message)
    except Exception as error:  # noqa: BLE001  of whichever library sends it; its words may hold the address
        log.warning("the message %s was not sent: %s", message.message_id, type(error).__name__)
        outcome = Outcome(delivered=False, said=say("notice.not_delivered", words=type(error).__name__))
    _settle(message, outcome, now)
    return outcome.delivered


def _sent(message: NoticeMessage) -> Outcome:
    if message.address is None:
        return Outcome(delivered=False, said=say("notice.address_gone"))
    try:
        opened = json.loads(vault.open_address(message.address, reason=message.message_id).reveal())
    except DomainError as error:
        return Outcome(delivered=False, said=told_by(error))
    if message.address.kind == AddressKind.WEBHOOK:
        payload = {**message.payload, "timestamp": message.made_at.isoformat()}
        return channels.call(opened["url"], opened["secret"], message_id=message.message_id, payload=payload)
    to = opened["url"]
    if message.person is not None:
        if not message.person.email:
            return Outcome(delivered=False, said=say("notice.no_mail", name=message.person.get_username()))
        to = channels.to_person(to, message.person.email)
    return channels.send(to, message.subject, message.body)


def _settle(message: NoticeMessage, outcome: Outcome, now: datetime) -> None:
    """Delivered, tried again later, or given up; values of rows do not stay here."""
    changes: dict[str, Any] = {"said": outcome.said}
    if outcome.delivered:
        changes |= {"state": MessageState.DELIVERED, "next_at": None, "ended_at": now}
    elif (again := notices.next_try(message.tries, message.made_at, now)) is not None:
        changes["next_at"] = again
    else:
        changes |= {"state": MessageState.FAILED, "next_at": None, "ended_at": now}
    if message.has_values and changes.get("state"):
        changes |= {"body": "", "payload": {}}
    if not outcome.delivered:
        log.warning("the message %s was not delivered (try %s)", message.message_id, message.tries)
    NoticeMessage.objects.filter(pk=message.pk, next_at=message.next_at).update(**changes)


def trial_payload() -> Mapping[str, Any]:
    """Of a message that a person sends to see whether it arrives."""
    return {"type": "list.test", "step": notices.Step.FIRST, "events": [], "link": settings.SITE_ADDRESS}
