"""The API of who is told of lists: rules, their trial, and the messages with what came of them (S12.10)."""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from execution.api.lesson_serializers import NothingSerializer
from execution.api.serializers import ErrorSerializer
from execution.api.views import RunsView, origin_of
from execution.choices import About, MessageState
from execution.models import NoticeMessage, NoticeRule
from execution.worklists.actions.telling import LONGEST_WAIT, drop_rule, keep_rule, send_test, try_now
from sentences.request_body import RequestBody, checked
from sentences.said import worded

REFUSALS = {404: ErrorSerializer, 422: ErrorSerializer}
A_RULE = OpenApiExample(
    "The duty nurse, and ward IT after 20 minutes without an answer",
    value={
        "worklist_id": "list_4be1c09a77d2",
        "abouts": ["person_needed", "stopped"],
        "address": "Duty nurse, Teams",
        "zone": "Europe/Paris",
        "escalate_minutes": 20,
        "escalate_to": "Ward IT",
    },
    request_only=True,
)


class KeepNoticeRuleSerializer(RequestBody):
    worklist_id = serializers.CharField(
        required=False, allow_blank=True, default="", max_length=60, help_text="Without it the rule is about all lists."
    )
    abouts = serializers.ListField(child=serializers.ChoiceField(choices=About.choices), min_length=1)
    address = serializers.CharField(max_length=100, help_text="The name under which an admin entered it.")
    person = serializers.CharField(
        required=False, allow_blank=True, default="", max_length=150,
        help_text="A user, told by their own mail through the mail server of the address.",
    )  # fmt: skip
    zone = serializers.CharField(required=False, allow_blank=True, default="", max_length=60)
    quiet_from = serializers.TimeField(required=False, allow_null=True, default=None)
    quiet_until = serializers.TimeField(
        required=False, allow_null=True, default=None, help_text="What happens in quiet hours is told at their end."
    )
    digest_at = serializers.TimeField(
        required=False, allow_null=True, default=None, help_text="Once a day, all in one message."
    )
    escalate_minutes = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=1, max_value=LONGEST_WAIT
    )
    escalate_to = serializers.CharField(
        required=False, allow_blank=True, default="", max_length=100, help_text="Who is told without an answer."
    )
    with_values = serializers.BooleanField(
        required=False, default=False, help_text="Values of rows stand in it. Only an admin allows that."
    )
    is_on = serializers.BooleanField(required=False, default=True)


class NoticeRuleSerializer(serializers.Serializer[Any]):
    rule_id = serializers.CharField()
    worklist_id = serializers.CharField(allow_null=True)
    abouts = serializers.ListField(child=serializers.CharField())
    address = serializers.CharField()
    person = serializers.CharField(allow_null=True)
    zone = serializers.CharField()
    quiet_from = serializers.TimeField(allow_null=True)
    quiet_until = serializers.TimeField(allow_null=True)
    digest_at = serializers.TimeField(allow_null=True)
    escalate_minutes = serializers.IntegerField(allow_null=True)
    escalate_to = serializers.CharField(allow_null=True)
    with_values = serializers.BooleanField()
    is_on = serializers.BooleanField()

    def to_representation(self, instance: NoticeRule) -> dict[str, Any]:
        plain = ("rule_id", "abouts", "zone", "escalate_minutes", "with_values", "is_on")
        return {
            **{name: getattr(instance, name) for name in plain},
            **{name: _wall(getattr(instance, name)) for name in ("quiet_from", "quiet_until", "digest_at")},
            "worklist_id": instance.worklist.worklist_id if instance.worklist else None,
            "address": instance.address.name,
            "person": instance.person.get_username() if instance.person else None,
            "escalate_to": instance.escalate_to.name if instance.escalate_to else None,
        }


