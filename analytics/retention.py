"""How long what of a workflow's runs is kept, and the nightly deleting of the rest (S10.4).

Nothing goes that nobody said the days of. Never touched: runs that have not ended, runs on hold, and pictures that a
workflow, a version, a lesson, a correction or another run still shows. What corrections show has its days, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import ngettext

from analytics.models import PrunedPicture, ResourceSample, Retention, RunHold, Sealed, StepMetric
from analytics.rollups import day_of, first_moment_of
from execution.behind.leases import Piece, Place, through
from execution.choices import FINAL
from execution.models import Execution, ExecutionEvent, Prompt, Step
from execution.record import pruning, screen_index
from execution.record.learned_pictures import forget_pictures_of_learned, learned_before, pictures_of_learned
from execution.record.pictures_of_lessons import lessons_on_runs
from execution.worklists.forgetting import forget_left_rows, left_rows, old_records
from workflows.models import Workflow
from workflows.pictures import PictureStore

KINDS = ("pictures", "texts", "events", "metrics")
PAGE = 200
FRESH_S = 3600.0  # a picture that was put so lately may be of a step that is being written
ALL_OTHERS = ""


@dataclass(slots=True)
class Pruned:
    """What was deleted, or would be: runs by kind, and how much of it."""

    runs: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    steps_with_texts: int = 0
    steps_with_pictures: int = 0
    learned: int = 0
    rows: int = 0
    records: int = 0
    events: int = 0
    metrics: int = 0
    samples: int = 0
    pictures: int = 0
    freed_bytes: int = 0

    @property
    def anything(self) -> bool:
        single = (self.metrics, self.pictures, self.learned, self.rows, self.records)
        return any(self.runs.values()) or any(single)


def policies() -> dict[str, dict[str, int | None]]:
    """Of each workflow, how many days what of it is kept."""
    rows = {row.workflow_id: {kind: getattr(row, f"{kind}_days") for kind in KINDS} for row in Retention.objects.all()}
    other = rows.get(ALL_OTHERS, dict.fromkeys(KINDS))
    return {name: rows.get(name, other) for name in Workflow.objects.values_list("workflow_id", flat=True)}


def prune(*, dry: bool = False, now: datetime | None = None) -> Pruned:
    """Delete what is older than its days; `dry`: only count. What a crash leaves undone the next time does."""
    moment, done = now or timezone.now(), Pruned()
    if dry:
        for workflow_id, days in policies().items():
            _would_prune(workflow_id, days, moment, done)
    else:
        through(pruning_of(done, moment))
    return done


def pruning_of(done: Pruned, now: datetime) -> Iterator[Piece]:
    """The same piece by piece, the workflows counted; each adds to `done`, which is kept with it."""
    for number, (workflow_id, days) in enumerate(policies().items()):
        for write in _prune_workflow(workflow_id, days, now, done, dry=False):
            yield Piece(done=number, write=_told(write, done))
    if done.events or done.steps_with_texts:
        screen_index.overwrite_deleted()
    for _page in _drop_files(done, now):  # each renews the lease: of a store elsewhere it may take long
        yield Piece(done=len(policies()), write=lambda: {"pruned": asdict(done)})
    yield Piece(done=len(policies()), write=lambda: {"pruned": asdict(done)})


def _told(write: Callable[[], object], done: Pruned) -> Callable[[], Place]:
    def written() -> Place:
        write()
        return {"pruned": asdict(done)}

    return written


def would_go(workflow_id: str, days: Mapping[str, int | None], *, now: datetime | None = None) -> Pruned:
    """What a workflow, or all that have no days of their own, would lose tonight with these days."""
    names = [workflow_id]
    if workflow_id == ALL_OTHERS:
        own = Retention.objects.exclude(workflow_id=ALL_OTHERS).values("workflow_id")
        names = list(Workflow.objects.exclude(workflow_id__in=own).values_list("workflow_id", flat=True))
    done = Pruned()
    for name in names:
        _would_prune(name, days, now or timezone.now(), done)
    return done


def _would_prune(workflow_id: str, days: Mapping[str, int | None], now: datetime, done: Pruned) -> None:
    for count in _prune_workflow(workflow_id, days, now, done, dry=True):
        count()


def _prune_workflow(
    workflow_id: str, days: Mapping[str, int | None], now: datetime, done: Pruned, *, dry: bool
) -> Iterator[Callable[[], object]]:
    """What deletes, or counts, a page of it each."""
    gone: QuerySet[Execution] = (
        Execution.objects.none()
    )  # of a dry run: with their texts their events would be gone by then
    for kind in ("texts", "pictures", "events"):
        if (kept := days[kind]) is None:
            continue
        old = _with(kind, old_runs(workflow_id, now - timedelta(days=kept)), gone)
        if dry and kind == "texts":
            gone = old
        for runs in _pages(old):
            yield partial(_count if dry else _drop, kind, runs, done)
    if (kept := days["texts"]) is not None and not dry:
        yield partial(pruning.drop_left, old_runs(workflow_id, now - timedelta(days=kept)))
    yield from _prune_lists(workflow_id, days, now, done, dry)
    if (kept := days["pictures"]) is not None:
        yield partial(_prune_learned, workflow_id, now - timedelta(days=kept), done, dry)
    if (kept := days["metrics"]) is not None:
        yield from _prune_metrics(workflow_id, day_of(now - timedelta(days=kept)), done, dry)


def old_runs(workflow_id: str, before: datetime) -> QuerySet[Execution]:
    """Ended before then, and on nobody's hold."""
    held = RunHold.objects.filter(execution_id=OuterRef("execution_id"))
    ended = Execution.objects.for_workflow(workflow_id).filter(state__in=FINAL, ended_at__lt=before)
    return ended.exclude(Exists(held)).order_by("pk")


