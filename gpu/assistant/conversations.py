"""Conversations with the assistant as rows: begun, read again, added to (S4.3, S4.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from gpu.choices import MessageRole
from gpu.models import Conversation, Message

KEPT_FOR = timedelta(days=90)
MOST_TOLD = 100  # messages
TRIES = 5  # of two who write to one conversation at once, each gets a number of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMessage:
    """One message as it is kept. `content` of an answer: what the records say, then, after a blank line, the model."""

    index: int
    role: str
    content: str
    model: str = ""
    references: Sequence[Mapping[str, Any]] = ()
    draft: Mapping[str, Any] = field(default_factory=dict)
    dropped: Mapping[str, Any] = field(default_factory=dict)
    attempts: Sequence[Mapping[str, Any]] = ()
    at: datetime | None = None

    @property
    def records(self) -> str:
        """What the database alone said."""
        return self.content.partition("\n\n")[0] if self.role == MessageRole.ASSISTANT else self.content

    @property
    def words(self) -> str:
        """What a model said; empty where none did."""
        return self.content.partition("\n\n")[2] if self.role == MessageRole.ASSISTANT else ""

    def as_json(self) -> dict[str, Any]:
        return {
            "index": self.index,
            "role": self.role,
            "records": self.records,
            "words": self.words,
            "model": self.model,
            "references": list(self.references),
            "draft": dict(self.draft),
            "dropped": dict(self.dropped),
            "attempts": list(self.attempts),
            "at": self.at.isoformat() if self.at else None,
        }


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


def messages(key: str) -> tuple[StoredMessage, ...]:
    """The messages, the oldest first; none of a conversation that is not there.

    Of a very long one its end: at least MOST_TOLD of them, and less than twice as many.
    """
    rows = Message.objects.filter(conversation__uuid=key).order_by("index")
    # cut seldom, by whole blocks: a summary of what went before holds as long as the beginning stays the same
    beginning = max(0, rows.count() // MOST_TOLD - 1) * MOST_TOLD
    return tuple(_kept(row) for row in rows[beginning:])


def keep(key: str, *, role: MessageRole, content: str, **fields: Any) -> StoredMessage:
    """Add a message; raises Conversation.DoesNotExist."""
    conversation = Conversation.objects.get(uuid=key)
    for left in reversed(range(TRIES)):
        try:
            with transaction.atomic():
                last = conversation.messages.aggregate(last=Max("index", default=-1))["last"]
                row = Message.objects.create(
                    conversation=conversation, index=last + 1, role=role, content=content, **fields
                )
                conversation.save(update_fields=["updated_at"])
                return _kept(row)
        except IntegrityError:
            if not left:
                raise
    raise AssertionError("unreachable")


def change(key: str, index: int, **fields: Any) -> StoredMessage:
    """Say more, or something else, in a message; raises Message.DoesNotExist."""
    Message.objects.filter(conversation__uuid=key, index=index).update(**fields)
    return _kept(Message.objects.get(conversation__uuid=key, index=index))


def _kept(row: Message) -> StoredMessage:
    return StoredMessage(
        index=row.index,
        role=row.role,
        content=row.content,
        model=row.model,
        references=tuple(row.references),
        draft=dict(row.draft),
        dropped=dict(row.dropped),
        attempts=tuple(row.attempts),
        at=row.at,
    )
