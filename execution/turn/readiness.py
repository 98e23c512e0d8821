"""May it be done now? A last look before every action: the right record, the right window, the same place (S5.2, S9.6).

What was decided was decided on a picture that is some time old: a person may have thought for a minute about it. What
an edge declares is asked of the screen as it is now, and nothing is touched that has changed since it was looked at.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from execution.turn.holding import Hold
from execution.turn.stages import Stages
from execution.types import Answer, Match, ResolveStatus, ScreenState, Suggestion
from sentences.said import say

FRESH_S = 2.0  # how old the last look may be when input is sent
CHANCES = 2  # resolved anew once; what still does not stand still is left alone
CHANCES_OF_IDENTITY = 4  # everything in the window must stand still, so that a clock in it may need another look


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """The screen as it was last read and where to act on it."""

    state: ScreenState
    suggestion: Suggestion


@dataclass(frozen=True, slots=True, kw_only=True)
class NotReady:
    """Nothing may be touched. `asks`: what the edge declares is not seen, and a person has to say what to do."""

    message: str
    state: ScreenState
    asks: bool = False


class Readiness:
    def __init__(self, stages: Stages, hold: Hold) -> None:
        self.stages, self.hold = stages, hold

    def ready(self, state: ScreenState, suggestion: Suggestion, *, anew: bool, by_hand: bool) -> Ready | NotReady:
        """Whether the action may be done, and where. Raises Stopped.

        `anew`: the screen is read again in any case. `by_hand`: a person pointed at the place, so that it cannot be
        looked for.
        """
        edge = suggestion.edge
        declares = bool(edge.before or edge.identity)
        chances = CHANCES_OF_IDENTITY if edge.identity else CHANCES
        changed = ""
        for chance in range(chances):
            if anew or declares or chance:
                fresh = self._look()
                now = self._as_declared(suggestion, fresh) if declares else fresh
                if isinstance(now, NotReady):
                    return now
                found = self._found_on(now, state, suggestion, by_hand=by_hand)
                if isinstance(found, NotReady):
                    return found
                state, suggestion = now, found
            if not by_hand and (why := self.stages.put_problem(edge, state)):
                return NotReady(message=why, state=state, asks=True)
            changed = self.stages.what_changed(
                suggestion,
                state,
                self.stages.glance(),
                strict=chance + 1 < chances,
                whole=bool(edge.identity),
            )
            if not changed:
                return Ready(state=state, suggestion=suggestion)
        return NotReady(message=_undone(changed), state=state)

    def _look(self) -> ScreenState:
        """The screen; as a whole where a look was slow: of one that was not read nothing is right."""
        state = self.stages.observe()
        return self.stages.observe(whole=True) if self.stages.eyes.is_to_be_whole(state) else state

    def last_look(self, ready: Ready) -> str:
        """What has changed since it was found ready, in a sentence; "" if it may be done at once."""
        identity = bool(ready.suggestion.edge.identity)
        changed = self.stages.what_changed(
            ready.suggestion, ready.state, self.stages.glance(), strict=False, whole=identity
        )
        return _undone(changed) if changed else ""

    def _as_declared(self, suggestion: Suggestion, state: ScreenState) -> ScreenState | NotReady:
        """The screen once it is what the edge declares; it may still be drawn, so it is looked at for a while."""
        edge = suggestion.edge
        until = time.monotonic() + edge.settle_timeout_ms / 1000
        while True:
            verification = self.stages.check_before(edge, state)
            if verification.answer is Answer.YES:
                return state
            later = self.stages.look_again(state, until=until, hold=self.hold)
            if later is None:
                return NotReady(message=self._why_not(suggestion, state), state=state, asks=True)
            state = later

    def _why_not(self, suggestion: Suggestion, state: ScreenState) -> str:
        """Which of the declared things is not so, identity first."""
        edge = suggestion.edge
        words = {"what": suggestion.sentence}
        if edge.identity:
            identity = self.stages.check_before(replace(edge, before=type(edge.before)()), state)
            if identity.answer is not Answer.YES:
                words["why"] = identity.message
                return say("turn.not_surely_right", **words)
        words["why"] = self.stages.check_before(replace(edge, identity=()), state).message
        return say("turn.not_as_declared", **words)

    def _found_on(
        self, now: ScreenState, then: ScreenState, suggestion: Suggestion, *, by_hand: bool
    ) -> Suggestion | NotReady:
        """The suggestion on the screen as it is now: as it was, resolved anew, or not at all."""
        changed = self.stages.what_changed(suggestion, then, now, strict=True)
        if not changed:
            return suggestion
        nothing = NotReady(message=_undone(changed), state=now)
        if by_hand or suggestion.line:  # of a list that changed nobody knows which of its lines is the next one
            return nothing
        match = self.stages.recognise(now, last_node=suggestion.node_id, expected=suggestion.node_id).match
        if match is not None and match.node_id != suggestion.node_id:
            return nothing
        if self._lies_over(now, match, then):
            return nothing  # a target that can be read behind a dialog is not what a click would reach
        found = self.stages.suggest(suggestion.edge, suggestion.node_id, now)
        if _stands_on_else(found, suggestion):
            return nothing  # another place than the one that was shown and agreed to, or on another's word
        if found.resolution.status is ResolveStatus.FOUND:
            return found
        if found.resolution.status is ResolveStatus.NOT_NEEDED and match is not None:
            return found  # the window has another title, and is still the screen to type in
        return nothing

    def _lies_over(self, now: ScreenState, match: Match | None, then: ScreenState) -> bool:
        """Whether a dialog came over the screen that the action was chosen on."""
        if match is None:
            return self.stages.dialog_over(now, then) is not None
        return self.stages.dialog_over_recognised(now, match, then) is not None


def _stands_on_else(found: Suggestion, decided: Suggestion) -> bool:
    """Whether what was found anew stands on something that was not decided about: on a correction's word where the
    taught place was shown, or the other way round, or on one on trial that said something else before."""
    looks, before = set(found.resolution.looks), set(decided.resolution.looks)
    if (looks or before) and not looks & before:
        return True
    if set(found.resolution.against) - set(decided.resolution.against):
        return True  # another place is known by now, and nobody was asked which
    return bool(_on_trial(found) - _on_trial(decided))


def _on_trial(suggestion: Suggestion) -> set[tuple[str, str, bool]]:
    return {(used.key, used.part, used.against) for used in suggestion.learned if used.on_trial}


def _undone(changed: str) -> str:
    return say("turn.changed_before", why=changed)
