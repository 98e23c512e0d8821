from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from workflows.choices import EffectClass, RegionKind, VariableKind
from workflows.graph import ConditionSpec, ProofSpec, RegionSpec, RepeatSpec
from workflows.models.workflow import Workflow, screen_boxes, text_id
from workflows.shape import WrongShape, check


class Picture(models.Model):
    """A picture that a workflow refers to; its pixels lie in the picture store under its digest."""

    digest = models.CharField(max_length=64, unique=True)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return f"{self.digest[:8]} ({self.width} × {self.height})"


def condition_list(value: Any) -> None:
    """ValidationError unless the value is a list of conditions."""
    _check(value, tuple[ConditionSpec, ...], str(_("conditions")))


def repetition(value: Any) -> None:
    """ValidationError unless the value says how an action is repeated, or is empty."""
    if value != {}:
        _check(value, RepeatSpec, str(_("repetition")))


def proving(value: Any) -> None:
    """ValidationError unless the value says by which workflow an action is proved, or is empty."""
    if value != {}:
        _check(value, ProofSpec, str(_("proof")))


def region_list(value: Any) -> None:
    """ValidationError unless the value is a list of areas: {"box": [x, y, width, height], "kind": a RegionKind}."""
    _check(value, tuple[RegionSpec, ...], str(_("areas")))
    for region in value:
        screen_boxes([region["box"]])
        if region["kind"] not in RegionKind.values:
            raise ValidationError(
                _("“%(kind)s” is no kind of area. Kinds: %(known)s."),
                params={"kind": region["kind"], "known": ", ".join(RegionKind.values)},
            )


def value_list(value: Any) -> None:
    """ValidationError unless the value is a list of texts, none empty."""
    _check(value, tuple[str, ...], str(_("allowed values")))
    if not all(text.strip() for text in value):
        raise ValidationError(_("An allowed value is empty."))


def _check(value: Any, kind: Any, where: str) -> None:
    try:
        check(value, kind, where)
    except WrongShape as error:
        raise ValidationError(str(error)) from error


