"""The stages of a turn, bound to one run: values in, values out. The loop calls them in order and knows no more."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from django.utils import timezone
from django.utils.translation import gettext as _

from execution import acting
from execution.eyes import Eyes
from execution.matching import Matcher
from execution.navigation import visual_verifier
from execution.targeting.resolver import TargetResolver, resolve_correction
from execution.types import (
    ActionResult,
    Answer,
    Box,
    Frame,
    Match,
    Reason,
    Recognition,
    Resolution,
    ResolveStatus,
    ScreenState,
    Suggestion,
    Verification,
    Window,
    pixels_digest,
)
from workflows.catalogue import ACTIONS
from workflows.graph import EdgeSpec, GraphSpec
from workflows.text import fill

# A target's surroundings count as unchanged while at most this share of their pixels differs by more than NOISE.
MOVED_SHARE = 0.02
NOISE = 24
CONTEXT_PX = 12
# A caret of 2 x 20 pixels on the smallest screen we serve is 0.00005 of it; one typed letter is about as much more.
UNTOUCHED_SHARE = 0.0001


class Stages:
    def __init__(
        self, graph: GraphSpec, variables: Mapping[str, str], eyes: Eyes, matcher: Matcher, resolver: TargetResolver
    ) -> None:
        self.graph, self.variables = graph, variables
        self.eyes, self.matcher, self.resolver = eyes, matcher, resolver

    def observe(self) -> ScreenState:
        return self.eyes.observe()

    def settle(self, edge: EdgeSpec) -> ScreenState:
        return self.eyes.settled(settle_ms=edge.settle_ms, timeout_ms=edge.settle_timeout_ms)

    def recognise(self, state: ScreenState, *, last_node: str | None, expected: str | None) -> Recognition:
        return self.matcher.recognise(state, variables=self.variables, last_node=last_node, expected=expected)

    def is_end(self, node_id: str) -> bool:
        return node_id in self.graph.end_nodes

    def is_terminal(self, node_id: str) -> bool:
        return not self.graph.outgoing(node_id)

    def next_edge(self, node_id: str, tried: Collection[str]) -> EdgeSpec | None:
        """The node's first edge that was neither rejected nor skipped."""
        return next((e for e in self.graph.outgoing(node_id) if e.edge_id not in tried), None)

    def suggest(self, edge: EdgeSpec, node_id: str, state: ScreenState) -> Suggestion:
        params = fill(edge.params, self.variables)
        return Suggestion(
            edge=edge,
            node_id=node_id,
            params=params,
            sentence=sentence(edge, params),
            resolution=self._resolve(edge, state),
        )

    def _resolve(self, edge: EdgeSpec, state: ScreenState) -> Resolution:
        if edge.target is None:
            return Resolution(status=ResolveStatus.NOT_NEEDED)
        return self.resolver.resolve(edge.target, state, variables=self.variables)

    def correct(self, suggestion: Suggestion, correction: Mapping[str, Any], state: ScreenState) -> Suggestion:
        """The suggestion as a coach wants it; ValueError when the corrected target is not on the screen (S1.10)."""
        action = correction.get("action") or suggestion.edge.action_type
        params = {**suggestion.params, **(correction.get("params") or {})}
        edge = replace(suggestion.edge, action_type=action, params=params)
        resolution = suggestion.resolution
        if target := correction.get("target"):
            resolution = resolve_correction(target, state)
        if ACTIONS[action].target == "none":
            resolution = Resolution(status=ResolveStatus.NOT_NEEDED)
        return replace(suggestion, edge=edge, params=params, resolution=resolution, sentence=sentence(edge, params))

    def still_there(self, suggestion: Suggestion, then: ScreenState, now: ScreenState) -> bool:
        """Whether the pixels around the target are what they were when it was chosen: time may have passed."""
        point = suggestion.resolution.point
        box = suggestion.resolution.box or (Box(point.x, point.y, 1, 1) if point else None)
        if then.frame.digest == now.frame.digest or box is None:
            return True
        if then.frame.size != now.frame.size:
            return False
        around = box.grown(CONTEXT_PX, then.frame.size)
        difference = np.abs(then.frame.crop(around).astype(np.int16) - now.frame.crop(around))
        return float((difference.max(axis=2) > NOISE).mean()) <= MOVED_SHARE

    def act(self, suggestion: Suggestion) -> ActionResult:
        return acting.perform(self.eyes.desktop, suggestion)

    def verify(
        self, suggestion: Suggestion, before: ScreenState, after: ScreenState
    ) -> tuple[Verification, ScreenState]:
        """Look whether it happened, again and again until it did or the edge's time is over: effects may be late."""
        edge, began = suggestion.edge, time.perf_counter()
        while True:
            verification = self.judge(suggestion, before, after)
            elapsed = time.perf_counter() - began
            if verification.answer is Answer.YES or elapsed * 1000 > edge.settle_timeout_ms:
                return replace(verification, verify_ms=elapsed * 1000), after
            after = self.eyes.settled(settle_ms=edge.settle_ms, timeout_ms=edge.settle_timeout_ms)

    def judge(self, suggestion: Suggestion, before: ScreenState, after: ScreenState) -> Verification:
        edge = suggestion.edge
        recognition = self.recognise(after, last_node=edge.source, expected=edge.destination)
        return visual_verifier.verify_after(
            edge,
            before=before,
            after=after,
            recognition=recognition,
            typed=str(suggestion.params.get("text", "")) if edge.action_type == "type_text" else "",
            variables=self.variables,
        )

    def still_the_same(self, before: ScreenState, after: ScreenState) -> bool:
        """Whether the whole screen is what it was, up to noise such as a caret."""
        if before.frame.size != after.frame.size:
            return False
        difference = np.abs(before.frame.pixels.astype(np.int16) - after.frame.pixels)
        return float((difference.max(axis=2) > NOISE).mean()) <= UNTOUCHED_SHARE

    def remember(self, pixels: np.ndarray, screen: Mapping[str, Any]) -> ScreenState:
        """A screen of an earlier loop, read anew from its picture."""
        window = screen.get("window") or {}
        frame = Frame(pixels=pixels, taken_at=timezone.now(), digest=pixels_digest(pixels))
        box = Box.from_normalised(tuple(window["box"]), frame.size) if window.get("box") else None
        seen = Window(title=window.get("window_title", ""), app_name=window.get("app_name", ""), box=box)
        return self.eyes.analyzer.analyze(frame, seen)

    def recall(self, edge: EdgeSpec, kept: Mapping[str, Any]) -> Suggestion:
        """A suggestion of an earlier loop, as far as looking whether it was done needs it."""
        edge = replace(edge, action_type=kept.get("action") or edge.action_type)
        return Suggestion(
            edge=edge,
            node_id=edge.source,
            params=kept.get("params") or {},
            sentence=kept.get("sentence") or "",
            resolution=Resolution(status=ResolveStatus.NOT_NEEDED),
        )

    def picked(self, node_id: str) -> Recognition:
        """A node that a person picked."""
        reason = Reason(sign="person", score=1.0, note=_("picked by a person"))
        return Recognition(match=Match(node_id=node_id, confidence=1.0, reasons=(reason,)))


def sentence(edge: EdgeSpec, params: Mapping[str, Any]) -> str:
    """What the edge does, in words: “Click Save As…”."""
    label = edge.target.label if edge.target else _("the screen")
    keys = params.get("keys", "")
    words = {**params, "target": f"“{label}”", "keys": keys if isinstance(keys, str) else "+".join(keys)}
    spec = ACTIONS.get(edge.action_type)
    return str(spec.sentence) % words if spec else f"{edge.action_type} {words['target']}"  # a program's own action
