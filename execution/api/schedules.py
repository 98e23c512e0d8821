"""The API of a list's times (S12.9): schedules, with their next starts and what became of the last ones."""

from __future__ import annotations

from typing import Any

from django.db.models import Prefetch
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from execution.api.serializers import ErrorSerializer
from execution.api.views import RunsView, origin_of
from execution.choices import Rhythm, StartState, WhileRunning
from execution.models import ListStart, Schedule, Worklist
from execution.worklists.actions.when import LONGEST_REASON, plan, take_back
from execution.worklists.clock import in_words, next_starts
from execution.worklists.schedules import timing_from, timing_of
from sentences.request_body import RequestBody, checked
from sentences.said import worded

LATEST = 20
REFUSALS = {404: ErrorSerializer, 422: ErrorSerializer}
A_NIGHT = OpenApiExample(
    "Every weekday at two in the morning",
    value={
        "kind": "weekdays",
        "weekdays": [0, 1, 2, 3, 4],
        "at": "02:00",
        "zone": "Europe/Paris",
        "until": "06:00",
        "make_up_until": "05:00",
        "country": "FR",
        "not_on": {"2027-01-04": "archive update"},
    },
    request_only=True,
)


class PlanSerializer(RequestBody):
    kind = serializers.ChoiceField(choices=Rhythm.choices)
    zone = serializers.CharField(max_length=60, help_text="Such as Europe/Paris; times are those of its clocks.")
    at = serializers.TimeField(required=False, allow_null=True, default=None)
    on = serializers.DateField(required=False, allow_null=True, default=None, help_text="once: the day.")
    weekdays = serializers.ListField(
        child=serializers.IntegerField(), required=False, default=list, max_length=7, help_text="From Monday as 0."
    )
    cron = serializers.CharField(required=False, allow_blank=True, default="", max_length=100)
    country = serializers.CharField(
        required=False, allow_blank=True, default="", max_length=3, help_text="On its holidays nothing begins: FR."
    )
    region = serializers.CharField(required=False, allow_blank=True, default="", max_length=20)
    not_on = serializers.DictField(
        child=serializers.CharField(allow_blank=True, max_length=100),
        required=False,
        default=dict,
        help_text="Days of one's own, as 2027-01-04, each with what it is.",
    )
    until = serializers.TimeField(
        required=False, allow_null=True, default=None, help_text="From then on no row begins."
    )
    make_up_until = serializers.TimeField(
        required=False, allow_null=True, default=None, help_text="Of a missed start; null: it is skipped."
    )
    while_running = serializers.ChoiceField(choices=WhileRunning.choices, required=False, default=WhileRunning.WAIT)
    takes_files = serializers.BooleanField(
        required=False, default=False, help_text="Rows come from the list's folder; without a new file nothing begins."
    )
    is_on = serializers.BooleanField(required=False, default=True)
    reason = serializers.CharField(
        required=False,
        allow_blank=True,
        default="",
        max_length=LONGEST_REASON,
        help_text="Why it acts by itself, where its workflow has not earned that.",
    )

    def validate_not_on(self, value: dict[str, str]) -> dict[Any, str]:
        day = serializers.DateField()
        return {day.run_validation(one): what for one, what in value.items()}


class ComingSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    left_out = serializers.CharField(allow_blank=True, help_text="Why nothing begins then.")
    note = serializers.CharField(allow_blank=True, help_text="What a change of the clocks does to it.")


class CameSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    state = serializers.CharField(help_text=f"One of {', '.join(StartState.values)}.")
    reason = serializers.CharField(allow_blank=True)
    began_at = serializers.DateTimeField(allow_null=True)
    ended = serializers.CharField(allow_blank=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    worked = serializers.IntegerField()
    left = serializers.IntegerField()


class ScheduleSerializer(serializers.Serializer[Any]):
    schedule_id = serializers.CharField()
    is_on = serializers.BooleanField()
    kind = serializers.CharField()
    zone = serializers.CharField()
    at = serializers.TimeField()
    on = serializers.DateField(allow_null=True)
    weekdays = serializers.ListField(child=serializers.IntegerField())
    cron = serializers.CharField(allow_blank=True)
    country = serializers.CharField(allow_blank=True)
    region = serializers.CharField(allow_blank=True)
    not_on = serializers.DictField(child=serializers.CharField())
    until = serializers.TimeField(allow_null=True)
    make_up_until = serializers.TimeField(allow_null=True)
    while_running = serializers.CharField()
    takes_files = serializers.BooleanField()
    in_words = serializers.CharField()
    next = ComingSerializer(many=True, help_text="The next ten starts, and those between them that are left out.")
    last = CameSerializer(many=True, help_text=f"What became of the last {LATEST}.")

    def to_representation(self, instance: Schedule) -> dict[str, Any]:
        timing = timing_of(instance)
        plain = ("schedule_id", "is_on", "kind", "zone", "on", "weekdays", "cron", "country", "region", "not_on")
        more = ("while_running", "takes_files")
        coming = next_starts(timing, timezone.now()) if instance.is_on else []
        return {
            **{name: getattr(instance, name) for name in (*plain, *more)},
            **{name: _wall(getattr(instance, name)) for name in ("at", "until", "make_up_until")},
            "in_words": worded(in_words(timing)),
            "next": [{"at": one.at, "left_out": worded(one.left_out), "note": worded(one.note)} for one in coming],
            "last": [_came(start) for start in _newest(instance)],
        }


def _newest(schedule: Schedule) -> list[ListStart]:
    """As they were fetched for all schedules at once, or of this one alone."""
    fetched: list[ListStart] | None = getattr(schedule, "newest", None)
    return list(schedule.starts.all()[:LATEST]) if fetched is None else fetched


def _wall(at: Any) -> str | None:
    return f"{at:%H:%M}" if at is not None else None


def _came(start: Any) -> dict[str, Any]:
    names = ("at", "state", "began_at", "ended", "ended_at", "worked", "left")
    return {**{name: getattr(start, name) for name in names}, "reason": worded(start.reason)}


class SchedulesView(RunsView):
    @extend_schema(responses={200: ScheduleSerializer(many=True), 404: ErrorSerializer})
    def get(self, request: Request, worklist_id: str) -> Response:
        """When the list begins by itself."""
        worklist = Worklist.objects.by_id(worklist_id)
        newest = Prefetch("starts", queryset=ListStart.objects.all()[:LATEST], to_attr="newest")
        found = worklist.schedules.order_by("pk").prefetch_related(newest)
        return Response([ScheduleSerializer(one).data for one in found])

    @extend_schema(request=PlanSerializer, responses={201: ScheduleSerializer, **REFUSALS}, examples=[A_NIGHT])
    def post(self, request: Request, worklist_id: str) -> Response:
        """Plan when it begins."""
        return Response(ScheduleSerializer(_planned(request, worklist_id)).data, status=201)


class ScheduleView(RunsView):
    @extend_schema(responses={200: ScheduleSerializer, 404: ErrorSerializer})
    def get(self, request: Request, worklist_id: str, schedule_id: str) -> Response:
        """One schedule, with its next starts and what became of the last ones."""
        return Response(ScheduleSerializer(_of(worklist_id, schedule_id)).data)

    @extend_schema(request=PlanSerializer, responses={200: ScheduleSerializer, **REFUSALS}, examples=[A_NIGHT])
    def put(self, request: Request, worklist_id: str, schedule_id: str) -> Response:
        """Change it as a whole. What was planned before now begins no more."""
        return Response(ScheduleSerializer(_planned(request, worklist_id, schedule_id)).data)

    @extend_schema(responses={204: None, 404: ErrorSerializer})
    def delete(self, request: Request, worklist_id: str, schedule_id: str) -> Response:
        """Take it back, with what became of its starts."""
        take_back(worklist_id=worklist_id, schedule_id=schedule_id, user=request.user, origin=origin_of(request))
        return Response(status=204)


def _of(worklist_id: str, schedule_id: str) -> Schedule:
    return Schedule.objects.filter(worklist=Worklist.objects.by_id(worklist_id)).by_id(schedule_id)


def _planned(request: Request, worklist_id: str, schedule_id: str = "") -> Schedule:
    asked = checked(PlanSerializer, request.data)
    timing = {**asked, "kind": Rhythm(asked["kind"]), "while_running": WhileRunning(asked["while_running"])}
    return plan(
        worklist_id=worklist_id,
        schedule_id=schedule_id,
        timing=timing_from(timing),
        days=asked["not_on"],
        takes_files=asked["takes_files"],
        is_on=asked["is_on"],
        reason=asked["reason"],
        user=request.user,
        origin=origin_of(request),
    )
