"""Holding a prompt: its time stands still for the one who is correcting, as long as signs of life come (S1.10)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from execution.actions.decide import already_decided
from execution.choices import EventKind, PromptState
from execution.exceptions import HeldBySomebody, NothingToDecide
from execution.models import Prompt
from execution.record.events import emit
from execution.record.payloads import prompt_payload

# A browser gives a sign every 20 s, once a minute where its page is hidden; a closed laptop gives none.
HOLD_FOR = timedelta(seconds=90)


def hold(*, prompt_id: int, user: Any) -> Prompt:
    """Stop the prompt's time for `user`, or go on doing so.

    Raises NothingToDecide or AlreadyDecided where it is no longer asked, HeldBySomebody with who.
    """
    prompt = _open(prompt_id)
    now = timezone.now()
    going_on = Prompt.objects.open().filter(pk=prompt.pk, held_by=user, held_until__gt=now)
    if not going_on.update(held_until=now + HOLD_FOR):
        prompt = expire(prompt, now)
        with transaction.atomic():
            in_time = Q(deadline_at=None) | Q(deadline_at__gt=now)
            free = Prompt.objects.open().filter(in_time, pk=prompt.pk, held_by=None)
            if not free.update(held_by=user, held_since=now, held_until=now + HOLD_FOR):
                raise _refusal(_open(prompt_id))
            _tell(_open(prompt_id))
    return _open(prompt_id)


def let_go(*, prompt_id: int, user: Any) -> Prompt:
    """Let the prompt's time run again; nothing where `user` does not hold it. Raises as `hold`."""
    prompt = _open(prompt_id)
    if user is None or prompt.held_by_id != user.pk:
        return prompt
    return _end(prompt, timezone.now())


def expire(prompt: Prompt, now: datetime) -> Prompt:
    """The prompt as it is now; a hold without a sign of life is ended at the moment up to which it was good."""
    prompt.refresh_from_db(fields=["state", "deadline_at", "held_by", "held_since", "held_until"])
    return _end(prompt, prompt.held_until) if prompt.held_until and prompt.held_until <= now else prompt


def postpone(prompt: Prompt, seconds: float) -> None:
    """Move the deadline by a time in which nobody could answer, or by which the clock jumped; browsers are told."""
    with transaction.atomic():
        rows = Prompt.objects.open().filter(pk=prompt.pk).exclude(deadline_at=None)
        if rows.update(deadline_at=F("deadline_at") + timedelta(seconds=seconds)):
            _tell(Prompt.objects.select_related("step", "execution").get(pk=prompt.pk))
    prompt.refresh_from_db(fields=["state", "deadline_at"])


def _end(prompt: Prompt, at: datetime) -> Prompt:
    """End the hold: the deadline moves by as long as the time stood still. Once, whoever else ends it too."""
    if prompt.held_since is None or prompt.held_until is None:
        return prompt
    stood = max(min(at, prompt.held_until) - prompt.held_since, timedelta())
    changes: dict[str, Any] = {"held_by": None, "held_since": None, "held_until": None}
    if prompt.deadline_at:
        changes["deadline_at"] = prompt.deadline_at + stood
    with transaction.atomic():
        same = Prompt.objects.open().filter(pk=prompt.pk, held_by=prompt.held_by_id, held_since=prompt.held_since)
        if same.update(**changes):
            _tell(Prompt.objects.select_related("step", "execution").get(pk=prompt.pk))
    prompt.refresh_from_db(fields=["state", "deadline_at", "held_by", "held_since", "held_until"])
    return prompt


def _tell(prompt: Prompt) -> None:
    emit(prompt.execution, EventKind.PROMPT, prompt_payload(prompt))


def _open(prompt_id: int) -> Prompt:
    prompt = Prompt.objects.select_related("step", "execution", "held_by").filter(pk=prompt_id).first()
    if prompt is None:
        raise NothingToDecide(_("There is no question with the number %(id)s.") % {"id": prompt_id})
    if prompt.state != PromptState.OPEN:
        raise already_decided(prompt)
    return prompt


def _refusal(prompt: Prompt) -> HeldBySomebody | NothingToDecide:
    if prompt.held_by is None:
        return NothingToDecide(_("The time to answer is over."))
    who = prompt.held_by.get_username()
    return HeldBySomebody(_("%(who)s is correcting this already.") % {"who": who}, who=who)
