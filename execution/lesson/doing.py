"""One step done on the lesson's desktop, as a run does it: what is not sure is not done (S6.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from execution.choices import LessonStepState
from execution.desktop.base import DesktopLost
from execution.lesson.controls import why_not_so
from execution.lesson.recorder import Recorder
from execution.models import LessonStep
from execution.navigation.hands import Stopped
from execution.turn.workflow_stages import WorkflowStages
from execution.types import ActionResult, ActionStatus, Answer, ScreenState, Suggestion
from sentences.said import say, told_by
from workflows.catalogue import SETTING_ACTION_TYPES
from workflows.conditions import CannotTell, holds, say_conditions
from workflows.graph import EdgeSpec
from workflows.text import names

_BY_HAND = frozenset({"click", "double_click", "right_click", "drag", "scroll", "type_text", "press_keys"})
DONE_AGAIN = _BY_HAND | SETTING_ACTION_TYPES | {"visual_login"}
READ_S = 15.0  # a screen is waited for so long


def carry_out(
    recorder: Recorder, stages: WorkflowStages, suggestion: Suggestion, state: ScreenState, params: Mapping[str, Any]
) -> str:
    """Do it, its intent committed before as of any act, with `params`; why not, or ""."""
    edge = suggestion.edge
    row = LessonStep.objects.create(
        lesson=recorder.lesson, index=recorder.here.next_index(), act=edge.action_type,
        params=dict(params), state=LessonStepState.DOING, node=recorder.here.cursor,
    )  # fmt: skip
    rows = LessonStep.objects.filter(pk=row.pk)
    # The last look, as before any act of a run: between it and the hands lies nothing.
    changed = stages.what_changed(suggestion, state, stages.glance(), strict=False, whole=bool(edge.identity))
    if changed:
        rows.update(state=LessonStepState.UNDONE)
        return say("turn.changed_before", why=changed)
    try:
        result = stages.act(suggestion, recorder.hold)
    except Stopped as stopped:
        result = ActionResult(status=ActionStatus.FAILED, message=say("lesson.stopped"), touched=stopped.touched)
    finally:
        recorder.sight.stirred()
    if result.status is ActionStatus.UNCERTAIN:
        rows.update(state=LessonStepState.DOUBT)
        raise DesktopLost(result.message)
    is_done = result.status is ActionStatus.DONE
    rows.update(state=LessonStepState.UNKEPT if is_done or result.touched else LessonStepState.UNDONE)
    if is_done or result.touched:
        recorder.here.left_unkept()
        return why_not_so(stages, suggestion, state) if is_done else result.message
    return say("lesson.not_done", why=result.message)


def missing(edge: EdgeSpec, values: Mapping[str, str]) -> str:
    """A variable that it says, or counts its lines by, and that has no value here; "" if there is none."""
    needed = names(edge.params) | ({edge.repeat.counter} if edge.repeat else set())
    return min(needed - set(values), default="")


def may_not(stages: WorkflowStages, suggestion: Suggestion, shown: ScreenState) -> str:
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
