from __future__ import annotations

import re
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models, transaction
from django.db.models import Exists, Max, OuterRef
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from sentences.field import SaidField
from workflows.calls import done_inside
from workflows.choices import AbilityKind, LearningState, Priority
from workflows.exceptions import NotPublished, UnknownVersion, UnknownWorkflow
from workflows.graph import GraphSpec, PopupSpec
from workflows.mask_patterns import mask_pattern_list
from workflows.shape import WrongShape, check

text_id = RegexValidator(
    re.compile(r"^[A-Za-z][A-Za-z0-9_.-]*$"), _("Begin with a letter; then letters, digits, _ . -")
)


def screen_boxes(value: Any) -> None:
    """ValidationError unless the value is a list of boxes, each x, y, width and height as fractions of the screen."""
    for box in value if isinstance(value, list) else [value]:
        sides = box if isinstance(box, list) and len(box) == 4 else [None]
        if not all(isinstance(side, int | float) and 0 <= side <= 1 for side in sides):
            raise ValidationError(
                _("“%(box)s” is not a box: write [x, y, width, height], each between 0 and 1."), params={"box": box}
            )


def popup_list(value: Any) -> None:
    """ValidationError unless the value is a list of dialogs, each known by something and closed by keys or a click."""
    try:
        check(value, tuple[PopupSpec, ...], str(_("dialogs")))
    except WrongShape as error:
        raise ValidationError(str(error)) from error
    for popup in value:
        if not (popup.get("texts") or popup.get("window_title")):
            raise ValidationError(
                _("The dialog “%(name)s” needs texts or a window title to be known by."), params=popup
            )
        if bool(popup.get("keys")) == bool(popup.get("click")):
            raise ValidationError(_("The dialog “%(name)s” is closed either by keys or by a click."), params=popup)


class WorkflowQuerySet(models.QuerySet["Workflow"]):
    def with_latest_version(self) -> WorkflowQuerySet:
        """Adds `latest_number`, None where nothing was published. By name: a grouped query has no order of its own."""
        return self.annotate(latest_number=Max("versions__number")).order_by("name", "pk")

    def by_id(self, workflow_id: str) -> Workflow:
        try:
            return self.get(workflow_id=workflow_id)
        except self.model.DoesNotExist:
            known = ", ".join(self.order_by("workflow_id").values_list("workflow_id", flat=True)[:10])
            raise UnknownWorkflow(
                _("There is no workflow “%(id)s”. Known: %(known)s.")
                % {"id": workflow_id, "known": known or _("none yet")}
            ) from None