class NoticeMessageSerializer(serializers.Serializer[Any]):
    message_id = serializers.CharField()
    rule_id = serializers.CharField(allow_null=True)
    worklist_id = serializers.CharField(allow_null=True)
    about = serializers.CharField(help_text=f"test, or one of {', '.join(About.values)}.")
    subject = serializers.CharField()
    state = serializers.CharField(help_text=f"One of {', '.join(MessageState.values)}.")
    said = serializers.CharField(allow_blank=True, help_text="Why it did not arrive, in the other side's words.")
    tries = serializers.IntegerField()
    made_at = serializers.DateTimeField()
    next_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)

    def to_representation(self, instance: NoticeMessage) -> dict[str, Any]:
        plain = ("message_id", "about", "subject", "state", "tries", "made_at", "next_at", "ended_at")
        return {
            **{name: getattr(instance, name) for name in plain},
            "rule_id": instance.rule.rule_id if instance.rule else None,
            "worklist_id": instance.worklist.worklist_id if instance.worklist else None,
            "said": worded(instance.said),
        }


def _wall(at: Any) -> str | None:
    return f"{at:%H:%M}" if at is not None else None


class OfList(filters.FilterSet):
    """Of one list, with those that are about all."""

    worklist_id = filters.CharFilter(method="of_list")

    def of_list(self, rows: QuerySet[Any], _name: str, worklist_id: str) -> QuerySet[Any]:
        return rows.filter(Q(worklist=None) | Q(worklist__worklist_id=worklist_id))


class RulesView(RunsView, ListAPIView):
    serializer_class = NoticeRuleSerializer
    filterset_class = OfList

    def get_queryset(self) -> QuerySet[NoticeRule]:
        return NoticeRule.objects.select_related("worklist", "address", "person", "escalate_to")

    @extend_schema(
        request=KeepNoticeRuleSerializer, responses={201: NoticeRuleSerializer, **REFUSALS}, examples=[A_RULE]
    )
    def post(self, request: Request) -> Response:
        """Say who is told what, how and when."""
        return Response(NoticeRuleSerializer(_kept(request)).data, status=201)


class RuleView(RunsView):
    @extend_schema(responses={200: NoticeRuleSerializer, 404: ErrorSerializer})
    def get(self, request: Request, rule_id: str) -> Response:
        return Response(NoticeRuleSerializer(NoticeRule.objects.by_id(rule_id)).data)

    @extend_schema(
        request=KeepNoticeRuleSerializer, responses={200: NoticeRuleSerializer, **REFUSALS}, examples=[A_RULE]
    )
    def put(self, request: Request, rule_id: str) -> Response:
        """Change it as a whole."""
        return Response(NoticeRuleSerializer(_kept(request, rule_id)).data)

    @extend_schema(responses={204: None, 404: ErrorSerializer})
    def delete(self, request: Request, rule_id: str) -> Response:
        """Nobody is told by it any more."""
        drop_rule(rule_id=rule_id, user=request.user, origin=origin_of(request))
        return Response(status=204)


class TryRuleView(RunsView):
    @extend_schema(request=NothingSerializer, responses={201: NoticeMessageSerializer, **REFUSALS})
    def post(self, request: Request, rule_id: str) -> Response:
        """Send a test. What comes of it is told by the message."""
        checked(NothingSerializer, request.data)
        message = send_test(rule_id=rule_id, user=request.user, origin=origin_of(request))
        return Response(NoticeMessageSerializer(message).data, status=201)


class MessagesView(RunsView, ListAPIView):
    serializer_class = NoticeMessageSerializer
    filterset_class = OfList

    def get_queryset(self) -> QuerySet[NoticeMessage]:
        return NoticeMessage.objects.select_related("rule", "worklist")


class TryMessageView(RunsView):
    @extend_schema(request=NothingSerializer, responses={200: NoticeMessageSerializer, **REFUSALS})
    def post(self, request: Request, message_id: str) -> Response:
        """Send it again now, if it has not arrived."""
        checked(NothingSerializer, request.data)
        message = try_now(message_id=message_id, user=request.user, origin=origin_of(request))
        return Response(NoticeMessageSerializer(message).data)


def _kept(request: Request, rule_id: str = "") -> NoticeRule:
    asked = checked(KeepNoticeRuleSerializer, request.data)
    return keep_rule(rule_id=rule_id, **asked, user=request.user, origin=origin_of(request))
