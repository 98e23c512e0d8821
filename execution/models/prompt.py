from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from execution.choices import CHOICES_OF_PROMPT, TIMEOUT_CHOICE, Origin, PromptKind, PromptState
from execution.models.execution import Execution
from execution.models.step import Step
from execution.types import Choice, DecisionSource
from sentences.field import SaidField


class PromptQuerySet(models.QuerySet["Prompt"]):
    def open(self) -> PromptQuerySet:
        return self.filter(state=PromptState.OPEN)


class Prompt(models.Model):
    """A question to a person. It gets exactly one decision (S1.11)."""

    execution = models.ForeignKey(Execution, on_delete=models.CASCADE, related_name="prompts")
    step = models.ForeignKey(Step, on_delete=models.CASCADE, related_name="prompts")
    kind = models.CharField(max_length=20, choices=PromptKind)
    state = models.CharField(max_length=20, choices=PromptState, default=PromptState.OPEN)
    message = SaidField()
    picture = models.CharField(max_length=64, blank=True)
    dialog = models.JSONField(default=dict, blank=True)  # what came over what is asked about: title, texts, buttons
    created_at = models.DateTimeField(default=timezone.now)
    deadline_at = models.DateTimeField(null=True, blank=True)
    # while somebody corrects, the time stands still from held_since on; without a sign of life only until held_until
    held_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    held_since = models.DateTimeField(null=True, blank=True)
    held_until = models.DateTimeField(null=True, blank=True)
    # what is not any more as it was when it was asked, in a sentence; looked at while it is open
    changed = SaidField(blank=True)

    objects = PromptQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at", "-pk")
        constraints = [
            models.UniqueConstraint(fields=("execution",), condition=Q(state=PromptState.OPEN), name="prompt_one_open"),
            models.CheckConstraint(condition=Q(kind__in=PromptKind.values), name="prompt_kind_known"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} #{self.pk}"

    @property
    def choices(self) -> tuple[str, ...]:
        """The answers it takes, the likeliest first. Accepting needs a target where the action needs one.

        Where what it asks about is gone, a person has probably done it.
        """
        choices = CHOICES_OF_PROMPT[PromptKind(self.kind)]
        if not self.step.suggestion.get("can_accept", True):
            choices = tuple(c for c in choices if c != Choice.ACCEPT)
        return tuple(sorted(choices, key=lambda c: c != Choice.MANUAL)) if self.changed else choices

    @property
    def timeout_s(self) -> float | None:
        """How long an answer is waited for, in seconds; None: as long as it takes."""
        return (self.deadline_at - self.created_at).total_seconds() if self.deadline_at else None

    @property
    def timeout_choice(self) -> str | None:
        return TIMEOUT_CHOICE[PromptKind(self.kind)]


class Decision(models.Model):
    """The answer to a prompt; the one-to-one key is what makes the first one win."""

    prompt = models.OneToOneField(Prompt, on_delete=models.CASCADE, related_name="decision")
    choice = models.CharField(max_length=20, choices=[(c.value, c.value) for c in Choice])
    source = models.CharField(max_length=20, choices=[(s.value, s.value) for s in DecisionSource])
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="decisions")
    name = models.CharField(max_length=150, blank=True)  # who it was, also once the account is gone
    origin = models.CharField(max_length=20, choices=Origin, blank=True)
    correction = models.JSONField(default=dict, blank=True)
    feedback = models.TextField(blank=True)
    node_id = models.CharField(max_length=100, blank=True)  # a rejection may say which screen it is instead
    decided_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-decided_at",)
        constraints = [
            models.CheckConstraint(condition=Q(choice__in=[c.value for c in Choice]), name="decision_choice_known")
        ]

    def __str__(self) -> str:
        return f"{self.choice} by {self.decided_by or self.source}"

    @property
    def timed_out(self) -> bool:
        """Nobody answered; this is what happens then."""
        return self.source == DecisionSource.POLICY

    @property
    def decided_by(self) -> str:
        """The person's name; of a program without one “program”, of a time-out nobody's: it is empty."""
        if self.timed_out:
            return ""
        return self.name or (self.user.get_username() if self.user else self.source)
