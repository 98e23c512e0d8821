"""The shapes of the API of lessons: what a teacher changes of a draft."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from execution.lesson.changes import ADDED, CHANGED, REMOVED
from execution.lesson.not_possible import LONGEST_REASON
from execution.lesson.signs import Level
from sentences.request_body import RequestBody
from workflows.choices import RegionKind, VariableKind
from workflows.conditions import TESTS
from workflows.validation.ways import MOST_ROUNDS

TEXT_KINDS = ("tells", "data", "left_out")
VALUE_KINDS = ("fixed", "variable", "secret")
MOST = 200


class Asked(RequestBody):
    """Fields that are not sent are not changed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"partial": True, **kwargs})


class BeginSerializer(RequestBody):
    workflow_id = serializers.CharField(allow_blank=True, default="", max_length=100)
    name = serializers.CharField(allow_blank=True, default="", max_length=200, help_text="Of a new workflow.")
    robot = serializers.CharField(max_length=150, help_text="Name of the robot whose desktop is taught on.")


class DraftWorkflowSerializer(Asked):
    name = serializers.CharField(max_length=200)
    description = serializers.CharField(allow_blank=True, max_length=10_000)


class SortedTextSerializer(RequestBody):
    text = serializers.CharField(max_length=300)
    kind = serializers.ChoiceField(choices=TEXT_KINDS)


class RegionSerializer(RequestBody):
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
    exception = serializers.CharField(
        max_length=LONGEST_REASON, allow_blank=True,
        help_text="Why the work is not possible where this screen comes, at any time; empty: it is.",
    )  # fmt: skip
    texts = serializers.ListField(child=SortedTextSerializer(), max_length=MOST)
    regions = serializers.ListField(child=RegionSerializer(), max_length=MOST, help_text="All of them.")
    order = serializers.ListField(
        child=serializers.CharField(max_length=100), max_length=MOST,
        help_text="All steps of the screen by edge id, as a run is to try them.",
    )  # fmt: skip


class WhoseSerializer(RequestBody):
    value = serializers.CharField(max_length=300)
    label = serializers.CharField(allow_blank=True, required=False, default="", max_length=300)  # type: ignore[assignment]


class ValueSerializer(RequestBody):
    kind = serializers.ChoiceField(choices=VALUE_KINDS)
    name = serializers.CharField(required=False, allow_blank=True, max_length=50, help_text="Of the variable.")
    text = serializers.CharField(
        required=False, trim_whitespace=False, max_length=20_000, help_text="Always typed, or set."
    )


class ParametersSerializer(Asked):
    """Those that an act has of these; it is refused whole where it has one of them not."""

    clear = serializers.BooleanField(help_text="Typing: empty the field first.")
    enter = serializers.BooleanField(help_text="Typing: Enter after it.")
    keys = serializers.CharField(max_length=100)
    text = serializers.CharField(max_length=300, help_text="What is waited for, or must be seen.")
    columns = serializers.CharField(
        max_length=300, allow_blank=True, trim_whitespace=False, help_text="Heads of the texts' columns, one a line."
    )
    name = serializers.CharField(max_length=50, help_text="Under which a value that is read is kept.")
    kind = serializers.ChoiceField(choices=("text", "number", "date"), help_text="Of a value that is read.")
    format = serializers.ChoiceField(
        choices=("", "fr", "us"), allow_blank=True, help_text="How a date or a number is written there."
    )
    timeout_s = serializers.IntegerField(min_value=1, max_value=3600)


class GivenConditionSerializer(RequestBody):
    value = serializers.CharField(max_length=50, help_text="The variable, or the value that is read, by its name.")
    test = serializers.ChoiceField(choices=TESTS)
    to = serializers.ListField(
        child=serializers.CharField(max_length=300),
        required=False,
        max_length=50,
        help_text="What it is compared with.",
    )


class RepeatSerializer(Asked):
    """The counter is given where the repetition is made, by the socket: its target has to be counted on a picture."""

    most = serializers.IntegerField(min_value=1, max_value=MOST_ROUNDS)
    until = serializers.ListField(child=serializers.CharField(max_length=300), max_length=20)
    steps = serializers.ListField(
        child=serializers.CharField(max_length=100), max_length=MOST, help_text="Other steps of its screen, by edge id."
    )


