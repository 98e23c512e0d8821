"""Conversations with the assistant, as people see them again (S4.3, S4.6)."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models

from gpu.choices import MessageRole
from sentences.said import in_words


class Conversation(models.Model):
    """`about` is the run that it is about (an `execution_id`), empty where it is about none."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE)
    about = models.CharField(max_length=60, blank=True, db_index=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        db_table = "gpu_conversations"
        ordering = ("-updated_at",)

    def __str__(self) -> str:
        return f"{self.uuid}"


class Message(models.Model):
    """`content` of an answer: what the records say, then, after a blank line, what a model says.

    `references` are the steps that the answer stands on, `draft` a correction that a person may apply.
    `dropped` says which earlier messages the model no longer saw (their indexes, and whether they were summarised),
    `attempts` which models were tried: {model, outcome, error, seconds}.
    """

    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="messages")
    index = models.PositiveIntegerField()
    role = models.CharField(max_length=10, choices=MessageRole)
    content = models.TextField()
    model = models.CharField(max_length=200, blank=True)  # who answered; empty: the database alone
    references = models.JSONField(default=list)
    draft = models.JSONField(default=dict)
    dropped = models.JSONField(default=dict)
    attempts = models.JSONField(default=list)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "gpu_messages"
        ordering = ("conversation", "index")
        constraints = [models.UniqueConstraint(fields=("conversation", "index"), name="gpu_message_unique")]

    def __str__(self) -> str:
        return f"{self.index}: {self.role}"

    @property
    def records(self) -> str:
        return self.content.partition("\n\n")[0] if self.role == MessageRole.ASSISTANT else self.content

    @property
    def words(self) -> str:
        """What a model said; empty where none did."""
        return self.content.partition("\n\n")[2] if self.role == MessageRole.ASSISTANT else ""

    def as_json(self) -> dict[str, Any]:
        """In the reader's language."""
        kept = ("index", "role", "records", "words", "model", "references", "draft", "dropped")
        told = {name: getattr(self, name) for name in kept}
        return {**told, "attempts": in_words(self.attempts), "at": self.at.isoformat()}
