"""What is done behind the scenes, as a page shows it that it was asked for on: how far it is, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from execution.behind.jobs import KINDS
from execution.behind.old import file_of
from execution.models import Job
from execution.models.work import WorkState
from sentences.said import worded

SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A job as a line."""

    row: Job
    label: Any
    about: str
    file: str
    came: list[str]
    why: str  # it failed, for those who may know


def told_on(*kinds: str, may_know: bool, names: dict[str, str] | None = None) -> dict[str, Any]:
    """The context of `execution/_jobs.html`: the newest of these kinds. `names` of what they are about, by id."""
    rows = list(Job.objects.filter(kind__in=kinds).select_related("asked_by")[:SHOWN])
    return {
        "jobs": [_told(row, may_know, names or {}) for row in rows],
        "jobs_at_work": any(not row.is_final for row in rows),
        "jobs_stuck": any(row.is_stuck for row in rows),
    }


def _told(row: Job, may_know: bool, names: dict[str, str]) -> Told:
    kind = KINDS[row.kind]
    return Told(
        row=row,
        label=kind.label,
        about=names.get(row.about, row.about),
        file=file_of(row),
        came=kind.told(row) if row.state == WorkState.DONE else [],
        why=worded(row.problem) if may_know else "",
    )