class GivenProofSerializer(RequestBody):
    """Another published workflow that only looks."""

    workflow = serializers.CharField(max_length=100)
    version = serializers.IntegerField(required=False, min_value=1, help_text="Without it: the newest.")
    values = serializers.DictField(
        child=serializers.CharField(allow_blank=True, max_length=300),
        required=False,
        help_text="What its variables are, with {{variables}}; without it those of the same names.",
    )


class DraftStepSerializer(Asked):
    label = serializers.CharField(max_length=200, help_text="The target in words.")  # type: ignore[assignment]
    signs = serializers.DictField(child=serializers.ChoiceField(choices=[level.value for level in Level]))
    always = serializers.BooleanField(help_text="The text of its target is this one in every run, and no variable.")
    expect = serializers.ListField(
        child=serializers.CharField(max_length=300), max_length=MOST, help_text="All texts that must be seen after it."
    )
    identity = serializers.ListField(child=WhoseSerializer(), max_length=20)
    value = ValueSerializer()
    params = ParametersSerializer()
    optional = serializers.BooleanField()
    condition = serializers.ListField(child=GivenConditionSerializer(), max_length=10, help_text="All must be so.")
    repeat = RepeatSerializer(allow_null=True, help_text="For each line of a list; null: not any more.")
    proof = GivenProofSerializer(allow_null=True, help_text="How it is read back that it was done; null: not.")
    move = serializers.ChoiceField(
        choices=("earlier", "later"), help_text="It changes places with the step before it, or after it, on its screen."
    )
    changes_nothing = serializers.BooleanField(help_text="It merely leads somewhere, and may be done again.")
    record = serializers.ChoiceField(
        choices=("accept", "decline"), help_text="Whether the steps after it ask whose record it is, as was proposed."
    )
    offer = serializers.ChoiceField(
        choices=("accept", "decline"),
        help_text="Whether the click becomes what it was offered as: a check box is set, an option is chosen.",
    )


class DraftVariableSerializer(Asked):
    name = serializers.CharField(max_length=50)
    label = serializers.CharField(allow_blank=True, max_length=200)  # type: ignore[assignment]
    kind = serializers.ChoiceField(choices=VariableKind.choices)
    required = serializers.BooleanField()  # type: ignore[assignment]
    example = serializers.CharField(allow_blank=True, trim_whitespace=False, max_length=500)
    default = serializers.CharField(allow_blank=True, trim_whitespace=False, max_length=500)  # type: ignore[assignment]
    choices = serializers.ListField(child=serializers.CharField(max_length=500), max_length=MOST)


class NothingSerializer(RequestBody):
    """Nothing is sent."""


class LessonSerializer(serializers.Serializer[Any]):
    """The draft as the page of the lesson shows it."""

    lesson = serializers.DictField()


class BegunSerializer(LessonSerializer):
    url = serializers.CharField(help_text="The page of the lesson.")


class RememberDialogSerializer(RequestBody):
    press = serializers.CharField(max_length=300, help_text="The words of the button that closes it.")


class RememberedSerializer(serializers.Serializer):
    version = serializers.IntegerField(help_text="The version that closes it; 0 where the draft alone does.")


class DraftChangeSerializer(serializers.Serializer):
    kind = serializers.ChoiceField(choices=(ADDED, REMOVED, CHANGED))
    what = serializers.CharField(help_text="The step, the screen, the variable or the dialog.")
    was = serializers.ListField(child=serializers.CharField(), help_text="What only the version says.")
    now = serializers.ListField(child=serializers.CharField(), help_text="What only the draft says.")
    pictures = serializers.ListField(
        child=serializers.CharField(allow_blank=True), help_text="By digest, before and after, where they differ."
    )


class ChangesSerializer(serializers.Serializer):
    since = serializers.IntegerField(help_text="The newest version; 0 where nothing is published.")
    changes = DraftChangeSerializer(many=True)


class PublishedSerializer(LessonSerializer):
    version = serializers.DictField(help_text="The version that runs use now; its number.")


class ResumedSerializer(PublishedSerializer):
    run = serializers.DictField(help_text="Whether the run goes on with the version; if not, why.")
