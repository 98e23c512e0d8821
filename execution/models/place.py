from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


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
