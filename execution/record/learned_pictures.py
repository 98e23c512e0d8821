"""The pictures of what was learned, which are of runs and are kept no longer than theirs (S10.4).

What is part of a version is the workflow's own. A correction that has nothing left to know its place by is off.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from execution.choices import CorrectionState
from execution.models import LearnedCorrection
from execution.models.learning import IN_FORCE
from sentences.said import say

_IN_TARGET = ("picture", "context")
_NOT_KEPT = say("record.pictures_not_kept")


def learned_before(workflow_id: str, before: datetime) -> QuerySet[LearnedCorrection]:
    """Corrections that were learned before then and are in no version."""
    learned = LearnedCorrection.objects.of_workflow(workflow_id).filter(learned_at__lt=before)
    return learned.exclude(state=CorrectionState.MERGED).order_by("pk")


def pictures_of_learned(rows: Iterable[LearnedCorrection]) -> set[str]:
    """What they show."""
    shown = set[str]()
    for row in rows:
        target = row.payload.get("target") or {}
        shown |= {row.picture, str(row.payload.get("picture") or ""), *(str(target.get(n) or "") for n in _IN_TARGET)}
    return shown - {""}


def forget_pictures_of_learned(rows: Iterable[LearnedCorrection], *, why: str = _NOT_KEPT) -> int:
    """They show nothing any more, and say why where nothing else is left of them; gives how many showed something."""
    forgotten = 0
    for row in rows:
        shows = bool(pictures_of_learned([row]))
        if not shows and not row.says_nothing:
            continue
        forgotten += shows
        row.picture, row.payload = "", _without(row.payload)
        changed = {"picture": "", "payload": row.payload}
        if row.says_nothing and row.state in (*IN_FORCE, CorrectionState.NEEDS_PERSON):
            off, now = CorrectionState.OFF, timezone.now()
            changed |= {"state": off, "began_as": off, "changed_at": now, "changed_by": "", "streak": 0, "proved": []}
            changed |= {"why": why}
        unmerged = LearnedCorrection.objects.exclude(state=CorrectionState.MERGED)  # meanwhile it may be a version's
        unmerged.filter(pk=row.pk).update(**changed)
    return forgotten


def forget_broken(executions: Collection[str]) -> None:
    """Of what corrections would break in these runs the pictures are not kept: they are the runs'."""
    for row in LearnedCorrection.objects.exclude(breaks=[]):
        breaks = [{**one, "picture": ""} if one.get("run") in executions else one for one in row.breaks]
        if breaks != row.breaks:
            LearnedCorrection.objects.filter(pk=row.pk).update(breaks=breaks)


def _without(payload: dict[str, Any]) -> dict[str, Any]:
    payload = {**payload, "picture": ""} if "picture" in payload else dict(payload)
    if target := payload.get("target"):
        payload["target"] = {**target, **dict.fromkeys(_IN_TARGET, ""), "context_box": None}
    return payload
