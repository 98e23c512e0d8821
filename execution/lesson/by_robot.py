"""What another workflow does, done by the robot while its call is taught or tried (S6.12).

As a trial does its steps: nothing that is not sure. It does a workflow that says by itself what comes next, one step
after the other; where that hangs on what is seen or read, a run decides, and the teacher does it by hand.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from execution.lesson.as_a_run import stages_of
from execution.lesson.calling import end_call, open_call
from execution.lesson.doing import DONE_AGAIN, READ_S, carry_out, may_not, missing
from execution.lesson.recorder import Recorder
from execution.turn.workflow_stages import WorkflowStages
from execution.types import ResolveStatus, ScreenState
from sentences.said import say
from workflows.calling import published
from workflows.calls import call_of
from workflows.catalogue import CALLING_ACTION_TYPES, SERVER_SIDE_ACTION_TYPES
from workflows.graph import EdgeSpec, GraphSpec
from workflows.secret_names import holds_secret
from workflows.specs import edge_spec
from workflows.text import fill
from workflows.values import value_problem
from workflows.words import sentence

_DOES = DONE_AGAIN | (SERVER_SIDE_ACTION_TYPES - CALLING_ACTION_TYPES - {"navigate"})


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of one step: done, being done, or not with why; `is_last` where the trial ends with it."""

    index: int
    state: str
    why: str = ""
    is_last: bool = False


class NotStraight(Exception):
    """What comes next hangs on what is seen or read; its sentence says where."""


class ByRobot:
    """The workflow that one edge of the draft does; `step` does the next of its steps."""

    def __init__(self, recorder: Recorder, edge: EdgeSpec) -> None:
        call = call_of(edge)
        assert call is not None
        self._recorder, self._call = recorder, call
        graph = published(call.workflow_id, call.number)
        assert graph is not None  # what a call was kept of is never deleted
        self.graph: GraphSpec = graph
        known = recorder.here.known.values
        given = {v.name: fill(call.values.get(v.name, v.default), known) for v in graph.asked}
        self.values = {name: value for name, value in given.items() if value}
        self._left: list[EdgeSpec] = []
        self._stages: WorkflowStages | None = None

    @property
    def is_over(self) -> bool:
        return not self._left

    def why_not(self) -> str:
        """Why it cannot be done here, whatever the screen shows; "" where it can. Nothing is done."""
        for variable in self.graph.asked:
            value = self.values.get(variable.name, "")
            if holds_secret(variable):
                return say("lesson.robot_secret", name=variable.label or variable.name)
            if (variable.required and not value) or "{{" in value:
                return say("lesson.try_no_value", name=variable.label or variable.name)
            if value and value_problem(variable, value, self.graph.counting_variables):
                return say("turn.call_value", name=variable.label or variable.name, value=value)
        try:
            for entry in self.graph.entry_nodes:
                straight(self.graph, entry)
        except NotStraight as error:
            return str(error.args[0])
        return ""

    def begin(self, state: ScreenState) -> str:
        """Ready for the first step on the screen that shows; why not, or ""."""
        if why := self.why_not():
            return why
        stages = stages_of(self._recorder.here, self._recorder.desktop, state, graph=self.graph, values=self.values)
        found = stages.recognise(state, last_node=None, expected=None)
        if found.match is None or found.match.node_id not in self.graph.entry_nodes:
            here = found.match and self.graph.name_of(found.match.node_id)
            why = say("turn.screen_is", name=here) if here else found.why_not
            return say("turn.call_not_begun", name=self.graph.name, why=why)
        self._stages, self._left = stages, straight(self.graph, found.match.node_id)
        return ""

    def step(self) -> str:
        """Do the next of its steps; why it was not done, or ""."""
        stages, recorder = self._stages, self._recorder
        assert stages is not None
        if not self._left:
            return ""
        edge = self._left[0]
        state = recorder.read_here(READ_S)
        if state is None:
            return say("lesson.reading")
        stages.eyes.last_read = stages.eyes.last_look = state
        if not self._shows(edge.source, state):
            return say("lesson.try_elsewhere", node=self.graph.name_of(edge.source))
        if name := missing(edge, stages.variables):
            return say("lesson.try_no_value", name=name)
        shown = recorder.here.shown(state)
        suggestion = stages.suggest(edge, edge.source, shown)
        if why := may_not(stages, suggestion, shown):
            return why
        if suggestion.resolution.status not in (ResolveStatus.FOUND, ResolveStatus.NOT_NEEDED):
            return suggestion.resolution.message
        if why := carry_out(recorder, stages, suggestion, state, {"inside": self.graph.workflow_id}):
            return why
        if not self._comes(edge.destination):
            return say("lesson.try_led_elsewhere", node=self.graph.name_of(edge.destination))
        self._left.pop(0)
        if not self._left:
            for inner, ours in self._call.outputs.items():
                if inner in stages.variables:
                    recorder.here.remember(ours, stages.variables[inner])
        return ""

    def _shows(self, node_id: str, state: ScreenState) -> bool:
        assert self._stages is not None
        match = self._stages.recognise(state, last_node=None, expected=node_id).match
        return match is not None and match.node_id == node_id

    def _comes(self, node_id: str) -> bool:
        """Whether that screen shows, in time."""
        sight, until = self._recorder.sight, time.monotonic() + READ_S
        while True:
            state = sight.wait(READ_S)
            if state is not None and self._shows(node_id, state):
                return True
            if time.monotonic() > until:
                return False
            sight.stirred()  # looked at once more, when it has been still anew


class RobotHere:
    """The call that is open, done by the robot; then it is noted where that led. Told as a trial is."""

    stuck = None  # a place that it does not find is no part of this draft

    def __init__(self, recorder: Recorder) -> None:
        self._recorder, self._robot = recorder, None
        self._call = open_call(recorder.lesson)

    _robot: ByRobot | None

    def step(self) -> Tried | None:
        recorder, call = self._recorder, self._call
        if call is None or call.edge is None or open_call(recorder.lesson) != call:
            return None
        if self._robot is None:
            self._robot = ByRobot(recorder, edge_spec(call.edge))
            state = recorder.read_here(READ_S)
            why = self._robot.begin(state) if state is not None else say("lesson.reading")
        else:
            why = self._robot.step()
        if why:
            return Tried(call.index, "failed", why, is_last=True)
        if not self._robot.is_over:
            return Tried(call.index, "doing")
        recorder.read_here(READ_S)
        end_call(recorder, "")
        return Tried(call.index, "done", is_last=True)

    def stopped(self, tried: Tried) -> str:
        """What is told where it did not go on."""
        return say("lesson.robot_stopped", why=tried.why)


def straight(graph: GraphSpec, start: str) -> list[EdgeSpec]:
    """What is done from there to the end, in order. Raises NotStraight where a run would have to decide."""
    way: list[EdgeSpec] = []
    node, seen = start, set[str]()
    while node not in seen:
        seen.add(node)
        steps = graph.outgoing(node)
        for edge in steps:
            if edge.repeat or edge.condition or edge.optional or edge.action_type not in _DOES:
                raise NotStraight(say("lesson.robot_decides", what=sentence(edge, graph)))
        leads_on = [edge for edge in steps if edge.destination != node]
        spec = graph.node(node)
        if len(leads_on) > 1 or (leads_on and spec is not None and spec.is_end):
            raise NotStraight(say("lesson.robot_ways", node=graph.name_of(node)))
        if not leads_on:
            return [*way, *steps]
        way += steps[: steps.index(leads_on[0]) + 1]
        node = leads_on[0].destination
    raise NotStraight(say("lesson.robot_ways", node=graph.name_of(node)))