def _with(kind: str, runs: QuerySet[Execution], gone: QuerySet[Execution]) -> QuerySet[Execution]:
    """Those of which something of that kind is kept; the texts and events of `gone` count as deleted."""
    steps = Step.objects.filter(execution=OuterRef("pk"))
    if kind == "texts":
        return runs.filter(pruning.has_texts() | Exists(steps.filter(pruning.WITH_TEXTS)))
    if kind == "events":
        kept = ExecutionEvent.objects.filter(execution=OuterRef("pk"))
        return runs.filter(Exists(kept)).exclude(pk__in=gone.values("pk"))
    asked = Prompt.objects.filter(execution=OuterRef("pk")).exclude(picture="")
    told = Exists(ExecutionEvent.objects.filter(pruning.SHOWING, execution=OuterRef("pk"))) | pruning.STOOD_AT
    told &= ~Q(pk__in=gone.values("pk"))
    taught = Exists(lessons_on_runs().filter(execution=OuterRef("pk")))
    return runs.filter(Exists(steps.filter(pruning.WITH_PICTURES)) | Exists(asked) | told | taught)


def _drop(kind: str, runs: list[int], done: Pruned) -> None:
    done.runs[kind] += len(runs)
    note(pruning.pictures_of(runs) if kind == "pictures" else pruning.pictures_in_events(runs))
    if kind == "texts":
        steps, events = pruning.drop_texts(runs)
        done.steps_with_texts, done.events = done.steps_with_texts + steps, done.events + events
    elif kind == "events":
        done.events += pruning.drop_events(runs)
    else:
        done.steps_with_pictures += pruning.forget_pictures(runs)


def note(shown: set[str]) -> None:
    """Kept before it is forgotten: a crash in between, or a store that is away, leaves no file behind."""
    PrunedPicture.objects.bulk_create([PrunedPicture(digest=one) for one in shown], ignore_conflicts=True)


