"""Who is told of lists: people make rules of what an admin entered, send a test, and try again (S12.10)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import time
from typing import Any
from zoneinfo import available_timezones

from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from audit.models import Verb
from audit.recording import record
from execution.actions.asking import name_of
from execution.choices import About, MessageState, Origin
from execution.exceptions import BadNotice
from execution.models import NoticeMessage, NoticeRule, Worklist
from execution.permissions import TELL_VALUES
from execution.worklists.actions.asking import may_operate
from execution.worklists.notices import Step
from execution.worklists.telling import trial_payload
from sentences.said import say, worded
from workflows.models import Address

RULE = "rule of telling"
LONGEST_WAIT = 24 * 60  # minutes until a message is escalated


def keep_rule(
    *,
    abouts: Sequence[str],
    address: str,
    rule_id: str = "",
    worklist_id: str = "",
    person: str = "",
    zone: str = "",
    quiet_from: time | None = None,
    quiet_until: time | None = None,
    digest_at: time | None = None,
    escalate_minutes: int | None = None,
    escalate_to: str = "",
    with_values: bool = False,
    is_on: bool = True,
    user: Any = None,
    origin: Origin = Origin.PROGRAM,
) -> NoticeRule:
    """A new rule, or the one of that id changed. `address` and `escalate_to` are names that an admin entered; without
    a list it is about all of them. Raises BadNotice, UnknownNotice, UnknownWorklist, PermissionDenied."""
    may_operate(user)
    worklist = Worklist.objects.by_id(worklist_id) if worklist_id else None
    rule = NoticeRule.objects.by_id(rule_id) if rule_id else NoticeRule()
    may_tell_values(with_values, rule, user)
    _check(abouts, zone, quiet_from, quiet_until, escalate_minutes, escalate_to)
    rule.worklist, rule.abouts = worklist, [about for about in About.values if about in abouts]
    rule.address, rule.person = _address(address), _person(person)
    rule.zone = zone or timezone.get_current_timezone_name()
    rule.quiet_from, rule.quiet_until, rule.digest_at = quiet_from, quiet_until, digest_at
    rule.escalate_minutes = escalate_minutes if escalate_to else None
    rule.escalate_to = _address(escalate_to) if escalate_to else None
    rule.with_values, rule.is_on, rule.language = with_values, is_on, get_language() or "en"
    rule.changed_by, rule.changed_at = user, timezone.now()
    with transaction.atomic():
        rule.save()
        _record(Verb.CHANGED if rule_id else Verb.ADDED, rule, user, origin, abouts=rule.abouts, values=with_values)
    return rule


def switch_rule(*, rule_id: str, is_on: bool, user: Any = None, origin: Origin = Origin.PROGRAM) -> NoticeRule:
    """Off, nobody is told by it; on again, as before. Raises UnknownNotice, PermissionDenied."""
    may_operate(user)
    rule = NoticeRule.objects.by_id(rule_id)
    may_tell_values(False, rule, user)
    rule.is_on, rule.changed_by, rule.changed_at = is_on, user, timezone.now()
    with transaction.atomic():
        rule.save(update_fields=["is_on", "changed_by", "changed_at"])
        _record(Verb.CHANGED, rule, user, origin, on=is_on)
    return rule


def may_tell_values(with_values: bool, rule: NoticeRule, user: Any) -> None:
    """Raises PermissionDenied where values of rows would leave, or go elsewhere, without an admin's word."""
    if (with_values or rule.with_values) and user is not None and not user.has_perm(TELL_VALUES):
        raise PermissionDenied(TELL_VALUES)


def drop_rule(*, rule_id: str, user: Any = None, origin: Origin = Origin.PROGRAM) -> None:
    """Nobody is told by it any more. Raises UnknownNotice, PermissionDenied."""
    may_operate(user)
    rule = NoticeRule.objects.by_id(rule_id)
    with transaction.atomic():
        _record(Verb.DELETED, rule, user, origin)
        rule.delete()


def send_test(*, rule_id: str, user: Any = None, origin: Origin = Origin.PROGRAM) -> NoticeMessage:
    """A message that says nothing but that it arrives. Raises UnknownNotice, PermissionDenied."""
    may_operate(user)
    rule = NoticeRule.objects.by_id(rule_id)
    said = worded(say("notice.test"))
    with transaction.atomic():
        _record(Verb.CHANGED, rule, user, origin, did="test")
        return NoticeMessage.objects.create(
            rule=rule,
            worklist=rule.worklist,
            address=rule.address,
            person=rule.person,
            about="test",
            step=Step.FIRST,
            subject=said,
            body=said,
            payload=trial_payload(),
        )


def try_now(*, message_id: str, user: Any = None, origin: Origin = Origin.PROGRAM) -> NoticeMessage:
    """Send a message again that has not arrived. Raises UnknownNotice, BadNotice, PermissionDenied."""
    may_operate(user)
    message = NoticeMessage.objects.by_id(message_id)
    waits = {"state": MessageState.WAITING, "next_at": timezone.now(), "ended_at": None}
    if not message.body:
        raise BadNotice(_("The text of this message is gone, as it held values of rows."))
    left = NoticeMessage.objects.filter(pk=message.pk).exclude(state=MessageState.DELIVERED)
    if not left.update(**waits):
        raise BadNotice(_("This message has arrived."))
    message.refresh_from_db()
    return message


def _check(
    abouts: Sequence[str],
    zone: str,
    quiet_from: time | None,
    quiet_until: time | None,
    escalate_minutes: int | None,
    escalate_to: str,
) -> None:
    if not abouts:
        raise BadNotice(_("Choose at least one thing to tell."))
    if unknown := [about for about in abouts if about not in About.values]:
        words = _("“%(name)s” is nothing that is told. Known: %(known)s.")
        raise BadNotice(words % {"name": unknown[0], "known": ", ".join(About.values)})
    if zone and zone not in available_timezones():
        raise BadNotice(worded(say("clock.unknown_zone", zone=zone)))
    if (quiet_from is None) != (quiet_until is None):
        raise BadNotice(_("Quiet hours need a beginning and an end."))
    if escalate_to and not escalate_minutes:
        raise BadNotice(_("Say after how many minutes without an answer."))
    if escalate_minutes and escalate_minutes > LONGEST_WAIT:
        raise BadNotice(_("At most %(n)d minutes.") % {"n": LONGEST_WAIT})


def _address(name: str) -> Address:
    found = Address.objects.goes_out().filter(name=name).first()
    if found is None:
        raise BadNotice(_("There is no address “%(name)s”. An admin adds them in the admin.") % {"name": name})
    return found


def _person(name: str) -> Any:
    if not name:
        return None
    found = get_user_model().objects.filter(username=name, is_active=True).first()
    if found is None or not found.email:
        raise BadNotice(_("“%(name)s” is nobody here, or has no mail address.") % {"name": name})
    return found


def _record(verb: Verb, rule: NoticeRule, user: Any, origin: Origin, **detail: Any) -> None:
    record(verb, user=user, who=name_of(user, origin), origin=origin, kind=RULE, about=rule.rule_id, **detail)
