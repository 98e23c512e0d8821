"""A program's own parts in place of the product's stages (S11.5, S11.9): its pipeline and its executor."""

from __future__ import annotations

import copy
import dataclasses
import json
import logging
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol

from execution.choices import Outcome, StepPhase
from execution.exceptions import MissingVariable
from execution.models import Execution
from execution.record.journal import Journal
from execution.running.program.workflow import edge_in, part
from execution.turn.holding import Hold
from execution.turn.workflow_stages import WorkflowStages
from execution.types import (
    ActionResult,
    ActionStatus,
    Answer,
    ExecutionResult,
    ExecutionStatus,
    Match,
    Recognition,
    Resolution,
    ResolveStatus,
    ScreenState,
    Suggestion,
    Verification,
)
from sentences.said import Said, cause, say, told_by
from workflows.graph import EdgeSpec, TargetSpec, target_from_json
from workflows.text import fill, names, told

log = logging.getLogger(__name__)

# How programs name what a correction may change of an edge of their own.
NAMES_OF = {"action": ("action", "action_type"), "target": ("target",), "params": ("params", "parameters")}


class Pipeline(Protocol):
    def load_workflow(self, workflow_id: str) -> Any: ...

    def match_current_state(self, screenshot_path: str, workflow_id: str) -> Mapping[str, Any] | None: ...

    def get_next_action(self, workflow_id: str, node_id: str) -> Mapping[str, Any] | None: ...


class ActionExecutor(Protocol):
    def execute_edge(self, edge: Any, screen_state: ScreenState, context: Any) -> ExecutionResult: ...


