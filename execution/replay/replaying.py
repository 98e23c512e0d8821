"""A replay from where it stands to its end: in pieces that are kept whole, so that it goes on after a death (S6.17)."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

from django.db import transaction
from django.utils import timezone

from execution.behind.leases import LEASE, end, leave, locked, take
from execution.models import Execution, Replay, ReplayDifference, ReplayState, Step
from execution.perception.analyzer import ScreenAnalyzer
from execution.replay.fingerprint import fingerprint
from execution.replay.looking_again import Difference, LookingAgain, PassedOver
from execution.replay.runs import StoredRun
from sentences.said import cause, to_json
from workflows.models import Workflow, WorkflowVersion
from workflows.pictures import PictureStore

PIECE = 25  # steps that are kept at once
_VERSIONS_KEPT = 4  # with what was prepared for each


def ask(
    workflow: Workflow,
    *,
    version: WorkflowVersion | None = None,
    reason: str = "asked",
    user: Any = None,
    most_runs: int | None = None,
) -> Replay:
    """A replay of all runs of a workflow that have ended, or of the newest of them; it is not begun."""
    runs = Execution.objects.filter(version__workflow=workflow, ended_at__isnull=False).order_by("-pk")
    keys = list(runs.values_list("pk", flat=True)[:most_runs] if most_runs else runs.values_list("pk", flat=True))
    first, last = (keys[-1], keys[0]) if keys else (0, 0)
    replay = Replay(workflow=workflow, version=version, reason=reason, asked_by=user, from_run=first, to_run=last)
    replay.steps = _steps_of(replay).count()
    replay.save()
    return replay


def go_on(
    replay: Replay,
    analyzer: ScreenAnalyzer,
    *,
    tell: Callable[[Replay], None] = lambda replay: None,
    leave_now: Callable[[], bool] = lambda: False,
) -> Replay:
    """Look at what is left; each piece is kept with where it ended. Raises Taken. `leave_now` ends it there."""
    take(replay)
    parts = fingerprint(analyzer)
    if replay.eyes and replay.eyes != parts and replay.looked_at:
        _begin_anew(replay)  # half of a table by other eyes is no table
    replay.eyes = parts
    replay.save(update_fields=["eyes"])
    try:
        for piece in _pieces(_looked_at(replay, analyzer)):
            if not _keep(replay, piece):
                return replay
            tell(replay)
            if leave_now():
                leave(replay)
                return replay
    except Exception as error:  # whatever it was, the page must say that it ended, and the rest of the work goes on
        end(replay, ReplayState.FAILED, cause(error))
        raise
    end(replay, ReplayState.DONE)
    return replay


class _Looked:
    """One step, and what came of it."""

    __slots__ = ("differences", "passed_over", "run", "step")

    def __init__(self, run: Execution, step: Step, differences: list[Difference], passed_over: str = "") -> None:
        self.run, self.step, self.differences, self.passed_over = run, step, differences, passed_over


def _looked_at(replay: Replay, analyzer: ScreenAnalyzer) -> Iterator[_Looked]:
    store = PictureStore()
    known: OrderedDict[int, LookingAgain] = OrderedDict()
    for execution in _runs_of(replay).filter(pk__gte=replay.after_run).iterator(chunk_size=50):
        after = replay.after_step if execution.pk == replay.after_run else 0
        version = replay.version or execution.version
        if version.pk not in known:
            known[version.pk] = LookingAgain(version.spec(), analyzer, pictures=store)
            if len(known) > _VERSIONS_KEPT:
                known.popitem(last=False)
        run = StoredRun(execution)
        for step in run.steps(after=after):
            try:
                yield _Looked(execution, step, known[version.pk].differences(step, run))
            except PassedOver as error:
                yield _Looked(execution, step, [], error.why)


def _runs_of(replay: Replay) -> Any:
    return (
        Execution.objects.filter(version__workflow_id=replay.workflow_id)
        .filter(pk__gte=replay.from_run, pk__lte=replay.to_run, ended_at__isnull=False)
        .select_related("version")
        .order_by("pk")
    )


def _steps_of(replay: Replay) -> Any:
    return Step.objects.filter(execution__in=_runs_of(replay).order_by())


def _pieces(looked: Iterator[_Looked]) -> Iterator[list[_Looked]]:
    piece: list[_Looked] = []
    for one in looked:
        piece.append(one)
        if len(piece) == PIECE:
            yield piece
            piece = []
    if piece:
        yield piece


def _keep(replay: Replay, piece: list[_Looked]) -> bool:
    """The piece and where it ended, in one transaction; False where the replay was stopped or is another's."""
    with transaction.atomic():
        row = locked(replay)
        if row is None:
            replay.refresh_from_db()
            return False
        passed = Counter(row.passed_over)
        for one in piece:
            if one.passed_over:
                passed[one.passed_over] += 1
            for found in one.differences:
                _count(row.counts, found)
        row.passed_over = dict(passed)
        row.looked_at += len(piece)
        row.after_run, row.after_step = piece[-1].run.pk, piece[-1].step.index
        row.lease_until = timezone.now() + LEASE
        row.save()
        ReplayDifference.objects.bulk_create(_rows(row, piece))
    replay.refresh_from_db()
    return True


def _count(counts: dict[str, dict[str, int]], found: Difference) -> None:
    verdicts = counts.setdefault(found.about.value, {})
    verdicts[found.verdict.value] = verdicts.get(found.verdict.value, 0) + 1


def _rows(replay: Replay, piece: list[_Looked]) -> Iterator[ReplayDifference]:
    for one in piece:
        for found in one.differences:
            yield ReplayDifference(
                replay=replay,
                step=one.step,
                about=found.about,
                verdict=found.verdict,
                was=found.was,
                now=found.now,
                why=to_json(found.why),
                masked=bool((one.step.screen or {}).get("hidden")),
            )


def _begin_anew(replay: Replay) -> None:
    with transaction.atomic():
        replay.differences.all().delete()
        replay.after_run = replay.after_step = replay.looked_at = 0
        replay.counts, replay.passed_over = {}, {}
        replay.save()
