"""The pictures of runs that lessons were given on, which are kept no longer than the runs' own (S10.4, S6.16).

What became part of the workflow is the workflow's. A lesson that is being given keeps them until it is over; one whose
teacher went away is over.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from execution.choices import HOLDS_DESKTOP, LessonKind, LessonState
from execution.models import Lesson, LessonStep

DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
_SHOWN = ("picture_before", "picture_after")
_SEEN = ("params", "made", "screen", "question", "answered")


def lessons_on_runs() -> QuerySet[Lesson]:
    """Those that show pictures of a run, and nobody is at any more."""
    on_runs = Lesson.objects.filter(kind=LessonKind.RUN).exclude(state__in=HOLDS_DESKTOP)
    return on_runs.exclude(pictures=[])


def pictures_of_lessons(runs: Collection[int]) -> set[str]:
    """What lessons on these runs show."""
    shown = set[str]()
    for lesson in lessons_on_runs().filter(execution__in=runs):
        shown |= set(DIGEST.findall(str(lesson.pictures)))
        for step in lesson.steps.all():
            shown |= set(DIGEST.findall(str([getattr(step, name) for name in (*_SHOWN, *_SEEN)])))
    return shown


def forget_lessons(runs: Collection[int]) -> None:
    """They show nothing any more, and are over."""
    for lesson in lessons_on_runs().filter(execution__in=runs):
        for step in LessonStep.objects.filter(lesson=lesson):
            seen = {name: _without(getattr(step, name)) for name in _SEEN}
            LessonStep.objects.filter(pk=step.pk).update(**dict.fromkeys(_SHOWN, ""), **seen)
        over = {"state": LessonState.DONE, "ended_at": lesson.ended_at or timezone.now()}
        Lesson.objects.filter(pk=lesson.pk).update(pictures=[], showing=0, **over)


def drop_words_of_lessons(runs: Collection[int]) -> None:
    """Of their pictures no title of a window is kept, nor what was done there."""
    for lesson in lessons_on_runs().filter(execution__in=runs):
        slides = [{**slide, "title": "", "did": {}} for slide in lesson.pictures]
        if slides != lesson.pictures:
            Lesson.objects.filter(pk=lesson.pk).update(pictures=slides)


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_without(inner) for inner in value]
    return "" if isinstance(value, str) and DIGEST.fullmatch(value) else value
