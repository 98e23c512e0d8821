"""The shapes of the API of lessons: what a teacher changes of a draft."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from execution.lesson.signs import Level
from workflows.choices import RegionKind, VariableKind

TEXT_KINDS = ("tells", "data", "left_out")
VALUE_KINDS = ("fixed", "variable", "secret")
MOST = 200


class Asked(serializers.Serializer[Any]):
    """Fields that are not sent are not changed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"partial": True, **kwargs})


class BeginSerializer(serializers.Serializer[Any]):
    workflow_id = serializers.CharField(required=False, allow_blank=True, default="", max_length=100)
    name = serializers.CharField(
        required=False,
        allow_blank=True,
        default="",
        max_length=200,
        help_text="Of a new workflow.",
    )
    robot = serializers.CharField(max_length=150, help_text="Name of the robot whose desktop is taught on.")


class DraftWorkflowSerializer(Asked):
    name = serializers.CharField(max_length=200)
    description = serializers.CharField(allow_blank=True, max_length=10_000)


class SortedTextSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(max_length=300)
    kind = serializers.ChoiceField(choices=TEXT_KINDS)


class RegionSerializer(serializers.Serializer[Any]):
    box = serializers.ListField(
        child=serializers.FloatField(min_value=0, max_value=1),
        min_length=4,
        max_length=4,
        help_text="Left, top, width and height as fractions of the screen.",
    )
    kind = serializers.ChoiceField(choices=RegionKind.choices)


class DraftScreenSerializer(Asked):
    name = serializers.CharField(max_length=200)
    is_entry = serializers.BooleanField()
    is_end = serializers.BooleanField()
    texts = serializers.ListField(child=SortedTextSerializer(), max_length=MOST)
    regions = serializers.ListField(child=RegionSerializer(), max_length=MOST, help_text="All of them.")


class WhoseSerializer(serializers.Serializer[Any]):
    value = serializers.CharField(max_length=300)
    label = serializers.CharField(allow_blank=True, required=False, default="", max_length=300)  # type: ignore[assignment]


class ValueSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=VALUE_KINDS)
    name = serializers.CharField(required=False, allow_blank=True, max_length=50, help_text="Of the variable.")
    text = serializers.CharField(required=False, trim_whitespace=False, max_length=20_000, help_text="Always typed.")


class ParametersSerializer(Asked):
    """Those that an act has of these; it is refused whole where it has one of them not."""

    clear = serializers.BooleanField(help_text="Typing: empty the field first.")
    enter = serializers.BooleanField(help_text="Typing: Enter after it.")
    keys = serializers.CharField(max_length=100)
    text = serializers.CharField(max_length=300, help_text="What is waited for, or must be seen.")
    name = serializers.CharField(max_length=50, help_text="Under which a value that is read is kept.")
    kind = serializers.ChoiceField(choices=("text", "number", "date"), help_text="Of a value that is read.")
    timeout_s = serializers.IntegerField(min_value=1, max_value=3600)


class DraftStepSerializer(Asked):
    label = serializers.CharField(max_length=200, help_text="The target in words.")  # type: ignore[assignment]
    signs = serializers.DictField(child=serializers.ChoiceField(choices=[level.value for level in Level]))
    expect = serializers.ListField(
        child=serializers.CharField(max_length=300), max_length=MOST, help_text="All texts that must be seen after it."
    )
    identity = serializers.ListField(child=WhoseSerializer(), max_length=20)
    value = ValueSerializer()
    params = ParametersSerializer()
    optional = serializers.BooleanField()


class DraftVariableSerializer(Asked):
    name = serializers.CharField(max_length=50)
    label = serializers.CharField(allow_blank=True, max_length=200)  # type: ignore[assignment]
    kind = serializers.ChoiceField(choices=VariableKind.choices)
    required = serializers.BooleanField()  # type: ignore[assignment]
    example = serializers.CharField(allow_blank=True, trim_whitespace=False, max_length=500)
    default = serializers.CharField(allow_blank=True, trim_whitespace=False, max_length=500)  # type: ignore[assignment]
    choices = serializers.ListField(child=serializers.CharField(max_length=500), max_length=MOST)


class NothingSerializer(serializers.Serializer[Any]):
    """Nothing is sent."""


class LessonSerializer(serializers.Serializer[Any]):
    """The draft as the page of the lesson shows it."""

    lesson = serializers.DictField()


class BegunSerializer(LessonSerializer):
    url = serializers.CharField(help_text="The page of the lesson.")


class PublishedSerializer(LessonSerializer):
    version = serializers.DictField(help_text="The version that runs use now; its number.")
