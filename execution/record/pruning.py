"""What of runs that have ended is no longer kept: their texts, their events, and which pictures they show (S10.4).

What is left tells that the run was, when, and how it ended; never what stood on a screen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from django.apps import apps
from django.db import models, transaction
from django.db.models import Q, QuerySet

from execution.choices import FINAL, EventKind, ended_error
from execution.models import (
    Decision,
    Execution,
    ExecutionEvent,
    Prompt,
    ReferenceReading,
    ReferenceVector,
    ReplayDifference,
    Step,
    StepMark,
    ValueRead,
    WishRecord,
)
from execution.record.learned_pictures import forget_broken
from execution.record.pauses import PAUSED_AT
from execution.record.pictures_of_lessons import DIGEST, drop_words_of_lessons, forget_lessons, pictures_of_lessons
from execution.record.values_of_runs import drop_written
from execution.signals import texts_pruned
from workflows.models import Correction

PAGE = 500
LESSONS = ("lesson", "lessonstep", "learnedcorrection")
WITH_TEXTS = (
    ~Q(screen={}) | ~Q(recognition={}) | ~Q(suggestion={}) | ~Q(verification={}) | ~(Q(message="") & Q(sentence=""))
)
WITH_PICTURES = ~Q(picture_before="") | ~Q(picture_after="")
# Of events: those that show what a person acted on who had control, or where the run stood still.
SHOWING = Q(kind=EventKind.CONTROL, payload__has_key="picture") | PAUSED_AT
STOOD_AT = Q(pause_detail__has_key="picture")  # of runs: those that ended where they stood still


def has_texts() -> Q:
    """Of runs: those of which texts are still kept."""
    return ~Q(variables={}) | ~Q(pause_detail={})


def drop_texts(runs: Collection[int]) -> tuple[int, int]:
    """What was read, meant, typed and said in these ended runs, and the events, which say it again.

    Gives how many steps and how many events held something.
    """
    ended = Execution.objects.filter(pk__in=runs, state__in=FINAL)
    with transaction.atomic():
        ids = list(ended.values_list("pk", flat=True))
        steps = Step.objects.filter(execution__in=ids).filter(WITH_TEXTS)
        dropped = steps.update(
            screen={}, recognition={}, suggestion={}, verification={}, message="", sentence="", attempts=[]
        )  # fmt: skip
        StepMark.objects.filter(step__execution__in=ids).update(reason="")
        ValueRead.objects.filter(execution__in=ids).delete()
        Prompt.objects.filter(execution__in=ids).update(message="", dialog={}, changed="")
        Decision.objects.filter(prompt__execution__in=ids).update(correction={}, feedback="")
        drop_written(ended.in_bulk(ids).values())
        drop_words_of_lessons(ids)
        for state in FINAL:
            with_error = Execution.objects.filter(pk__in=ids, state=state).exclude(error="")
            with_error.update(error=ended_error(state))
        Execution.objects.filter(pk__in=ids).update(variables={}, pause_detail={}, wish_press={}, degraded_reason="")
        for wish in WishRecord.objects.filter(execution__in=ids, detail__has_key="press"):
            wish.detail = {**wish.detail, "press": ""}
            wish.save(update_fields=["detail"])
        ReplayDifference.objects.filter(step__execution__in=ids).update(why="")
        events = drop_events(ids)
        texts_pruned.send(sender=Execution, executions=ids)
    return dropped, events


def drop_left(runs: QuerySet[Execution]) -> None:
    """What coaches wrote in runs whose other texts went before this went with them, and of what lessons on them say
    that were being given then."""
    wrote = Correction.objects.exclude(feedback="", corrected_params={}).values("execution_id")
    if left := list(runs.filter(execution_id__in=wrote)):
        drop_written(left)
        texts_pruned.send(sender=Execution, executions=[run.pk for run in left])
    drop_words_of_lessons(list(runs.filter(lessons__isnull=False).values_list("pk", flat=True)))


def drop_events(runs: Collection[int]) -> int:
    """The stream of these ended runs; its numbers are not given again."""
    ended = Execution.objects.filter(pk__in=runs, state__in=FINAL).values("pk")
    return ExecutionEvent.objects.filter(execution__in=ended).delete()[0]


def pictures_of(runs: Collection[int]) -> set[str]:
    """What steps and questions of these ended runs show, and lessons on them."""
    shown: set[str] = set()
    for before, after, between in _steps_of(runs).values_list("picture_before", "picture_after", "just_before"):
        shown |= {before, after, *between}
    shown |= set(Prompt.objects.filter(execution__in=runs).values_list("picture", flat=True))
    for detail in Execution.objects.filter(STOOD_AT, pk__in=runs, state__in=FINAL).values_list(
        "pause_detail", flat=True
    ):
        shown |= _named_in(detail)
    return (shown | pictures_in_events(runs) | pictures_of_lessons(runs)) - {""}


def pictures_in_events(runs: Collection[int]) -> set[str]:
    """What people acted on, and where these ended runs stood still: often events alone tell of it, so they are asked
    before they go."""
    events = ExecutionEvent.objects.filter(SHOWING, execution__in=runs, execution__state__in=FINAL)
    return {one for payload in events.values_list("payload", flat=True) for one in _named_in(payload)}


def _named_in(value: Any) -> set[str]:
    return set(DIGEST.findall(str(value)))


def _without_pictures(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_pictures(inner) for name, inner in value.items() if name != "picture"}
    return [_without_pictures(inner) for inner in value] if isinstance(value, list) else value


def forget_pictures(runs: Collection[int]) -> int:
    """These ended runs show nothing any more; the files are another matter. Gives how many steps showed something."""
    forgotten = _steps_of(runs).filter(WITH_PICTURES).update(picture_before="", picture_after="", just_before=[])
    Prompt.objects.filter(execution__in=runs, execution__state__in=FINAL).update(picture="")
    for event in ExecutionEvent.objects.filter(SHOWING, execution__in=runs, execution__state__in=FINAL):
        event.payload = _without_pictures(event.payload)
        event.save(update_fields=["payload"])
    for run in Execution.objects.filter(STOOD_AT, pk__in=runs, state__in=FINAL).only("pause_detail"):
        Execution.objects.filter(pk=run.pk).update(pause_detail=_without_pictures(run.pause_detail))
    ended = Execution.objects.filter(pk__in=runs, state__in=FINAL)
    forget_lessons(list(ended.values_list("pk", flat=True)))
    forget_broken(set(ended.values_list("execution_id", flat=True)))
    return forgotten


def still_shown(digests: Collection[str]) -> set[str]:
    """Those of `digests` that anything still refers to: a workflow, a version, a lesson, a correction, another run."""
    wanted, found = set(digests), set[str]()
    for text in _taught():
        found |= wanted & set(DIGEST.findall(text))
    for page in _pages(Step.objects.filter(WITH_PICTURES), ("picture_before", "picture_after", "just_before")):
        for before, after, between in page:
            found |= wanted & {before, after, *between}
    for page in _pages(Prompt.objects.exclude(picture=""), ("picture",)):
        found |= wanted & {one[0] for one in page}
    for page in _pages(ExecutionEvent.objects.filter(SHOWING), ("payload",)):
        found |= wanted & {one for (payload,) in page for one in _named_in(payload)}
    for page in _pages(Execution.objects.exclude(pause_detail={}), ("pause_detail",)):
        for (detail,) in page:
            found |= wanted & _named_in(detail)
    return found


def drop_made_of(digests: Iterable[str]) -> None:
    """What was made of pictures that are gone."""
    gone = list(digests)
    ReferenceVector.objects.filter(picture__in=gone).delete()
    ReferenceReading.objects.filter(picture__in=gone).delete()


def _steps_of(runs: Collection[int]) -> QuerySet[Step]:
    return Step.objects.filter(execution__in=runs, execution__state__in=FINAL)


def _taught() -> Iterator[str]:
    """Every text of every row that teaching made: whatever names a picture there keeps it."""
    tables = [*apps.get_app_config("workflows").get_models()]
    tables += [apps.get_model("execution", name) for name in LESSONS]
    kinds = (models.CharField, models.TextField, models.JSONField)
    for table in tables:
        names = [field.attname for field in table._meta.concrete_fields if isinstance(field, kinds)]
        for page in _pages(table._default_manager.all(), names) if names else ():
            for row in page:
                yield " ".join(str(value) for value in row)


def _pages(rows: QuerySet[Any], names: Iterable[str]) -> Iterator[list[tuple[Any, ...]]]:
    last = 0
    while page := list(rows.filter(pk__gt=last).order_by("pk").values_list("pk", *names)[:PAGE]):
        yield [row[1:] for row in page]
        last = page[-1][0]
