"""Analytics over REST (S7)."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from analytics.model_use import MOST_DAYS, Scope, model_use
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
