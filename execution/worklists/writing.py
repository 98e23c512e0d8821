"""The file of results is written to the list's own folder in `out/` when the list has come to rest (S12.11).

Its name is that of the end it tells of. A process that dies writes the same file again, and never half a file.
"""

from __future__ import annotations

import logging
import os
from datetime import datetime
from functools import partial
from pathlib import Path

from django.conf import settings
from django.db.models import F, Q
from django.utils import timezone, translation

from execution.models import Worklist
from execution.models.worklist import WorklistState
from execution.worklists.results_of import file_of
from execution.worklists.schedules import last_start_of

log = logging.getLogger(__name__)

_AT_REST = (WorklistState.FINISHED, WorklistState.READY)


def write_results(now: datetime) -> int:
    """Write what is wanted and was not written yet; how many files."""
    ended = Worklist.objects.filter(state__in=_AT_REST, ended_at__isnull=False).exclude(writes="")
    due = ended.filter(Q(written_at=None) | Q(written_at__lt=F("ended_at")))
    return sum(_write(worklist) for worklist in due.select_related("workflow", "version"))


def _write(worklist: Worklist) -> bool:
    ended_at = worklist.ended_at
    assert ended_at is not None
    start = last_start_of(worklist)
    place = _place(worklist, ended_at)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        fresh = place.with_name(f".{place.name}.{os.getpid()}")
        language = start.schedule.language if start else settings.LANGUAGE_CODE
        told = partial(file_of, worklist, worklist.writes, begins_with=settings.SITE_ADDRESS, since=worklist.begun_at)
        with translation.override(language), fresh.open("wb") as file:
            for piece in told():
                file.write(piece.encode() if isinstance(piece, str) else piece)
        fresh.replace(place)
    except OSError as error:  # a full disk or a share that is away: the next look tries again
        log.warning("the results of %s are not written: %s", worklist.worklist_id, error.strerror or error)
        return False
    Worklist.objects.filter(pk=worklist.pk, ended_at=ended_at).update(written_at=ended_at)
    return True


def _place(worklist: Worklist, ended_at: datetime) -> Path:
    """Also of a list that ends twice within a minute each end has its own file."""
    local = timezone.localtime(ended_at)
    name = f"{worklist.folder} {local:%Y-%m-%d %H%M%S}.{worklist.writes}"
    return Path(settings.DATA_DIR) / "out" / worklist.folder / name