def _count(kind: str, runs: list[int], done: Pruned) -> None:
    done.runs[kind] += len(runs)
    if kind == "texts":
        done.steps_with_texts += Step.objects.filter(pruning.WITH_TEXTS, execution__in=runs).count()
        done.events += ExecutionEvent.objects.filter(execution__in=runs).count()
    elif kind == "events":
        done.events += ExecutionEvent.objects.filter(execution__in=runs).count()
    else:
        done.steps_with_pictures += Step.objects.filter(pruning.WITH_PICTURES, execution__in=runs).count()
        done.pictures += len(pruning.pictures_of(runs))  # at most: some are shown elsewhere too


def _prune_lists(
    workflow_id: str, days: Mapping[str, int | None], now: datetime, done: Pruned, dry: bool
) -> Iterator[Callable[[], object]]:
    """Of lists: rows that no run worked off have the days of texts, what happened to lists those of events (S12.4)."""

    def empty(page: list[int]) -> None:
        done.rows += len(page) if dry else forget_left_rows(page)

    def drop(old: QuerySet[Any], page: list[int]) -> None:
        done.records += len(page)
        if not dry:
            old.model._default_manager.filter(pk__in=page).delete()

    if (kept := days["texts"]) is not None:
        for page in _pages(left_rows(workflow_id, now - timedelta(days=kept))):
            yield partial(empty, page)
    if (kept := days["events"]) is not None:
        for old in old_records(workflow_id, now - timedelta(days=kept), now):
            for page in _pages(old.order_by("pk")):
                yield partial(drop, old, page)


def _prune_learned(workflow_id: str, before: datetime, done: Pruned, dry: bool) -> None:
    """What coaches have shown has the pictures' days, unless somebody has put it into a version."""
    held = RunHold.objects.filter(execution_id=OuterRef("execution_id"))
    rows = list(learned_before(workflow_id, before).exclude(Exists(held)))
    if dry:
        done.learned += sum(bool(pictures_of_learned([row])) for row in rows)
        done.pictures += len(pictures_of_learned(rows))
        return
    note(pictures_of_learned(rows))
    done.learned += forget_pictures_of_learned(rows)


def _prune_metrics(workflow_id: str, day: int, done: Pruned, dry: bool) -> Iterator[Callable[[], object]]:
    """Single rows go, what they add up to stays; from then on nothing late changes those days."""
    held = RunHold.objects.filter(execution_id=OuterRef("execution_id"))
    before = first_moment_of(day)
    old = StepMetric.objects.filter(workflow_id=workflow_id, started_at__lt=before).exclude(Exists(held)).order_by()
    samples = ResourceSample.objects.filter(
        at__lt=before, execution_id__in=old_runs(workflow_id, before).values("execution_id")
    ).order_by()

    def seal() -> None:
        done.runs["metrics"] += old.values("execution_id").distinct().count()
        sealed, _created = Sealed.objects.get_or_create(workflow_id=workflow_id, defaults={"day": day})
        Sealed.objects.filter(pk=sealed.pk, day__lt=day).update(day=day)
        done.samples += samples._raw_delete(using="default")

    def count() -> None:
        done.runs["metrics"] += old.values("execution_id").distinct().count()
        done.metrics, done.samples = done.metrics + old.count(), done.samples + samples.count()

    def drop(page: list[int]) -> None:
        done.metrics += StepMetric.objects.filter(pk__in=page)._raw_delete(using="default")

    if dry:
        yield count
        return
    if old.exists() or samples.exists():
        yield seal
    while page := list(old.values_list("pk", flat=True)[:5000]):
        yield partial(drop, page)


