from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


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
