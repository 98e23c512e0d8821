"""Replays behind Django's task interface: done a while at a time, so that whoever does them can stop."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django_tasks import task

from execution.behind.leases import Taken
from execution.behind.waking import is_held, wake
from execution.choices import CorrectionKind, CorrectionState, StepPhase
from execution.learning.overlay import Taught, fits, overlaid
from execution.models import Execution, LearnedCorrection, Replay, ReplayReason, Step
from execution.models.learning import IN_FORCE
from execution.perception.analyzer import ScreenAnalyzer, build_analyzer
from execution.perception.config import PerceptionConfig
from execution.record.corrections import as_taught, in_force, settle
from execution.replay.answers import BREAKS, Verdict
from execution.replay.fingerprint import fingerprint, note
from execution.replay.looking_again import Difference, LookingAgain, PassedOver
from execution.replay.replaying import ask, go_on
from execution.replay.runs import StoredRun
from execution.replay.stood import stood_in
from sentences.said import say
from workflows.graph import GraphSpec
from workflows.models import Workflow
from workflows.pictures import PictureStore

# No forgetting: before a correction is trusted, what it would change on the stored pictures of its workflow (S6.17).
# What was found right before must still be found at the same place, what was not there must still be refused. One
# that breaks either is shown with the picture and needs a person.

MOST_STEPS = 400
MOST_SHOWN = 20


def check(row: LearnedCorrection, analyzer: ScreenAnalyzer) -> int:
    """Look at the stored steps with and without it, as they were read then; keeps what breaks, and gives how many.

    A person's own word stands: what somebody trusted in spite of it stays trusted.
    """
    seen, looked_at, breaks = set[int](), 0, list[dict[str, Any]]()
    used = set(row.uses.filter(step__phase=StepPhase.CLOSED).values_list("step", flat=True))  # before any is looked at
    graphs = _graphs(row)
    if graphs is not None and row.kind != CorrectionKind.PARAMS:  # a parameter is no question of seeing
        seen, looked_at, breaks = _compared(row, graphs, analyzer)
        used -= set(_steps(row).filter(pk__in=used - seen).values_list("pk", flat=True))
    with transaction.atomic():
        row = LearnedCorrection.objects.select_for_update().get(pk=row.pk)
        row.checked_at, row.checked_on, row.breaks = timezone.now(), looked_at, breaks[:MOST_SHOWN]
        row.save(update_fields=["checked_at", "checked_on", "breaks"])
        row.uses.filter(step__in=used).update(tried=True)
        if breaks and row.state in _OWN_WORD_NEEDED and row.began_as != CorrectionState.TRUSTED:
            row.state, row.changed_at, row.changed_by = CorrectionState.NEEDS_PERSON, timezone.now(), ""
            row.why = say("replay.breaks", n=len(breaks), of=looked_at)
            row.save(update_fields=["state", "changed_at", "changed_by", "why"])
        else:
            settle(row)
    return len(breaks)


_OWN_WORD_NEEDED = frozenset({CorrectionState.ON_TRIAL, CorrectionState.TRUSTED})


def _graphs(row: LearnedCorrection) -> tuple[GraphSpec, GraphSpec] | None:
    """What runs go by without it, and with it; None where no version teaches what it was learned of as it was then.

    A look of a target stands alone in the second: beside the taught one, which it contradicts, it would be a question
    each time, and that is no way to find out what it says.
    """
    own = as_taught(row)
    graph = next((graph for _version, graph in _taught_so(row)), None)
    if graph is None:
        return None
    others: tuple[Taught, ...] = tuple(one for one in in_force(row.pack.workflow.workflow_id) if one.key != row.key)
    without = overlaid(graph, others).graph
    if row.kind != CorrectionKind.TARGET:
        return without, overlaid(graph, (own, *others)).graph
    edges = (replace(e, target=own.target) if e.edge_id == own.edge_id else e for e in graph.edges)
    return without, replace(graph, edges=tuple(edges))


def _taught_so(row: LearnedCorrection) -> Iterator[tuple[int, GraphSpec]]:
    """The versions whose runs go by it, the newest first."""
    own = as_taught(row)
    for version in row.pack.workflow.versions.order_by("-number").iterator(chunk_size=1):
        if fits(graph := version.spec(), own):
            yield version.pk, graph


def _compared(
    row: LearnedCorrection, graphs: tuple[GraphSpec, GraphSpec], analyzer: ScreenAnalyzer
) -> tuple[set[int], int, list[dict[str, Any]]]:
    """The steps that it came to, of which those that are passed over are so for good; how many were looked at, and what
    breaks."""
    store = PictureStore()
    without, with_it = (LookingAgain(graph, analyzer, pictures=store, reads=False) for graph in graphs)
    runs: dict[int, StoredRun] = {}
    seen, looked_at, breaks = set[int](), 0, list[dict[str, Any]]()
    for step in _steps(row).select_related("execution__version")[:MOST_STEPS].iterator(chunk_size=20):
        seen.add(step.pk)
        run = runs.setdefault(step.execution_id, StoredRun(step.execution))
        try:
            before, after = ({d.about: d for d in eyes.differences(step, run)} for eyes in (without, with_it))
        except PassedOver:
            continue
        looked_at += 1
        breaks += [
            _told(step, found)
            for about, found in after.items()
            if _is_break(found, row) and (about not in before or before[about].now != found.now)
        ]
    for stood in stood_in(row.pack.workflow) if row.kind == CorrectionKind.NODE else ():
        try:
            was, now = (eyes.at_pause(stood) for eyes in (without, with_it))
        except PassedOver:
            continue
        looked_at += 1
        if now is not None and now.verdict is Verdict.WRONG and (was is None or was.now != now.now):
            where = {"run": stood.execution.execution_id, "step": stood.after, "picture": stood.pause.picture}
            breaks.append({**where, **_answered(replace(now, was=stood.said))})
    return seen, looked_at, breaks


def _steps(row: LearnedCorrection) -> QuerySet[Step]:
    """Those that it could say something of: of a place all where it is taught as it was then, of a screen all there
    are. First those of its own uses that it was not tried on yet, then the newest."""
    runs = Execution.objects.filter(version__workflow=row.pack.workflow_id)
    steps = Step.objects.filter(execution__in=runs, phase=StepPhase.CLOSED).exclude(picture_before="")
    if row.kind == CorrectionKind.TARGET:
        taught_so = [version for version, _graph in _taught_so(row)]
        steps = steps.filter(edge_id=row.edge_id, execution__version__in=taught_so)
    untried = row.uses.filter(step=OuterRef("pk"), tried=False)
    return steps.alias(own=Exists(untried)).order_by("-own", "-pk")


def _is_break(found: Difference, row: LearnedCorrection) -> bool:
    """What nobody has said to be right breaks where nothing was answered, and now something is. One more look of a
    target may say nothing: the others are still there."""
    if found.verdict is Verdict.OTHER:
        return not found.was and bool(found.now)
    return found.verdict is Verdict.WRONG or (found.verdict in BREAKS and row.kind != CorrectionKind.TARGET)


def _told(step: Step, found: Difference) -> dict[str, Any]:
    return {
        "run": step.execution.execution_id,
        "step": step.index,
        "picture": step.picture_before,
        **_answered(found),
    }


def _answered(found: Difference) -> dict[str, Any]:
    return {"about": found.about.value, "was": found.was, "now": found.now, "verdict": found.verdict.value}


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
