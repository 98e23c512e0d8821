from __future__ import annotations

from django.db import models


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
