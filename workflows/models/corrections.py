from __future__ import annotations

from django.conf import settings
from django.db import models


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
