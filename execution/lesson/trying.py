"""Taught steps done again on the desktop, one after the other; what is not sure is not done, and is shown (S6.1).

A click in the place that was not found is what the step means from now on as well, and the rest is tried from there.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from django.db import transaction

from execution.lesson.acts import Act
from execution.lesson.as_a_run import stages_of
from execution.lesson.by_robot import ByRobot, Tried
from execution.lesson.doing import DONE_AGAIN, READ_S, carry_out, may_not, missing
from execution.lesson.recorder import Recorder
from execution.lesson.step_order import in_order
from execution.lesson.understanding import taught, understand
from execution.models import LessonStep
from execution.teaching.demonstrations import combined
from execution.types import ResolveStatus
from sentences.said import say, told_by
from workflows.exceptions import DomainError
from workflows.graph import CALL
from workflows.models import Edge
from workflows.specs import edge_spec


class Trying:
    """One trial: `step` does the next of the steps from `first` on."""

    def __init__(self, recorder: Recorder, first: int) -> None:
        self._recorder = recorder
        steps = recorder.lesson.steps.of_draft().filter(edge__isnull=False)
        graph = recorder.draft.graph()
        known = in_order(steps.select_related("edge__source", "edge__destination", "edge__target"), graph)
        self._left: list[LessonStep] = known[_place_of(first, known) :]
        self.stuck: LessonStep | None = None  # the step whose place was not found
        self._robot: ByRobot | None = None  # what does another workflow
        self._is_sure = False  # that all of them can be done

    @property
    def left(self) -> Sequence[LessonStep]:
        return self._left

    def step(self) -> Tried | None:
        """Do the next step, or one of another workflow that is done within; None where there is none left."""
        if not self._left:
            return None
        step = self._left[0]
        if not self._is_sure:
            self._is_sure = True
            for call in self._left:
                if call.edge and call.edge.action_type == CALL:
                    why = ByRobot(self._recorder, edge_spec(call.edge)).why_not()
                    if why:
                        return Tried(call.index, "failed", why, is_last=True)
        why = self._robot.step() if self._robot is not None else self._again(step)
        if self._robot is not None and not why:
            if not self._robot.is_over:
                return Tried(step.index, "doing")
            why = self._led(step)
        self._robot = None
        if why:
            self.stuck = step if step.edge and step.edge.target else None
            return Tried(step.index, "failed", why, is_last=True)
        self._left.pop(0)
        return Tried(step.index, "done", is_last=not self._left)

    def means(self, act: Act) -> str:
        """The place of `act` as one that the step that was not found means as well; why not, or "" where it is."""
        recorder, step = self._recorder, self.stuck
        state = recorder.sight.wait(READ_S)
        if step is None or step.edge is None or step.edge.target is None or state is None:
            return say("lesson.reading")
        shown = recorder.here.shown(state)
        known = recorder.here.known
        old = edge_spec(step.edge).target
        assert old is not None
        try:
            found = understand(shown, act.point, known=known, box=act.box)
            new = taught(found, shown, store=recorder.draft.store, known=known.but(step.edge.params), answer=None)
            both = combined([old, new], values=[recorder.here.shown_with, known.values], pictures=recorder.draft.store)
        except (ValueError, DomainError, OSError) as error:
            return told_by(error)
        with transaction.atomic():
            recorder.draft.change_target(step.edge.target, both)
        self.stuck = None
        recorder.on_change()
        return ""

    def _again(self, step: LessonStep) -> str:
        """Why it was not done; "" where it was, and led where it leads."""
        recorder = self._recorder
        if recorder.held is not None:
            return say("lesson.not_answered")
        row = Edge.objects.filter(pk=step.edge_id or 0).select_related("source", "destination", "target").first()
        if row is None:
            return ""  # taken out since; what follows says itself where it begins
        edge = edge_spec(row)
        state = recorder.read_here(READ_S)
        if state is None:
            return say("lesson.reading")
        here = recorder.here.node()
        if here is None or here.node_id != edge.source:
            return say("lesson.try_elsewhere", node=row.source.name)
        stages = stages_of(recorder.here, recorder.desktop, state)
        if name := missing(edge, stages.variables):
            return say("lesson.try_no_value", name=name)
        suggestion = stages.suggest(edge, edge.source, recorder.here.shown(state))
        if why := may_not(stages, suggestion, recorder.here.shown(state)):
            return why
        if edge.action_type == CALL:
            self._robot = ByRobot(recorder, edge)
            return self._robot.begin(state)
        if edge.action_type not in DONE_AGAIN:
            return ""  # what only looks or waits has its screen by now
        if suggestion.resolution.status not in (ResolveStatus.FOUND, ResolveStatus.NOT_NEEDED):
            return suggestion.resolution.message
        if why := carry_out(recorder, stages, suggestion, state, {**step.params, "again": step.index}):
            return why
        return self._led(step)

    def _led(self, step: LessonStep) -> str:
        """Why it did not lead where it leads; "" if it did."""
        row = Edge.objects.filter(pk=step.edge_id or 0).select_related("destination").first()
        if row is None or self._has_come(row.destination.node_id):
            return ""
        return say("lesson.try_led_elsewhere", node=row.destination.name)

    def stopped(self, tried: Tried) -> str:
        """What is told where it did not go on."""
        code = "lesson.try_stopped" if self.stuck else "lesson.try_stopped_there"
        return say(code, n=tried.index, why=tried.why)

    def _has_come(self, node_id: str) -> bool:
        """Whether that screen shows, in time."""
        recorder, until = self._recorder, time.monotonic() + READ_S
        while True:
            if recorder.sight.wait(READ_S) is not None:
                recorder.read_here()
            now = recorder.here.node()
            if now is not None and now.node_id == node_id:
                return True
            if time.monotonic() > until:
                return False
            recorder.sight.stirred()  # looked at once more, when it has been still anew


def _place_of(first: int, steps: Sequence[LessonStep]) -> int:
    """Where the step of that number stands; where it is gone, the first one after it."""
    numbers = [step.index for step in steps]
    if first in numbers:
        return numbers.index(first)
    return next((place for place, number in enumerate(numbers) if number > first), len(numbers))
