"""Scrolling to find what is not on the screen, where the target was taught in what scrolls or its place does now."""

from __future__ import annotations

from dataclasses import replace

from execution.learning.judging import SCREEN
from execution.turn.holding import Hold
from execution.turn.scrolling import scrolled_area
from execution.turn.stages import ScrollSearch, Stages, Turn
from execution.turn.wheel import once_moved
from execution.types import Resolution, ResolveStatus, ScreenState, Suggestion
from sentences.said import by_sentence, say, then

_STILL_MS = 150  # a list that was scrolled is drawn at once, or glides; what glides moves all the time
MOST = 60  # turns of the wheel, whatever the search says


def worth_scrolling(suggestion: Suggestion, state: ScreenState) -> bool:
    """Whether a target that is not on this screen may stand where it scrolls to."""
    target = suggestion.edge.target
    if target is None or suggestion.resolution.status is not ResolveStatus.NOT_FOUND:
        return False
    if target.number_wanted:  # what was scrolled is counted anew from the first that is seen
        return False
    return scrolled_area(target, state) is not None


def seek(stages: Stages, suggestion: Suggestion, state: ScreenState, hold: Hold) -> tuple[ScreenState, Suggestion]:
    """Scroll until the target is found, or everything was seen; reads only. Raises Stopped, LeaseLost, DesktopLost."""
    target = suggestion.edge.target
    if target is None:
        return state, suggestion
    search = stages.scroll_search(target, state)
    seeker = _Seeker(stages, search, suggestion, state, hold)
    while seeker.turns < MOST and (turn := search.next_scroll()) is not None:
        seeker.turn(turn)
        box = seeker.suggestion.resolution.box
        if box is not None and search.found(box):
            break
        if seeker.suggestion.resolution.status is ResolveStatus.AMBIGUOUS:
            break
    else:
        seeker.go_back()
    return seeker.state, seeker.told()


class _Seeker:
    def __init__(
        self, stages: Stages, search: ScrollSearch, suggestion: Suggestion, state: ScreenState, hold: Hold
    ) -> None:
        self.stages, self.search, self.hold = stages, search, hold
        self.suggestion, self.state, self.turns = suggestion, state, 0
        self._first = suggestion
        edge = suggestion.edge
        self._still = replace(edge, settle_ms=min(edge.settle_ms, _STILL_MS))

    def turn(self, turn: Turn) -> None:
        """Turn the wheel, wait until nothing moves, and look for the target."""
        self.hold.check()
        self.turns += 1
        self.stages.scroll(turn.point, turn.dy)
        self.state = once_moved(lambda: self.stages.settle(self._still), self.search.moved)
        self.search.saw(self.state)
        found = self.stages.suggest(self.suggestion.edge, self.suggestion.node_id, self.state)
        self.suggestion = self._still_doubted(found)

    def _still_doubted(self, found: Suggestion) -> Suggestion:
        """With what was doubted before anything was scrolled: the wheel has answered none of it."""
        first = self._first
        doubts = list(dict.fromkeys(doubt for doubt in (first.doubt, found.doubt) if doubt))
        screen = [used for used in first.learned if used.part == SCREEN and used not in found.learned]
        doubt = doubts[0] if len(doubts) == 1 else by_sentence(doubts)
        return replace(found, doubt=doubt, learned=(*found.learned, *screen))

    def go_back(self) -> None:
        """All was seen: to the one place where it was, or nowhere where there were several."""
        places = self.search.places
        if len(places) > 1:
            message = say("turn.seen_at_places", n=len(places))
            doubt = Resolution(status=ResolveStatus.AMBIGUOUS, message=message)
            self.suggestion = replace(self.suggestion, resolution=doubt)
        elif places and (turn := self.search.back_to(places[0])) is not None:
            self.turn(turn)

    def told(self) -> Suggestion:
        if not self.turns:
            return self.suggestion
        resolution = self.suggestion.resolution
        message = then([resolution.message, say("turn.scrolled", n=self.turns)])
        return replace(self.suggestion, resolution=replace(resolution, message=message))
