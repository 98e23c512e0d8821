"""A Python program's own parts in place of the product's stages (S11.2, S11.5): pipeline, executor, capturer."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

import cv2
import numpy as np
from django.utils.translation import gettext as _

from execution.desktop.base import DesktopError
from execution.holding import Hold
from execution.journal import Journal
from execution.stages import Stages, sentence
from execution.types import (
    ActionResult,
    ActionStatus,
    Answer,
    Frame,
    Match,
    Recognition,
    Resolution,
    ResolveStatus,
    ScreenState,
    Suggestion,
    Verification,
    pixels_digest,
)
from workflows.graph import EdgeSpec, GraphSpec, NodeSpec, TargetSpec, target_from_json
from workflows.models import Workflow, WorkflowVersion


class Pipeline(Protocol):
    def load_workflow(self, workflow_id: str) -> Any: ...

    def match_current_state(self, screenshot_path: str, workflow_id: str) -> Mapping[str, Any] | None: ...

    def get_next_action(self, workflow_id: str, node_id: str) -> Mapping[str, Any] | None: ...


@dataclass(frozen=True, slots=True)
class ExecutionResult:
    """What an action executor answers; `status` "success" or "done" means that it was done."""

    status: str
    message: str = ""
    duration_ms: float = 0.0
    error: str | None = None


class ActionExecutor(Protocol):
    def execute_edge(self, edge: Mapping[str, Any], screen_state: ScreenState, context: Any) -> ExecutionResult: ...


class ProgramStages(Stages):
    """The product's stages, with those that the program brings in their place."""

    def __init__(
        self,
        own: Stages,
        journal: Journal,
        *,
        pipeline: Pipeline | None = None,
        executor: ActionExecutor | None = None,
        context: Any = None,
    ) -> None:
        super().__init__(own.graph, own.variables, own.eyes, own.matcher, own.resolver)
        self.journal, self.pipeline, self.executor, self.context = journal, pipeline, executor, context
        self._screen: ScreenState | None = None
        self._next: tuple[str, EdgeSpec | None] = ("", None)

    def observe(self) -> ScreenState:
        self._screen = super().observe()
        return self._screen

    def recognise(self, state: ScreenState, *, last_node: str | None, expected: str | None) -> Recognition:
        if self.pipeline is None:
            return super().recognise(state, last_node=last_node, expected=expected)
        path = self.journal.pictures.path(self.journal.pictures.put(state.frame.pixels))
        found = self.pipeline.match_current_state(str(path), self.graph.workflow_id)
        self._next = ("", None)
        if not found or not found.get("node_id"):
            return Recognition(match=None, why_not=_("The pipeline recognised nothing."))
        return Recognition(match=Match(node_id=found["node_id"], confidence=float(found.get("confidence", 0))))

    def is_terminal(self, node_id: str) -> bool:
        return self._edge(node_id) is None if self.pipeline else super().is_terminal(node_id)

    def next_edge(self, node_id: str, tried: Collection[str]) -> EdgeSpec | None:
        if self.pipeline is None:
            return super().next_edge(node_id, tried)
        edge = self._edge(node_id)
        return edge if edge and edge.edge_id not in tried else None

    def _edge(self, node_id: str) -> EdgeSpec | None:
        """The pipeline's next action, asked for once a turn."""
        assert self.pipeline is not None
        if self._next[0] != node_id:
            action = self.pipeline.get_next_action(self.graph.workflow_id, node_id)
            self._next = (node_id, edge_of(action, node_id) if action else None)
        return self._next[1]

    def suggest(self, edge: EdgeSpec, node_id: str, state: ScreenState) -> Suggestion:
        if self.executor is None:
            return super().suggest(edge, node_id, state)
        resolution = Resolution(status=ResolveStatus.NOT_NEEDED, message=_("The program's executor finds the target."))
        params = dict(edge.params)
        return Suggestion(
            edge=edge, node_id=node_id, params=params, sentence=sentence(edge, params), resolution=resolution
        )

    def act(self, suggestion: Suggestion, hold: Hold) -> ActionResult:
        if self.executor is None:
            return super().act(suggestion, hold)
        began = time.perf_counter()
        result = self.executor.execute_edge(info_of(suggestion), self._screen, self.context)  # type: ignore[arg-type]
        status = str(getattr(result.status, "value", result.status)).lower()
        done = status in ("success", "done", "succeeded", "completed")
        return ActionResult(
            status=ActionStatus.DONE if done else ActionStatus.FAILED,
            message=result.message or str(result.error or ""),
            act_ms=result.duration_ms or (time.perf_counter() - began) * 1000,
        )

    def verify(
        self, suggestion: Suggestion, before: ScreenState, after: ScreenState
    ) -> tuple[Verification, ScreenState]:
        if self.pipeline is None and self.executor is None:
            return super().verify(suggestion, before, after)
        message = _("Done by a program: the screen was not asked.")
        return Verification(answer=Answer.CANNOT_TELL, message=message), after


def edge_of(action: Mapping[str, Any], node_id: str) -> EdgeSpec:
    """A pipeline's next action as an edge; its destination is not known."""
    target = action.get("target")
    return EdgeSpec(
        edge_id=str(action["edge_id"]),
        source=node_id,
        destination=str(action.get("to_node") or ""),
        action_type=str(action["action"]),
        params=dict(action.get("params") or {}),
        target=target_of(target, str(action["edge_id"])) if target else None,
    )


def target_of(target: Any, target_id: str) -> TargetSpec:
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
        "point": suggestion.resolution.point,
    }


def version_of(workflow_id: str, loaded: Any) -> WorkflowVersion:
    """Rows for a workflow that only the program's pipeline knows, so that its runs are recorded like any other."""

    def part(name: str, default: Any) -> Any:
        value = loaded.get(name, default) if isinstance(loaded, Mapping) else getattr(loaded, name, default)
        return value if isinstance(value, type(default)) else default

    ends, entries = part("end_nodes", []), part("entry_nodes", [])
    learning_state, name = part("learning_state", ""), part("name", workflow_id)
    nodes = tuple(
        NodeSpec(node_id=n, name=n, is_entry=n in entries, is_end=n in ends) for n in dict.fromkeys([*entries, *ends])
    )
    graph = GraphSpec(workflow_id=workflow_id, name=name, learning_state=learning_state, version=1, nodes=nodes)
    fields = {"name": name, "learning_state": learning_state} if learning_state else {"name": name}
    workflow, _created = Workflow.objects.get_or_create(workflow_id=workflow_id, defaults=fields)
    latest = workflow.versions.order_by("-number").first()
    if latest is not None:
        return latest
    return WorkflowVersion.objects.create(workflow=workflow, number=1, graph=graph.to_json(), note="by a program")


class CapturerDesktop:
    """The local desktop's hands with a program's own eyes: `grab()` a Frame, or `capture()` RGB pixels or a path."""

    def __init__(self, capturer: Any, hands: Any) -> None:
        self._capturer, self._hands = capturer, hands

    def __getattr__(self, name: str) -> Any:
        return getattr(self._hands, name)

    def grab(self) -> Frame:
        if hasattr(self._capturer, "grab"):
            return self._capturer.grab()
        shot = self._capturer.capture()
        pixels = cv2.imread(str(shot)) if isinstance(shot, str) else cv2.cvtColor(np.asarray(shot), cv2.COLOR_RGB2BGR)
        if pixels is None:
            raise DesktopError(_("The capturer gave “%(path)s”, which is no picture.") % {"path": shot})
        return Frame(pixels=pixels, taken_at=datetime.now(UTC), digest=pixels_digest(pixels))