class ProgramStages(WorkflowStages):
    """The product's stages, with those that the program brings in their place. `workflow` is what its pipeline loaded.

    `variables` is the very dict that the executor gets: what it puts there is kept with the run.
    """

    def __init__(
        self,
        own: WorkflowStages,
        journal: Journal,
        *,
        pipeline: Pipeline | None = None,
        executor: ActionExecutor | None = None,
        workflow: Any = None,
        on_error: Callable[[str, Exception], None] = lambda kind, error: None,
    ) -> None:
        self.context: dict[str, Any] = dict(own.variables)
        super().__init__(own.graph, self.context, own.eyes, own.matcher, own.resolver)
        self.also = own.also
        self.journal, self.pipeline, self.executor, self.workflow = journal, pipeline, executor, workflow
        self.on_error = on_error
        self.result: ExecutionResult | None = None  # what the executor answered in this turn
        self._screen: ScreenState | None = None
        self._next: tuple[str, EdgeSpec | None] = ("", None)
        self._actions: dict[str, Any] = {}  # what the pipeline gave, by edge
        self._correction: Mapping[str, Any] = {}
        self._done = done_last(journal.execution)  # node and edge; after the desktop was lost, by the record

    def observe(self, *, whole: bool = False) -> ScreenState:
        self._screen = super().observe(whole=whole)
        return self._screen

    # --- the pipeline -----------------------------------------------------------------------------------------------
    def recognise(self, state: ScreenState, *, last_node: str | None, expected: str | None) -> Recognition:
        if self.pipeline is None:
            return super().recognise(state, last_node=last_node, expected=expected)
        path = self.journal.pictures.file(self.journal.pictures.keep(state).digest)
        found = self.pipeline.match_current_state(str(path), self.graph.workflow_id)
        self._next = ("", None)
        if not found or not found.get("node_id"):
            return Recognition(match=None, why_not=say("program.recognised_nothing"))
        match = Match(node_id=str(found["node_id"]), confidence=float(found.get("confidence") or 0))
        if self._would_repeat(match.node_id):
            why = say("program.would_repeat", edge=self._done[1])
            return Recognition(match=None, candidates=(match,), why_not=why)
        return Recognition(match=match)

    def picked(self, node_id: str) -> Recognition:
        self._done = ("", "")  # a person says where the run is: what follows is no repetition of the program's
        return super().picked(node_id)

    @property
    def knows_ways(self) -> bool:
        """A pipeline alone knows its ways."""
        return self.pipeline is None

    def may_stay(self, edge: EdgeSpec) -> bool:
        """A pipeline need not say where its action leads, and may have several actions on one screen."""
        return super().may_stay(edge) or (self.pipeline is not None and not edge.destination)

    def _would_repeat(self, node_id: str) -> bool:
        """Whether the same action follows on itself on one screen, and the pipeline has not said that it may."""
        if self._done[0] != node_id:
            return False
        edge = self._edge(node_id)
        return edge is not None and edge.edge_id == self._done[1] and edge.destination != node_id

    def is_terminal(self, node_id: str) -> bool:
        return self._edge(node_id) is None if self.pipeline else super().is_terminal(node_id)

    def next_edge(self, node_id: str, tried: Collection[str]) -> EdgeSpec | None:
        self._correction, self.result = {}, None
        if self.pipeline is None:
            return super().next_edge(node_id, tried)
        edge = self._edge(node_id)
        return edge if edge and edge.edge_id not in tried else None

    def _edge(self, node_id: str) -> EdgeSpec | None:
        """The pipeline's next action, asked for once a turn."""
        assert self.pipeline is not None
        if self._next[0] != node_id:
            action = self.pipeline.get_next_action(self.graph.workflow_id, node_id)
            edge = edge_of(action, node_id) if action else None
            self._next = (node_id, edge)
            if edge is not None:
                self._actions[edge.edge_id] = action
        return self._next[1]

    # --- the executor -----------------------------------------------------------------------------------------------
    def suggest(self, edge: EdgeSpec, node_id: str, state: ScreenState) -> Suggestion:
        if self.executor is not None:
            return self._suggested(edge, node_id)
        if unknown := sorted(names(edge.params) - set(self.variables)):
            words = say("program.value_missing", action=edge.edge_id, names=unknown)
            raise MissingVariable(words, tuple(unknown))
        return super().suggest(edge, node_id, state)

    def _suggested(self, edge: EdgeSpec, node_id: str) -> Suggestion:
        """The program's own: its executor finds the target, and a text with a variable nobody gave stays as it is."""
        try:
            params = fill(edge.params, self.variables)
        except KeyError:
            params = dict(edge.params)
        resolution = Resolution(status=ResolveStatus.NOT_NEEDED, message=say("program.finds_target"))
        return Suggestion(
            edge=edge,
            node_id=node_id,
            params=params,
            sentence=told(self.sentence(edge, params), self.variables),
            resolution=resolution,
        )

    def correct(self, suggestion: Suggestion, correction: Mapping[str, Any], state: ScreenState) -> Suggestion:
        if self.executor is None:
            return super().correct(suggestion, correction, state)
        params = {**suggestion.params, **(correction.get("params") or {})}
        action = correction.get("action") or suggestion.edge.action_type
        edge = dataclasses.replace(suggestion.edge, action_type=action, params=params)
        changes = {"action": correction.get("action"), "target": correction.get("target")}
        self._correction = {name: value for name, value in changes.items() if value}
        if correction.get("params"):
            self._correction = {**self._correction, "params": params}
        return self._suggested(edge, suggestion.node_id)

    def act(self, suggestion: Suggestion, hold: Hold) -> ActionResult:
        result = super().act(suggestion, hold) if self.executor is None else self._executed(suggestion)
        if result.status is ActionStatus.DONE:
            self._done = (suggestion.node_id, suggestion.edge.edge_id)
        return result

    def _executed(self, suggestion: Suggestion) -> ActionResult:
        """Have it done. What failed may have touched something: only the program knows, so it is not repeated."""
        assert self.executor is not None
        try:
            edge = self._told(suggestion)
        except TypeError as error:
            return ActionResult(status=ActionStatus.FAILED, message=told_by(error))
        before = kept_of(self.context)
        began = time.perf_counter()
        try:
            answer = self.executor.execute_edge(edge, self._screen, context=self.context)  # type: ignore[arg-type]
        except Exception as error:  # the program's own code: whatever it raises is a failed act (S11.3)
            log.exception("the program's executor failed", extra={"execution": self.journal.execution.execution_id})
            self.on_error("execution_loop", error)
            answer = ExecutionResult(ExecutionStatus.FAILED, error=cause(error))
        self.result = result_of(answer, took_ms=(time.perf_counter() - began) * 1000)
        if (after := kept_of(self.context)) != before:
            self.journal.keep_variables(json.loads(after))
        done = self.result.status is ExecutionStatus.SUCCESS
        return ActionResult(
            status=ActionStatus.DONE if done else ActionStatus.FAILED,
            message=self.result.message or self.result.error or "",
            act_ms=self.result.duration_ms,
            touched=True,
        )

    def _told(self, suggestion: Suggestion) -> Any:
        """The edge as the executor gets it: the program's own object, or a dict; with what a coach corrected.

        Raises TypeError where the object has no place for the correction: it is never carried out without it.
        """
        own = edge_in(self.workflow, suggestion.edge.edge_id)
        told = {**info_of(suggestion), **self._own_action(suggestion)} if own is None else own
        return changed(told, self._correction) if self._correction else told

    def _own_action(self, suggestion: Suggestion) -> dict[str, Any]:
        """The target as the pipeline gave it, not as it is kept."""
        action = self._actions.get(suggestion.edge.edge_id)
        return {"target": part(action, "target")} if action else {}

    def verify(
        self, suggestion: Suggestion, before: ScreenState, after: ScreenState
    ) -> tuple[Verification, ScreenState]:
        if self.pipeline is None:
            return super().verify(suggestion, before, after)
        return Verification(answer=Answer.CANNOT_TELL, message=say("program.was_not_asked")), after


