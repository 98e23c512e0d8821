"""Where targets were the last time, in the database, so that the next run loop knows it too (S5.4)."""

from __future__ import annotations

import logging
from typing import Any

from django.db import Error, transaction
from django.db.models import F
from django.utils import timezone

from execution.models import Place
from execution.targeting.places import PlaceKey
from execution.types import Box

log = logging.getLogger(__name__)

MOST = 2000  # places of one workflow: a few hundred targets on a handful of screen and window sizes


class DatabasePlaces:
    """A PlaceStore that lasts. A database that fails costs a warning: the target is then looked for anew (S1.21).

    Of one workflow at most `most` places are kept, those found last. Nothing has to be dropped when a workflow is
    published anew: the id of a taught target is a digest of its evidence, so what was taught anew asks for another
    place, and what stayed still has its own.
    """

    def __init__(self, *, most: int = MOST) -> None:
        if most < 1:
            raise ValueError(f"At least one place must be kept for a workflow, not {most}.")
        self._most = most

    def get(self, key: PlaceKey) -> Box | None:
        """The remembered box; None where there is none, or the database does not answer."""
        try:
            sides = Place.objects.filter(**_fields(key)).values_list("x", "y", "w", "h").first()
        except Error as error:
            log.warning("the place of target %s is not known: %s", key.target_id, error)
            return None
        return Box(*sides) if sides else None

    def put(self, key: PlaceKey, box: Box) -> None:
        """Remember that the target was found there; a box without a size is none and is not kept."""
        if box.w <= 0 or box.h <= 0:
            return
        try:
            with transaction.atomic():
                if not self._found_again(key, box):
                    self._remember(key, box)
        except Error as error:
            log.warning("the place of target %s could not be kept: %s", key.target_id, error)

    def drop(self, key: PlaceKey) -> None:
        """Forget a place that proved wrong."""
        try:
            Place.objects.filter(**_fields(key)).delete()
        except Error as error:
            log.warning("the place of target %s could not be dropped: %s", key.target_id, error)

    def _found_again(self, key: PlaceKey, box: Box) -> bool:
        rows = Place.objects.filter(**_fields(key), **_sides(box))
        return bool(rows.update(hits=F("hits") + 1, updated_at=timezone.now()))

    def _remember(self, key: PlaceKey, box: Box) -> None:
        values = {**_sides(box), "hits": 1, "updated_at": timezone.now()}
        _row, created = Place.objects.update_or_create(**_fields(key), defaults=values)
        if created:
            rows = Place.objects.filter(workflow_id=key.workflow_id)
            too_many = rows.order_by("-updated_at", "-pk").values_list("pk", flat=True)[self._most :]
            Place.objects.filter(pk__in=list(too_many)).delete()


def _fields(key: PlaceKey) -> dict[str, Any]:
    return {
        "workflow_id": key.workflow_id,
        "target_id": key.target_id,
        "screen_width": key.screen_size[0],
        "screen_height": key.screen_size[1],
        "window_width": key.window_size[0],
        "window_height": key.window_size[1],
    }


def _sides(box: Box) -> dict[str, int]:
    return {"x": int(box.x), "y": int(box.y), "w": int(box.w), "h": int(box.h)}
