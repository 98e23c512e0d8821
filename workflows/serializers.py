"""Workflows as JSON: what the API gives and what its docs say about it."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from sentences.request_body import RequestBody
from workflows.models import Workflow, WorkflowVersion
from workflows.models.workflow import text_id
from workflows.needs import needs_of


def norm_box() -> serializers.ListField:
    return serializers.ListField(
        child=serializers.FloatField(), min_length=4, max_length=4, allow_null=True, required=False
    )


@extend_schema_field({"oneOf": [{"type": "integer"}, {"type": "string"}]})
class NumberField(serializers.ReadOnlyField):
    """A number, or the text that says which one a run wants."""


class NeighbourSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    others = serializers.ListField(child=serializers.CharField(), help_text="What reads there as well.")
    dx = serializers.IntegerField(help_text="Pixels of the taught screen, from centre to centre.")
    dy = serializers.IntegerField()


class ShapeSerializer(serializers.Serializer[Any]):
    """An element near the target, in pixels of the taught screen, from centre to centre."""

    role = serializers.CharField()
    dx = serializers.IntegerField()
    dy = serializers.IntegerField()
    w = serializers.IntegerField()
    h = serializers.IntegerField()


class TargetSerializer(serializers.Serializer[Any]):
    """What an action acts on, by evidence. Boxes are left, top, width, height as fractions of the taught screen."""

    target_id = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    text = serializers.CharField()
    role = serializers.CharField()
    picture = serializers.CharField(help_text="Digest; the picture is at /pictures/<digest>.png.")
    context = serializers.CharField(help_text="Digest of the picture of the target with its surroundings.")  # type: ignore[assignment]
    context_box = norm_box()
    box = norm_box()
    window_box = norm_box()
    window_title = serializers.CharField()
    app_name = serializers.CharField()
    window_size = serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2)
    screen_size = serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2)
    click = serializers.ListField(
        child=serializers.FloatField(), min_length=2, max_length=2, help_text="Where to act, as fractions of the box."
    )
    neighbours = NeighbourSerializer(many=True)
    named_by = NeighbourSerializer(allow_null=True, help_text="The label that stands beside it and names it.")
    row = serializers.ListField(child=serializers.CharField(), help_text="Texts that must stand in its own row.")
    shapes = ShapeSerializer(many=True)
    number = NumberField(
        help_text="Which of its like it was, in reading order; 0: not counted. "
        "A text such as {{n}}: the one of its group that a run wants."
    )
    before_first = serializers.IntegerField(help_text="So many of its group come before the first that is counted.")
    first_offset = serializers.ListField(
        child=serializers.IntegerField(), min_length=2, max_length=2, allow_null=True,
        help_text="Where the first of its group was from it, in pixels.",
    )  # fmt: skip
    next_offset = serializers.ListField(
        child=serializers.IntegerField(), min_length=2, max_length=2, allow_null=True,
        help_text="Where the second of its group was from the first, in pixels.",
    )  # fmt: skip
    alike = serializers.IntegerField(help_text="How many of its like there were.")
    scroll_box = norm_box()
    demonstrations = serializers.IntegerField()


class IdentitySerializer(serializers.Serializer[Any]):
    """Whose record it must be: `value` must stand at the text `label`, or anywhere if that is empty."""

    value = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]


class PopupSerializer(serializers.Serializer[Any]):
    """A dialog that may come over any screen, and how it is closed."""

    name = serializers.CharField()
    texts = serializers.ListField(child=serializers.CharField())
    window_title = serializers.CharField()
    keys = serializers.CharField()
    click = serializers.CharField()


class ExpectSerializer(serializers.Serializer[Any]):
    """What must be seen before or after an action."""

    texts = serializers.ListField(child=serializers.CharField())
    gone = serializers.ListField(child=serializers.CharField())
    window_title = serializers.CharField()


class NodeSerializer(serializers.Serializer[Any]):
    """A screen state: `texts` must be on it, `absent` must not."""

    node_id = serializers.CharField()
    name = serializers.CharField()
    texts = serializers.ListField(child=serializers.CharField())
    absent = serializers.ListField(child=serializers.CharField())
    window_title = serializers.CharField()
    app_name = serializers.CharField()
    picture = serializers.CharField(help_text="Digest of the reference picture; empty where there is none.")
    is_entry = serializers.BooleanField()
    is_end = serializers.BooleanField()
    is_common = serializers.BooleanField(help_text="It may come at any time.")
    exception = serializers.CharField(help_text="Why the work is not possible where a run ends here; mostly empty.")


class ConditionSerializer(serializers.Serializer[Any]):
    """What must be so of one of the run's values."""

    value = serializers.CharField(help_text="The name of a variable or of an output.")
    test = serializers.CharField(
        help_text="equals, is_not, contains, empty, not_empty, less, more, before, after or one_of."
    )
    to = serializers.ListField(child=serializers.CharField(), help_text="What it is compared with.")


class RepeatSerializer(serializers.Serializer[Any]):
    """The action begins a round that is done for each line of a list."""

    counter = serializers.CharField(help_text="The variable that says the line, from 1.")
    most = serializers.IntegerField(help_text="So many rounds at most.")
    until = serializers.ListField(child=serializers.CharField(), help_text="Texts that say that there is no more.")
    steps = serializers.ListField(
        child=serializers.CharField(),
        help_text="Other actions of the same screen that belong to a round, by their ids.",
    )


class ProofSerializer(serializers.Serializer[Any]):
    """Another workflow that only looks: what it reads must hold before the action counts as verified."""

    workflow = serializers.CharField()
    version = serializers.IntegerField()
    values = serializers.DictField(child=serializers.CharField(), help_text="Texts by the names of its variables.")


