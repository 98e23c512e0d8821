"""Taught steps done again on the desktop, one after the other; what is not sure is not done, and is shown (S6.1).

A click in the place that was not found is what the step means from now on as well, and the rest is tried from there.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from execution.choices import LessonStepState
from execution.desktop.base import DesktopError, DesktopLost
from execution.lesson.acts import Act, do
from execution.lesson.recorder import Recorder
from execution.lesson.understanding import taught, understand
from execution.models import LessonStep
from execution.targeting.resolver import TargetResolver
from execution.teaching.demonstrations import combined
from execution.types import Point, Resolution, ResolveStatus, ScreenState
from sentences.said import say, told_by
from workflows.catalogue import effect_class_of
from workflows.exceptions import DomainError
from workflows.graph import EdgeSpec
from workflows.specs import edge_spec
from workflows.text import fill

DONE_AGAIN = frozenset({"click", "double_click", "right_click", "drag", "scroll", "type_text", "press_keys"})
_READ_S = 15.0  # a screen is waited for so long
_ENTER_S = 0.3  # at most, until a click into a field shows


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of one step: done, or not with why; `is_last` where the trial ends with it."""

    index: int
    state: str
    why: str = ""
    is_last: bool = False


class Trying:
    """One trial: `step` does the next of the steps from `first` on."""

    def __init__(self, recorder: Recorder, first: int) -> None:
        self._recorder = recorder
        kept = recorder.lesson.steps.kept().filter(index__gte=first, edge__isnull=False)
        self._left: list[LessonStep] = list(kept.select_related("edge__source", "edge__destination", "edge__target"))
        self.stuck: LessonStep | None = None  # the step whose place was not found

    @property
    def left(self) -> Sequence[LessonStep]:
        return self._left

    def step(self) -> Tried | None:
        """Do the next step; None where there is none left."""
        if not self._left:
            return None
        step = self._left[0]
        why = self._again(step)
        if why:
            self.stuck = step if step.edge and step.edge.target else None
            return Tried(step.index, "failed", why, is_last=True)
        self._left.pop(0)
        return Tried(step.index, "done", is_last=not self._left)

    def means(self, act: Act) -> str:
        """The place of `act` as one that the step that was not found means as well; why not, or "" where it is."""
        recorder, step = self._recorder, self.stuck
        state = recorder.sight.wait(_READ_S)
        if step is None or step.edge is None or step.edge.target is None or state is None:
            return say("lesson.reading")
        shown = recorder.here.shown(state)
        known = recorder.here.known
        old = edge_spec(step.edge).target
        assert old is not None
        try:
            found = understand(shown, act.point, known=known, box=act.box)
            new = taught(found, shown, store=recorder.draft.store, known=known, answer=None)
            both = combined([old, new], values=[known.values, known.values], pictures=recorder.draft.store)
        except (ValueError, DomainError, OSError) as error:
            return told_by(error)
        with transaction.atomic():
            recorder.draft.change_target(step.edge.target, both)
        self.stuck = None
        recorder.on_change()
        return ""

    def _again(self, step: LessonStep) -> str:
        """Why it was not done; "" where it was, and led where it leads."""
        recorder, row = self._recorder, step.edge
        assert row is not None
        edge = edge_spec(row)
        state = recorder.sight.wait(_READ_S)
        if state is None:
            return say("lesson.reading")
        recorder.read_here()
        here = recorder.here.node()
        if here is None or here.node_id != edge.source:
            return say("lesson.try_elsewhere", node=row.source.name)
        if edge.action_type not in DONE_AGAIN:
            return ""  # what only looks or waits has its screen by now
        resolution = self._resolved(edge, recorder.here.shown(state))
        if resolution is not None and resolution.status is not ResolveStatus.FOUND:
            return resolution.message
        try:
            params = fill(edge.params, recorder.here.known.values)
        except KeyError as missing:
            return say("lesson.try_no_value", name=str(missing).strip("'"))
        if why := self._carry_out(step, edge, params, resolution.point if resolution else None):
            return why
        recorder.here.left_unkept()
        return "" if self._has_come(edge.destination) else say("lesson.try_led_elsewhere", node=row.destination.name)

    def _has_come(self, node_id: str) -> bool:
        """Whether that screen shows, in time."""
        recorder, until = self._recorder, time.monotonic() + _READ_S
        while True:
            if recorder.sight.wait(_READ_S) is not None:
                recorder.read_here()
            now = recorder.here.node()
            if now is not None and now.node_id == node_id:
                return True
            if time.monotonic() > until:
                return False
            recorder.sight.stirred()  # looked at once more, when it has been still anew

    def _resolved(self, edge: EdgeSpec, shown: ScreenState) -> Resolution | None:
        if edge.target is None:
            return None
        effect = effect_class_of(edge.action_type, edge.params, edge.effect_class, expects=bool(edge.expect))
        resolver = TargetResolver(pictures=self._recorder.draft.store)
        return resolver.resolve(edge.target, shown, variables=self._recorder.here.known.values, effect=effect)

    def _carry_out(self, step: LessonStep, edge: EdgeSpec, params: Mapping[str, Any], point: Point | None) -> str:
        """Do it, its intent committed before as of any act; why not, or ""."""
        recorder = self._recorder
        row = LessonStep.objects.create(
            lesson=recorder.lesson, index=recorder.here.next_index(), act=edge.action_type,
            params={**step.params, "again": step.index}, state=LessonStepState.DOING, node=recorder.here.cursor,
        )  # fmt: skip
        try:
            for act in _acts(edge.action_type, params, point):
                do(recorder.desktop, act)
                recorder.sight.stirred()
                if act.kind == "click" and edge.action_type != "click":
                    recorder.sight.effect(_ENTER_S)
        except DesktopLost:
            LessonStep.objects.filter(pk=row.pk).update(state=LessonStepState.DOUBT)
            raise
        except DesktopError as error:
            LessonStep.objects.filter(pk=row.pk).update(state=LessonStepState.UNDONE)
            return say("lesson.not_done", why=told_by(error))
        LessonStep.objects.filter(pk=row.pk).update(state=LessonStepState.UNKEPT)
        return ""


def _acts(action_type: str, params: Mapping[str, Any], point: Point | None) -> list[Act]:
    """The movements of the hands that a step is."""
    into = [Act(id="", kind="click", point=point)] if point is not None else []
    if action_type == "press_keys":
        return [*into, _keys(str(params["keys"]))]
    if action_type == "type_text":
        clear = [_keys("ctrl+a")] if params.get("clear") else []
        enter = [_keys("enter")] if params.get("enter") else []
        return [*into, *clear, Act(id="", kind="type_text", text=str(params["text"])), *enter]
    at = point or Point(0, 0)
    dx, dy = int(params.get("dx", 0)), int(params.get("dy", 0))
    return [Act(id="", kind=action_type, point=at, dx=dx, dy=dy)]


def _keys(keys: str) -> Act:
    return Act(id="", kind="press_keys", keys=keys)