def done_last(execution: Execution) -> tuple[str, str]:
    """Node and edge of what may have been done last: it does not follow on itself without the pipeline saying so."""
    step = execution.steps.exclude(edge_id="").order_by("index").last()
    if step is None or not (step.phase == StepPhase.INTENT or step.outcome in (Outcome.SUCCEEDED, Outcome.MANUAL)):
        return "", ""
    return step.node_id, step.edge_id


def edge_of(action: Mapping[str, Any], node_id: str) -> EdgeSpec:
    """A pipeline's next action as an edge; where it leads is known only if it says `to_node`."""
    target, edge_id = part(action, "target"), str(part(action, "edge_id"))
    kind = part(action, "action", "action_type")
    return EdgeSpec(
        edge_id=edge_id,
        source=node_id,
        destination=str(part(action, "to_node") or ""),
        action_type=str(getattr(kind, "value", kind)),
        params=dict(part(action, "params") or {}),
        target=target_of(target, edge_id) if target else None,
    )


def target_of(target: Any, target_id: str) -> TargetSpec:
    """A target as a program gives it: ours, a dict with some of its fields, or the text to be found."""
    if isinstance(target, TargetSpec):
        return target
    if isinstance(target, Mapping):
        return target_from_json({"target_id": target_id, "label": str(target.get("text", target_id)), **target})
    return TargetSpec(target_id=target_id, label=str(target), text=str(target))


def info_of(suggestion: Suggestion) -> dict[str, Any]:
    edge = suggestion.edge
    return {
        "edge_id": edge.edge_id,
        "action": edge.action_type,
        "target": edge.target,
        "params": dict(suggestion.params),
    }


def changed(edge: Any, correction: Mapping[str, Any]) -> Any:
    """The program's edge with the coach's corrections; its own object is left as it is. Raises TypeError."""
    if isinstance(edge, Mapping):
        return {**edge, **{_name_in(edge, name): value for name, value in correction.items()}}
    changes = {}
    for wanted, value in correction.items():
        name = _name_in(edge, wanted)
        changes[name] = _as_it_was(getattr(edge, name), value, wanted)
    if dataclasses.is_dataclass(edge) and not isinstance(edge, type):
        return dataclasses.replace(edge, **changes)
    changed_one = copy.copy(edge)
    for name, value in changes.items():
        setattr(changed_one, name, value)
    return changed_one


def _name_in(edge: Any, wanted: str) -> str:
    known = NAMES_OF[wanted]
    found = next((n for n in known if (n in edge if isinstance(edge, Mapping) else hasattr(edge, n))), "")
    if not found and isinstance(edge, Mapping):
        return known[0]
    if not found:
        raise TypeError(_no_place(wanted))
    return found


def _as_it_was(was: Any, value: Any, name: str) -> Any:
    """A correction in the kind that the program's object holds there: a text for a text."""
    if isinstance(was, str) and isinstance(value, Mapping):
        value = value.get("text")
    if was is not None and not isinstance(value, Mapping if isinstance(was, Mapping) else type(was)):
        raise TypeError(_no_place(name))
    return value


def _no_place(name: str) -> str:
    return say("program.no_place_for", name=name)


def result_of(answer: Any, *, took_ms: float) -> ExecutionResult:
    """An executor's answer; its status is compared by value, and whatever is not success is a failure (S11.9)."""
    status = part(answer, "status")
    done = str(getattr(status, "value", status)).lower() == ExecutionStatus.SUCCESS
    if answer is None:
        return ExecutionResult(ExecutionStatus.FAILED, duration_ms=took_ms, error=say("program.no_answer"))
    error = part(answer, "error")
    return ExecutionResult(
        status=ExecutionStatus.SUCCESS if done else ExecutionStatus.FAILED,
        message=str(part(answer, "message") or ""),
        duration_ms=float(part(answer, "duration_ms") or took_ms),
        error=(error if isinstance(error, Said) else str(error)) if error else None,
    )


def kept_of(variables: Mapping[str, Any]) -> str:
    """The variables as they can be kept with the run, as JSON; what is none stays with the program."""
    kept = {}
    for name, value in variables.items():
        try:
            json.dumps(value)
        except (TypeError, ValueError):
            continue
        kept[str(name)] = value
    return json.dumps(kept)
