"""The shapes of the API of corrections and replays."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from execution.actions.corrections import BY_A_PERSON, LONGEST_REASON
from execution.choices import CorrectionKind, CorrectionState
from execution.learning.conditions import DARK, LIGHT
from execution.models import LearnedCorrection, ReplayState
from execution.replay.answers import About, Verdict
from execution.replay.asking import MOST_RUNS
from sentences.request_body import RequestBody
from sentences.said import worded

MOST_MERGED = 50


class UsesSerializer(serializers.Serializer[Any]):
    right = serializers.IntegerField()
    wrong = serializers.IntegerField()
    unknown = serializers.IntegerField()


class TrustedUnderSerializer(serializers.Serializer[Any]):
    """How it stands on screens of one theme and size; without these whatever the screen is like."""

    theme = serializers.ChoiceField(choices=[DARK, LIGHT], required=False)
    size = serializers.ListField(child=serializers.IntegerField(), required=False)
    runs = serializers.IntegerField(help_text="So many runs in a row proved it right there.")
    trusted = serializers.BooleanField(help_text="There it acts by itself.")


class CorrectionSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField(source="pk")
    workflow_id = serializers.CharField(source="pack.workflow.workflow_id")
    kind = serializers.ChoiceField(choices=CorrectionKind.choices)
    state = serializers.ChoiceField(choices=CorrectionState.choices)
    why = serializers.SerializerMethodField()
    edge_id = serializers.CharField()
    node_id = serializers.CharField()
    of = serializers.JSONField(help_text="What it was learned of.")
    payload = serializers.JSONField(help_text="What it says instead.")
    conditions = serializers.JSONField()
    proved = TrustedUnderSerializer(many=True, help_text="Where it is trusted; anywhere else it is on trial.")
    unused = serializers.SerializerMethodField(help_text="Why no run goes by it whatever its state; empty if they do.")
    picture = serializers.CharField()
    box = serializers.JSONField(allow_null=True)
    execution_id = serializers.CharField()
    step = serializers.IntegerField()
    learned_by = serializers.CharField(source="learned_by_name")
    learned_at = serializers.DateTimeField()
    changed_by = serializers.CharField()
    changed_at = serializers.DateTimeField()
    uses = serializers.SerializerMethodField()
    checked_at = serializers.DateTimeField(allow_null=True)
    checked_on = serializers.IntegerField()
    breaks = serializers.JSONField(help_text="Stored steps whose right answer it would change.")
    contradicts = serializers.ListField(child=serializers.IntegerField(), required=False)

    def get_why(self, row: LearnedCorrection) -> str:
        return worded(row.why)

    def get_unused(self, row: LearnedCorrection) -> str:
        return str(self.context["unused"][row.pk])

    @extend_schema_field(UsesSerializer)
    def get_uses(self, row: Any) -> dict[str, int]:
        return {name: getattr(row, f"n_{name}") for name in ("right", "wrong", "unknown")}


class ChooseSerializer(RequestBody):
    was = serializers.ChoiceField(
        choices=CorrectionState.choices, required=False, help_text="The state it is decided about; another is refused."
    )
    reason = serializers.CharField(allow_blank=True, default="", max_length=LONGEST_REASON)


class DecideCorrectionSerializer(ChooseSerializer):
    state = serializers.ChoiceField(choices=[one.value for one in BY_A_PERSON])


class MergeSerializer(RequestBody):
    corrections = serializers.ListField(
        child=serializers.IntegerField(min_value=1), min_length=1, max_length=MOST_MERGED
    )
    note = serializers.CharField(allow_blank=True, default="", max_length=200)
    dry_run = serializers.BooleanField(default=False)


class DiffLineSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    differs = serializers.BooleanField(help_text="The other side has it not.")
    gone = serializers.BooleanField(help_text="From then on no more.")


class DiffSideSerializer(serializers.Serializer[Any]):
    pictures = serializers.SerializerMethodField(help_text="Digests; a picture is at /pictures/<digest>.png.")
    lines = DiffLineSerializer(many=True)

    def get_pictures(self, side: Any) -> list[str]:
        return [one.digest for one in side.crops if one.digest]


class ChangeSerializer(serializers.Serializer[Any]):
    """What one correction changes: as it is, and as it is from then on."""

    correction = serializers.IntegerField(source="row.pk")
    says = serializers.CharField()
    where = serializers.CharField()
    said = serializers.ListField(child=serializers.CharField())
    before = DiffSideSerializer()
    after = DiffSideSerializer()


class MergedSerializer(serializers.Serializer[Any]):
    workflow_id = serializers.CharField()
    version = serializers.IntegerField(allow_null=True, help_text="Null where nothing was published.")
    open_changes = serializers.BooleanField(help_text="The draft holds other changes, which are published with it.")
    changes = ChangeSerializer(many=True, help_text="With `dry_run` what each would change.")


class PrototypeSerializer(serializers.Serializer[Any]):
    """What one taught picture of a screen looks like by now, as a model sees it."""

    node_id = serializers.CharField()
    picture = serializers.CharField(help_text="The taught picture's digest.")
    model = serializers.CharField()
    number = serializers.IntegerField()
    away = serializers.FloatField(help_text="From what was taught, in radians.")
    is_reset = serializers.BooleanField()
    execution_id = serializers.CharField(help_text="The run that it was seen in.")
    step = serializers.IntegerField()
    at = serializers.DateTimeField()


class ResetPrototypeSerializer(RequestBody):
    picture = serializers.CharField(
        allow_blank=True,
        default="",
        max_length=64,
        help_text="That one; empty: all of the screen.",
    )


class PutBackSerializer(serializers.Serializer[Any]):
    put_back = serializers.IntegerField(help_text="So many looked otherwise than they were taught.")


class AskedReplaySerializer(RequestBody):
    workflow_id = serializers.CharField(max_length=100)
    version = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=MOST_RUNS)
    runs = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=MOST_RUNS)


class ReplaySerializer(serializers.Serializer[Any]):
    replay_id = serializers.CharField()
    workflow_id = serializers.CharField(source="workflow.workflow_id")
    version = serializers.IntegerField(source="version.number", allow_null=True, default=None)
    reason = serializers.CharField()
    state = serializers.ChoiceField(choices=ReplayState.choices)
    steps = serializers.IntegerField()
    looked_at = serializers.IntegerField()
    passed_over = serializers.DictField(child=serializers.IntegerField())
    counts = serializers.DictField(help_text="How many answers, by what they are about and by verdict.")
    problem = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)

    def get_problem(self, row: Any) -> str:
        return worded(row.problem)


class DifferenceSerializer(serializers.Serializer[Any]):
    execution_id = serializers.CharField(source="step.execution.execution_id")
    step = serializers.IntegerField(source="step.index")
    about = serializers.ChoiceField(choices=About.choices)
    verdict = serializers.ChoiceField(choices=Verdict.choices)
    was = serializers.JSONField(allow_null=True)
    now = serializers.JSONField(allow_null=True)
    why = serializers.SerializerMethodField()
    masked = serializers.BooleanField()

    def get_why(self, row: Any) -> str:
        return worded(row.why)