class EdgeSerializer(serializers.Serializer[Any]):
    """The action that leads from one screen to the next."""

    edge_id = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    destination = serializers.CharField()
    action_type = serializers.CharField()
    params = serializers.DictField()
    target = TargetSerializer(allow_null=True)
    before = ExpectSerializer()
    identity = IdentitySerializer(many=True)
    expect = ExpectSerializer()
    effect_class = serializers.CharField(help_text="undeclared, read, idempotent, observable or opaque.")
    optional = serializers.BooleanField(help_text="A run may go on where it was not done.")
    condition = ConditionSerializer(many=True, help_text="All must hold, or the action is left out.")
    repeat = RepeatSerializer(allow_null=True)
    proof = ProofSerializer(allow_null=True)
    retries = serializers.IntegerField()
    retry_backoff_ms = serializers.IntegerField()
    settle_ms = serializers.IntegerField()
    settle_timeout_ms = serializers.IntegerField()
    order = serializers.IntegerField()


class VariableSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    kind = serializers.CharField(help_text="text, date, email or number.")
    required = serializers.BooleanField()  # type: ignore[assignment]
    default = serializers.CharField()  # type: ignore[assignment]
    example = serializers.CharField()
    choices = serializers.ListField(child=serializers.CharField(), help_text="A run takes no other value; empty: any.")


class GraphSerializer(serializers.Serializer[Any]):
    """The workflow as it is drawn now, published or not."""

    entry_nodes = serializers.ListField(child=serializers.CharField())
    end_nodes = serializers.ListField(child=serializers.CharField())
    nodes = NodeSerializer(many=True)
    edges = EdgeSerializer(many=True)
    variables = VariableSerializer(many=True)
    popups = PopupSerializer(many=True)
    already_at_end_is_fine = serializers.BooleanField()
    flags = serializers.DictField()


class ProblemSerializer(serializers.Serializer[Any]):
    """One thing to mend, in words. Errors keep the workflow from being published, warnings do not."""

    code = serializers.CharField()
    severity = serializers.CharField(help_text="error or warning.")
    kind = serializers.CharField(help_text="workflow, node, edge, target or variable.")
    where = serializers.CharField(help_text="The id of what is meant.")
    message = serializers.CharField()


class WorkflowVersionSerializer(serializers.ModelSerializer[WorkflowVersion]):
    published_by = serializers.CharField(source="published_by.username", default=None, allow_null=True)

    class Meta:
        model = WorkflowVersion
        fields = ("number", "digest", "note", "published_at", "published_by")
        read_only_fields = fields


class WorkflowSerializer(serializers.ModelSerializer[Workflow]):
    version = serializers.IntegerField(
        source="latest_number", allow_null=True, help_text="The version that runs use; null: nothing published yet."
    )
    learning_state = serializers.CharField(help_text="OBSERVATION, COACHING, AUTO_CANDIDATE or AUTO_CONFIRMED.")

    class Meta:
        model = Workflow
        fields: tuple[str, ...] = ("workflow_id", "name", "description", "learning_state", "version", "updated_at")
        read_only_fields: tuple[str, ...] = fields


class NeedsSerializer(RequestBody):
    """What a robot must have to take a run; a side of 0 does not matter."""

    tags = serializers.ListField(child=serializers.CharField(max_length=100), max_length=50)
    programs = serializers.ListField(child=serializers.CharField(max_length=100), max_length=50)
    smallest_width = serializers.IntegerField(min_value=0, max_value=100_000)
    smallest_height = serializers.IntegerField(min_value=0, max_value=100_000)


class WorkflowDetailSerializer(WorkflowSerializer):
    graph = serializers.SerializerMethodField()
    versions = serializers.SerializerMethodField()
    problems = serializers.SerializerMethodField()
    needs = serializers.SerializerMethodField()
    most_at_once = serializers.IntegerField(
        allow_null=True, help_text="At most so many of its runs are on a desktop at once; null: any number."
    )
    priority = serializers.IntegerField(help_text="Of a run that is started without one: -1 low, 0 normal, 1 high.")

    class Meta(WorkflowSerializer.Meta):
        fields: tuple[str, ...] = (
            *WorkflowSerializer.Meta.fields, "graph", "versions", "problems", "needs", "most_at_once", "priority",
        )  # fmt: skip
        read_only_fields: tuple[str, ...] = fields

    @extend_schema_field(GraphSerializer)
    def get_graph(self, workflow: Workflow) -> dict[str, Any]:
        return GraphSerializer(self.context["graph"]).data

    @extend_schema_field(NeedsSerializer)
    def get_needs(self, workflow: Workflow) -> dict[str, Any]:
        return dict(NeedsSerializer(needs_of(workflow)).data)

    @extend_schema_field(WorkflowVersionSerializer(many=True))
    def get_versions(self, workflow: Workflow) -> list[dict[str, Any]]:
        rows = workflow.versions.select_related("published_by").defer("graph")
        return list(WorkflowVersionSerializer(rows, many=True).data)

    @extend_schema_field(ProblemSerializer(many=True))
    def get_problems(self, workflow: Workflow) -> list[dict[str, Any]]:
        return list(ProblemSerializer(self.context["problems"], many=True).data)


class PublishSerializer(RequestBody):
    note = serializers.CharField(
        allow_blank=True, default="", max_length=WorkflowVersion._meta.get_field("note").max_length
    )


class ImportSerializer(RequestBody):
    file = serializers.FileField(help_text=_("A workflow file, as the export gives it."))
    workflow_id = serializers.CharField(allow_blank=True, default="", max_length=100, validators=[text_id])
