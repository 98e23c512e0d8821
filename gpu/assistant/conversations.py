"""Conversations with the assistant as rows: begun, read again, added to (S4.3, S4.6)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from gpu.choices import MessageRole
from gpu.models import Conversation, Message

KEPT_FOR = timedelta(days=90)
MOST_TOLD = 100  # messages


def begin(*, person: Any = None, about: str = "") -> str:
    """The key of a new conversation; those that nobody went on with for a long time go."""
    Conversation.objects.filter(updated_at__lt=timezone.now() - KEPT_FOR).delete()
    return str(Conversation.objects.create(person=person, about=about).uuid)


def latest(*, person: Any, about: str) -> str:
    """The key of this person's newest conversation about a run; empty where there is none."""
    row = Conversation.objects.filter(person=person, about=about).order_by("-created_at", "-pk").first()
    return str(row.uuid) if row else ""


def about(key: str) -> str:
    return Conversation.objects.get(uuid=key).about


def drop_about(runs: Collection[str]) -> None:
    """What was said about runs whose texts are no longer kept goes with them."""
    Conversation.objects.filter(about__in=runs).delete()


def messages(key: str) -> tuple[Message, ...]:
    """The messages, the oldest first; none of a conversation that is not there."""
    rows = Message.objects.filter(conversation__uuid=key).order_by("index")
    # cut seldom, by whole blocks: a server keeps what it has read as long as the beginning stays the same
    beginning = max(0, rows.count() // MOST_TOLD - 1) * MOST_TOLD
    return tuple(rows[beginning:])


def keep(key: str, *, role: MessageRole, content: str, **fields: Any) -> Message:
    """Add a message; raises Conversation.DoesNotExist."""
    with transaction.atomic():
        conversation = Conversation.objects.select_for_update().get(uuid=key)  # who writes at once gets another number
        last = conversation.messages.aggregate(last=Max("index", default=-1))["last"]
        message = Message.objects.create(
            conversation=conversation, index=last + 1, role=role, content=content, **fields
        )
        conversation.save(update_fields=["updated_at"])
    return message


def change(key: str, index: int, **fields: Any) -> Message:
    """Say more, or something else, in a message; raises Message.DoesNotExist."""
    Message.objects.filter(conversation__uuid=key, index=index).update(**fields)
    return Message.objects.get(conversation__uuid=key, index=index)
