"""An open question looks at the screen too: is what it asks about still there? (S1.5)

A person may do it by hand, or the program may go on by itself, while nobody has answered yet. A frame that is the same
as the last one costs its digest; one on which only something else has changed is read: the same button may stand below
another record.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

from execution.perception.changes import find_changes
from execution.turn.stages import Stages
from execution.turn.unchanged import changed_share, place_of
from execution.types import Answer, Frame, ScreenState, Suggestion
from sentences.said import say
from workflows.graph import ExpectSpec

# Of a screen that is asked about as a whole: a clock or a caret changes less, a dialog or another page more.
_ANOTHER_SCREEN = 0.01

Watch = Callable[[], str]


def watch(stages: Stages, suggestion: Suggestion, asked: ScreenState, *, whole: bool = False) -> Watch:
    """Says in a sentence what is not as it was when it was asked, "" while all is. Raises DesktopLost.

    `whole`: the question is about the screen, not about the place of a target.
    """
    seen, said = asked.frame.digest, ""
    shown = _Shown(stages, suggestion, asked)

    def look() -> str:
        nonlocal seen, said
        now = stages.glance()
        if not seen or now.frame.digest != seen:
            seen = now.frame.digest
            said = stages.what_changed(suggestion, asked, now, strict=False)
            everywhere = whole or place_of(suggestion) is None
            if not said and everywhere and changed_share(asked.frame, now.frame) > _ANOTHER_SCREEN:
                said = say("turn.shows_otherwise")
            said = said or shown.now_otherwise(now.frame)
        return said

    return look


class _Shown:
    """Which screen was asked about, and whose record it showed."""

    def __init__(self, stages: Stages, suggestion: Suggestion, asked: ScreenState) -> None:
        self.stages, self.suggestion, self.asked = stages, suggestion, asked
        self.record = replace(suggestion.edge, before=ExpectSpec())

    def now_otherwise(self, frame: Frame) -> str:
        """That it is another screen now, or another record on it; "" if it is not, or nobody can say."""
        changes = find_changes(self.asked.frame.pixels, frame.pixels)
        if changes is None or not changes.regions or changes.is_caret_only:
            return ""
        state = self.stages.observe()
        node = self._node(state)
        if node and self._node_then and node != self._node_then:
            known = self.stages.graph.node(node)
            return say("turn.screen_is", name=known.name if known else node)
        if self.record.identity and self._was_right:
            other = self.stages.check_before(self.record, state).answer is Answer.NO
            return say("turn.record_is_another") if other else ""
        return ""

    @cached_property
    def _node_then(self) -> str:
        return self._node(self.asked)

    @cached_property
    def _was_right(self) -> bool:
        return self.stages.check_before(self.record, self.asked).answer is Answer.YES

    def _node(self, state: ScreenState) -> str:
        node_id = self.suggestion.node_id
        match = self.stages.recognise(state, last_node=node_id, expected=node_id).match
        return match.node_id if match else ""
