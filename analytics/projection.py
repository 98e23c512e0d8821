"""From steps and runs to metrics: the same rows whenever they are made, with their sums (S7.5, S7.6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from analytics.models import RunMetric, Sealed, StepMetric
from analytics.rollups import FAMILIES, RUNS, STEPS, day_of, days_of, held_still, is_sealed, make_day, replace
from execution.behind.leases import Piece, Place, through
from execution.choices import FINAL, PERFORMED, Feedback, StepPhase, Verb
from execution.models import Decision, Execution, Step, StepMark, WishRecord
from execution.types import DecisionSource

SAME = (
    "node_id", "edge_id", "action_type", "mode", "confidence", "rung", "score", "verified", "retries", "ocr_ms",
    "ui_ms", "analyze_ms", "resolve_ms", "act_ms", "look_ms", "verify_ms", "waited_ms", "total_ms", "started_at",
)  # fmt: skip
FLAGS = ("success", "cache_hit", "degraded")
OWN = ("workflow_id", "version", *SAME, *FLAGS, "wrong")
BATCH = 500  # a transaction each: a run loop that writes meanwhile waits for one batch, not for all
OVERTAKEN = timedelta(days=7)  # so long a run whose end nobody heard of is looked for


def project(step_id: int) -> StepMetric | None:
    """Make, or make again, the metric of a step; None where metrics of its day were pruned."""
    with transaction.atomic():
        values = values_of(_steps().get(pk=step_id))
        if is_sealed(values["workflow_id"], values["started_at"]):
            return None
        known = {name: values.pop(name) for name in ("execution_id", "step")}
        metric, created = StepMetric.objects.get_or_create(**known, defaults=values)
        if created:
            replace(STEPS, (), (metric,))
            return metric
        was = StepMetric.objects.select_for_update().get(pk=metric.pk)
        now = StepMetric(pk=was.pk, **values_of(_steps().get(pk=step_id)))  # as it is now that nobody else writes it
        now.save()
        replace(STEPS, (was,), (now,))
        return now


def project_run(execution_id: str) -> RunMetric | None:
    """The metric of a run that has ended, and of those of its steps that nobody heard of; None while it goes on."""
    known = StepMetric.objects.filter(execution_id=execution_id, step=OuterRef("index"))
    unheard = Step.objects.closed().filter(execution__execution_id=execution_id)
    for step_id in unheard.exclude(Exists(known)).values_list("pk", flat=True):
        project(step_id)
    ended = _runs().filter(execution_id=execution_id)
    with transaction.atomic():  # whoever ends another run at this moment does not wait: many robots do
        execution = ended.first()
        if execution is None:
            return None
        metric, created = RunMetric.objects.get_or_create(execution_id=execution_id, defaults=run_values(execution))
        if created:
            replace(RUNS, (), (metric,))
            return metric
        with held_still(RUNS):  # before its row, as whoever makes them all again does
            was = RunMetric.objects.select_for_update().get(pk=metric.pk)
            now = RunMetric(pk=was.pk, **run_values(ended.get()))  # as it is now that nobody else writes it
            now.save()
            replace(RUNS, (was,), (now,))
        return now


def project_marked(step_id: int) -> None:
    """Somebody said of a step that it was right or wrong: its metric, and that of its run if it has ended."""
    project(step_id)
    project_run(Execution.objects.values_list("execution_id", flat=True).get(steps=step_id))


def catch_up() -> int:
    """Runs that ended without anybody hearing of it, as when their loop died: gives how many."""
    known = RunMetric.objects.filter(execution_id=OuterRef("execution_id"))
    recent = _begun().filter(created_at__gte=timezone.now() - OVERTAKEN).exclude(Exists(known))
    unheard = list(recent.values_list("execution_id", flat=True)[:BATCH])
    for execution_id in unheard:
        project_run(execution_id)
    for step_id in _unheard_marks():
        project_marked(step_id)
    return len(unheard)


def rebuild() -> tuple[int, int]:
    """All metrics and sums again from the recorded steps and runs; gives how many steps were made and how many rows had
    lost their step."""
    came = through(rebuilding({}))
    return came.get("made", 0), came.get("stale", 0)


def to_rebuild() -> int:
    """How many steps and runs that is."""
    return Step.objects.closed().count() + _begun().count()


def rebuilding(place: Place) -> Iterator[Piece]:
    """The same piece by piece, behind `place`: which part of it, after which row, and what was done until then."""
    count = Counter({name: place.get(name, 0) for name in ("made", "stale", "done")})
    sealed = dict(Sealed.objects.values_list("workflow_id", "day"))
    begin, after = place.get("part", 0), place.get("after", 0)
    for part, (rows, again) in enumerate(_PARTS):
        if part < begin:
            continue
        for page in _pages(rows(), after if part == begin else 0):
            write = again(page, sealed, count)
            yield Piece(done=count["done"], write=_placed(write, count, part, page[-1].pk))
    for part, family in enumerate(FAMILIES, len(_PARTS)):
        for day in days_of(family):
            if (part, day) > (begin, after):
                yield Piece(done=count["done"], write=_placed(partial(make_day, family, day), count, part, day))


def _placed(write: Callable[[], None], count: Counter[str], part: int, after: int) -> Callable[[], Place]:
    def written() -> Place:
        write()
        return {**count, "part": part, "after": after}

    return written


def _steps_again(steps: list[Any], sealed: dict[str, int], count: Counter[str]) -> Callable[[], None]:
    values = [values_of(step) for step in steps]
    fresh = [one for one in values if day_of(one["started_at"]) >= sealed.get(one["workflow_id"], 0)]
    count.update(made=len(fresh), done=len(steps))

    def write() -> None:
        with held_still(STEPS):
            _put_steps(fresh)

    return write


def _runs_again(runs: list[Any], sealed: dict[str, int], count: Counter[str]) -> Callable[[], None]:
    values = [run_values(execution) for execution in runs]
    count.update(done=len(runs))

    def write() -> None:
        with held_still(RUNS):
            _put_runs(values)

    return write


def _without_steps(page: list[StepMetric], sealed: dict[str, int], count: Counter[str]) -> Callable[[], None]:
    """Rows whose step is gone."""

    def write() -> None:
        known = Step.objects.closed().filter(execution__execution_id=OuterRef("execution_id"), index=OuterRef("step"))
        with held_still(STEPS):
            rows = list(StepMetric.objects.filter(pk__gte=page[0].pk, pk__lte=page[-1].pk).exclude(Exists(known)))
            StepMetric.objects.filter(pk__in=[row.pk for row in rows]).delete()
            replace(STEPS, _unsealed(rows, sealed), ())
        count.update(stale=len(rows))

    return write


def _without_runs(page: list[RunMetric], sealed: dict[str, int], count: Counter[str]) -> Callable[[], None]:
    """Rows whose run is gone."""

    def write() -> None:
        runs = _begun().filter(execution_id=OuterRef("execution_id"))
        with held_still(RUNS):
            rows = list(RunMetric.objects.filter(pk__gte=page[0].pk, pk__lte=page[-1].pk).exclude(Exists(runs)))
            RunMetric.objects.filter(pk__in=[row.pk for row in rows]).delete()
            replace(RUNS, rows, ())

    return write


def values_of(step: Any) -> dict[str, Any]:
    """The columns of a step's metric; `step` is one of `_steps()`."""
    same = {name: getattr(step, name) for name in SAME}
    flags = {name: int(getattr(step, name)) for name in FLAGS}
    version = step.execution.version
    return {
        "workflow_id": version.workflow.workflow_id,
        "version": version.number,
        "execution_id": step.execution.execution_id,
        "step": step.index,
        **same,
        **flags,
        "wrong": _is_wrong(step.last_word, step.outcome),
    }