def _drop_files(done: Pruned, now: datetime) -> Iterator[int]:
    """The files of pictures that nothing shows any more, page by page; what is still shown only loses its note."""
    store, untouched_since = PictureStore(), min(now.timestamp(), time.time()) - FRESH_S
    digests = list(PrunedPicture.objects.values_list("digest", flat=True))
    if not digests:
        return
    store.answer()  # of a bucket that is away it would say that nothing lies there
    shown = pruning.still_shown(digests)
    for start in range(0, len(digests), PAGE):
        page = digests[start : start + PAGE]
        gone = []
        for digest in page:
            if digest not in shown and (freed := store.drop(digest, untouched_since=untouched_since)):
                gone.append(digest)
                done.pictures, done.freed_bytes = done.pictures + 1, done.freed_bytes + freed
        pruning.drop_made_of(gone)
        over = {one for one in page if one in shown or one in gone or not store.has(one)}
        PrunedPicture.objects.filter(digest__in=over).delete()
        yield len(page)


def _pages(rows: QuerySet[Any]) -> Iterator[list[int]]:
    last = 0
    while page := list(rows.filter(pk__gt=last).values_list("pk", flat=True)[:PAGE]):
        yield page
        last = page[-1]


def hold(execution_id: str, *, reason: str, by: str) -> RunHold:
    """Keep all of a run until somebody lets go of it. Raises UnknownExecution."""
    run = Execution.objects.by_id(execution_id)
    held, _created = RunHold.objects.get_or_create(
        execution_id=run.execution_id, defaults={"reason": reason.strip()[:200], "held_by": by}
    )
    return held


def let_go(execution_id: str) -> bool:
    """Its days count again; whether it was held."""
    return bool(RunHold.objects.filter(execution_id=execution_id).delete()[0])


def shown_policies() -> list[dict[str, Any]]:
    """Of all others first, then of each workflow: what is said of it, and what holds for it."""
    rows = {row.workflow_id: row for row in Retention.objects.all()}
    names = [(ALL_OTHERS, ""), *Workflow.objects.order_by("name").values_list("workflow_id", "name")]
    return [{"workflow_id": name, "name": words, "row": rows.get(name)} for name, words in names]


# What was deleted, or would be, in words.


def told(done: Pruned, *, dry: bool = False) -> list[str]:
    """A line for each kind of which something is deleted."""
    lines = []
    if runs := done.runs["texts"]:
        words = ngettext("the texts of %(n)d run (%(steps)s)", "the texts of %(n)d runs (%(steps)s)", runs)
        lines.append(words % {"n": runs, "steps": _steps(done.steps_with_texts)})
    if runs := done.runs["pictures"]:
        words = ngettext("the pictures of %(n)d run (%(steps)s)", "the pictures of %(n)d runs (%(steps)s)", runs)
        lines.append(words % {"n": runs, "steps": _steps(done.steps_with_pictures)})
    if n := done.rows:
        lines.append(ngettext("what stands in %(n)d row of a list", "what stands in %(n)d rows of lists", n) % {"n": n})
    if n := done.records:
        lines.append(ngettext("%(n)d record of a list", "%(n)d records of lists", n) % {"n": n})
    if n := done.learned:
        lines.append(ngettext("the pictures of %(n)d correction", "the pictures of %(n)d corrections", n) % {"n": n})
    if done.pictures:
        words = ngettext("%(n)d file, %(mb).1f MB", "%(n)d files, %(mb).1f MB", done.pictures)
        at_most = ngettext("at most %(n)d file", "at most %(n)d files", done.pictures)
        lines.append((at_most if dry else words) % {"n": done.pictures, "mb": done.freed_bytes / 1e6})
    if runs := done.runs["events"]:
        words = ngettext("the events of %(n)d run (%(m)d)", "the events of %(n)d runs (%(m)d)", runs)
        lines.append(words % {"n": runs, "m": done.events})
    if done.metrics or done.samples:
        words = ngettext(
            "%(n)d metric of a step and %(m)d samples of the machine; their sums stay",
            "%(n)d metrics of steps and %(m)d samples of the machine; their sums stay",
            done.metrics,
        )
        lines.append(words % {"n": done.metrics, "m": done.samples})
    return lines


def _steps(n: int) -> str:
    return ngettext("%(n)s step", "%(n)s steps", n) % {"n": n}
