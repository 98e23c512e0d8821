"""The shapes of the API of runs: what comes in is checked, what goes out is described (payloads and rows make it)."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from execution.actions.start import FLAGS
from execution.choices import CHOICES_OF_PROMPT, ExecutionMode, Feedback, Origin, Verb
from execution.models import Execution
from execution.record.payloads import wish_payload
from execution.record.rows import run_row
from execution.record.summary import as_sentence, run_summary
from sentences.request_body import RequestBody
from sentences.said import in_words, worded
from workflows.choices import AbilityKind, Priority
from workflows.paging import MOST

MAX_FEEDBACK, MOST_REASON = 2000, 300
MOST_WISHES = 100
MAX_ANALYZE_TIMEOUT_MS = 999_999  # profiling: never degrades (S2.2)
# A run starts, and takes another version, by doors of their own: the first has no run yet, the other a lesson.
VERBS = tuple(verb.value for verb in Verb if verb not in (Verb.START, Verb.CHANGE_VERSION))
ANSWERS = sorted({choice for choices in CHOICES_OF_PROMPT.values() for choice in choices})


# --- in ---------------------------------------------------------------------------------------------------------------
class StartSerializer(RequestBody):
    workflow_id = serializers.CharField(max_length=100)
    version = serializers.IntegerField(
        allow_null=True, default=None, min_value=1, help_text="Its number; without it, the newest."
    )
    mode = serializers.CharField(
        required=False,
        allow_blank=True,
        help_text=f"One of {', '.join(ExecutionMode.values)}; without it, what the workflow's learning state says.",
    )
    reason = serializers.CharField(
        allow_blank=True,
        default="",
        max_length=MOST_REASON,
        help_text="Why the run acts by itself though its workflow has not earned that; only who may change workflows.",
    )
    start_node_id = serializers.CharField(required=False, allow_blank=True, max_length=100)
    variables = serializers.DictField(
        child=serializers.CharField(allow_blank=True, trim_whitespace=False),
        required=False,
        help_text="Texts are typed as they stand, with their blanks and line breaks.",
    )
    desktop = serializers.CharField(required=False, allow_blank=True, max_length=200)
    priority = serializers.ChoiceField(
        choices=Priority.values,
        allow_null=True,
        default=None,
        help_text="-1 low, 0 normal, 1 high; without it, the workflow's.",
    )
    enable_ui_detection = serializers.BooleanField(allow_null=True, default=None)
    enable_ocr = serializers.BooleanField(allow_null=True, default=None)
    analyze_timeout_ms = serializers.IntegerField(
        allow_null=True, default=None, min_value=1, max_value=MAX_ANALYZE_TIMEOUT_MS
    )
    window_info_provider = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=200,
        help_text="One of the names in RPA_WINDOW_PROVIDERS; for designers.",
    )


class DecideSerializer(RequestBody):
    prompt_id = serializers.IntegerField(
        allow_null=True, default=None, help_text="The question that is meant; without it, the open one."
    )
    choice = serializers.CharField(help_text=f"One that the prompt offers, of {', '.join(ANSWERS)}.")
    correction = serializers.DictField(allow_null=True, default=None)
    feedback = serializers.CharField(allow_blank=True, default="", max_length=MAX_FEEDBACK)
    node_id = serializers.CharField(
        allow_blank=True, default="", max_length=100, help_text="reject: the screen that it is instead"
    )


class HoldSerializer(RequestBody):
    prompt_id = serializers.IntegerField()
    held = serializers.BooleanField(help_text="true: its time stands still, for 90 s a sign; false: it runs again.")


class MarkSerializer(RequestBody):
    feedback = serializers.ChoiceField(choices=Feedback.choices)
    reason = serializers.CharField(allow_blank=True, default="", max_length=2000)
    confidence = serializers.FloatField(default=1.0, min_value=0, max_value=1)


class MarkedSerializer(serializers.Serializer):
    feedback = serializers.ChoiceField(choices=Feedback.choices)
    reason = serializers.CharField(allow_blank=True)
    by = serializers.CharField(allow_blank=True)
    origin = serializers.CharField(allow_blank=True)
    marked_at = serializers.DateTimeField()


class ConfirmSerializer(RequestBody):
    approved = serializers.BooleanField()
    prompt_id = serializers.IntegerField(allow_null=True, default=None)


class ControlSerializer(RequestBody):
    verb = serializers.ChoiceField(choices=VERBS)
    node_id = serializers.CharField(
        allow_blank=True, default="", max_length=100, help_text="resume: the node that the screen is"
    )
    press = serializers.CharField(
        allow_blank=True,
        default="",
        max_length=200,
        help_text="resume, paused for a dialog: the words of the button to press in it",
    )
    picture = serializers.CharField(
        allow_blank=True,
        default="",
        max_length=64,
        help_text="press: the picture on which the dialog was seen; refused if the run is paused on another one",
    )
    enabled = serializers.BooleanField(allow_null=True, default=None, help_text="set_continuous_capture: on or off")

    mode = serializers.ChoiceField(
        choices=ExecutionMode.choices,
        allow_null=True,
        default=None,
        help_text="set_mode: from the run's next turn on",
    )
    reason = serializers.CharField(
        allow_blank=True,
        default="",
        max_length=MOST_REASON,
        help_text="set_mode: why it is to act by itself though its workflow has not earned that",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["verb"] == "set_mode" and attrs["mode"] is None:
            raise serializers.ValidationError({"mode": f"Say which: one of {', '.join(ExecutionMode.values)}."})
        if attrs["verb"] == "set_continuous_capture" and attrs["enabled"] is None:
            raise serializers.ValidationError({"enabled": "Say whether it is to be on (true) or off (false)."})
        return attrs


class EventsQuerySerializer(serializers.Serializer):
    after = serializers.IntegerField(default=0, min_value=0, max_value=MOST, help_text="Events that follow this one.")
    limit = serializers.IntegerField(default=100, min_value=1, max_value=500)


# --- out --------------------------------------------------------------------------------------------------------------
class ProgressSerializer(serializers.Serializer):
    """S1.12; `status` alone, `idle`, where nothing runs."""

    status = serializers.CharField()
    workflow_id = serializers.CharField(required=False)
    execution_id = serializers.CharField(required=False)
    mode = serializers.CharField(required=False)
    current_node = serializers.CharField(required=False, allow_null=True)
    current_edge = serializers.CharField(required=False, allow_null=True)
    steps_executed = serializers.IntegerField(required=False)
    steps_succeeded = serializers.IntegerField(required=False)
    steps_failed = serializers.IntegerField(required=False)
    last_confidence = serializers.FloatField(required=False)
    duration_seconds = serializers.FloatField(required=False)


class CoachingStatsSerializer(serializers.Serializer):
    suggestions_made = serializers.IntegerField()
    accepted = serializers.IntegerField()
    rejected = serializers.IntegerField()
    corrected = serializers.IntegerField()
    manual_executions = serializers.IntegerField()
    skipped = serializers.IntegerField()
    acceptance_rate = serializers.FloatField()
    correction_rate = serializers.FloatField()


class StepSerializer(serializers.Serializer):
    """A StepResult (S11.4) with what it rests on."""

    index = serializers.IntegerField()
    success = serializers.BooleanField()
    outcome = serializers.CharField(allow_blank=True)
    phase = serializers.CharField()
    node_id = serializers.CharField(allow_blank=True)
    edge_id = serializers.CharField(allow_null=True)
    action_type = serializers.CharField(allow_blank=True)
    sentence = serializers.CharField(allow_blank=True, help_text="What it does, in the reader's language.")
    message = serializers.CharField(allow_blank=True, help_text="In the reader's language.")
    code = serializers.CharField(required=False, help_text="Which sentence the message is; absent for other texts.")
    values = serializers.DictField(required=False, help_text="What stands in it; sentences in it have a code as well.")
    match_confidence = serializers.FloatField()
    margin = serializers.FloatField()
    recognition = serializers.DictField()
    suggestion = serializers.DictField()
    rung = serializers.CharField(allow_blank=True)
    score = serializers.FloatField()
    verified = serializers.CharField(allow_blank=True)
    verification = serializers.DictField()
    in_doubt = serializers.BooleanField()
    retries = serializers.IntegerField()
    picture_before = serializers.CharField(allow_blank=True)
    picture_after = serializers.CharField(allow_blank=True)
    just_before = serializers.ListField(
        child=serializers.CharField(), help_text="What showed between the act and a failure or a doubt, as digests."
    )
    capture_ms = serializers.FloatField()
    ocr_ms = serializers.FloatField()
    ui_ms = serializers.FloatField()
    analyze_ms = serializers.FloatField()
    match_ms = serializers.FloatField()
    resolve_ms = serializers.FloatField()
    act_ms = serializers.FloatField()
    look_ms = serializers.FloatField(help_text="Capturing and reading the screen after the act.")
    verify_ms = serializers.FloatField(help_text="Judging what was read.")
    waited_ms = serializers.FloatField(help_text="What a person was waited for; part of total_ms.")
    total_ms = serializers.FloatField(help_text="From the beginning of its turn, before the screen was captured.")
    duration_ms = serializers.FloatField(help_text="The same as total_ms.")
    cache_hit = serializers.BooleanField(help_text="Nothing was read for it, neither before the act nor after it.")
    degraded = serializers.BooleanField()
    started_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class HeldSerializer(serializers.Serializer):
    by = serializers.CharField()
    since = serializers.DateTimeField()


class PromptSerializer(serializers.Serializer):
    prompt_id = serializers.IntegerField()
    kind = serializers.CharField()
    state = serializers.CharField()
    message = serializers.CharField(help_text="In the reader's language; its code and values are beside it.")
    code = serializers.CharField(required=False)
    values = serializers.DictField(required=False)
    choices = serializers.ListField(child=serializers.CharField())
    why = serializers.CharField(allow_blank=True, help_text="What is not as it should be, where something is not.")
    timeout_choice = serializers.CharField(allow_null=True)
    picture = serializers.CharField(allow_blank=True)
    dialog = serializers.DictField(
        allow_null=True, help_text="What came over it: title, window, texts, box, and buttons with text and box."
    )
    created_at = serializers.DateTimeField()
    deadline_at = serializers.DateTimeField(allow_null=True)
    held = HeldSerializer(allow_null=True, help_text="Who is correcting; until then the time stands still.")
    changed = serializers.CharField(
        allow_blank=True, help_text="What is not any more as it was when it was asked, in a sentence."
    )
    step = StepSerializer()


class OpenPromptSerializer(PromptSerializer):
    """An open question and the run that asks it."""

    execution_id = serializers.CharField()
    workflow_id = serializers.CharField()
    workflow_name = serializers.CharField()


class DecisionSerializer(serializers.Serializer):
    prompt_id = serializers.IntegerField()
    step = serializers.IntegerField()
    choice = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    decided_by = serializers.CharField(allow_blank=True, help_text="Empty where nobody answered in time.")
    origin = serializers.CharField(allow_blank=True, help_text=f"From where: one of {', '.join(Origin.values[1:])}.")
    decided_at = serializers.DateTimeField()
    timed_out = serializers.BooleanField()
    timeout_s = serializers.FloatField(allow_null=True, help_text="How long nobody answered, in seconds.")
    correction = serializers.DictField()
    feedback = serializers.CharField(allow_blank=True)
    node_id = serializers.CharField(allow_blank=True)


class StepDetailSerializer(StepSerializer):
    """A step with the screen it saw (S11.6) and what people answered."""

    screen = serializers.DictField()
    agreed = serializers.BooleanField(allow_null=True)
    decisions = DecisionSerializer(many=True)


class RowSerializer(ProgressSerializer):
    """A run as a row: its progress, and what a list shows of it."""

    number = serializers.IntegerField()
    workflow_name = serializers.CharField()
    version = serializers.IntegerField()
    mode_label = serializers.CharField()
    state = serializers.CharField()
    state_label = serializers.CharField()
    wish = serializers.CharField(allow_blank=True)
    wish_mode = serializers.CharField(allow_blank=True, help_text="The mode from its next turn on; empty: its own.")
    stopped_by = serializers.CharField(allow_blank=True)
    stopped_from = serializers.CharField(allow_blank=True, help_text=f"One of {', '.join(Origin.values[1:])}.")
    pause_reason = serializers.CharField(allow_blank=True)
    pause_reason_label = serializers.CharField(allow_blank=True)
    error = serializers.CharField(allow_blank=True)
    degraded = serializers.BooleanField()
    priority = serializers.IntegerField(help_text="-1 low, 0 normal, 1 high: which of the runs that wait goes first.")
    desktop = serializers.CharField(allow_blank=True)
    robot = serializers.CharField(allow_null=True)
    started_by = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    prompt = PromptSerializer(allow_null=True)

    def to_representation(self, instance: Execution) -> dict[str, Any]:
        return run_row(instance)


class WishSerializer(serializers.Serializer):
    """What somebody asked of the run (S1.24)."""

    verb = serializers.CharField(help_text=f"One of {', '.join(Verb.values)}.")
    by = serializers.CharField(
        allow_blank=True, help_text="The person; of the command line and of programs the machine's account."
    )
    origin = serializers.CharField(allow_blank=True, help_text=f"From where: one of {', '.join(Origin.values[1:])}.")
    asked_at = serializers.DateTimeField()
    detail = serializers.DictField(help_text="node_id and node_name, mode, or enabled.")


class FlagsSerializer(serializers.Serializer):
    enable_ui_detection = serializers.BooleanField()
    enable_ocr = serializers.BooleanField()
    analyze_timeout_ms = serializers.IntegerField()
    window_info_provider = serializers.CharField(allow_blank=True)


class ValueReadSerializer(serializers.Serializer):
    """A value that the run has read from a screen (S6.12)."""

    name = serializers.CharField()
    kind = serializers.CharField(help_text="text, number or date")
    text = serializers.CharField(help_text="As it stood there.")
    value = serializers.CharField(help_text="For programs: a number as 1234.56, a date as 2026-12-31.")


class SummarySerializer(serializers.Serializer):
    """What a run came to, as its page and the last line of `runloop` say it (S7.3)."""

    actions = serializers.IntegerField()
    done = serializers.IntegerField()
    corrected = serializers.IntegerField()
    retries = serializers.IntegerField()
    rungs = serializers.DictField(child=serializers.IntegerField(), help_text="How many targets were found which way.")
    mean_score = serializers.FloatField()
    mean_resolve_ms = serializers.FloatField()
    not_verified = serializers.IntegerField()
    degraded = serializers.IntegerField()
    duration_seconds = serializers.FloatField()
    sentence = serializers.CharField(help_text="All of it in one line.")


class ExecutionSerializer(RowSerializer):
    """All of a run but its steps and events."""

    start_node_id = serializers.CharField(allow_blank=True)
    variables = serializers.DictField()
    pause_detail = serializers.DictField()
    degraded_reason = serializers.CharField(allow_blank=True)
    continuous_capture = serializers.BooleanField()
    flags = FlagsSerializer()
    coaching_stats = CoachingStatsSerializer()
    wishes = WishSerializer(many=True, help_text="What was asked of it, the newest first, at most 100.")
    values_read = ValueReadSerializer(many=True, help_text="The newest of each name.")
    summary = SummarySerializer(allow_null=True, help_text="Of a run that has ended.")
    last_seq = serializers.IntegerField(help_text="The newest event of its stream.")

    def to_representation(self, instance: Execution) -> dict[str, Any]:
        return {
            **run_row(instance),
            **{name: getattr(instance, name) for name in ("start_node_id", "variables")},
            "pause_detail": in_words(instance.pause_detail, codes=True),
            "degraded_reason": worded(instance.degraded_reason),
            "continuous_capture": instance.continuous_capture,
            "flags": {name: getattr(instance, name) for name in FLAGS},
            "coaching_stats": instance.coaching_stats(),
            "wishes": [wish_payload(wish) for wish in instance.wishes.all()[:MOST_WISHES]],
            "values_read": instance.results(),
            "summary": _summary(instance) if instance.is_final else None,
            "last_seq": instance.next_seq - 1,
        }


def _summary(execution: Execution) -> dict[str, Any]:
    summary = run_summary(execution)
    told = {name: value for name, value in summary.items() if name != "values"}  # which stand beside it already
    return {**told, "sentence": as_sentence(summary)}


class BehindSerializer(serializers.Serializer):
    execution_id = serializers.CharField()
    number = serializers.IntegerField()
    workflow_name = serializers.CharField()
    state = serializers.CharField(help_text="queued, or as a run is that a robot has.")


class LessonBehindSerializer(serializers.Serializer):
    lesson_id = serializers.CharField()
    workflow_name = serializers.CharField()
    teacher = serializers.CharField(help_text="Empty where it is nobody's any more.")


class WaitingSerializer(serializers.Serializer):
    """Why a queued run is not taken."""

    message = serializers.CharField()
    code = serializers.CharField(help_text="Of the message.")
    values = serializers.DictField(help_text="Of the message.")
    behind = BehindSerializer(many=True, help_text="Runs that it waits for, those at work first; at most 20.")
    lessons = LessonBehindSerializer(many=True, help_text="Lessons that hold a desktop which it would fit.")
    ahead = serializers.IntegerField(help_text="How many runs are taken before it.")


class CacheCountsSerializer(serializers.Serializer):
    """How often a screen was known since the robot started (S2.6)."""

    hits = serializers.IntegerField(help_text="Exactly the pixels of a screen seen lately.")
    near = serializers.DictField(
        child=serializers.IntegerField(), help_text="Hits that differ by a caret, a clock or in a masked region."
    )
    misses = serializers.IntegerField()
    entries = serializers.IntegerField()
    bytes = serializers.IntegerField()


class PerceptionSerializer(serializers.Serializer):
    """What looks at the screens of a robot, and what is wrong with it now; empty names where a part is not used."""

    reader = serializers.CharField(allow_blank=True)
    detector = serializers.CharField(allow_blank=True)
    embedder = serializers.CharField(allow_blank=True)
    problems = serializers.ListField(child=serializers.CharField())
    cache = CacheCountsSerializer()


class RobotSerializer(serializers.Serializer):
    name = serializers.CharField()
    desktop = serializers.CharField()
    host = serializers.CharField()
    is_alive = serializers.BooleanField()
    screen_width = serializers.IntegerField()
    screen_height = serializers.IntegerField()
    started_at = serializers.DateTimeField()
    heartbeat_at = serializers.DateTimeField()
    stopped_at = serializers.DateTimeField(allow_null=True)
    problem = serializers.CharField(allow_blank=True)
    warnings = serializers.DictField()
    maintenance_at = serializers.DateTimeField(allow_null=True, help_text="Since when it takes nothing new.")
    maintenance_by = serializers.CharField(allow_blank=True)
    tags = serializers.SerializerMethodField()
    programs = serializers.SerializerMethodField(help_text="Those of its machine's menu.")
    perception = serializers.SerializerMethodField(help_text="Null until its models are loaded.")
    execution_id = serializers.SerializerMethodField(help_text="The run that it has on its desktop now.")

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_tags(self, robot: Any) -> list[str]:
        return sorted({one.name for one in robot.abilities.all() if one.kind == AbilityKind.TAG})

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_programs(self, robot: Any) -> list[str]:
        return [one.name for one in robot.abilities.all() if one.kind == AbilityKind.PROGRAM]

    @extend_schema_field(PerceptionSerializer(allow_null=True))
    def get_perception(self, robot: Any) -> dict[str, Any] | None:
        return in_words(robot.perception) or None

    def get_execution_id(self, robot: Any) -> str | None:
        return robot.at_work[0].execution_id if robot.at_work else None


class MaintenanceSerializer(RequestBody):
    on = serializers.BooleanField(help_text="true: it finishes what it has and takes nothing new.")


class TagsSerializer(RequestBody):
    tags = serializers.ListField(
        child=serializers.CharField(max_length=100), max_length=50, help_text="Those of its machine's setting stay."
    )


class ErrorSerializer(serializers.Serializer):
    """A refusal: `error` is a stable code, `detail` a sentence for people; some carry more."""

    error = serializers.CharField()
    detail = serializers.CharField()
