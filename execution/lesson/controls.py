"""Controls that are brought to a value in a lesson: an option chosen, a box set, a date put, as a run does it (S6.12).

What such a control shows is its value and not its name: it is known by the label beside it. An act that cannot be told,
before or afterwards, is refused with why, and nothing is kept.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from django.db import transaction

from execution.choices import LessonStepState
from execution.desktop.base import Desktop, DesktopLost
from execution.desktop.capture import looks
from execution.lesson.acts import Act, Acted
from execution.lesson.as_a_run import LessonHold, stages_here
from execution.lesson.drafting import Draft
from execution.lesson.here import Here
from execution.lesson.proving import counts_of
from execution.lesson.screens import Known
from execution.lesson.sight import Looks
from execution.lesson.understanding import Answer, Understood, answered, taught, understand
from execution.models import LessonStep
from execution.navigation.hands import Stopped
from execution.teaching.labels import NAMED, naming_label
from execution.teaching.structure import alike, number_of
from execution.turn.workflow_stages import WorkflowStages
from execution.types import (
    ActionResult,
    ActionStatus,
    Box,
    ElementRole,
    Resolution,
    ResolveStatus,
    ScreenState,
    Suggestion,
    Verification,
)
from execution.types import Answer as Certainty
from execution.verification.chosen import control_box, group_area, radio_of, shown, stands_as_wanted
from execution.verification.marks import mark_at
from sentences.said import say, told_by
from workflows.catalogue import PRESSED, SETTING_ACTION_TYPES, VALUE_PARAMS
from workflows.exceptions import DomainError
from workflows.graph import EdgeSpec, TargetSpec
from workflows.models import Edge, Node, Target
from workflows.text import fill, names

STILL_MS = 150  # what a control shows is drawn at once
SEEN_S = 4.0  # so long a control may take to show what it was brought to
_RADIOS = frozenset({ElementRole.RADIO})
_HOLDS_VALUE = frozenset({ElementRole.FIELD, ElementRole.BUTTON})


class Keeps(Protocol):
    """What a recorder does with any act."""

    desktop: Desktop
    sight: Looks
    here: Here
    hold: LessonHold

    @property
    def draft(self) -> Draft: ...

    def new_step(self, act: Act, state: LessonStepState) -> LessonStep: ...

    def made(self, step: LessonStep, source: Node, edge: Edge, target: Target | None) -> None: ...

    def await_screen(
        self, step: LessonStep, edge: Edge, before: ScreenState | None, typed: str = "", within: Box | None = None
    ) -> None: ...

    def acted(self, act: Act, acted: Acted) -> Acted: ...

    def refused(self, act: Act, why: str) -> Acted: ...


def understand_control(state: ScreenState, act: Act, *, known: Known) -> Understood:
    """What is at the point, as a control: by its label where it shows a value, and for radio buttons their group's."""
    found = understand(state, act.point, known=known, box=act.box)
    if act.kind == "choose" and (group := group_of(found.box, str(act.given["option"]), state, known)):
        return group
    if act.kind == "set_state" and (mark := mark_at(found.box, state)) and found.role not in NAMED:
        caption = naming_label(mark, ElementRole.CHECKBOX, state)
        return found if caption is None or found.text else understand(state, mark.center, known=known)
    if found.role not in _HOLDS_VALUE:
        return found
    label = naming_label(found.box, ElementRole.FIELD, state)
    if label is None:
        return found
    twins = alike(found.box, text="", role=ElementRole.FIELD, state=state, named_by=label.text)
    named = replace(found, text="", named_by=label, alike=tuple(twins) or (found.box,), says="", is_data=False)
    return answered(named, state, known)


def group_of(box: Box, option: str, state: ScreenState, known: Known) -> Understood | None:
    """The text that names the radio buttons of which one is in the box, if the option is one of them."""
    mark = mark_at(box, state, _RADIOS)
    if mark is None:
        return None
    wanted = fill(option, known.values) if not names(option) - set(known.values) else option
    # A label whose letters reach below the line has its middle below that of the marks beside it.
    above = [line for line in state.texts if line.box.y < mark.center.y and not mark_at(line.box, state)]
    for line in sorted(above, key=lambda line: -line.box.bottom):
        area = group_area(line.box, state)
        if area.contains(mark.center) and radio_of(str(wanted), area, state)[1] == 1:
            return understand(state, line.box.center, known=known)
    return None


