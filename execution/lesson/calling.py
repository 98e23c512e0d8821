"""Another workflow, noted as a step of a draft (S6.12): which version, with which values, and where it leads.

Nothing is done by itself: between the two ends of it the teacher does on the desktop what the other workflow does, and
nothing of that is kept. Where it leads is the screen that shows when they say that it is done.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from django.db import transaction

from execution.choices import LessonStepState
from execution.lesson.acts import Act, Acted
from execution.lesson.hearing import LONGEST_VALUE, Unheard
from execution.lesson.here import Pending
from execution.models import Lesson, LessonStep
from sentences.said import say
from workflows.calling import published
from workflows.calls import Call, call_of
from workflows.graph import CALL
from workflows.models import WorkflowVersion
from workflows.secret_names import holds_secret
from workflows.text import names
from workflows.validation.proofs import only_looks

_IS_OPEN = "call_is_open"


def open_call(lesson: Lesson) -> LessonStep | None:
    """The step of a workflow that is being done by hand; None where none is."""
    return open_among(lesson.steps.kept().filter(act=CALL).select_related("edge__source"))


def open_among(steps: Iterable[LessonStep]) -> LessonStep | None:
    """The same of a lesson's steps that were read, with others of its draft."""
    calls = (step for step in steps if step.act == CALL and step.is_kept)
    last = max(calls, key=lambda step: step.index, default=None)
    return last if last is not None and last.edge is not None and last.screen.get(_IS_OPEN) else None


def callable_from(lesson: Lesson) -> list[dict[str, Any]]:
    """The newest version of each other workflow that is published: what it is given, and what it brings."""
    found = []
    others = WorkflowVersion.objects.newest().exclude(workflow=lesson.workflow_id).select_related("workflow")
    for version in others.order_by("workflow__name"):
        one, graph = version.workflow, version.spec()
        if any(c.workflow_id == lesson.workflow.workflow_id for e in graph.calls if (c := call_of(e))):
            continue
        asked = [
            {
                "name": v.name,
                "label": v.label or v.name,
                "default": v.default,
                "required": v.required,
                "secret": holds_secret(v),
                "choices": list(v.choices),
            }
            for v in graph.asked
        ]
        found.append(
            {
                "id": one.workflow_id,
                "name": one.name,
                "version": version.number,
                "asked": asked,
                "results": list(graph.results),
                "proves": only_looks(graph),
            }
        )
    return found


def heard_call(message: Mapping[str, Any]) -> Call:
    """The call of a message `call`; raises Unheard."""
    workflow_id, number = message.get("workflow"), message.get("version")
    values, outputs = (
        {k: v.strip() for k, v in _texts(message.get(name)).items() if v.strip()} for name in ("values", "outputs")
    )
    if not isinstance(workflow_id, str) or not isinstance(number, int) or published(workflow_id, number) is None:
        raise Unheard(say("lesson.bad_message"))
    return Call(workflow_id=workflow_id, number=number, values=values, outputs=outputs)


def begin_call(recorder: Any, call: Call, act_id: str) -> None:
    """A step of the draft on the screen that shows. Raises Unheard where none can be kept now, and LookupError."""
    if recorder.paused or recorder.held is not None:
        raise Unheard(say("lesson.paused") if recorder.paused else say("lesson.not_answered"))
    recorder.typing.close()
    state = recorder.read_here()
    if state is None:
        raise Unheard(say("lesson.reading"))
    params = {"workflow": call.workflow_id, "version": call.number}
    params |= {name: dict(given) for name, given in (("values", call.values), ("outputs", call.outputs)) if given}
    act = Act(id=act_id, kind=CALL, heard_at=time.perf_counter())
    with transaction.atomic():
        for name in sorted(names(list(call.values.values()))):
            recorder.draft.add_variable_of_step(name, label=name.replace("_", " ").capitalize())
        source = recorder.here.source()
        step = recorder.new_step(act, LessonStepState.DOING)
        edge = recorder.draft.add_edge(source, source, action_type=CALL, params=params, called=call.workflow_id)
        step.params, step.screen = params, {_IS_OPEN: True}
        step.picture_before = recorder.here.picture_of(recorder.here.shown(state))
        recorder.made(step, source, edge, None)
    recorder.here.learn_values()
    recorder.acted(act, Acted(state="done"))
    recorder.on_change()


def end_call(recorder: Any, act_id: str) -> None:
    """The screen that shows is where it leads. Raises Unheard where it cannot be read, and LookupError."""
    step = open_call(recorder.lesson)
    if step is None or step.edge is None:
        raise Unheard(say("lesson.no_call"))
    if recorder.read_here() is None:
        raise Unheard(say("lesson.reading"))
    recorder.here.left_unkept()  # what was done meanwhile is no step, and nothing is to be waited for
    with transaction.atomic():
        known = {node.pk for node in recorder.draft.nodes()}
        node = recorder.here.source()
        recorder.draft.lead(step.edge, node)
        step.screen = {name: value for name, value in step.screen.items() if name != _IS_OPEN}
        step.made = {**step.made, "nodes": [node.pk] if node.pk not in known else []}
        step.save()
    recorder.here.led_by(Pending(step=step, edge=step.edge, before=None))
    recorder.acted(Act(id=act_id, kind=CALL, heard_at=time.perf_counter()), Acted(state="done"))
    recorder.on_change()


def as_kept(act: Act, lesson: Lesson) -> Act:
    """The act, which is none to keep while another workflow is done by hand."""
    return replace(act, keep=False) if act.keep and open_call(lesson) is not None else act


def _texts(value: Any) -> Mapping[str, str]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(
        isinstance(k, str) and isinstance(v, str) and len(v) <= LONGEST_VALUE for k, v in value.items()
    ):
        raise Unheard(say("lesson.bad_message"))
    return value
