"""The API of webhooks that come in: which a list has, and the address that other systems call (S12.10)."""

from __future__ import annotations

from typing import Any, cast

from django.urls import reverse
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.response import Response

from execution.api.serializers import ErrorSerializer
from execution.api.views import RunsView, origin_of
from execution.api.worklist_serializers import MOST_ROWS_AT_ONCE, AddedSerializer, NewRowSerializer
from execution.exceptions import UnknownWebhook
from execution.models import IncomingWebhook, Worklist
from execution.models.worklist import WorklistState
from execution.permissions import OPERATE
from execution.worklists.actions.webhooks import LONGEST_REASON, drop_webhook, keep_webhook
from execution.worklists.adding import NewRow
from execution.worklists.called import take, verified
from execution.worklists.channels import BadSignature
from sentences.request_body import RequestBody, checked
from sentences.said import say, worded

REFUSALS = {404: ErrorSerializer, 422: ErrorSerializer}
A_WEBHOOK = OpenApiExample(
    "The bed management brings rows and begins the list",
    value={"secret": "Bed management", "begins": True, "reason": "Tried for a month by hand"},
    request_only=True,
)
A_CALL = OpenApiExample(
    "Two patients, then begin",
    value={
        "type": "patients.discharged",
        "timestamp": "2027-01-04T02:00:00+01:00",
        "data": {
            "rows": [
                {"reference": "S-448316", "data": {"Patient": "MOREAU Camille", "Ward": "Cardiology"}},
                {"reference": "S-448342", "data": {"Patient": "GIRAUD Hélène", "Ward": "Medicine B"}},
            ],
            "start": True,
        },
    },
    request_only=True,
)
HEADERS = [
    OpenApiParameter("webhook-id", str, OpenApiParameter.HEADER, required=True, description="Of this message."),
    OpenApiParameter(
        "webhook-timestamp", str, OpenApiParameter.HEADER, required=True,
        description="Seconds since 1970, within five minutes of the server's clock.",
    ),
    OpenApiParameter(
        "webhook-signature", str, OpenApiParameter.HEADER, required=True,
        description="v1, and the signature by www.standardwebhooks.com.",
    ),
]  # fmt: skip


class KeepWebhookSerializer(RequestBody):
    secret = serializers.CharField(max_length=100, help_text="The name under which an admin entered it.")
    begins = serializers.BooleanField(required=False, default=False, help_text="A call may begin the list.")
    is_on = serializers.BooleanField(required=False, default=True)
    reason = serializers.CharField(
        required=False, allow_blank=True, default="", max_length=LONGEST_REASON,
        help_text="Why it acts by itself, where its workflow has not earned that.",
    )  # fmt: skip


class WebhookSerializer(serializers.Serializer[Any]):
    hook_id = serializers.CharField()
    url = serializers.CharField(help_text="What the other system calls, behind the address of this server.")
    secret = serializers.CharField(help_text="The name of the secret.")
    begins = serializers.BooleanField()
    is_on = serializers.BooleanField()
    changed_by = serializers.CharField(allow_blank=True, help_text="With whose rights it acts.")

    def to_representation(self, instance: IncomingWebhook) -> dict[str, Any]:
        return {
            **{name: getattr(instance, name) for name in ("hook_id", "begins", "is_on")},
            "url": reverse("api_webhook_called", args=[instance.hook_id]),
            "secret": instance.address.name,
            "changed_by": instance.changed_by.get_username() if instance.changed_by else "",
        }


class CalledWithSerializer(RequestBody):
    atomic = serializers.BooleanField(required=False, default=True, help_text="None comes in where one is bad.")
    rows = serializers.ListField(child=NewRowSerializer(), required=False, default=list, max_length=MOST_ROWS_AT_ONCE)
    start = serializers.BooleanField(
        required=False, default=False, help_text="Begin the list, unless it runs, was paused or stands."
    )


class CallSerializer(RequestBody):
    type = serializers.CharField(required=False, allow_blank=True, max_length=200, help_text="The sender's own word.")
    timestamp = serializers.CharField(required=False, allow_blank=True, max_length=100)
    data = CalledWithSerializer()  # type: ignore[assignment]


