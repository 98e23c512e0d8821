"""What each kind of event holds (S8.2), as serializers: the API's schema and its docs page are made of these."""

from __future__ import annotations

from drf_spectacular.utils import PolymorphicProxySerializer, inline_serializer
from rest_framework import serializers

from execution.api.serializers import (
    DecisionSerializer,
    ProgressSerializer,
    PromptSerializer,
    StepSerializer,
    WishSerializer,
)
from execution.choices import EventKind


class MendingPayload(serializers.Serializer):
    by = serializers.CharField()
    step = serializers.IntegerField()
    since = serializers.DateTimeField()


class StatePayload(ProgressSerializer):
    """Where the run stands, why it is paused and what went wrong."""

    pause_reason = serializers.CharField(allow_blank=True)
    pause_detail = serializers.DictField(help_text="message, picture and candidates of what was seen when it paused.")
    error = serializers.CharField(allow_blank=True)
    stopped_by = serializers.CharField(allow_blank=True)
    stopped_from = serializers.CharField(allow_blank=True)
    wish = serializers.CharField(allow_blank=True, help_text="What people asked of it and it has not yet done.")
    wish_mode = serializers.CharField(allow_blank=True, help_text="The mode that the next turn will have (S1.23).")
    degraded = serializers.BooleanField()
    degraded_reason = serializers.CharField(allow_blank=True)
    desktop = serializers.CharField(allow_blank=True)
    on_desktop = serializers.BooleanField()
    mending = MendingPayload(allow_null=True, help_text="Who mends a step of it while it stands still or asks (S6.14).")


class DegradedPayload(serializers.Serializer):
    """The steps that follow read nothing anew (S2.4)."""

    reason = serializers.CharField()


class DriftPayload(serializers.Serializer):
    """A screen is recognised less surely than it was, or a step fails more often than it did (S6.7); told once."""

    kind = serializers.CharField(help_text="screen or step.")
    node_id = serializers.CharField()
    edge_id = serializers.CharField(allow_blank=True, help_text="Of a step.")
    is_drifting = serializers.BooleanField()
    drift_severity = serializers.FloatField(help_text="0 to 1: of the way to not being recognised any more.")
    recommended_action = serializers.CharField(help_text="none, watch or re-teach.")
    recent = serializers.ListField(
        child=serializers.FloatField(), help_text="The last ten confidences, or 1 and 0 for verified or not."
    )
    message = serializers.CharField()
    code = serializers.CharField(required=False)
    values = serializers.DictField(required=False)


class ErrorPayload(serializers.Serializer):
    """Something went wrong, and the run goes on or says so in its state."""

    kind = serializers.CharField()
    message = serializers.CharField(allow_blank=True)
    code = serializers.CharField(required=False)
    values = serializers.DictField(required=False)
    was = serializers.CharField(required=False, help_text="demoted: the learning state that the workflow had.")
    state = serializers.CharField(required=False, help_text="demoted: the one that it has now.")


class ModePayload(serializers.Serializer):
    """The run has another mode from here on (S1.23)."""

    was = serializers.CharField()
    mode = serializers.CharField()
    by = serializers.CharField(allow_blank=True)
    origin = serializers.CharField(allow_blank=True)
    asked_at = serializers.DateTimeField(allow_null=True)


class VersionPayload(serializers.Serializer):
    """The run goes on with another version of its workflow, mended while it stood still (S6.14)."""

    was = serializers.IntegerField(help_text="The number of the version that it had.")
    version = serializers.IntegerField()
    by = serializers.CharField(allow_blank=True)
    origin = serializers.CharField(allow_blank=True)
    asked_at = serializers.DateTimeField(allow_null=True)


class ControlPayload(serializers.Serializer):
    """What a person who has control does on the desktop, told before it is done; places are fractions of it."""

    by = serializers.CharField()
    act = serializers.CharField(help_text="click, double_click, right_click, drag, scroll, press_keys or type_text.")
    at = serializers.ListField(child=serializers.FloatField(), required=False, help_text="x and y.")
    to = serializers.ListField(child=serializers.FloatField(), required=False, help_text="drag: x and y of its end.")
    on = serializers.CharField(required=False, help_text="The text that was read there.")
    dx = serializers.IntegerField(required=False, help_text="scroll: to the right.")
    dy = serializers.IntegerField(required=False, help_text="scroll: down.")
    keys = serializers.CharField(required=False, help_text="press_keys: the chord.")
    length = serializers.IntegerField(required=False, help_text="type_text: how many characters; never which.")
    picture = serializers.CharField(required=False, help_text="Of the screen before it, where that was read.")
    window = serializers.CharField(required=False, allow_blank=True, help_text="Title of the window in front.")
    failed = serializers.CharField(required=False, help_text="Why it was not done after all.")


class ResourcePayload(serializers.Serializer):
    """What happened to the GPU of the run's machine, and how it stands then (S3.9)."""

    machine = serializers.CharField()
    message = serializers.CharField()
    code = serializers.CharField(required=False)
    values = serializers.DictField(required=False)
    mode = serializers.CharField(help_text="What the GPU is for now: idle, recording or autopilot, as its page says.")
    vlm_model = serializers.CharField(allow_blank=True)
    vlm_state = serializers.CharField(help_text="unloaded, loading, loaded or unloading.")
    used_mb = serializers.IntegerField(allow_null=True, help_text="Of its memory; null where there is no GPU.")
    total_mb = serializers.IntegerField(allow_null=True)


PAYLOADS: dict[EventKind, type[serializers.Serializer]] = {
    EventKind.STATE: StatePayload,
    EventKind.STEP: StepSerializer,
    EventKind.PROMPT: PromptSerializer,
    EventKind.DECISION: DecisionSerializer,
    EventKind.WISH: WishSerializer,
    EventKind.DEGRADED: DegradedPayload,
    EventKind.DRIFT_DETECTED: DriftPayload,
    EventKind.ERROR: ErrorPayload,
    EventKind.RESOURCE_CHANGED: ResourcePayload,
    EventKind.MODE_CHANGED: ModePayload,
    EventKind.IDLE_UNLOAD: ResourcePayload,
    EventKind.CONTROL: ControlPayload,
    EventKind.VERSION_CHANGED: VersionPayload,
}


def name_of(kind: str) -> str:
    """The schema's name of an event of this kind."""
    return "".join(word.title() for word in kind.split("_")) + "Event"


def _event(kind: EventKind) -> serializers.Serializer:
    return inline_serializer(
        name=name_of(kind),
        fields={
            "seq": serializers.IntegerField(help_text="Without gaps within a run, from 1."),
            "kind": serializers.CharField(help_text=f"“{kind.value}”."),
            "at": serializers.DateTimeField(),
            "payload": PAYLOADS[kind](),
        },
    )


EVENTS = inline_serializer(
    name="Events",
    fields={
        "head": serializers.IntegerField(help_text="The newest there is; ask again after the last one you have."),
        "events": PolymorphicProxySerializer(
            component_name="Event",
            serializers={kind.value: _event(kind) for kind in PAYLOADS},
            resource_type_field_name="kind",
            many=True,
        ),
    },
)
