"""The assistant in the API: what was said about a run, asking, beginning anew. Answers come as lines of JSON (S4.6)."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Iterator
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpResponseBase, StreamingHttpResponse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from execution.api.serializers import ErrorSerializer
from execution.assistant.run_records import overview
from execution.assistant.service import get_assistant
from execution.models import Execution
from gpu.assistant import conversations
from gpu.assistant.assistant import LONGEST_QUESTION, AnswerOutcome, AnswerPart, Assistant
from sentences.request_body import RequestBody, checked
from sentences.said import worded

# The shapes of the assistant's part of the API, for its docs and for checking what comes in.


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


log = logging.getLogger(__name__)

USE = "gpu.use_assistant"

_answered_now = set[int | None]()  # people: one who asks twelve questions at once would make everybody else wait


class AssistantView(APIView):
    read_permission: str | None = USE
    write_permission: str | None = USE


class ConversationView(AssistantView):
    @extend_schema(responses=ConversationSerializer)
    def get(self, request: Request, execution_id: str) -> Response:
        """The briefing of the run, and what this person and the assistant have said in their newest conversation."""
        execution = Execution.objects.by_id(execution_id)
        key = conversations.latest(person=request.user, about=execution.execution_id)
        messages = [message.as_json() for message in conversations.messages(key)] if key else []
        return Response(_conversation(execution, messages), headers={"Cache-Control": "no-store"})

    @extend_schema(
        request=AskSerializer,
        responses={(200, "application/x-ndjson"): PieceSerializer(many=True), 422: ErrorSerializer},
    )
    def post(self, request: Request, execution_id: str) -> HttpResponseBase:
        """Ask, or give a command such as “/why 7”.

        The answer is a line of JSON for each piece: `records`, then `text`, at last `end` with the message.
        """
        about = Execution.objects.by_id(execution_id).execution_id
        asked = checked(AskSerializer, request.data)
        key = conversations.latest(person=request.user, about=about)
        key = key or conversations.begin(person=request.user, about=about)
        said = {"conversation": key, "language": (get_language() or "en")[:2]}
        answer = _alines if isinstance(request._request, ASGIRequest) else _lines
        lines: Any = answer(get_assistant(), asked["text"], said, request.user.pk)
        # no proxy may wait for the whole of it
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingHttpResponse(lines, content_type="application/x-ndjson", headers=headers)


class NewConversationView(AssistantView):
    @extend_schema(request=None, responses=ConversationSerializer)
    def post(self, request: Request, execution_id: str) -> Response:
        """Begin anew; what was said before is kept, and no longer told to models."""
        execution = Execution.objects.by_id(execution_id)
        conversations.begin(person=request.user, about=execution.execution_id)
        return Response(_conversation(execution, []), status=201)


class StatusView(AssistantView):
    write_permission = None

    @extend_schema(responses=AssistantStatusSerializer)
    def get(self, request: Request) -> Response:
        """Who would answer now."""
        status = get_assistant().get_status()
        return Response({"name": status.name, "model": status.model, "reason": worded(status.reason)})


def _conversation(execution: Execution, messages: list[dict[str, Any]]) -> dict[str, Any]:
    return {"name": get_assistant().name, **overview(execution), "messages": messages}


def _lines(assistant: Assistant, text: str, said: dict[str, str], person: int | None) -> Iterator[bytes]:
    """For servers that are not asynchronous."""
    if person in _answered_now:
        yield _error(_one_at_a_time())
        return
    _answered_now.add(person)
    try:
        for part in assistant.stream_message(text, **said):
            yield _line(part)
    except Exception:  # the answer has begun: no status can tell any more, only its last line
        log.exception("an answer of the assistant broke off")
        yield _error(_broken())
    finally:
        _answered_now.discard(person)


async def _alines(assistant: Assistant, text: str, said: dict[str, str], person: int | None) -> AsyncIterator[bytes]:
    if person in _answered_now:
        yield _error(_one_at_a_time())
        return
    _answered_now.add(person)
    parts = assistant.astream_message(text, **said)
    try:
        async for part in parts:
            yield _line(part)
    except Exception:  # the answer has begun: no status can tell any more, only its last line
        log.exception("an answer of the assistant broke off")
        yield _error(_broken())
    finally:
        _answered_now.discard(person)
        await parts.aclose()  # whoever has gone away stops the model too


def _line(part: AnswerPart) -> bytes:
    return json.dumps(part.as_json(), ensure_ascii=False).encode() + b"\n"


def _error(words: str) -> bytes:
    return json.dumps({"kind": "error", "text": words}).encode() + b"\n"


def _broken() -> str:
    return _("The answer broke off because of an error in the server; its log says more.")


def _one_at_a_time() -> str:
    return _("Your last question is still being answered: wait for it, or stop it.")
