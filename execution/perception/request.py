"""One question to the analyzer, and the known screen that comes nearest to answering it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from execution.perception.cache import Asked, CachedScreen
from execution.perception.changes import Changes
from execution.perception.harmless import Harmless, judge
from execution.perception.pixels import check_bgr
from execution.types import Box, Frame, ScreenState, Window
from sentences.said import say
from workflows.graph import NormBox


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisRequest:
    """One question to the analyzer."""

    frame: Frame
    window: Window | None
    asked: Asked
    masks: tuple[NormBox, ...]
    hides: Callable[[ScreenState], Sequence[NormBox]] | None
    patience: float

    def state(self, **more: Any) -> ScreenState:
        return ScreenState(frame=self.frame, window=self.window, **more)


class Near(NamedTuple):
    """A screen seen lately, and where the present one differs from it."""

    entry: CachedScreen
    changes: Changes

    def verdict(self, look: AnalysisRequest) -> Harmless | None:
        state = self.entry.state
        masks = [Box.from_normalised(mask, look.frame.size) for mask in look.masks]
        return judge(state.frame.pixels, look.frame.pixels, self.changes, state.texts, masks)


def unusable(frame: Frame) -> str:
    """Why nothing can be read on the frame, as a sentence; empty for a picture."""
    try:
        check_bgr(frame.pixels)
    except ValueError as error:
        return say("perception.picture_unusable", error=error)
    return "" if frame.pixels.size else say("perception.picture_empty")


def with_problem(state: ScreenState, problem: str) -> ScreenState:
    return replace(state, degraded=True, notes=(*state.notes, problem)) if problem else state
