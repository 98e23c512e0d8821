"""What was learned of coaches, and how it has done since (S6.3, S6.4)."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from execution.choices import CorrectionKind, CorrectionState, UseOutcome, Watched
from execution.models.execution import Execution
from execution.models.step import Step
from sentences.field import SaidField
from workflows.renaming import BETWEEN

IN_FORCE = (CorrectionState.ON_TRIAL, CorrectionState.TRUSTED)


class CorrectionPack(models.Model):
    """All that coaches have shown of one workflow."""

    workflow = models.OneToOneField("workflows.Workflow", on_delete=models.CASCADE, related_name="correction_pack")
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return str(self.workflow)

    def counter_evidence(self) -> models.QuerySet[TrainingRecord]:
        """What people rejected without saying what is right, with their reasons, the newest first (S6.3)."""
        rejected = TrainingRecord.objects.filter(workflow_id=self.workflow.workflow_id, feedback_type="incorrect")
        return rejected.order_by("-recorded_at", "-pk")


class LearnedCorrectionQuerySet(models.QuerySet["LearnedCorrection"]):
    def in_force(self) -> LearnedCorrectionQuerySet:
        """What runs go by, the newest first of those that are trusted, then of the others."""
        trusted = models.Case(models.When(state=CorrectionState.TRUSTED, then=0), default=1)
        return self.filter(state__in=IN_FORCE).order_by(trusted, "-pk")

    def with_runs(self) -> LearnedCorrectionQuerySet:
        """Each with `run`, the number of the run that it was learned in; None once that is gone."""
        runs = Execution.objects.filter(execution_id=models.OuterRef("execution_id"))
        return self.annotate(run=models.Subquery(runs.values("pk")[:1]))

    def with_counts(self) -> LearnedCorrectionQuerySet:
        """Each with how often it was used, by how that came out, as `n_right` and so on; the act that the coach ordered
        with it is no use."""
        uses = Q(uses__ordered=False)
        counted = {f"n_{one}": models.Count("uses", filter=uses & Q(uses__outcome=one)) for one in UseOutcome.values}
        return self.annotate(**counted)

    def of_workflow(self, workflow_id: str) -> LearnedCorrectionQuerySet:
        return self.filter(pack__workflow__workflow_id=workflow_id)


class LearnedCorrection(models.Model):
    """One thing that a coach showed, as later runs apply it.

    `of` is what it was learned of (the target's id, the taught parameters, the node's id), `taught_as` the digest of
    how that was taught then (`execution.learning.taught_as`): taught anew it is another thing. `payload` is what it
    says instead. No value of a run is in it: where one stood there is its variable. `picture` is the screen that it was
    learned on, without what was the run's data, `box` where on it. Its state follows from its uses
    since `since`, and from `began_as`, which a person may have said. `streak` is how many runs in a row proved it
    right, `proved` how many under which conditions, those it was used under last at the end, and whether it is trusted
    there (`execution.learning.conditions.Proof`).
    """

    pack = models.ForeignKey(CorrectionPack, on_delete=models.CASCADE, related_name="corrections")
    kind = models.CharField(max_length=20, choices=CorrectionKind)
    edge_id = models.CharField(max_length=200, blank=True)
    node_id = models.CharField(max_length=200, blank=True)
    of = models.JSONField(default=dict, blank=True)
    taught_as = models.CharField(max_length=32, blank=True)
    payload = models.JSONField(default=dict, blank=True)
    conditions = models.JSONField(default=dict, blank=True)
    picture = models.CharField(max_length=64, blank=True)
    box = models.JSONField(null=True, blank=True)

    version_number = models.PositiveIntegerField(default=0)
    execution_id = models.CharField(max_length=60, blank=True)
    step = models.PositiveIntegerField(default=0)
    correction = models.ForeignKey(
        "workflows.Correction", null=True, blank=True, on_delete=models.SET_NULL, related_name="learned"
    )
    learned_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    learned_by_name = models.CharField(max_length=150, blank=True)
    learned_at = models.DateTimeField(default=timezone.now)

    state = models.CharField(max_length=20, choices=CorrectionState, default=CorrectionState.ON_TRIAL, db_index=True)
    why = SaidField(blank=True)  # why it is in that state, where that is not plain
    changed_at = models.DateTimeField(default=timezone.now)
    changed_by = models.CharField(max_length=150, blank=True)  # a person's name; empty: its uses
    began_as = models.CharField(max_length=20, choices=CorrectionState, default=CorrectionState.ON_TRIAL)
    since = models.DateTimeField(default=timezone.now)
    streak = models.PositiveIntegerField(default=0)
    proved = models.JSONField(default=list, db_default=[], blank=True)

    # Nothing is trusted before it was tried on the stored pictures: when, on how many, and what it would break there.
    # `task_id`: that it is to be tried, and the task that a queue was given for it.
    task_id = models.CharField(max_length=64, blank=True, editable=False, default="", db_default="")
    checked_at = models.DateTimeField(null=True, blank=True)
    checked_on = models.PositiveIntegerField(default=0)
    breaks = models.JSONField(default=list, blank=True)

    # Run loops of the release before read and write these two; they go with the release after this one.
    said_as = models.CharField(max_length=32, default="", db_default="", blank=True, editable=False)
    elsewhere = models.CharField(max_length=100, blank=True)

    objects = LearnedCorrectionQuerySet.as_manager()

    class Meta:
        ordering = ("-learned_at", "-pk")
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=CorrectionKind.values), name="learned_kind_known"),
            models.CheckConstraint(condition=Q(state__in=CorrectionState.values), name="learned_state_known"),
        ]
        indexes = [models.Index(fields=("pack", "state"), name="learned_of_pack")]

    def __str__(self) -> str:
        return f"{self.kind} {self.edge_id or self.node_id} #{self.pk}"

    @property
    def key(self) -> str:
        """Its name in a graph that it is laid over, and in a version that it became part of: what another installation
        has learned has another one."""
        return f"learned-{self.learned_at:%Y%m%d%H%M%S}-{self.pk}"

    @property
    def says_nothing(self) -> bool:
        """Whether there is nothing left to know its place, or its screen, by, or nothing that it would put instead."""
        if self.kind == CorrectionKind.NODE:
            return not self.payload.get("picture")
        if self.kind == CorrectionKind.PARAMS:
            return not self.payload.get("params")
        target = self.payload.get("target") or {}
        known_by = target.get("picture") or target.get("text") or target.get("named_by")
        return self.kind == CorrectionKind.TARGET and not known_by

    @property
    def is_inside(self) -> bool:
        """Whether it is of a workflow that its own does inside: of that call, and of no other run of that workflow."""
        return BETWEEN in (self.edge_id or self.node_id)

    def counts(self) -> dict[str, int]:
        """How often it was used, by how that came out."""
        counted = self.uses.filter(ordered=False).values_list("outcome").annotate(n=models.Count("pk"))
        found: dict[str, int] = dict.fromkeys(UseOutcome.values, 0)
        return {**found, **dict(counted)}


class CorrectionUse(models.Model):
    """That a step's suggestion stood on a correction, and how that came out; unknown until it is known.

    `part` is what of the step it said, `acted`: what was done was done on its word, `ordered`: it is the act that the
    coach ordered with it, which proves nothing of later ones unless it failed. `against`: the taught place stood.
    `tried`: the correction was tried on its step, too, as that was closed. `conditions` are those of the screen: right
    there, it says nothing of others.
    """

    correction = models.ForeignKey(LearnedCorrection, on_delete=models.CASCADE, related_name="uses")
    step = models.ForeignKey(Step, on_delete=models.CASCADE, related_name="correction_uses")
    part = models.CharField(max_length=20)
    on_trial = models.BooleanField(default=True)
    against = models.BooleanField(default=False)
    ordered = models.BooleanField(default=False)
    acted = models.BooleanField(default=False)
    box = models.JSONField(null=True, blank=True)  # where it said, as fractions of the screen
    conditions = models.JSONField(default=dict, db_default={}, blank=True)
    outcome = models.CharField(max_length=20, choices=UseOutcome, default=UseOutcome.UNKNOWN)
    tried = models.BooleanField(default=False, db_default=False)
    used_at = models.DateTimeField(default=timezone.now)
    known_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("correction", "used_at", "pk")
        constraints = [
            models.UniqueConstraint(fields=("correction", "step"), name="correction_use_once_a_step"),
            models.CheckConstraint(condition=Q(outcome__in=UseOutcome.values), name="correction_use_outcome_known"),
        ]

    def __str__(self) -> str:
        return f"{self.correction} in {self.step}: {self.outcome}"


class TrainingSession(models.Model):
    """The training data of one coached execution; or of what a program collects itself, without one (S6.3)."""

    session_id = models.CharField(max_length=80, unique=True)
    workflow_id = models.CharField(max_length=100)
    execution = models.OneToOneField(
        Execution, null=True, blank=True, on_delete=models.SET_NULL, related_name="training_session"
    )
    mode = models.CharField(max_length=20, blank=True)
    began_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-began_at", "-pk")
        indexes = [models.Index(fields=("workflow_id", "-began_at"), name="training_of_workflow")]

    def __str__(self) -> str:
        return self.session_id


class TrainingRecord(models.Model):
    """One decision and its outcome (S6.3), made of its step, its decision, its correction and its marks.

    No value of a run is in it: where one stood there is its variable. The pictures are the run's, and go with them.
    """

    session = models.ForeignKey(TrainingSession, on_delete=models.CASCADE, related_name="records")
    step = models.PositiveIntegerField()
    workflow_id = models.CharField(max_length=100)
    node_id = models.CharField(max_length=200, blank=True)
    edge_id = models.CharField(max_length=200, blank=True)
    action_type = models.CharField(max_length=50, blank=True)
    element_type = models.CharField(max_length=30, blank=True)
    decision = models.CharField(max_length=20, blank=True)
    source = models.CharField(max_length=20, blank=True)
    success = models.BooleanField(default=False)
    verified = models.CharField(max_length=20, blank=True)
    manual_execution = models.BooleanField(default=False)
    feedback = models.TextField(blank=True)
    feedback_type = models.CharField(max_length=20, blank=True)  # correct, incorrect, partial (S6.5)
    reason = models.TextField(blank=True)
    confidence = models.FloatField(default=1.0)
    correction_type = models.CharField(max_length=20, blank=True)
    original_target = models.JSONField(default=dict, blank=True)
    original_params = models.JSONField(default=dict, blank=True)
    corrected_target = models.JSONField(default=dict, blank=True)
    corrected_params = models.JSONField(default=dict, blank=True)
    picture = models.CharField(max_length=64, blank=True)
    picture_after = models.CharField(max_length=64, blank=True)
    recorded_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("session", "step")
        constraints = [models.UniqueConstraint(fields=("session", "step"), name="training_record_once_a_step")]
        indexes = [
            models.Index(fields=("workflow_id", "-id"), name="training_newest"),
            models.Index(fields=("workflow_id", "feedback_type"), name="training_feedback"),
            models.Index(fields=("workflow_id", "edge_id"), name="training_of_edge"),
        ]

    def __str__(self) -> str:
        return f"{self.session} {self.step}: {self.feedback_type}"

    def as_json(self) -> dict[str, Any]:
        """One line of an export."""
        names = (
            "workflow_id", "step", "node_id", "edge_id", "action_type", "element_type", "decision", "source", "success",
            "verified", "manual_execution", "feedback", "feedback_type", "reason", "confidence", "correction_type",
            "original_target", "original_params", "corrected_target", "corrected_params", "picture", "picture_after",
        )  # fmt: skip
        said = {name: getattr(self, name) for name in names}
        return {"session_id": self.session.session_id, **said, "recorded_at": self.recorded_at.isoformat()}


class Place(models.Model):
    """Where a target was the last time, on a screen and in a window of these sizes; a hint, checked before use (S5.4).

    The box is in pixels from the window's upper left corner, or the screen's where the window's size is 0 × 0. The id
    of a taught target is a digest of its evidence, so a target taught anew never meets the old one's place; where a
    designer changed a target and kept its id, the place fails its check and is dropped.
    """

    workflow_id = models.CharField(_("workflow"), max_length=100)
    target_id = models.CharField(_("target"), max_length=100)
    screen_width = models.PositiveIntegerField()
    screen_height = models.PositiveIntegerField()
    window_width = models.PositiveIntegerField(default=0)
    window_height = models.PositiveIntegerField(default=0)
    x = models.IntegerField()
    y = models.IntegerField()
    w = models.PositiveIntegerField()
    h = models.PositiveIntegerField()
    hits = models.PositiveIntegerField(_("found there"), default=1)
    updated_at = models.DateTimeField(_("last found there"))

    class Meta:
        verbose_name = _("remembered place")
        verbose_name_plural = _("remembered places")
        constraints = [
            models.UniqueConstraint(
                fields=(
                    "workflow_id", "target_id", "screen_width", "screen_height", "window_width", "window_height",
                ),
                name="place_unique",
            ),
            models.CheckConstraint(condition=models.Q(w__gt=0, h__gt=0), name="place_has_a_size"),
        ]  # fmt: skip
        indexes = [models.Index(fields=("workflow_id", "-updated_at"), name="place_oldest")]

    def __str__(self) -> str:
        return f"{self.target_id} at {self.x}, {self.y}"


class Prototype(models.Model):
    """What one taught picture of a screen looks like by now, as one model sees it: the highest number counts (S6.6).

    Each move is a row, with the step that it was seen at; so is a reset, to the taught vector again. float32,
    little-endian, of length 1.
    """

    workflow = models.ForeignKey("workflows.Workflow", on_delete=models.CASCADE, related_name="prototypes")
    node_id = models.CharField(max_length=200)
    picture = models.CharField(max_length=64)
    model = models.CharField(max_length=200)
    number = models.PositiveIntegerField()
    vector = models.BinaryField()
    away = models.FloatField(default=0.0)  # from what was taught, in radians
    is_reset = models.BooleanField(default=False)
    execution_id = models.CharField(max_length=60, blank=True)
    step = models.PositiveIntegerField(default=0)
    name = models.CharField(max_length=150, blank=True)  # who reset it
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("prototype")
        verbose_name_plural = _("prototypes")
        ordering = ("workflow", "node_id", "picture", "model", "-number")
        constraints = [
            models.UniqueConstraint(
                fields=("workflow", "node_id", "picture", "model", "number"), name="prototype_number_unique"
            )
        ]

    def __str__(self) -> str:
        return f"{self.node_id} #{self.number}"


class DriftWatch(models.Model):
    """One screen or step of a workflow as its runs see it (S6.7): what its test has gathered, and what that says.

    `taught` is a digest of what is watched: with another one the test begins anew. `recent` are the last ten
    confidences, or whether the last ten tries were verified, as 1 and 0.
    """

    workflow = models.ForeignKey("workflows.Workflow", on_delete=models.CASCADE, related_name="drift_watches")
    kind = models.CharField(max_length=10, choices=Watched)
    name = models.CharField(max_length=200)  # the id of the screen, or of the step
    taught = models.CharField(max_length=32)
    gathered = models.JSONField(default=dict)
    recent = models.JSONField(default=list)
    looks = models.PositiveIntegerField(default=0)
    is_drifting = models.BooleanField(_("has changed"), default=False)
    severity = models.FloatField(default=0.0)
    action = models.CharField(max_length=10, default="none")
    execution_id = models.CharField(max_length=60, blank=True)  # the run in which it was told, and its step
    step = models.PositiveIntegerField(default=0)
    told_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("watch for drift")
        verbose_name_plural = _("watches for drift")
        ordering = ("workflow", "kind", "name")
        constraints = [
            models.UniqueConstraint(fields=("workflow", "kind", "name"), name="drift_watch_unique"),
            models.CheckConstraint(condition=Q(kind__in=Watched.values), name="drift_watch_kind_known"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"
