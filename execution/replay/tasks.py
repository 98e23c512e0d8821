"""Replays behind Django's task interface: done a while at a time, so that whoever does them can stop."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from functools import lru_cache

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django_tasks import task

from execution.behind.leases import Taken
from execution.behind.waking import is_held, wake
from execution.models import Execution, LearnedCorrection, Replay, ReplayReason
from execution.models.learning import IN_FORCE
from execution.perception.analyzer import ScreenAnalyzer, build_analyzer
from execution.perception.config import PerceptionConfig
from execution.replay.checking import check
from execution.replay.fingerprint import fingerprint, note
from execution.replay.replaying import ask, go_on
from workflows.models import Workflow

log = logging.getLogger(__name__)

SLICE_S = 20.0
MOST_RUNS = 200  # of each workflow, where nobody asked


@task()
def replay_on(replay_id: str) -> str:
    """Go on with it for a while, and leave the rest to another task; gives the state it is in."""
    replay = Replay.objects.get(replay_id=replay_id)
    until = time.monotonic() + SLICE_S
    try:
        go_on(replay, eyes(), leave_now=lambda: time.monotonic() > until)
    except Taken:
        replay.refresh_from_db()
        return str(replay.state)  # at its end, or another process is at it
    if not replay.is_final:
        wake(replay, replay_on, replay_id)
    return str(replay.state)


@task()
def check_correction(pk: int) -> int:
    """Try a correction on the stored pictures; gives how many answers it would break."""
    row = LearnedCorrection.objects.select_related("pack__workflow").filter(pk=pk).first()
    if row is None:
        return 0
    wish, broken = row.task_id, check(row, eyes())
    LearnedCorrection.objects.filter(pk=pk, task_id=wish).update(task_id="")  # one that was wished meanwhile stays
    return broken


def have_checked(pks: Iterable[int]) -> None:
    """These corrections are tried once the transaction is through."""
    rows = list(LearnedCorrection.objects.filter(pk__in=pks))

    def wake_all() -> None:
        for row in rows:
            wake(row, check_correction, row.pk)

    transaction.on_commit(wake_all, robust=True)


def take_up() -> int:
    """Every replay that is not at its end, and every correction to be tried, has a task again where nobody holds it;
    gives how many replays."""
    left = [replay for replay in Replay.objects.left() if not is_held(replay)]
    for replay in left:
        wake(replay, replay_on, replay.replay_id)
    untried = Q(checked_at=None, state__in=IN_FORCE)
    for row in LearnedCorrection.objects.filter(untried | ~Q(task_id="")):
        if not is_held(row):
            wake(row, check_correction, row.pk)
    return len(left)


def see_what_changed() -> list[Replay]:
    """Where the eyes are not what they were, the newest runs of each published workflow are to be looked at again."""
    changed = note(fingerprint(eyes()))
    if not changed:
        return []
    log.info("the eyes have changed: %s", ", ".join(changed))
    LearnedCorrection.objects.filter(state__in=IN_FORCE).update(checked_at=None)  # `take_up` has them tried again
    Replay.objects.left().filter(reason=ReplayReason.EYES).delete()  # by eyes that are gone
    return [ask(workflow, reason=ReplayReason.EYES, most_runs=MOST_RUNS) for workflow in _that_ran()]


@lru_cache(maxsize=1)
def eyes() -> ScreenAnalyzer:
    """Of this process; their models are loaded with the first picture."""
    return build_analyzer(PerceptionConfig.from_settings(settings))


def _that_ran() -> Iterable[Workflow]:
    ran = Execution.objects.filter(ended_at__isnull=False).values("version__workflow")
    return Workflow.objects.filter(pk__in=ran).order_by("pk")