class Controls:
    """Does an act on a control at once, with the looks and movements of a run, and keeps it as one step."""

    def __init__(self, recorder: Keeps) -> None:
        self._recorder = recorder

    def done(
        self,
        act: Act,
        found: Understood,
        state: ScreenState,
        shown_as: ScreenState,
        *,
        step: LessonStep | None = None,
        answer: Answer | None = None,
        variable: str = "",
    ) -> Acted:
        """`state` is the screen as it was read, `shown_as` as it may be kept."""
        recorder, here = self._recorder, self._recorder.here
        stages = stages_here(here, recorder.desktop, state)
        if missing := sorted(names(act.given) - set(stages.variables)):
            return self._let_go(act, step, say("lesson.try_no_value", name=missing[0]))
        suggestion = _suggestion(act, dict(fill(act.given, stages.variables)), found)
        if changed := stages.what_changed(suggestion, state, stages.glance(), strict=False):
            return self._let_go(act, step, say("turn.changed_before", why=changed))
        if step is None:
            step = recorder.new_step(act, LessonStepState.DOING)
        else:
            LessonStep.objects.filter(pk=step.pk).update(state=LessonStepState.DOING)
        result = self._perform(stages, suggestion, step)
        why = result.message if result.status is not ActionStatus.DONE else why_not_so(stages, suggestion, state)
        if why:
            return self._unkept(act, step, why, touched=result.touched)
        step.took_ms = 1000 * (time.perf_counter() - act.heard_at)
        shows_value = _shows_value(suggestion, state, stages)
        if why := self._keep(step, act, found, shown_as, answer, variable, shows_value=shows_value):
            return self._unkept(act, step, why, touched=True)
        return recorder.acted(act, Acted(state="done", ms=step.took_ms))

    def log_in(self, act: Act, state: ScreenState, shown_as: ScreenState) -> Acted:
        """Log in with saved credentials, as a run does; nobody sees what is typed, and nothing of it is kept."""
        recorder, here = self._recorder, self._recorder.here
        stages = stages_here(here, recorder.desktop, state)
        step = recorder.new_step(act, LessonStepState.DOING)
        result = self._perform(stages, _suggestion(act, act.given), step)
        if result.status is not ActionStatus.DONE:
            return self._unkept(act, step, result.message, touched=result.touched)
        with transaction.atomic():
            source = here.source()
            edge = recorder.draft.add_edge(
                source, source, action_type=act.kind, params=act.given, called=str(act.given["credential"])
            )
            step.took_ms = 1000 * (time.perf_counter() - act.heard_at)
            step.picture_before = here.picture_of(shown_as)
            recorder.made(step, source, edge, None)
        recorder.await_screen(step, edge, shown_as)
        return recorder.acted(act, Acted(state="done", ms=step.took_ms))

    def _perform(self, stages: WorkflowStages, suggestion: Suggestion, step: LessonStep) -> ActionResult:
        recorder = self._recorder
        try:
            result = stages.act(suggestion, recorder.hold)
        except Stopped as stopped:
            result = ActionResult(status=ActionStatus.FAILED, message=say("lesson.stopped"), touched=stopped.touched)
        finally:
            recorder.sight.stirred()
        if result.status is ActionStatus.UNCERTAIN:
            LessonStep.objects.filter(pk=step.pk).update(state=LessonStepState.DOUBT)
            raise DesktopLost(result.message)
        return result

    def _let_go(self, act: Act, step: LessonStep | None, why: str) -> Acted:
        """Nothing was done."""
        if step is not None:
            LessonStep.objects.filter(pk=step.pk).update(state=LessonStepState.UNDONE)
        return self._recorder.refused(act, say("lesson.not_done", why=why))

    def _unkept(self, act: Act, step: LessonStep, why: str, *, touched: bool) -> Acted:
        if not touched:
            return self._let_go(act, step, why)
        LessonStep.objects.filter(pk=step.pk).update(state=LessonStepState.UNKEPT)
        self._recorder.here.left_unkept()
        return self._recorder.refused(act, say("lesson.not_kept", why=why))

    def _keep(
        self,
        step: LessonStep,
        act: Act,
        found: Understood,
        state: ScreenState,
        answer: Answer | None,
        variable: str,
        *,
        shows_value: bool,
    ) -> str:
        """The rows of what was done; why there are none, or ""."""
        recorder, here = self._recorder, self._recorder.here
        draft, value = recorder.draft, str(act.given[VALUE_PARAMS[act.kind]])
        params = {**act.given, VALUE_PARAMS[act.kind]: as_variable(value, here.known.values)}
        if not shows_value and found.role in PRESSED:  # a menu goes by what is written on it
            found = understand(state, act.point, known=here.known, box=act.box)
        try:
            known = here.known.but(params)
            spec = taught(found, state, store=draft.store, known=known, answer=answer, variable=variable)
        except (ValueError, DomainError, OSError) as error:
            return told_by(error)
        spec = without_its_value(spec, found, act, shows_value=shows_value)
        with transaction.atomic():
            target, source = draft.add_target(spec), here.source()
            edge = draft.add_edge(
                source, source, action_type=act.kind, params=params, target=target, called=found.label
            )
            step.params = {**step.params, **params}
            step.screen = {
                "box": list(found.box.normalised(state.frame.size)),
                "label": found.label,
                "counts": counts_of(spec, found.alike),
            }
            step.picture_before = here.picture_of(state)
            recorder.made(step, source, edge, target)
            if shows_value:
                here.is_data(shown(control_box(found.box, state), state))
        if act.kind != "set_state":
            here.typed(value, step, fixed=params[VALUE_PARAMS[act.kind]] == value and not names(value))
        recorder.await_screen(step, edge, state, within=_extent(found, act, state))
        return ""