class Workflow(models.Model):
    """A graph of screens and actions that people teach and edit; runs use its published versions."""

    workflow_id = models.CharField(_("id"), max_length=100, unique=True, validators=[text_id])
    name = models.CharField(_("name"), max_length=200)
    description = models.TextField(_("description"), blank=True)
    learning_state = models.CharField(
        _("learning state"), max_length=20, choices=LearningState, default=LearningState.OBSERVATION
    )
    enable_ui_detection = models.BooleanField(_("detect elements"), null=True, blank=True)
    enable_ocr = models.BooleanField(_("read text"), null=True, blank=True)
    analyze_timeout_ms = models.PositiveIntegerField(_("analysis limit (ms)"), null=True, blank=True)
    window_info_provider = models.CharField(_("window info provider"), max_length=200, blank=True)
    masks = models.JSONField(
        _("masked regions"),
        default=list,
        blank=True,
        validators=[screen_boxes],
        help_text=_(
            "Places that are hidden in pictures and whose changes do not matter, as [[x, y, width, height], …] in "
            "fractions of the screen."
        ),
    )
    mask_patterns = models.JSONField(
        _("masked texts"),
        default=list,
        blank=True,
        validators=[mask_pattern_list],
        help_text=_(
            'Texts that are hidden in pictures and in what is kept, as ["email", "phone", "national_number", "iban"] '
            "or regular expressions. What a robot does not read it does not show then."
        ),
    )
    already_at_end_is_fine = models.BooleanField(
        _("already at the end is fine"),
        default=False,
        help_text=_("A run that finds itself on an end screen before it has done anything completes; else it pauses."),
    )
    ask_below = models.FloatField(
        _("ask at steps proved to less than"),
        default=0.0,
        blank=True,
        validators=[MinValueValidator(0.0), MaxValueValidator(0.95)],
        help_text=_(
            "A run in automatic asks before each step that is verified in less than this share of all cases, as far as "
            "its last runs prove it, and acts by itself where it is proved. 0: it never asks for that reason."
        ),
    )
    smallest_width = models.PositiveIntegerField(_("smallest width of the screen"), default=0, db_default=0, blank=True)
    smallest_height = models.PositiveIntegerField(
        _("smallest height of the screen"), default=0, db_default=0, blank=True
    )
    most_at_once = models.PositiveSmallIntegerField(
        _("runs at once"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=_("At most so many of its runs are on a desktop at once, paused ones among them. Empty: any number."),
    )
    priority = models.SmallIntegerField(
        _("priority"),
        choices=Priority,
        default=Priority.NORMAL,
        db_default=Priority.NORMAL,
        help_text=_("Which of the waiting runs a robot takes first. Whoever starts a run may choose another one."),
    )
    popups = models.JSONField(_("dialogs that may come"), default=list, blank=True, validators=[popup_list])
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = WorkflowQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        verbose_name = _("workflow")
        verbose_name_plural = _("workflows")
        permissions = (("publish_workflow", "Can publish a workflow"),)
        constraints = [
            models.CheckConstraint(
                condition=models.Q(learning_state__in=LearningState.values), name="workflow_learning_state_known"
            ),
            models.CheckConstraint(
                condition=models.Q(ask_below__gte=0, ask_below__lte=0.95), name="workflow_ask_below_is_a_share"
            ),
            models.CheckConstraint(condition=models.Q(priority__in=Priority.values), name="workflow_priority_known"),
            models.CheckConstraint(
                condition=models.Q(most_at_once=None) | models.Q(most_at_once__gte=1), name="workflow_one_at_least"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def latest_version(self) -> WorkflowVersion:
        """The version that runs use; raises NotPublished."""
        version = self.versions.order_by("-number").first()
        if version is None:
            raise NotPublished(
                _("“%(name)s” (%(id)s) has no published version. Publish it on its page, then start it.")
                % {"name": self.name, "id": self.workflow_id}
            )
        return version

    def version_numbered(self, number: int) -> WorkflowVersion:
        """Raises UnknownVersion."""
        version = self.versions.filter(number=number).first()
        if version is None:
            known = ", ".join(str(n) for n in self.versions.values_list("number", flat=True)[:10])
            words = {"name": self.name, "n": number, "known": known or _("none yet")}
            raise UnknownVersion(_("“%(name)s” has no version %(n)d. Versions: %(known)s.") % words)
        return version


class WorkflowVersionQuerySet(models.QuerySet["WorkflowVersion"]):
    def newest(self) -> WorkflowVersionQuerySet:
        """Of each workflow the one that runs use."""
        later = WorkflowVersion.objects.filter(workflow=OuterRef("workflow"), number__gt=OuterRef("number"))
        return self.filter(~Exists(later))


class WorkflowVersion(models.Model):
    """What was published: the graph as JSON with its pictures by digest. Never changed, never deleted while used."""

    workflow = models.ForeignKey(Workflow, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    graph = models.JSONField()
    digest = models.CharField(max_length=64)
    note = models.CharField(max_length=500, blank=True)
    published_at = models.DateTimeField(auto_now_add=True)
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="published_versions"
    )
    # Its own workflow, and those that it does inside at whatever depth: what each of them needs holds of its runs, too.
    does = models.ManyToManyField(Workflow, related_name="done_in", editable=False)

    objects = WorkflowVersionQuerySet.as_manager()

    class Meta:
        ordering = ("workflow", "-number")
        constraints = [models.UniqueConstraint(fields=("workflow", "number"), name="version_number_unique")]

    def __str__(self) -> str:
        return f"{self.workflow} v{self.number}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk is not None:
            raise TypeError("A published version is immutable; publish a new one.")
        inside = done_inside(self.spec())
        known = dict(Workflow.objects.filter(workflow_id__in=inside).values_list("workflow_id", "pk"))
        if unknown := inside - known.keys():
            raise UnknownWorkflow(_("There is no workflow “%(id)s”.") % {"id": min(unknown)})
        with transaction.atomic():
            super().save(*args, **kwargs)
            self.does.set([self.workflow_id, *known.values()])

    def spec(self) -> GraphSpec:
        return GraphSpec.from_json(self.graph)


def plain_name(name: str) -> str:
    """The name of a tag or a program as it is compared: without case, and without blanks around it."""
    return " ".join(name.split()).casefold()


class Need(models.Model):
    """A tag or a program that a robot must have to take a run of the workflow (S9.4).

    It is the workflow's and not its version's: what a place must have is seen where runs wait, and holds at once.
    """

    workflow = models.ForeignKey("workflows.Workflow", on_delete=models.CASCADE, related_name="needs")
    kind = models.CharField(_("kind"), max_length=10, choices=AbilityKind, default=AbilityKind.TAG)
    name = models.CharField(_("name"), max_length=100)

    class Meta:
        verbose_name = _("need")
        verbose_name_plural = _("what the robot must have")
        ordering = ("kind", "name")
        constraints = [
            models.UniqueConstraint(fields=("workflow", "kind", "name"), name="need_once"),
            models.CheckConstraint(condition=models.Q(kind__in=AbilityKind.values), name="need_kind_known"),
        ]

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.name = plain_name(self.name)
        super().save(*args, **kwargs)

    def clean(self) -> None:
        self.name = plain_name(self.name)


class TrustChange(models.Model):
    """That a workflow is trusted more or less from then on, why, and who said so (S6.8). Written once.

    `by_itself`: no person decided it; `evidence` is what was known then, in a sentence.
    """

    workflow = models.ForeignKey("workflows.Workflow", on_delete=models.CASCADE, related_name="trust_changes")
    was = models.CharField(_("was"), max_length=20, choices=LearningState)
    state = models.CharField(_("learning state"), max_length=20, choices=LearningState)
    by_itself = models.BooleanField(default=False)
    reason = SaidField(_("reason"), blank=True)
    evidence = SaidField(blank=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    name = models.CharField(_("who"), max_length=150, blank=True)
    origin = models.CharField(_("from where"), max_length=20, blank=True)
    at = models.DateTimeField(_("when"), default=timezone.now)

    class Meta:
        verbose_name = _("change of trust")
        verbose_name_plural = _("changes of trust")
        ordering = ("-at", "-pk")

    def __str__(self) -> str:
        return f"{self.workflow}: {self.was} → {self.state}"

    @property
    def is_up(self) -> bool:
        order = LearningState.values
        return order.index(self.state) > order.index(self.was)


class Correction(models.Model):
    """What a coach put in the place of a suggestion. It never changes the version it was made on (S1.10).

    No value of a run is in it: where one stood there is its variable. What it teaches later runs is learned of it.
    """

    workflow = models.ForeignKey("workflows.Workflow", on_delete=models.CASCADE, related_name="corrections")
    version_number = models.PositiveIntegerField()
    execution_id = models.CharField(max_length=60)
    step = models.PositiveIntegerField()
    node_id = models.CharField(max_length=100)
    edge_id = models.CharField(max_length=100)
    correction_type = models.CharField(max_length=20)
    original_target = models.JSONField(default=dict)
    corrected_target = models.JSONField(default=dict)
    original_params = models.JSONField(default=dict)
    corrected_params = models.JSONField(default=dict)
    corrected_action = models.CharField(max_length=50, blank=True)
    wait_before = models.FloatField(default=0)
    wait_after = models.FloatField(default=0)
    feedback = models.TextField(blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return f"{self.edge_id}: {self.correction_type}"
