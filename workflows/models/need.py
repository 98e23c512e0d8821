from __future__ import annotations

from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from workflows.choices import AbilityKind


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