def why_not_so(stages: WorkflowStages, suggestion: Suggestion, before: ScreenState) -> str:
    """Why a control does not stand as it was to be; "" if it does, in time, or if it is no such act.

    What opened a menu shows nothing of what was chosen in it.
    """
    edge = suggestion.edge
    if edge.action_type not in SETTING_ACTION_TYPES:
        return ""
    for _look in looks(SEEN_S):
        stands = _stands(suggestion, before, stages.settle(edge))
        if stands.answer is Certainty.YES:
            return ""
    is_menu = edge.action_type == "choose" and edge.target is not None and edge.target.role in PRESSED
    return "" if is_menu and stands.answer is not Certainty.NO else stands.message


def _stands(suggestion: Suggestion, before: ScreenState, now: ScreenState) -> Verification:
    target = suggestion.edge.target
    return stands_as_wanted(
        suggestion.edge.action_type, suggestion.params, suggestion.resolution.box, before, now,
        caption=target.text if target else "",
    )  # fmt: skip


def _shows_value(suggestion: Suggestion, before: ScreenState, stages: WorkflowStages) -> bool:
    """Whether what stands in the control is what it was brought to, and so another thing in each run."""
    target, now = suggestion.edge.target, stages.eyes.last_read
    if suggestion.edge.action_type == "set_state" or target is None or now is None:
        return False
    return target.role in _HOLDS_VALUE and _stands(suggestion, before, now).answer is Certainty.YES


def _suggestion(act: Act, params: Mapping[str, Any], found: Understood | None = None) -> Suggestion:
    """The act as a run would do it at the place that a person showed."""
    target = TargetSpec(target_id="", label=found.label, role=found.role) if found else None
    edge = EdgeSpec(
        edge_id="", source="", destination="", action_type=act.kind, params=params, target=target, settle_ms=STILL_MS
    )
    resolution = Resolution(status=ResolveStatus.NOT_NEEDED)
    if found:
        resolution = Resolution(status=ResolveStatus.FOUND, box=found.box, point=found.point)
    return Suggestion(edge=edge, node_id="", params=params, sentence="", resolution=resolution)


def without_its_value(spec: TargetSpec, found: Understood, act: Act, *, shows_value: bool) -> TargetSpec:
    """The evidence without what is another in each run: the value that it shows, and the mark in a box."""
    if act.kind == "set_state":
        return replace(spec, picture="") if spec.named_by or spec.text else spec
    if not shows_value:
        return spec
    number = spec.number if spec.number_wanted else number_of(found.box, found.alike)
    return replace(
        spec,
        text="",
        named_by=found.named_by or spec.named_by,
        picture="" if found.named_by else spec.picture,
        number=number,
        alike=len(found.alike),
    )


def _extent(found: Understood, act: Act, state: ScreenState) -> Box:
    """Where the control shows what it was brought to."""
    if act.kind == "set_state":
        return mark_at(found.box, state) or found.box
    box = control_box(found.box, state)
    group = group_area(box, state)
    is_group = act.kind == "choose" and radio_of(str(act.given["option"]), group, state)[1] > 0
    return group if is_group else box


def as_variable(value: str, values: Mapping[str, str]) -> str:
    """{{name}} where the value is a variable's here."""
    return next(("{{" + name + "}}" for name, known in values.items() if known and known == value), value)
