"""The pictures of a run that somebody teaches from, or mends with: as they were kept, in the order of its steps."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from execution.lesson.slides import Slide
from execution.models import Execution, Step
from execution.record.kept_screens import size_of, title_of
from workflows.pictures import PictureStore

MOST = 400


def slides_of_run(execution: Execution, store: PictureStore) -> list[Slide]:
    """What each step was done on, and what the last one led to. Empty where nothing of it is kept."""
    steps = list(execution.steps.order_by("index")[:MOST])
    slides: list[Slide] = []
    for step in steps:
        for slide in slides_of_step(step, store, after=step is steps[-1]):
            if not slides or slides[-1].picture != slide.picture:
                slides.append(slide)
    return slides


def slides_of_step(step: Step, store: PictureStore, *, after: bool = True) -> Iterator[Slide]:
    """Before it, and after it: of that the window's title was not kept."""
    size, title = size_of(step.screen), title_of(step.screen)
    if size is None:
        return
    if _is_there(step.picture_before, store):
        name = _("step %(n)d") % {"n": step.index}
        yield Slide(picture=step.picture_before, size=size, name=name, title=title, step=step.index)
    if after and step.picture_after != step.picture_before and _is_there(step.picture_after, store):
        name = _("after step %(n)d") % {"n": step.index}
        yield Slide(picture=step.picture_after, size=size, name=name, step=step.index)


def _is_there(digest: str, store: PictureStore) -> bool:
    return bool(digest) and store.has(digest)
