from __future__ import annotations

from django.db import models
from django.utils import timezone

from execution.models.execution import Execution
from execution.models.step import Step
from execution.types import Output
from workflows.graph import GraphSpec


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
