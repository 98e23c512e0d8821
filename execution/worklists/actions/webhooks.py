"""Which other systems may call a list: people say so of a secret that an admin entered (S12.10)."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from audit.models import Verb
from execution.choices import Origin
from execution.exceptions import BadNotice, ModeNotEarned
from execution.models import IncomingWebhook, Worklist
from execution.worklists.actions.asking import may_operate, record_of
from execution.worklists.actions.lists import may_act
from workflows.models import Address, AddressKind

LONGEST_REASON = 300


def keep_webhook(
    *,
    worklist_id: str,
    secret: str,
    hook_id: str = "",
    begins: bool = False,
    is_on: bool = True,
    reason: str = "",
    user: Any = None,
    origin: Origin = Origin.PROGRAM,
) -> IncomingWebhook:
    """A new one, or that of the id changed. `secret` is the name that an admin gave it; `reason`: why the list's runs
    act by themselves though the workflow has not earned that.

    Raises BadNotice, ModeNotEarned, UnknownWebhook, UnknownWorklist, PermissionDenied.
    """
    may_operate(user)
    worklist = Worklist.objects.by_id(worklist_id)
    address = Address.objects.filter(name=secret, kind=AddressKind.INCOMING).first()
    if address is None:
        words = _("There is no secret “%(name)s” of a webhook that comes in. An admin adds it in the admin.")
        raise BadNotice(words % {"name": secret})
    if begins and is_on and may_act(worklist, user=user, reason=reason) and not reason.strip():
        raise ModeNotEarned(
            _("The workflow has not earned to act by itself yet. Say in a sentence why it is to do so now.")
        )
    webhook = _one(worklist, hook_id) if hook_id else IncomingWebhook(worklist=worklist)
    webhook.address, webhook.begins, webhook.is_on = address, begins, is_on
    webhook.reason = reason.strip()[:LONGEST_REASON]
    webhook.changed_by, webhook.changed_at = user, timezone.now()
    with transaction.atomic():
        webhook.save()
        verb = Verb.CHANGED if hook_id else Verb.ADDED
        record_of(verb, worklist, user, origin, webhook=webhook.hook_id, begins=begins, on=is_on)
    return webhook


def drop_webhook(*, worklist_id: str, hook_id: str, user: Any = None, origin: Origin = Origin.PROGRAM) -> None:
    """Nobody calls it any more. Raises UnknownWebhook, UnknownWorklist, PermissionDenied."""
    may_operate(user)
    worklist = Worklist.objects.by_id(worklist_id)
    with transaction.atomic():
        _one(worklist, hook_id).delete()
        record_of(Verb.DELETED, worklist, user, origin, webhook=hook_id)


def _one(worklist: Worklist, hook_id: str) -> IncomingWebhook:
    return IncomingWebhook.objects.filter(worklist=worklist).by_id(hook_id)
