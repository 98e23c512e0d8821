"""Taught steps done again on the desktop, one after the other; what is not sure is not done, and is shown (S6.1).

A click in the place that was not found is what the step means from now on as well, and the rest is tried from there.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction

from execution.choices import LessonStepState
from execution.desktop.base import DesktopLost
from execution.lesson.acts import Act
from execution.lesson.recorder import Recorder
from execution.lesson.understanding import taught, understand
from execution.matching import Matcher
from execution.models import LessonStep
from execution.targeting.resolver import TargetResolver
from execution.teaching.demonstrations import combined
from execution.turn import acting, entering
from execution.turn.eyes import Eyes, Flags
from execution.turn.workflow_stages import WorkflowStages
from execution.types import ActionStatus, Answer, ResolveStatus, ScreenState, Suggestion
from sentences.said import say, told_by
from workflows.conditions import CannotTell, holds, say_conditions
from workflows.exceptions import DomainError
from workflows.graph import EdgeSpec
from workflows.models import Edge
from workflows.specs import edge_spec, graph_of
from workflows.text import names

DONE_AGAIN = frozenset({"click", "double_click", "right_click", "drag", "scroll", "type_text", "press_keys"})
_READ_S = 15.0  # a screen is waited for so long


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
        recorder = self._recorder
        if recorder.held is not None:
            return say("lesson.not_answered")
        row = Edge.objects.filter(pk=step.edge_id or 0).select_related("source", "destination", "target").first()
        if row is None:
            return ""  # taken out since; what follows says itself where it begins
        edge = edge_spec(row)
        state = recorder.read_here(_READ_S)
        if state is None:
            return say("lesson.reading")
        here = recorder.here.node()
        if here is None or here.node_id != edge.source:
            return say("lesson.try_elsewhere", node=row.source.name)
        stages = self._stages(state)
        if missing := _missing(edge, stages.variables):
            return say("lesson.try_no_value", name=missing)
        suggestion = stages.suggest(edge, edge.source, recorder.here.shown(state))
        if why := _may_not(stages, suggestion, recorder.here.shown(state)):
            return why
        if edge.action_type not in DONE_AGAIN:
            return ""  # what only looks or waits has its screen by now
        if suggestion.resolution.status not in (ResolveStatus.FOUND, ResolveStatus.NOT_NEEDED):
            return suggestion.resolution.message
        if why := self._carry_out(step, stages, suggestion, state):
            return why
        return "" if self._has_come(edge.destination) else say("lesson.try_led_elsewhere", node=row.destination.name)

    def _stages(self, state: ScreenState) -> WorkflowStages:
        """What a run would ask of its eyes and hands, with what was read here last."""
        recorder = self._recorder
        here, store = recorder.here, recorder.draft.store
        graph = graph_of(here.draft.workflow)
        eyes = Eyes(recorder.desktop, here.analyzer, Flags())
        eyes.last_read = eyes.last_look = state
        matcher = Matcher(
            graph, pictures=store, embedder=here.analyzer.embedder, threshold=settings.RPA_MATCH_THRESHOLD
        )
        return WorkflowStages(graph, dict(here.known.values), eyes, matcher, TargetResolver(pictures=store))

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

    def _carry_out(self, step: LessonStep, stages: WorkflowStages, suggestion: Suggestion, state: ScreenState) -> str:
        """Do it, its intent committed before as of any act; why not, or ""."""
        recorder, edge = self._recorder, suggestion.edge
        row = LessonStep.objects.create(
            lesson=recorder.lesson, index=recorder.here.next_index(), act=edge.action_type,
            params={**step.params, "again": step.index}, state=LessonStepState.DOING, node=recorder.here.cursor,
        )  # fmt: skip
        rows = LessonStep.objects.filter(pk=row.pk)
        # The last look, as before any act of a run: between it and the hands lies nothing.
        changed = stages.what_changed(suggestion, state, stages.glance(), strict=False, whole=bool(edge.identity))
        if changed:
            rows.update(state=LessonStepState.UNDONE)
            return say("turn.changed_before", why=changed)
        if entering.enters(suggestion):
            result = entering.perform(stages, suggestion)
        else:
            result = acting.perform(recorder.desktop, suggestion)
        recorder.sight.stirred()
        if result.status is ActionStatus.UNCERTAIN:
            rows.update(state=LessonStepState.DOUBT)
            raise DesktopLost(result.message)
        is_done = result.status is ActionStatus.DONE
        rows.update(state=LessonStepState.UNKEPT if is_done or result.touched else LessonStepState.UNDONE)
        if is_done or result.touched:
            recorder.here.left_unkept()
            return "" if is_done else result.message
        return say("lesson.not_done", why=result.message)


def _missing(edge: EdgeSpec, values: Mapping[str, str]) -> str:
    """A variable that it says, or counts its lines by, and that has no value here; "" if there is none."""
    needed = names(edge.params) | ({edge.repeat.counter} if edge.repeat else set())
    return min(needed - set(values), default="")


def _may_not(stages: WorkflowStages, suggestion: Suggestion, shown: ScreenState) -> str:
    """Why it may not be done here, as a run would not: its conditions, whose record it is, what must be there."""
    edge, what = suggestion.edge, suggestion.sentence
    try:
        is_open = holds(edge.condition, stages.variables, stages.graph)
    except CannotTell as error:
        return told_by(error)
    if not is_open:
        return say("turn.only_if", what=what, condition=say_conditions(edge.condition, stages.graph))
    if not (edge.before or edge.identity):
        return ""
    verification = stages.check_before(edge, shown)
    if verification.answer is Answer.YES:
        return ""
    code = "turn.not_surely_right" if edge.identity else "turn.not_as_declared"
    return say(code, what=what, why=verification.message)
