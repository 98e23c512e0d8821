"""What a webhook that comes in does: rows come into its list, and the list begins, once for each id (S12.10)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction

from execution.choices import Origin
from execution.exceptions import WebhookAgain
from execution.models import IncomingWebhook, WebhookCall
from execution.models.worklist import WorklistState
from execution.worklists import channels
from execution.worklists.actions.lists import append, start_list
from execution.worklists.adding import NewRow
from sentences.said import say, worded
from workflows import vault

Answer = dict[str, Any]


def verified(webhook: IncomingWebhook, headers: Mapping[str, str], body: bytes) -> tuple[str, Any]:
    """The id and the payload of a call that its secret has signed within five minutes of now. Raises BadSignature."""
    if not webhook.is_on or webhook.changed_by is None or not webhook.changed_by.is_active:
        raise channels.BadSignature(say("notice.bad_signature"))
    opened = json.loads(vault.open_address(webhook.address, reason=webhook.hook_id).reveal())
    return channels.verified(opened["secret"], headers, body)


def take(
    webhook: IncomingWebhook,
    message_id: str,
    body: bytes,
    *,
    rows: Sequence[NewRow],
    atomic: bool = True,
    start: bool = False,
) -> Answer:
    """Do what was called for, all of it or nothing, and keep the answer; of an id that was taken, the answer it had.

    Raises WebhookAgain for another body under the same id, PermissionDenied, and as `append` and `start_list` do.
    """
    if start and not webhook.begins:
        raise PermissionDenied(worded(say("worklists.webhook_begins_nothing")))
    digest = hashlib.sha256(body).hexdigest()
    try:
        with transaction.atomic():
            call = WebhookCall.objects.create(webhook=webhook, message_id=message_id[:255], digest=digest)
            call.answer = _done(webhook, rows, atomic=atomic, start=start)
            call.save(update_fields=["answer"])
        return dict(call.answer)
    except IntegrityError:
        known = WebhookCall.objects.filter(webhook=webhook, message_id=message_id[:255]).first()
        if known is None:
            raise
        if known.digest != digest:
            raise WebhookAgain(worded(say("worklists.webhook_again", id=message_id[:255]))) from None
        return dict(known.answer)


def _done(webhook: IncomingWebhook, rows: Sequence[NewRow], *, atomic: bool, start: bool) -> Answer:
    """Who stands, or was paused, is begun by no program: a person decides."""
    who: dict[str, Any] = {
        "worklist_id": webhook.worklist.worklist_id,
        "user": webhook.changed_by,
        "origin": Origin.API,
    }
    answer: Answer = {"added": {}, "known": {}, "refused": []}
    if rows:
        added = append(rows=rows, atomic=atomic, **who)
        answer = {"added": dict(added.numbers), "known": dict(added.known), "refused": list(added.refused)}
    webhook.worklist.refresh_from_db()
    answer["begun"] = start and webhook.worklist.state == WorklistState.READY
    if answer["begun"]:
        start_list(reason=webhook.reason, **who)
        webhook.worklist.refresh_from_db()
    return {**answer, "state": webhook.worklist.state}
