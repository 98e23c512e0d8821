"""Jobs: what kinds there are, and doing one from where it stands to its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from execution.behind.leases import LEASE, Piece, end, leave, locked, take
from execution.models import Job
from execution.models.work import WorkState
from sentences.said import cause


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """`pieces` go on behind `job.place`. `told`: what came of it, in words. `whole`: never left in the middle, and what
    died is begun anew, as half a file is no file."""

    name: str
    label: Any
    count: Callable[[Job], int]
    pieces: Callable[[Job], Iterator[Piece]]
    told: Callable[[Job], list[str]] = lambda job: []
    whole: bool = False


KINDS: dict[str, Kind] = {}


def register(kind: Kind) -> None:
    """By the app whose work it is, when it is ready."""
    KINDS[kind.name] = kind


def go_on(job: Job, *, leave_now: Callable[[], bool] = lambda: False) -> Job:
    """Do what is left; each piece is kept with where it ended. Raises Taken. `leave_now` ends it where it stands."""
    kind = KINDS[job.kind]
    take(job)
    try:
        job.of = kind.count(job)
        Job.objects.filter(pk=job.pk).update(of=job.of)
        for piece in kind.pieces(job):
            if not _keep(job, piece):
                return job
            if not kind.whole and leave_now():
                leave(job)
                return job
    except Exception as error:  # whatever it was, the page must say that it ended, and the rest of the work goes on
        end(job, WorkState.FAILED, cause(error))
        raise
    end(job, WorkState.DONE)
    return job


def _keep(job: Job, piece: Piece) -> bool:
    """What it writes and where it ended, in one transaction; False where the job was stopped or is another's."""
    with transaction.atomic():
        row = locked(job)
        if row is None:
            job.refresh_from_db()
            return False
        row.place = {**row.place, **piece.write()}
        row.done = piece.done
        row.lease_until = timezone.now() + LEASE
        row.save(update_fields=["place", "done", "lease_until"])
    job.refresh_from_db()
    return True
