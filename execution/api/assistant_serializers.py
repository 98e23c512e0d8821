"""The shapes of the assistant's part of the API, for its docs and for checking what comes in."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from gpu.assistant.answer import AnswerOutcome
from gpu.assistant.assistant import LONGEST_QUESTION
from sentences.request_body import RequestBody


class AskSerializer(RequestBody):
    text = serializers.CharField(
        max_length=LONGEST_QUESTION, help_text="A question in somebody's own words, or a command; /help names them."
    )


class ReferenceSerializer(serializers.Serializer[Any]):
    step = serializers.IntegerField()
    sentence = serializers.CharField()
    outcome = serializers.CharField()
    run = serializers.CharField(required=False, help_text="Where it is a step of another run.")


class MessageSerializer(serializers.Serializer[Any]):
    index = serializers.IntegerField()
    role = serializers.ChoiceField(choices=["user", "assistant"])
    records = serializers.CharField(help_text="What the database says; of a person's message what they wrote.")
    words = serializers.CharField(help_text="What a model made of it; empty where none was asked or none answered.")
    model = serializers.CharField(help_text="Who said the words.")
    references = ReferenceSerializer(many=True)
    draft = serializers.DictField(help_text="A correction for the open question: prompt_id, step, words, and S1.10.")
    dropped = serializers.DictField(help_text="Which earlier messages the model did not see.")
    attempts = serializers.ListField(child=serializers.DictField(), help_text="Which models were tried.")
    at = serializers.DateTimeField()


class SectionSerializer(serializers.Serializer[Any]):
    title = serializers.CharField()
    text = serializers.CharField()
    references = ReferenceSerializer(many=True)


class CommandSerializer(serializers.Serializer[Any]):
    command = serializers.CharField(help_text="As it is asked, for example “/why 7”.")
    label = serializers.CharField()  # type: ignore[assignment]  # a field by that name, which fields have as well


class ConversationSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="The assistant's.")
    briefing = SectionSerializer(
        many=True, help_text="What happened, what failed, why, what was corrected, what is next."
    )
    commands = CommandSerializer(many=True, help_text="Those that the run gives reason for now.")
    messages = MessageSerializer(many=True)


class PieceSerializer(serializers.Serializer[Any]):
    """One line of an answer that is streamed."""

    kind = serializers.ChoiceField(choices=["records", "text", "again", "end", "error"])
    text = serializers.CharField(required=False)
    references = ReferenceSerializer(many=True, required=False)
    draft = serializers.DictField(required=False)
    message = MessageSerializer(required=False)
    outcome = serializers.ChoiceField(choices=[outcome.value for outcome in AnswerOutcome], required=False)
    note = serializers.CharField(required=False)
    retry_after_s = serializers.FloatField(required=False)


class AssistantStatusSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    model = serializers.CharField(help_text="Who would answer now; empty where only the records would.")
    reason = serializers.CharField(help_text="Why no model would.")
