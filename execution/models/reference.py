from __future__ import annotations

from django.db import models


class ReferenceReading(models.Model):
    """The texts and elements of one taught picture, as one reader and detector saw them; made again at any time."""

    picture = models.CharField(max_length=64)
    maker = models.CharField(max_length=200)
    reading = models.JSONField()
    made_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=("picture", "maker"), name="reference_reading_unique")]

    def __str__(self) -> str:
        return f"{self.picture[:8]} by {self.maker}"


class ReferenceVectorQuerySet(models.QuerySet["ReferenceVector"]):
    def by_id(self, vector_id: str) -> ReferenceVector:
        """The vector that a screen's JSON names (S11.6); raises DoesNotExist."""
        model, _, picture = vector_id.rpartition(":")
        return self.get(picture=picture, model=model)


class ReferenceVector(models.Model):
    """What one model makes of one picture, a taught one or a step's: float32, little-endian.

    Only vectors of one model compare (S2.10).
    """

    picture = models.CharField(max_length=64)
    model = models.CharField(max_length=200)
    vector = models.BinaryField()
    made_at = models.DateTimeField(auto_now=True)

    objects = ReferenceVectorQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=("picture", "model"), name="reference_vector_unique")]

    def __str__(self) -> str:
        return f"{self.picture[:8]} by {self.model}"

    @property
    def vector_id(self) -> str:
        return vector_id(self.picture, self.model)


def vector_id(picture: str, model: str) -> str:
    return f"{model}:{picture}"