def _is_wrong(last_word: str | None, outcome: str) -> int:
    """1 for a wrong action: what was only meant, or done by a person, is none of the robot's."""
    return int(last_word == Feedback.INCORRECT and outcome in PERFORMED)


def run_values(execution: Any) -> dict[str, Any]:
    """The columns of a run's metric; `execution` is one of `_runs()`."""
    return {
        "execution_id": execution.execution_id,
        "workflow_id": execution.workflow_id,
        "version": execution.version.number,
        "mode": execution.mode,
        "state": execution.state,
        "helped": int(execution.answered or execution.asked or execution.manual_executions > 0),
        "seconds": execution.duration_seconds,
        "waited_ms": execution.waited or 0.0,
        "steps": execution.closed,
        "suggestions": execution.suggestions_made,
        "accepted": execution.accepted,
        "wrong": execution.marked_wrong,
        "ended_at": execution.ended_at,
    }


def _put_steps(values: Sequence[dict[str, Any]]) -> None:
    new = [StepMetric(**one) for one in values]
    old = StepMetric.objects.filter(execution_id__in={row.execution_id for row in new})
    places = {(row.execution_id, row.step) for row in new}
    gone = [row for row in old.filter(step__in={row.step for row in new}) if (row.execution_id, row.step) in places]
    StepMetric.objects.bulk_create(
        new, update_conflicts=True, unique_fields=["execution_id", "step"], update_fields=list(OWN)
    )
    replace(STEPS, gone, new)


