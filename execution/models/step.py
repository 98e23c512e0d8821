from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from execution.choices import ExecutionMode, Feedback, Origin, Outcome, StepPhase, Verified
from execution.models.execution import Execution
from execution.types import Output
from sentences.field import SaidField
from workflows.graph import GraphSpec

# The parts of a step that follow one another; reading and detecting are inside the analysis (S2.5).
PARTS = ("capture_ms", "analyze_ms", "match_ms", "resolve_ms", "act_ms", "look_ms", "verify_ms", "waited_ms")


class StepQuerySet(models.QuerySet["Step"]):
    def in_doubt(self) -> StepQuerySet:
        """Steps whose intent was committed and whose result was not."""
        return self.filter(phase=StepPhase.INTENT)

    def closed(self) -> StepQuerySet:
        return self.filter(phase=StepPhase.CLOSED)


class Step(models.Model):
    """One turn of the loop: what was seen, what was meant, what was done, what came of it."""

    execution = models.ForeignKey(Execution, on_delete=models.CASCADE, related_name="steps")
    index = models.PositiveIntegerField()
    epoch = models.PositiveIntegerField()
    phase = models.CharField(max_length=20, choices=StepPhase, default=StepPhase.PLANNED)
    outcome = models.CharField(max_length=20, choices=Outcome, default=Outcome.NONE, blank=True)
    success = models.BooleanField(default=False)
    message = SaidField(blank=True)
    in_doubt = models.BooleanField(default=False)

    node_id = models.CharField(max_length=100, blank=True)
    edge_id = models.CharField(max_length=100, blank=True)
    action_type = models.CharField(max_length=50, blank=True)
    effect_class = models.CharField(max_length=20, blank=True)
    mode = models.CharField(max_length=20, choices=ExecutionMode)
    sentence = models.CharField(max_length=500, blank=True)

    confidence = models.FloatField(default=0)
    margin = models.FloatField(default=0)
    recognition = models.JSONField(default=dict, blank=True)  # runner-up and reasons
    suggestion = models.JSONField(default=dict, blank=True)  # target, params, where, rung, evidence
    rung = models.CharField(max_length=30, blank=True)
    score = models.FloatField(default=0)
    screen = models.JSONField(default=dict, blank=True)  # ScreenState in S11.6's shape
    picture_before = models.CharField(max_length=64, blank=True)
    picture_after = models.CharField(max_length=64, blank=True)
    just_before = models.JSONField(default=list, blank=True)  # digests of what showed in between, where it went wrong
    verified = models.CharField(max_length=20, choices=Verified, default=Verified.NONE, blank=True)
    verification = models.JSONField(default=dict, blank=True)
    agreed = models.BooleanField(null=True, blank=True)  # observation: the person did what would have been suggested
    retries = models.PositiveSmallIntegerField(default=0)
    attempts = models.JSONField(default=list, blank=True)  # those that came to nothing: why, how long, what showed then

    capture_ms = models.FloatField(default=0)
    ocr_ms = models.FloatField(default=0)
    ui_ms = models.FloatField(default=0)
    analyze_ms = models.FloatField(default=0)
    match_ms = models.FloatField(default=0)
    resolve_ms = models.FloatField(default=0)
    act_ms = models.FloatField(default=0)
    look_ms = models.FloatField(default=0, db_default=0)  # reading after the act
    verify_ms = models.FloatField(default=0)
    waited_ms = models.FloatField(default=0)  # for a person; the robot's own time is total_ms without it
    total_ms = models.FloatField(default=0)
    cache_hit = models.BooleanField(default=False)  # nothing was read for it, neither before the act nor after it
    degraded = models.BooleanField(default=False)

    started_at = models.DateTimeField(default=timezone.now)
    intent_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = StepQuerySet.as_manager()

    class Meta:
        ordering = ("execution", "index")
        constraints = [
            models.UniqueConstraint(fields=("execution", "index"), name="step_index_unique"),
            models.UniqueConstraint(
                fields=("execution",), condition=Q(phase=StepPhase.INTENT), name="step_one_open_intent"
            ),
            models.CheckConstraint(condition=Q(phase__in=StepPhase.values), name="step_phase_known"),
            models.CheckConstraint(condition=Q(outcome__in=Outcome.values), name="step_outcome_known"),
            models.CheckConstraint(
                condition=~Q(phase=StepPhase.CLOSED) | (~Q(outcome=Outcome.NONE) & Q(ended_at__isnull=False)),
                name="step_closed_has_outcome",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.execution} #{self.index}"

    @property
    def measured_ms(self) -> float:
        """What its parts took together: the least that the whole step can have taken."""
        return sum(getattr(self, name) for name in PARTS)

    @property
    def robot_ms(self) -> float:
        """What the robot took for it, without waiting for a person."""
        return max(0.0, self.total_ms - self.waited_ms)


class StepMark(models.Model):
    """What somebody said of a step afterwards: it was right, wrong, or right in part (S6.5).

    It is written once and never changed; of several of one step the newest counts.
    """

    step = models.ForeignKey(Step, on_delete=models.CASCADE, related_name="marks")
    feedback = models.CharField(max_length=20, choices=Feedback)
    reason = models.TextField(blank=True)
    confidence = models.FloatField(default=1.0)  # how sure whoever said it is, from 0 to 1
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    name = models.CharField(_("who"), max_length=150, blank=True)
    origin = models.CharField(_("from where"), max_length=20, choices=Origin, blank=True)
    marked_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("step", "-marked_at", "-pk")
        constraints = [
            models.CheckConstraint(condition=Q(feedback__in=Feedback.values), name="step_mark_feedback_known"),
            models.CheckConstraint(condition=Q(confidence__gte=0, confidence__lte=1), name="step_mark_confidence"),
            models.CheckConstraint(condition=Q(origin__in=Origin.values), name="step_mark_origin_known"),
        ]

    def __str__(self) -> str:
        return f"{self.step}: {self.feedback}"

    def as_json(self) -> dict[str, str]:
        return {
            "feedback": self.feedback,
            "reason": self.reason,
            "by": self.name,
            "origin": self.origin,
            "marked_at": self.marked_at.isoformat(),
        }


class ValueKind(models.TextChoices):
    TEXT = "text", "text"
    NUMBER = "number", "number"
    DATE = "date", "date"


class ValueReadQuerySet(models.QuerySet["ValueRead"]):
    def newest(self) -> dict[str, ValueRead]:
        """The last reading of each name, in the order in which they were first read."""
        return {value.name: value for value in self.order_by("step__index")}

    def results(self, graph: GraphSpec) -> list[dict[str, str]]:
        """What the run brings: the last reading of each name, without what stays inside a workflow that it did."""
        return [value.as_json() for name, value in self.newest().items() if name not in graph.inner_values]


class ValueRead(models.Model):
    """A value that a run has read from a screen: one of its outputs (S6.12). What is masked or secret is never here."""

    execution = models.ForeignKey(Execution, on_delete=models.CASCADE, related_name="values_read")
    step = models.OneToOneField(Step, on_delete=models.CASCADE, related_name="value_read")
    name = models.CharField(max_length=50)
    kind = models.CharField(max_length=20, choices=ValueKind, default=ValueKind.TEXT)
    text = models.TextField()  # as it stood there
    value = models.TextField()  # for programs: a number as 1234.56, a date as 2026-12-31
    read_at = models.DateTimeField(default=timezone.now)

    objects = ValueReadQuerySet.as_manager()

    class Meta:
        ordering = ("execution", "step__index")
        constraints = [
            models.CheckConstraint(condition=models.Q(kind__in=ValueKind.values), name="value_read_kind_known")
        ]

    def __str__(self) -> str:
        return f"{self.name}: {self.text}"

    @property
    def as_variable(self) -> str:
        return Output(name=self.name, kind=self.kind, text=self.text, value=self.value).as_variable

    def as_json(self) -> dict[str, str]:
        return {"name": self.name, "kind": self.kind, "text": self.text, "value": self.value}