class CalledSerializer(AddedSerializer):
    begun = serializers.BooleanField(help_text="Whether this call has begun the list.")
    state = serializers.CharField(help_text=f"Of the list: one of {', '.join(WorklistState.values)}.")


class WebhooksView(RunsView):
    @extend_schema(responses={200: WebhookSerializer(many=True), 404: ErrorSerializer})
    def get(self, request: Request, worklist_id: str) -> Response:
        """The webhooks by which other systems call this list."""
        found = IncomingWebhook.objects.filter(worklist=Worklist.objects.by_id(worklist_id))
        found = found.select_related("address", "changed_by")
        return Response([WebhookSerializer(one).data for one in found])

    @extend_schema(request=KeepWebhookSerializer, responses={201: WebhookSerializer, **REFUSALS}, examples=[A_WEBHOOK])
    def post(self, request: Request, worklist_id: str) -> Response:
        """Let another system call this list. Its calls act with your rights."""
        return Response(WebhookSerializer(_kept(request, worklist_id)).data, status=201)


class WebhookView(RunsView):
    @extend_schema(responses={200: WebhookSerializer, 404: ErrorSerializer})
    def get(self, request: Request, worklist_id: str, hook_id: str) -> Response:
        found = IncomingWebhook.objects.filter(worklist=Worklist.objects.by_id(worklist_id)).by_id(hook_id)
        return Response(WebhookSerializer(found).data)

    @extend_schema(request=KeepWebhookSerializer, responses={200: WebhookSerializer, **REFUSALS}, examples=[A_WEBHOOK])
    def put(self, request: Request, worklist_id: str, hook_id: str) -> Response:
        """Change it as a whole. From then on its calls act with your rights."""
        return Response(WebhookSerializer(_kept(request, worklist_id, hook_id)).data)

    @extend_schema(responses={204: None, 404: ErrorSerializer})
    def delete(self, request: Request, worklist_id: str, hook_id: str) -> Response:
        """Nobody calls it any more."""
        drop_webhook(worklist_id=worklist_id, hook_id=hook_id, user=request.user, origin=origin_of(request))
        return Response(status=204)


def _kept(request: Request, worklist_id: str, hook_id: str = "") -> IncomingWebhook:
    asked = checked(KeepWebhookSerializer, request.data)
    who: dict[str, Any] = {"user": request.user, "origin": origin_of(request)}
    return keep_webhook(worklist_id=worklist_id, hook_id=hook_id, **asked, **who)


class SignedAuthentication(BaseAuthentication):
    """Who calls is whoever the webhook acts for; a call that its secret has not signed is nobody's.

    An id that is not known is answered like a wrong signature: nothing tells which ids there are.
    """

    def authenticate(self, request: Request) -> tuple[Any, tuple[IncomingWebhook, str]]:
        hook_id = request.parser_context["kwargs"]["hook_id"]
        try:
            webhook = IncomingWebhook.objects.by_id(hook_id)
            message_id, _payload = verified(webhook, request.headers, request.body)
        except (UnknownWebhook, BadSignature) as error:
            raise AuthenticationFailed(worded(say("notice.bad_signature"))) from error
        return webhook.changed_by, (webhook, message_id)


class WebhookCalledView(RunsView):
    authentication_classes = [SignedAuthentication]
    write_permission = OPERATE

    @extend_schema(
        operation_id="webhooks_call", auth=[], parameters=HEADERS, request=CallSerializer, examples=[A_CALL],
        responses={200: CalledSerializer, 403: ErrorSerializer, 409: ErrorSerializer, 422: ErrorSerializer},
    )  # fmt: skip
    def post(self, request: Request, hook_id: str) -> Response:
        """Bring rows into the list, and begin it. The call is signed by Standard Webhooks instead of a login.

        The same `webhook-id` is the same call: sent again, it is answered as before and does nothing twice."""
        webhook, message_id = cast("tuple[IncomingWebhook, str]", request.auth)
        asked = checked(CallSerializer, request.data)["data"]
        rows = [NewRow(**row) for row in asked["rows"]]
        answer = take(webhook, message_id, request.body, rows=rows, atomic=asked["atomic"], start=asked["start"])
        return Response(answer)
