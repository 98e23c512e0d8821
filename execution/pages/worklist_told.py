"""Who is told of a list, beside its times: rules, what they read, and the last messages (S12.10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_time
from django.utils.formats import date_format, time_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from execution.choices import About, MessageState, Origin
from execution.exceptions import BadNotice
from execution.models import NoticeMessage, NoticeRule, Worklist
from execution.permissions import OPERATE, TELL_VALUES
from execution.worklists import notices
from execution.worklists.actions.telling import drop_rule, keep_rule, send_test, try_now
from execution.worklists.happenings import link_to
from sentences.said import say, worded
from workflows.exceptions import DomainError
from workflows.parsing import whole_number
from workflows.permissions import permitted

LATEST = 6
NEW = "new"
_BADGES = {
    MessageState.WAITING: ("blue", "hourglass"),
    MessageState.DELIVERED: ("green", "circle-check"),
    MessageState.FAILED: ("red", "alert-circle"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A rule in words."""

    rule: NoticeRule
    what: str
    whom: str
    more: Sequence[str]
    when: str
    is_open: bool
    has_failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A message that was made, with what came of it."""

    message: NoticeMessage
    when: str
    what: str
    whom: str
    words: str
    colour: str
    icon: str
    why: str
    again: str


def told_context(request: HttpRequest, one: Worklist, addresses: list[str]) -> dict[str, Any]:
    """The right of the page; `addresses` are the names of those that messages may go to."""
    rules = list(
        NoticeRule.objects.filter(Q(worklist=one) | Q(worklist=None)).select_related(
            "worklist", "address", "person", "escalate_to", "changed_by"
        )
    )
    latest = list(
        NoticeMessage.objects.filter(Q(worklist=one) | Q(worklist=None, about="test")).select_related(
            "address", "person", "rule"
        )[:LATEST]
    )
    asked = request.GET.get("rule", "")
    chosen = next((rule for rule in rules if rule.rule_id == asked), None)
    failed = {message.rule_id for message in latest if message.said and message.state != MessageState.DELIVERED}
    people = get_user_model().objects.filter(is_active=True).exclude(email="").order_by("username")
    return {
        "rules": [_line(rule, is_open=rule == chosen, has_failed=rule.pk in failed) for rule in rules],
        "rule": chosen,
        "rule_is_open": chosen is not None or asked == NEW,
        "abouts": About.choices,
        "addresses": addresses,
        "people": list(people.values_list("username", flat=True)),
        "messages_told": [_told(message) for message in latest],
        "example": example(one),
        "may_tell_values": request.user.has_perm(TELL_VALUES),
        "is_waiting": any(message.state == MessageState.WAITING and not message.tries for message in latest),
        "needs_address": not addresses,
        "may_add_address": request.user.has_perm("workflows.add_address"),
    }


def example(one: Worklist) -> str:
    """What people read, by the code that sends it."""
    event = notices.Event(
        key="example",
        about=About.PERSON_NEEDED,
        list_id=one.worklist_id,
        list_name=one.name,
        workflow_id="",
        at=timezone.now(),
        link=link_to(one, 61),
        rows=(61,),
        reason=say("worklists.unanswered", asked=_("A dialog that was not taught came up."), n=10),
    )
    return notices.body(notices.Message(channel="", step=notices.Step.FIRST, events=(event,)))


def _line(rule: NoticeRule, *, is_open: bool, has_failed: bool) -> Line:
    labels = [str(About(about).label) for about in rule.abouts]
    what = labels[0] if len(labels) == 1 else _("%(first)s and %(n)d more") % {"first": labels[0], "n": len(labels) - 1}
    more = []
    if rule.worklist is None:
        more.append(_("of all lists"))
    if rule.escalate_to and rule.escalate_minutes:
        words = {"n": rule.escalate_minutes, "to": rule.escalate_to.name}
        more.append(_("after %(n)d min without an answer: %(to)s") % words)
    if rule.with_values:
        more.append(_("with values of rows"))
    return Line(
        rule=rule,
        what=what,
        whom=_whom(rule),
        more=more,
        when=_when(rule),
        is_open=is_open,
        has_failed=has_failed,
    )


def _whom(one: NoticeRule | NoticeMessage) -> str:
    name = one.address.name if one.address else "–"
    return f"{one.person.get_username()}, {name}" if one.person else name


def _when(rule: NoticeRule) -> str:
    if not rule.is_on:
        return _("switched off")
    if rule.digest_at:
        return _("once a day at %(at)s") % {"at": f"{rule.digest_at:%H:%M}"}
    if rule.quiet_from and rule.quiet_until:
        words = {"a": f"{rule.quiet_from:%H:%M}", "b": f"{rule.quiet_until:%H:%M}"}
        return _("at once; from %(a)s to %(b)s at %(b)s") % words
    return _("at once, at night too")


def _told(message: NoticeMessage) -> Told:
    state = MessageState(message.state)
    colour, icon = _BADGES[state]
    words = str(state.label)
    if message.state == MessageState.WAITING and message.said:
        colour, icon, words = "red", "alert-circle", str(MessageState.FAILED.label)
    again = ""
    if message.said and message.state != MessageState.DELIVERED:
        again = ngettext("Tried %(n)d time.", "Tried %(n)d times.", message.tries) % {"n": message.tries}
        if message.next_at:
            again += " " + _("Again at %(at)s.") % {"at": _clock(message.next_at)}
    about = _("Test") if message.about == "test" else str(About(message.about).label)
    if message.step == notices.Step.ESCALATION:
        about = _("%(what)s, not answered") % {"what": about}
    return Told(
        message=message,
        when=_moment(message.made_at),
        what=about,
        whom=_whom(message),
        words=words,
        colour=colour,
        icon=icon,
        why=worded(message.said) if message.state != MessageState.DELIVERED else "",
        again=again,
    )


def _clock(at: datetime) -> str:
    return time_format(timezone.localtime(at), "H:i")


def _moment(at: datetime) -> str:
    return f"{date_format(timezone.localtime(at), 'D j M')} {_clock(at)}"


@permitted(OPERATE)
@require_POST
def worklist_tell(request: HttpRequest, worklist_id: str) -> HttpResponse:
    """Keep a rule, drop it, send a test, try a message now."""
    one = Worklist.objects.by_id(worklist_id)
    who: dict[str, Any] = {"user": request.user, "origin": Origin.PAGE}
    rule_id, goes_to = request.POST.get("rule", ""), f"{reverse('list_when', args=[worklist_id])}"
    try:
        match request.POST.get("verb"):
            case "save":
                keep_rule(**_asked(request.POST, one), rule_id=rule_id, **who)
                messages.success(request, _("Saved."))
            case "drop":
                drop_rule(rule_id=rule_id, **who)
            case "test":
                send_test(rule_id=rule_id, **who)
                messages.info(request, _("The test is on its way. What comes of it stands under the last messages."))
            case "try":
                try_now(message_id=request.POST.get("message", ""), **who)
    except DomainError as error:
        messages.error(request, worded(error))
        goes_to += f"?rule={rule_id or NEW}"
    return redirect(f"{goes_to}#when-told")


def _asked(posted: QueryDict, one: Worklist) -> dict[str, Any]:
    quiet = posted.get("when") == "quiet"
    return {
        "abouts": posted.getlist("about"),
        "address": posted.get("address", ""),
        "person": posted.get("person", ""),
        "worklist_id": "" if posted.get("all_lists") else one.worklist_id,
        "quiet_from": _time(posted, "quiet_from") if quiet else None,
        "quiet_until": _time(posted, "quiet_until") if quiet else None,
        "digest_at": _time(posted, "digest_at") if posted.get("when") == "digest" else None,
        "escalate_to": posted.get("escalate_to", ""),
        "escalate_minutes": whole_number(posted.get("escalate_minutes", "")),
        "with_values": bool(posted.get("with_values")),
        "is_on": bool(posted.get("is_on")),
    }


def _time(posted: QueryDict, name: str) -> time:
    try:
        found = parse_time(posted.get(name, ""))
    except ValueError:
        found = None
    if found is None:
        raise BadNotice(_("Say at what time."))
    return found