def _put_runs(values: Sequence[dict[str, Any]]) -> None:
    new = [RunMetric(**one) for one in values]
    gone = list(RunMetric.objects.filter(execution_id__in=[row.execution_id for row in new]))
    own = [field.name for field in RunMetric._meta.concrete_fields if field.name not in ("id", "execution_id")]
    RunMetric.objects.bulk_create(new, update_conflicts=True, unique_fields=["execution_id"], update_fields=own)
    replace(RUNS, gone, new)


def _steps() -> Any:
    wide = ("recognition", "suggestion", "screen", "verification")  # what was on the screen is not asked here
    whole = Step.objects.select_related("execution__version__workflow").annotate(last_word=_last_word())
    return whole.defer(*wide, "execution__version__graph", "execution__variables")


def _last_word() -> Subquery:
    """What was last said of a step; of several words the newest counts."""
    return Subquery(StepMark.objects.filter(step=OuterRef("pk")).order_by("-marked_at", "-pk").values("feedback")[:1])


def _unheard_marks() -> list[int]:
    """Steps whose mark was kept by a process that died before it was counted."""
    marked = Step.objects.filter(marks__marked_at__gte=timezone.now() - OVERTAKEN).order_by().distinct()
    told = marked.annotate(last_word=_last_word()).values_list(
        "pk", "execution__execution_id", "index", "last_word", "outcome"
    )
    metrics = StepMetric.objects.filter(execution_id__in={run for _pk, run, *_word in told})
    counted = {(run, index): wrong for run, index, wrong in metrics.values_list("execution_id", "step", "wrong")}
    return [
        pk
        for pk, run, index, word, outcome in told
        if counted.get((run, index), 0) != _is_wrong(word, outcome) and (run, index) in counted
    ]


def _begun() -> QuerySet[Execution]:
    """Runs that did something and are over."""
    return Execution.objects.filter(state__in=FINAL, started_at__isnull=False)


def _runs() -> QuerySet[Any]:
    """Those with what their metric says besides."""
    people = (DecisionSource.COACH, DecisionSource.STOP)
    of_people = Decision.objects.filter(prompt__execution=OuterRef("pk"), source__in=people)
    helping = WishRecord.objects.filter(execution=OuterRef("pk"), verb__in=(Verb.RESUME, Verb.TAKE_CONTROL))
    closed = Q(steps__phase=StepPhase.CLOSED)
    wrong = (
        Step.objects.filter(execution=OuterRef("pk"), outcome__in=PERFORMED)
        .annotate(last_word=_last_word())
        .filter(last_word=Feedback.INCORRECT)
        .order_by()
        .values("execution")
        .annotate(n=Count("pk"))
        .values("n")
    )
    return (
        _begun()
        .select_related("version__workflow")
        .defer("version__graph", "variables")
        .annotate(
            answered=Exists(of_people),
            asked=Exists(helping),
            waited=Sum("steps__waited_ms", filter=closed),
            closed=Count("steps", filter=closed),
            marked_wrong=Coalesce(Subquery(wrong, IntegerField()), 0),
        )
    )


def _unsealed(rows: Iterable[StepMetric], sealed: dict[str, int]) -> list[StepMetric]:
    return [row for row in rows if day_of(row.started_at) >= sealed.get(row.workflow_id, 0)]


def _pages(rows: QuerySet[Any], last: int) -> Iterator[list[Any]]:
    """All rows behind that one, page by page: a cursor left open would keep SQLite's other writers out all the time."""
    while page := list(rows.filter(pk__gt=last).order_by("pk")[:BATCH]):
        last = page[-1].pk
        yield page


# What is made anew or dropped, in this order; a sum is of rows that are right by then.
_PARTS: tuple[tuple[Callable[[], QuerySet[Any]], Callable[..., Callable[[], None]]], ...] = (
    (lambda: _steps().closed(), _steps_again),
    (_runs, _runs_again),
    (lambda: StepMetric.objects.only("pk"), _without_steps),
    (lambda: RunMetric.objects.only("pk"), _without_runs),
)
