"""The shapes of the API of lists (S12)."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from execution.choices import ExecutionMode
from execution.models import WorkItem, Worklist
from execution.models.worklist import ItemState, WorklistState
from execution.worklists.actions.rows import LONGEST_REASON, VERBS
from execution.worklists.progress import progress_of
from sentences.request_body import RequestBody
from sentences.said import worded

MOST_ROWS_AT_ONCE = 1000
MOST_COLUMNS = 200


# --- in ---------------------------------------------------------------------------------------------------------------
class NewListSerializer(RequestBody):
    name = serializers.CharField(max_length=200)
    workflow_id = serializers.CharField(max_length=100)
    version = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        min_value=1,
        help_text="Without it, the newest.",
    )
    mode = serializers.CharField(
        required=False,
        allow_blank=True,
        default="",
        help_text=f"One of {', '.join(ExecutionMode.values)}; without it, as the workflow has earned.",
    )
    columns = serializers.ListField(child=serializers.CharField(max_length=200), max_length=MOST_COLUMNS)
    mapping = serializers.DictField(
        child=serializers.CharField(max_length=200),
        required=False,
        allow_null=True,
        default=None,
        help_text="Variable → column. Without it, each column that is called like a variable gives it.",
    )
    keys = serializers.ListField(
        child=serializers.CharField(max_length=200),
        required=False,
        default=list,
        help_text="Columns whose values make the reference of a row.",
    )
    reset = serializers.CharField(
        required=False, default="", allow_blank=True, help_text="The workflow that leads back to the start."
    )
    most_attempts = serializers.IntegerField(required=False, default=3, min_value=1, max_value=100)
    retry_after_s = serializers.IntegerField(required=False, default=60, min_value=0, max_value=7 * 86_400)
    breaker = serializers.IntegerField(
        required=False, default=3, min_value=0, max_value=1000, help_text="Rows that fail in a row; 0: none stops it."
    )
    parallel = serializers.IntegerField(required=False, allow_null=True, default=None, min_value=1, max_value=1000)
    tags = serializers.ListField(child=serializers.CharField(max_length=100), required=False, default=list)
    patience_s = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=600,
        min_value=0,
        max_value=7 * 86_400,
        help_text="How long a question waits before its row is set aside; null: for ever.",
    )


class ListControlSerializer(RequestBody):
    verb = serializers.ChoiceField(
        choices=("start", "pause", "extend"), help_text="extend: rows begin until closes_at, this once."
    )
    reason = serializers.CharField(required=False, allow_blank=True, default="", max_length=LONGEST_REASON)
    closes_at = serializers.DateTimeField(
        required=False, allow_null=True, default=None, help_text="No row begins after it. extend: needed."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["verb"] == "extend" and attrs["closes_at"] is None:
            raise serializers.ValidationError({"closes_at": [_("Say until when.")]})
        return attrs


class NewRowSerializer(RequestBody):
    reference = serializers.CharField(required=False, allow_blank=True, default="", max_length=200)
    data = serializers.DictField(  # type: ignore[assignment]
        child=serializers.CharField(allow_blank=True, trim_whitespace=False)
    )
    priority = serializers.IntegerField(required=False, default=0, min_value=-1000, max_value=1000)
    not_before = serializers.DateTimeField(required=False, allow_null=True, default=None)
    due = serializers.DateTimeField(required=False, allow_null=True, default=None)


class NewRowsSerializer(RequestBody):
    atomic = serializers.BooleanField(required=False, default=True, help_text="None comes in where one is bad.")
    rows = serializers.ListField(child=NewRowSerializer(), min_length=1, max_length=MOST_ROWS_AT_ONCE)


class ChangeRowsSerializer(RequestBody):
    verb = serializers.ChoiceField(choices=tuple(VERBS))
    numbers = serializers.ListField(
        child=serializers.IntegerField(min_value=1), min_length=1, max_length=MOST_ROWS_AT_ONCE
    )
    reason = serializers.CharField(
        required=False, allow_blank=True, default="", max_length=LONGEST_REASON, help_text="skip: needed."
    )
    not_saved = serializers.CharField(
        required=False,
        allow_blank=True,
        default="",
        max_length=LONGEST_REASON,
        help_text="again: what you saw in the program, of rows that may have saved something.",
    )


# --- out --------------------------------------------------------------------------------------------------------------
class WorklistSerializer(serializers.Serializer[Any]):
    worklist_id = serializers.CharField()
    name = serializers.CharField()
    workflow_id = serializers.CharField()
    version = serializers.IntegerField(allow_null=True)
    mode = serializers.CharField(allow_blank=True)
    columns = serializers.ListField(child=serializers.CharField())
    mapping = serializers.DictField(child=serializers.CharField())
    keys = serializers.ListField(child=serializers.CharField())
    state = serializers.CharField(help_text=f"One of {', '.join(WorklistState.values)}.")
    reason = serializers.CharField(allow_blank=True, help_text="Why it stands.")
    counts = serializers.DictField(child=serializers.IntegerField(), help_text="Rows by state.")
    total = serializers.IntegerField()
    per_hour = serializers.FloatField(allow_null=True, help_text="Rows, by the last half hour; null: too early to say.")
    ends_at = serializers.DateTimeField(allow_null=True, help_text="At this rate.")
    closes_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)

    def to_representation(self, instance: Worklist) -> dict[str, Any]:
        told = (self.context.get("progress") or {}).get(instance.pk) or progress_of(instance)
        plain = ("worklist_id", "name", "mode", "columns", "mapping", "keys", "state")
        times = ("closes_at", "created_at", "started_at", "ended_at")
        return {
            **{name: getattr(instance, name) for name in (*plain, *times)},
            "workflow_id": instance.workflow.workflow_id,
            "version": instance.version.number if instance.version else None,
            "reason": worded(instance.reason),
            "counts": told.counts,
            "total": told.total,
            "per_hour": round(told.per_hour, 1) if told.per_hour is not None else None,
            "ends_at": told.ends_at,
        }


class TrySerializer(serializers.Serializer[Any]):
    """A run of the row, or the way back to the start after it."""

    execution_id = serializers.CharField()
    kind = serializers.CharField()
    attempt = serializers.IntegerField()
    outcome = serializers.CharField(allow_blank=True)
    reason = serializers.CharField(allow_blank=True)


class ItemSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    reference = serializers.CharField()
    data = serializers.DictField(child=serializers.CharField(allow_blank=True))  # type: ignore[assignment]
    state = serializers.CharField(help_text=f"One of {', '.join(ItemState.values)}.")
    reason = serializers.CharField(allow_blank=True)
    saved = serializers.BooleanField(help_text="By the journal something may have been saved.")
    attempts = serializers.IntegerField()
    priority = serializers.IntegerField()
    not_before = serializers.DateTimeField(allow_null=True)
    due = serializers.DateTimeField(allow_null=True)
    values = serializers.ListField(child=serializers.DictField())
    execution_id = serializers.CharField(allow_null=True)
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)

    def to_representation(self, instance: WorkItem) -> dict[str, Any]:
        plain = ("number", "reference", "data", "state", "saved", "attempts", "priority", "not_before", "values")
        return {
            **{name: getattr(instance, name) for name in (*plain, "started_at", "ended_at")},
            "reason": worded(instance.reason),
            "due": instance.is_due,
            "execution_id": instance.execution.execution_id if instance.execution else None,
        }


class ItemDetailSerializer(ItemSerializer):
    runs = TrySerializer(many=True)

    def to_representation(self, instance: WorkItem) -> dict[str, Any]:
        tries = [
            {
                "execution_id": work.execution.execution_id,
                "kind": work.kind,
                "attempt": work.attempt,
                "outcome": work.outcome,
                "reason": worded(work.reason or work.unanswered),
            }
            for work in instance.runs.select_related("execution").order_by("pk")
        ]
        return {**super().to_representation(instance), "runs": tries}


class AddedSerializer(serializers.Serializer[Any]):
    added = serializers.DictField(child=serializers.IntegerField(), help_text="Reference → number.")
    known = serializers.DictField(child=serializers.IntegerField(), help_text="Those that the list had already.")
    refused = serializers.ListField(
        child=serializers.DictField(), help_text="Each bad cell: place in the call, reference, column, value, reason."
    )


class ChangedSerializer(serializers.Serializer[Any]):
    numbers = serializers.ListField(child=serializers.IntegerField())
    left = serializers.ListField(child=serializers.IntegerField(), help_text="They stand otherwise by now.")
    saved = serializers.ListField(child=serializers.IntegerField(), help_text="Something may have been saved.")


class ListEventSerializer(serializers.Serializer[Any]):
    seq = serializers.IntegerField()
    kind = serializers.CharField()
    at = serializers.DateTimeField()
    payload = serializers.DictField()


class ListEventsSerializer(serializers.Serializer[Any]):
    head = serializers.IntegerField()
    events = ListEventSerializer(many=True)
