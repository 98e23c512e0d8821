"""Analytics over REST (S7)."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.http import HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from analytics.behind import runs_behind, steps_behind
from analytics.exports import KINDS, WHAT, lines_of
from analytics.model_use import MOST_DAYS, Scope, model_use
from analytics.prometheus import exposition
from audit.models import Verb
from audit.recording import record
from execution.pages.streaming import streamed
from gpu.types import Purpose


class ModelUseQuery(serializers.Serializer[Any]):
    """Days as 2026-11-21, both included; left out: the last 30 days. Of one run all of it, whenever it was."""

    since = serializers.DateField(required=False)
    until = serializers.DateField(required=False)
    model = serializers.CharField(required=False, max_length=200)
    purpose = serializers.ChoiceField(choices=[purpose.value for purpose in Purpose], required=False)
    execution_id = serializers.CharField(required=False, max_length=60)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        since, until = Scope(**attrs).days()
        if since > until:
            raise serializers.ValidationError({"since": [_("It is after the last day (until).")]})
        if until - since > timedelta(days=MOST_DAYS):
            raise serializers.ValidationError({"since": [_("Ask for at most %(n)d days.") % {"n": MOST_DAYS}]})
        return attrs


class CostSerializer(serializers.Serializer[Any]):
    amount = serializers.CharField(allow_null=True)
    reason = serializers.CharField()


class ModelUseTotals(serializers.Serializer[Any]):
    """Seconds are those of answers: half of them took at most p50, nineteen of twenty at most p95."""

    calls = serializers.IntegerField()
    answered = serializers.IntegerField()
    failed = serializers.IntegerField()
    cancelled = serializers.IntegerField()
    failed_by = serializers.DictField(child=serializers.IntegerField())
    fallbacks = serializers.IntegerField()
    tokens_in = serializers.IntegerField()
    tokens_out = serializers.IntegerField()
    seconds_p50 = serializers.FloatField(allow_null=True)
    seconds_p95 = serializers.FloatField(allow_null=True)
    load_seconds = serializers.FloatField()
    cost = CostSerializer()


class ModelUseRow(ModelUseTotals):
    day = serializers.DateField()
    model = serializers.CharField()
    provider = serializers.CharField()
    purpose = serializers.CharField()


class ModelUseFallback(serializers.Serializer[Any]):
    to = serializers.CharField()
    times = serializers.IntegerField()
    answered = serializers.IntegerField()

    def get_fields(self) -> dict[str, Any]:
        """`from` is no name that Python lets a field have."""
        return {"from": serializers.CharField(), **super().get_fields()}


class ModelUseAnswer(serializers.Serializer[Any]):
    since = serializers.DateField()
    until = serializers.DateField()
    rows = ModelUseRow(many=True)
    fallbacks = ModelUseFallback(many=True)
    totals = ModelUseTotals()


class ModelUseView(APIView):
    """What models were asked and what it took, by day, model and purpose."""

    read_permission = "gpu.view_modeluse"

    @extend_schema(operation_id="model_use", parameters=[ModelUseQuery], responses=ModelUseAnswer)
    def get(self, request: Request) -> Response:
        query = ModelUseQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        scope = Scope(**query.validated_data)
        since, until = scope.days()
        return Response({"since": since, "until": until, **asdict(model_use(scope))})


FILTERS = {
    "days": "How many days, 30 unless said otherwise.",
    "until": "The last of them, as 2026-11-21; today unless said otherwise.",
    "workflow": "Of one workflow, by its id.",
    "version": "Of runs: of one version.",
    "how": "Of runs: alone, helped, completed, failed, stopped, or wrong (people said so of one of its steps).",
    "edge": "Of steps: of one action.",
    "node": "Of steps: of one screen.",
    "rung": "Of steps: found in one way.",
    "verified": "Of steps: no, for actions that were done and not seen to work.",
    "failed": "Of steps: 1, for those that did not succeed.",
    "retried": "Of steps: 1, for those that were tried more than once.",
    "wrong": "Of steps: 1, for those that people said were wrong.",
}


class ExportView(APIView):
    """All runs or steps of a period as a file, `runs` or `steps` as `csv` or `json`, the newest first.

    It is streamed, however long it is. In CSV a text that a spreadsheet would take for a formula begins with an
    apostrophe.
    """

    read_permission = "analytics.view_stepmetric"

    @extend_schema(
        operation_id="analytics_export",
        parameters=[OpenApiParameter(name, str, description=told) for name, told in FILTERS.items()],
        responses={(200, media): OpenApiTypes.BINARY for media in ("text/csv", "application/json")},
    )
    def get(self, request: Request, what: str, kind: str) -> HttpResponseBase:
        if what not in WHAT or kind not in KINDS:
            raise NotFound(_("There are runs and steps, as csv and json."))
        found, period = (runs_behind if what == "runs" else steps_behind)(request._request)
        asked = {key: request.query_params[key][:100] for key in FILTERS if request.query_params.get(key)}
        record(Verb.EXPORT, user=request.user, origin="api", kind="figures", about=f"{what}.{kind}", filters=asked)
        name = f"surehand-{what}-{period.since.isoformat()}-{period.last.isoformat()}"
        return streamed(request._request, lines_of(what, kind, found), content_type=KINDS[kind], name=f"{name}.{kind}")


class MetricsView(APIView):
    """For a Prometheus server, which asks with a token of somebody who may see figures."""

    read_permission = "analytics.view_stepmetric"

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """The format is negotiated by `exposition`; this one is that of refusals."""
        return super().perform_content_negotiation(request, force=True)

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponseBase:
        text, content_type = exposition(request.headers.get("Accept", ""))
        return HttpResponse(text, content_type=content_type, headers={"Cache-Control": "no-store"})
