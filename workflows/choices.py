from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class LearningState(models.TextChoices):
    """How far a workflow is trusted; it decides the mode of a run that asks for none (S1.3)."""

    OBSERVATION = "OBSERVATION", _("observation")
    COACHING = "COACHING", _("coaching")
    AUTO_CANDIDATE = "AUTO_CANDIDATE", _("candidate for automatic")
    AUTO_CONFIRMED = "AUTO_CONFIRMED", _("automatic")


class AbilityKind(models.TextChoices):
    """What a robot can have and a workflow can need (S9.4)."""

    TAG = "tag", _("tag")
    PROGRAM = "program", _("program")


class Priority(models.IntegerChoices):
    """Which of the runs that wait goes first; one that has waited long enough goes before any (S9.4)."""

    LOW = -1, _("low")
    NORMAL = 0, _("normal")
    HIGH = 1, _("high")


class EffectClass(models.TextChoices):
    """What repeating an action may do (S9.3). What a person chose stands; what nobody said is worked out."""

    UNDECLARED = "undeclared", _("not said: worked out from the action and what must be seen after it")
    READ = "read", _("reads only")
    IDEMPOTENT = "idempotent", _("may be repeated")
    OBSERVABLE = "observable", _("its effect can be seen")
    OPAQUE = "opaque", _("never repeated without a person")


MAY_SAVE = frozenset({EffectClass.OBSERVABLE, EffectClass.OPAQUE})  # what may save or send (S9.8)


class RegionKind(models.TextChoices):
    """What an area of a screen says of it."""

    MUST = "must", _("what is read there must be there")
    MUST_NOT = "must_not", _("nothing may be read there")
    IGNORE = "ignore", _("what stands there does not matter")
    LIST = "list", _("lines of a list: others, more or fewer another day")


class VariableKind(models.TextChoices):
    TEXT = "text", _("text")
    LINES = "lines", _("text of several lines")
    DATE = "date", _("date")
    EMAIL = "email", _("e-mail address")
    NUMBER = "number", _("number")
    SECRET = "secret", _("secret")
