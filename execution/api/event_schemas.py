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


class DegradedPayload(serializers.Serializer):
    """The steps that follow read nothing anew (S2.4)."""

    reason = serializers.CharField()


class ErrorPayload(serializers.Serializer):
    """Something went wrong, and the run goes on or says so in its state."""

    kind = serializers.CharField()
    message = serializers.CharField(allow_blank=True)
    code = serializers.CharField(required=False)
    values = serializers.DictField(required=False)


class ModePayload(serializers.Serializer):
    """The run has another mode from here on (S1.23)."""

    was = serializers.CharField()
    mode = serializers.CharField()
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
    failed = serializers.CharField(required=False, help_text="Why it was not done after all.")


PAYLOADS: dict[EventKind, type[serializers.Serializer]] = {
    EventKind.STATE: StatePayload,
    EventKind.STEP: StepSerializer,
    EventKind.PROMPT: PromptSerializer,
    EventKind.DECISION: DecisionSerializer,
    EventKind.WISH: WishSerializer,
    EventKind.DEGRADED: DegradedPayload,
    EventKind.ERROR: ErrorPayload,
    EventKind.MODE_CHANGED: ModePayload,
    EventKind.CONTROL: ControlPayload,
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
