"""Scrolling to find what is not on the screen, where the target was taught inside something that scrolls."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from django.utils.translation import gettext as _

from execution.holding import Hold
from execution.types import Point, ResolveStatus, ScreenState, Suggestion
from workflows.graph import TargetSpec

if TYPE_CHECKING:
    from execution.stages import Stages

_STILL_MS = 150  # a list that was scrolled is drawn at once, or glides; what glides moves all the time
_MOST = 60  # turns of the wheel, whatever the search says


class Turn(Protocol):
    """One turn of the wheel: where, and how many clicks (down is positive)."""

    @property
    def point(self) -> Point: ...

    @property
    def dy(self) -> int: ...


class ScrollSearch(Protocol):
    """Where to scroll next; None once everything was seen or nothing moves any more."""

    def next_scroll(self) -> Turn | None: ...

    def saw(self, state: ScreenState) -> None: ...


def scroll_search(target: TargetSpec, state: ScreenState) -> ScrollSearch:
    from execution.targeting import scrolling

    return scrolling.ScrollSearch(target, state)


def worth_scrolling(suggestion: Suggestion) -> bool:
    target = suggestion.edge.target
    hidden = suggestion.resolution.status is ResolveStatus.NOT_FOUND
    return hidden and target is not None and target.scroll_box is not None


def seek(stages: Stages, suggestion: Suggestion, state: ScreenState, hold: Hold) -> tuple[ScreenState, Suggestion]:
    """Scroll until the target is found, ambiguous, or everything was seen; reads only. Raises Stopped, LeaseLost."""
    target = suggestion.edge.target
    if target is None:
        return state, suggestion
    edge = replace(suggestion.edge, settle_ms=min(suggestion.edge.settle_ms, _STILL_MS))
    search = stages.scroll_search(target, state)
    turns = 0
    while turns < _MOST and (turn := search.next_scroll()) is not None:
        hold.check()
        stages.scroll(turn.point, turn.dy)
        turns += 1
        state = stages.settle(edge)
        search.saw(state)
        suggestion = stages.suggest(suggestion.edge, suggestion.node_id, state)
        if suggestion.resolution.status is not ResolveStatus.NOT_FOUND:
            break
    return state, _told(suggestion, turns)


def _told(suggestion: Suggestion, turns: int) -> Suggestion:
    if not turns:
        return suggestion
    resolution = suggestion.resolution
    how = _("looked for by scrolling, %(n)d times") % {"n": turns}
    message = "; ".join(part for part in (resolution.message, how) if part)
    return replace(suggestion, resolution=replace(resolution, message=message))