class Node(models.Model):
    """A screen state that can be recognised by what is on it."""

    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="nodes")
    node_id = models.CharField(_("id"), max_length=100, validators=[text_id])
    name = models.CharField(_("name"), max_length=200)
    texts = models.JSONField(_("texts that must be seen"), default=list, blank=True)
    absent = models.JSONField(_("texts that must not be seen"), default=list, blank=True)
    # Texts that it shows and is not known by, for whoever teaches: [{"text", "kind": data or left_out}].
    aside = models.JSONField(default=list, blank=True, editable=False)
    regions = models.JSONField(
        _("areas"),
        default=list,
        blank=True,
        validators=[region_list],
        help_text=_(
            "Where what is read on its picture must be there (must), nothing may be read (must_not), or nothing "
            'matters (ignore): [{"box": [x, y, width, height], "kind": "ignore"}, …] in fractions of the screen.'
        ),
    )
    window_title = models.CharField(_("window title"), max_length=300, blank=True)
    app_name = models.CharField(_("application"), max_length=200, blank=True)
    reference = models.ForeignKey(Picture, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    window_box = models.JSONField(_("place of the window"), null=True, blank=True, editable=False)  # in fractions
    looks = models.ManyToManyField(
        Picture,
        blank=True,
        related_name="+",
        verbose_name=_("further pictures"),
        help_text=_("The same screen as it looks at other times: with an empty list, with an area folded."),
    )
    is_entry = models.BooleanField(_("entry"), default=False)
    is_end = models.BooleanField(_("end"), default=False)
    # A teacher said that a run may end here although steps lead on: going on from it leaves it an end.
    ends_too = models.BooleanField(default=False, editable=False)
    is_common = models.BooleanField(
        _("common"),
        default=False,
        help_text=_("It may come at any time; the run goes on afterwards from where it was."),
    )
    exception = models.CharField(
        _("not possible, because"),
        max_length=200,
        default="",
        db_default="",
        blank=True,
        help_text=_("Of an end: the work could not be done, for this reason, such as “Patient not found”."),
    )

    class Meta:
        ordering = ("workflow", "id")
        verbose_name = _("screen")
        verbose_name_plural = _("screens")
        constraints = [models.UniqueConstraint(fields=("workflow", "node_id"), name="node_id_unique")]

    def __str__(self) -> str:
        return self.name


class Target(models.Model):
    """What an action acts on, described by evidence, never by a bare coordinate."""

    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="targets")
    target_id = models.CharField(_("id"), max_length=100, validators=[text_id])
    label = models.CharField(_("name in words"), max_length=200)
    text = models.CharField(_("text on it"), max_length=300, blank=True)
    role = models.CharField(_("role"), max_length=50, blank=True)
    picture = models.ForeignKey(Picture, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    context = models.ForeignKey(Picture, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    evidence = models.JSONField(_("evidence"), default=dict, blank=True)

    class Meta:
        ordering = ("workflow", "id")
        verbose_name = _("target")
        verbose_name_plural = _("targets")
        constraints = [models.UniqueConstraint(fields=("workflow", "target_id"), name="target_id_unique")]

    def __str__(self) -> str:
        return self.label


class Edge(models.Model):
    """The action that leads from one node to the next."""

    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="edges")
    edge_id = models.CharField(_("id"), max_length=100, validators=[text_id])
    source = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="outgoing")
    destination = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="incoming")
    action_type = models.CharField(_("action"), max_length=50)
    params = models.JSONField(_("parameters"), default=dict, blank=True)
    target = models.ForeignKey(Target, null=True, blank=True, on_delete=models.RESTRICT, related_name="edges")
    before = models.JSONField(_("what must be seen before"), default=dict, blank=True)
    identity = models.JSONField(_("whose record it must be"), default=list, blank=True)
    expect = models.JSONField(_("what must be seen after"), default=dict, blank=True)
    effect_class = models.CharField(_("effect"), max_length=20, choices=EffectClass, default=EffectClass.UNDECLARED)
    optional = models.BooleanField(
        _("optional"), default=False, help_text=_("A run that finds itself on the next screen may go on without it.")
    )
    condition = models.JSONField(
        _("only if"), default=list, blank=True, validators=[condition_list], help_text=_("Without it: in any case.")
    )
    repeat = models.JSONField(_("for each line of a list"), default=dict, blank=True, validators=[repetition])
    proof = models.JSONField(
        _("proved by"),
        default=dict,
        db_default={},
        blank=True,
        validators=[proving],
        help_text=_("Without it what the screen shows after the action is all that says that it was done."),
    )
    retries = models.PositiveSmallIntegerField(_("retries"), default=2, validators=[MaxValueValidator(20)])
    retry_backoff_ms = models.PositiveIntegerField(_("wait before a retry (ms)"), default=500)
    settle_ms = models.PositiveIntegerField(_("still for (ms)"), default=300)
    settle_timeout_ms = models.PositiveIntegerField(_("still at most after (ms)"), default=5000)
    order = models.PositiveSmallIntegerField(_("order"), default=0)

    class Meta:
        ordering = ("workflow", "order", "id")
        verbose_name = _("action")
        verbose_name_plural = _("actions")
        constraints = [
            models.UniqueConstraint(fields=("workflow", "edge_id"), name="edge_id_unique"),
            models.CheckConstraint(condition=models.Q(effect_class__in=EffectClass.values), name="edge_effect_known"),
        ]

    def __str__(self) -> str:
        return f"{self.source} → {self.destination}"


class Variable(models.Model):
    """A value that a run is started with; used as {{name}} in texts and parameters."""

    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="variables")
    name = models.SlugField(_("name"), max_length=50)
    label = models.CharField(_("label"), max_length=200, blank=True)
    kind = models.CharField(_("kind"), max_length=20, choices=VariableKind, default=VariableKind.TEXT)
    required = models.BooleanField(_("required"), default=True)
    default = models.CharField(_("default"), max_length=500, blank=True)
    example = models.CharField(_("example"), max_length=500, blank=True)
    choices = models.JSONField(
        _("allowed values"),
        default=list,
        blank=True,
        validators=[value_list],
        help_text=_("A list of texts; a run takes no other value. Empty: any."),
    )
    order = models.PositiveSmallIntegerField(_("order"), default=0)

    class Meta:
        ordering = ("workflow", "order", "id")
        verbose_name = _("variable")
        verbose_name_plural = _("variables")
        constraints = [
            models.UniqueConstraint(fields=("workflow", "name"), name="variable_name_unique"),
            models.CheckConstraint(condition=models.Q(kind__in=VariableKind.values), name="variable_kind_known"),
        ]

    def __str__(self) -> str:
        return self.label or self.name
