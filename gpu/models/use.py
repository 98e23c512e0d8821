"""What was asked of models, and what it took: each attempt is a row (S4.4, S7)."""

from __future__ import annotations

import logging

from django.db import DatabaseError, models
from django.utils import timezone

from gpu.choices import ProviderName, UseOutcome

log = logging.getLogger(__name__)


class ModelUse(models.Model):
    """It cost nothing but the machine's time: the models are local ones."""

    at = models.DateTimeField(db_index=True)
    purpose = models.CharField(max_length=20)  # gpu.types.Purpose
    provider = models.CharField(max_length=20, choices=ProviderName)
    model = models.CharField(max_length=200)
    outcome = models.CharField(max_length=10, choices=UseOutcome)
    error = models.CharField(max_length=100, blank=True)  # the class of gpu.exceptions
    attempt = models.PositiveSmallIntegerField(default=1)
    instead_of = models.CharField(max_length=200, blank=True)  # the model that had failed before
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    seconds = models.FloatField()
    load_seconds = models.FloatField(default=0.0)
    execution_id = models.CharField(max_length=60, blank=True, db_index=True)
    step = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        db_table = "model_uses"
        ordering = ("at",)

    def __str__(self) -> str:
        return f"{self.model} {self.outcome}"

    def keep(self) -> None:
        """Save it as of now; a database that refuses costs a line in the log, never an answer (S1.21)."""
        self.at = timezone.now()
        try:
            self.save()
        except DatabaseError as error:
            log.warning("the use of a model could not be kept: %s", error)
