"""A world for the loop: a screen that is one node of a graph at a time, and stages that see and move it.

It stands in for perception and desktop alone; journal, prompts, decisions and rows are the real ones.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np

from execution.types import (
    ActionResult,
    ActionStatus,
    Answer,
    Box,
    Frame,
    Match,
    Point,
    Recognition,
    Resolution,
    ResolveStatus,
    ScreenState,
    Suggestion,
    Verification,
    pixels_digest,
)
from workflows.graph import EdgeSpec, GraphSpec
from workflows.text import fill


@dataclass
class World:
    """Where the screen is, what was done to it, and what goes wrong when."""

    graph: GraphSpec
    variables: Mapping[str, str] = field(default_factory=dict)
    node: str | None = None  # None: a screen nobody taught
    acts: list[str] = field(default_factory=list)
    unresolved: dict[str, ResolveStatus] = field(default_factory=dict)  # edge → why its target is not found
    effects: dict[str, list[str]] = field(default_factory=dict)  # edge → what its next acts do: done, nothing, unclear
    on_act: Any = None
    on_observe: Any = None
    degraded: bool = False
    degraded_reason: str = ""
    _seen: int = 0

    @property
    def eyes(self) -> World:
        return self

    def lift(self) -> None:
        self.degraded, self.degraded_reason = False, ""

    def observe(self) -> ScreenState:
        if self.on_observe:
            self.on_observe(self)
        number = sum(ord(c) for c in self.node or "?")
        pixels = np.full((40, 60, 3), number % 256, np.uint8)
        return ScreenState(
            frame=Frame(pixels=pixels, taken_at=datetime.now(UTC), digest=pixels_digest(pixels)),
            text_method=self.node or "",
        )

    def settle(self, edge: EdgeSpec) -> ScreenState:
        return self.observe()

    def recognise(self, state: ScreenState, *, last_node: str | None, expected: str | None) -> Recognition:
        if self.node is None:
            return Recognition(match=None, why_not="Nothing fits.")
        return Recognition(match=Match(node_id=self.node, confidence=0.97, margin=0.5))

    def picked(self, node_id: str) -> Recognition:
        self.node = node_id
        return Recognition(match=Match(node_id=node_id, confidence=1.0))

    def is_end(self, node_id: str) -> bool:
        return node_id in self.graph.end_nodes

    def is_terminal(self, node_id: str) -> bool:
        return not self.graph.outgoing(node_id)

    def next_edge(self, node_id: str, tried: Collection[str]) -> EdgeSpec | None:
        return next((e for e in self.graph.outgoing(node_id) if e.edge_id not in tried), None)

    def suggest(self, edge: EdgeSpec, node_id: str, state: ScreenState) -> Suggestion:
        status = self.unresolved.get(edge.edge_id, ResolveStatus.FOUND)
        found = status is ResolveStatus.FOUND
        resolution = Resolution(
            status=status,
            box=Box(5, 5, 10, 10) if found else None,
            point=Point(10, 10) if found else None,
            rung="anchor_template" if found else "",
            score=0.98 if found else 0.0,
            message="" if found else "It is not on the screen.",
        )
        return Suggestion(
            edge=edge,
            node_id=node_id,
            sentence=edge.edge_id,
            params=fill(edge.params, self.variables),
            resolution=resolution,
        )

    def correct(self, suggestion: Suggestion, correction: Mapping[str, Any], state: ScreenState) -> Suggestion:
        point = correction.get("target", {}).get("point")
        found = Resolution(
            status=ResolveStatus.FOUND, point=Point(*(round(v * 40) for v in point)) if point else Point(1, 1)
        )
        params = {**suggestion.params, **correction.get("params", {})}
        return Suggestion(
            edge=suggestion.edge,
            node_id=suggestion.node_id,
            sentence=suggestion.sentence,
            params=params,
            resolution=found,
        )

    def still_there(self, suggestion: Suggestion, then: ScreenState, now: ScreenState) -> bool:
        return then.frame.digest == now.frame.digest

    def still_the_same(self, before: ScreenState, after: ScreenState) -> bool:
        return before.frame.digest == after.frame.digest

    def act(self, suggestion: Suggestion) -> ActionResult:
        edge = suggestion.edge
        self.acts.append(edge.edge_id)
        if self.on_act:
            self.on_act(edge.edge_id)
        effect = (self.effects.get(edge.edge_id) or ["done"]).pop(0)
        if effect == "done":
            self.node = edge.destination
        if effect == "refused":
            return ActionResult(status=ActionStatus.FAILED, message="There is no such key.")
        if effect == "lost":
            return ActionResult(status=ActionStatus.UNCERTAIN, message="The display is gone.")
        self._seen = {"unclear": 1}.get(effect, 0)
        return ActionResult(status=ActionStatus.DONE, act_ms=1.0)

    def verify(
        self, suggestion: Suggestion, before: ScreenState, after: ScreenState
    ) -> tuple[Verification, ScreenState]:
        if self._seen:
            return Verification(answer=Answer.CANNOT_TELL, message="It does not show."), after
        arrived = self.node == suggestion.edge.destination
        return Verification(
            answer=Answer.YES if arrived else Answer.NO, message="Seen." if arrived else "Not seen."
        ), after

    def remember(self, pixels: np.ndarray, screen: Mapping[str, Any]) -> ScreenState:
        frame = Frame(pixels=pixels, taken_at=datetime.now(UTC), digest=pixels_digest(pixels))
        return ScreenState(frame=frame)

    def recall(self, edge: EdgeSpec, kept: Mapping[str, Any]) -> Suggestion:
        none = Resolution(status=ResolveStatus.NOT_NEEDED)
        return Suggestion(edge=edge, node_id=edge.source, sentence=kept.get("sentence", ""), params={}, resolution=none)
