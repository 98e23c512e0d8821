"""What people say of a robot: that it is in maintenance, and which tags it has (S9.4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone

from audit.models import Verb
from audit.recording import record
from execution.actions.asking import name_of
from execution.choices import Origin
from execution.models import Ability, AbilityOrigin, Robot
from execution.permissions import OPERATE
from workflows.choices import AbilityKind
from workflows.permissions import DESIGN


def set_maintenance(*, robot: Robot, on: bool, user: Any = None, origin: Origin = Origin.PAGE) -> None:
    """In maintenance a robot finishes the run that it has and takes nothing new, until somebody says that it may.

    It holds for its desktop, whatever becomes of its process. Raises PermissionDenied where `user` may not operate; the
    account of the machine, at its command line, may.
    """
    if not (user.has_perm(OPERATE) if user is not None else origin is Origin.COMMAND):
        raise PermissionDenied(OPERATE)
    with transaction.atomic():
        other = Robot.objects.filter(pk=robot.pk, maintenance_at__isnull=on)
        at, by = (timezone.now(), name_of(user, origin)) if on else (None, "")
        if other.update(maintenance_at=at, maintenance_by=by):  # else somebody has said so already
            now = "maintenance" if on else "at work"
            who = name_of(user, origin)
            record(Verb.CHANGED, user=user, who=who, origin=origin, kind="robot", about=robot.name, now=now)


def set_tags(*, robot: Robot, tags: Iterable[str], user: Any, origin: Origin = Origin.PAGE) -> None:
    """The tags that people give it; those of its machine's setting stay. Whoever says what workflows need may."""
    if not user.has_perm(DESIGN):
        raise PermissionDenied(DESIGN)
    with transaction.atomic():
        Ability.objects.say(robot, AbilityKind.TAG, tags, origin=AbilityOrigin.PAGE)
        record(Verb.CHANGED, user=user, origin=origin, kind="robot", about=robot.name, fields=["tags"])
