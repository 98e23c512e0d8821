"""What a person did under control, taught from: each act on the picture that it was done on (S6.15).

Of what was typed nothing was kept: there the teacher types what a run is to type. An act that no picture was kept of
is in its place all the same, on the picture before it, for the teacher to show: a way with a hole is none.
"""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from execution.choices import EventKind, Verb
from execution.lesson.acts import POINTED, Act
from execution.lesson.of_runs import slides_of_step
from execution.lesson.slides import Slide
from execution.models import Execution
from execution.record.by_hand import acts_of
from execution.record.kept_screens import size_of
from execution.types import Point, Size
from workflows.pictures import PictureStore

_KEPT = ("act", "at", "to", "on", "dx", "dy", "keys", "length")


def slides_of_control(execution: Execution, store: PictureStore) -> list[Slide]:
    """The last time that somebody had its desktop in hand; and what the run saw when it looked again."""
    taken = execution.events.filter(kind=EventKind.WISH, payload__verb=Verb.TAKE_CONTROL).order_by("seq").last()
    return slides_between(execution, store, after=taken.seq if taken else 0)


def slides_between(execution: Execution, store: PictureStore, *, after: int, until: int | None = None) -> list[Slide]:
    """What was done between two of its events, the latter included; and what the run saw when it looked again."""
    acts = acts_of(execution, after=after, until=until)
    size = next((found for step in execution.steps.order_by("-index") if (found := size_of(step.screen))), None)
    slides: list[Slide] = []
    there = [str(act.get("picture") or "") for act in acts]
    there = [picture if picture and store.has(picture) else "" for picture in there]
    before = next((picture for picture in there if picture), "")
    for number, (act, picture) in enumerate(zip(acts, there, strict=True), 1):
        if size is None or not before:
            break
        did = {name: act[name] for name in _KEPT if name in act}
        name, title = _("by hand %(n)d") % {"n": number}, str(act.get("window") or "")
        if not picture:  # done before the screen was read: nobody knows on what, so a person says it
            did["unseen"] = True
            name = _("by hand %(n)d, of which no picture was kept: show it yourself") % {"n": number}
        before = picture or before
        slides.append(Slide(picture=before, size=size, name=name, title=title, did=did))
    events = execution.events.filter(kind=EventKind.CONTROL, seq__gt=after).order_by("seq")
    last = (events if until is None else events.filter(seq__lte=until)).last()
    looked = execution.steps.filter(started_at__gt=last.at).order_by("index").first() if last else None
    return [*slides, *list(slides_of_step(looked, store, after=False))] if looked and slides else slides


def act_of(slide: Slide) -> Act | None:
    """What was done on the picture, to be kept; None where nobody knows, as of what was typed, or on which screen."""
    did, size = slide.did, Size(*slide.size)
    if did.get("unseen"):
        return None
    kind = did.get("act")
    if kind == "press_keys" and did.get("keys"):
        return Act(id="did", kind="press_keys", keys=str(did["keys"]))
    if kind not in POINTED or not did.get("at"):
        return None
    point = _pixel(did["at"], size)
    dx, dy = int(did.get("dx") or 0), int(did.get("dy") or 0)
    if kind == "drag":
        end = _pixel(did.get("to") or did["at"], size)
        dx, dy = end.x - point.x, end.y - point.y
    return Act(id="did", kind=str(kind), point=point, dx=dx, dy=dy)


def _pixel(part: Any, size: Size) -> Point:
    x, y = float(part[0]) * size.width, float(part[1]) * size.height
    return Point(min(size.width - 1, max(0, round(x))), min(size.height - 1, max(0, round(y))))
