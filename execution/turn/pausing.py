"""When a run cannot go on by itself: what people are told, and the screen as it is shown to them (S1.6, S1.22)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from execution.choices import ExecutionMode, PauseReason
from execution.language.acts import say_act
from execution.record.journal import Journal
from execution.record.payloads import match_json, texts_json
from execution.turn import leaps
from execution.turn.choosing import Way
from execution.turn.holding import Hold
from execution.turn.limits import LoopLimits
from execution.turn.overlays import Overlays
from execution.turn.position import Position
from execution.turn.proofs import Proofs
from execution.turn.stages import Stages
from execution.turn.ways import Ways
from execution.types import Match, Recognition, ScreenState
from sentences.said import by_sentence, say
from workflows.conditions import say_conditions
from workflows.graph import EdgeSpec

_TIP = 60  # pixels from the pointer: tips begin no farther
_OF_DIALOGS = (PauseReason.DIALOG, PauseReason.FAILED_ACTION)  # what lies over the screen is shown with these


class Pauses:
    def __init__(
        self,
        journal: Journal,
        stages: Stages,
        overlays: Overlays,
        ways: Ways,
        at: Position,
        proofs: Proofs,
        *,
        limits: LoopLimits,
        leave: threading.Event,
        hold: Hold,
        on_miss: Callable[[str], None],
    ) -> None:
        self.journal, self.stages, self.overlays, self.ways, self.at = journal, stages, overlays, ways, at
        self.limits, self.leave, self.on_miss, self.hold = limits, leave, on_miss, hold
        self.graph, self.proofs = stages.graph, proofs

    def pause(
        self, reason: PauseReason, message: str, state: ScreenState, recognition: Recognition | None = None, **more: Any
    ) -> None:
        candidates = recognition.candidates if recognition else ()
        over = self.overlays.over(state)[1] if reason in _OF_DIALOGS else {}
        expected = self.at.expected
        message = by_sentence([message, self.proofs.told()])
        kept = self.journal.pictures.keep(state)
        self.journal.pause(
            reason,
            message,
            {
                "picture": kept.digest,
                "perception": texts_json(kept.shown.state),
                "window": state.window.title if state.window else "",
                **({"dialog": over} if over else {}),
                "candidates": [{**match_json(c), "name": self.graph.name_of(c.node_id)} for c in candidates],
                "expected": {"node_id": expected, "name": self.graph.name_of(expected)} if expected else None,
                **more,
            },
        )

    def miss(self, state: ScreenState, recognition: Recognition) -> None:
        """The screen is not known: look again; the last miss in a row pauses the run and shows the screen."""
        if not self._looks_again(state):
            reason, message, more = self._why_unknown(state, recognition)
            self.on_miss(message)
            self.pause(reason, message, state, recognition, **more)

    def leap(self, state: ScreenState, match: Match) -> None:
        """The screen is known, and none that the run could have come to."""
        if self._looks_again(state):
            return
        leap = (self.ways, self.at.place, match.node_id, self.stages.variables)
        message, detail = leaps.message(*leap), leaps.detail(*leap, picture=self._last_picture())
        self.on_miss(message)
        self.pause(PauseReason.LEAP, message, state, Recognition(match=None, candidates=(match,)), leap=detail)

    def _looks_again(self, state: ScreenState) -> bool:
        if self.stages.eyes.is_to_be_whole(state):
            return True
        if self._takes_pointer_off(state):
            return True
        self.at.misses += 1
        if self.at.misses < self.limits.max_no_match_retries:
            self.leave.wait(self.limits.capture_interval_ms / 1000)
            return True
        self.at.misses = 0
        return False

    def _takes_pointer_off(self, state: ScreenState) -> bool:
        """What lies over the screen beside the pointer may be a tip that it holds open."""
        point, self.at.pointed = self.at.pointed, None
        watches = self.journal.execution.mode == ExecutionMode.OBSERVATION
        over = self.stages.dialog_over(state, self.at.known) if point and not watches else None
        if point is None or over is None or over.box is None or self.hold.stopped():
            return False
        return over.box.grown(_TIP, state.frame.size).contains(point) and self.stages.take_pointer_off(point, state)

    def _last_picture(self) -> str:
        """The screen that was known last; after a restart as its step kept it."""
        if self.at.known is not None:
            return self.journal.pictures.keep(self.at.known).digest
        step = self.journal.execution.steps.exclude(edge_id="").order_by("index").last()
        return (step.picture_after or step.picture_before) if step else ""

    def _why_unknown(self, state: ScreenState, recognition: Recognition) -> tuple[PauseReason, str, dict[str, Any]]:
        """A dialog that came over the screen known last, or over the most similar one where the run has come to it, is
        told as such, with what it says and its buttons."""
        said, dialog = self.overlays.over(state)
        if not said and recognition.candidates:
            said, dialog = self.overlays.over_page(state, recognition.candidates[0], self.at.known)
        if said:
            return PauseReason.DIALOG, said, {"dialog": dialog}
        why = {"why": recognition.why_not}
        return PauseReason.NO_MATCH, say("turn.unknown_screen", **why), {}

    def already_at_end(self, state: ScreenState, recognition: Recognition) -> None:
        node = {"node": self.graph.name_of(self.at.last_node or "")}
        message = say("turn.already_at_end", **node)
        self.pause(PauseReason.ALREADY_AT_END, message, state, recognition)

    def unsure_end(self, doubt: str, state: ScreenState, match: Match) -> None:
        """It may be the end, and a person has to say so."""
        self.pause(PauseReason.NO_MATCH, doubt, state, Recognition(match=None, candidates=(match,)))

    def no_way(self, way: Way, state: ScreenState) -> None:
        """The screen has no action that comes next; conditions that say so are told, with what they ask about."""
        node = {"node": self.graph.name_of(self.at.last_node or "")}
        if way.unsure:
            self.pause(PauseReason.NO_WAY, say("turn.way_unknown", why=way.unsure, **node), state)
        elif way.unmet:
            why = [*map(self._only_if, way.unmet), *map(self._value, _asked_about(way.unmet))]
            self.pause(PauseReason.NO_WAY, by_sentence([say("turn.no_way_open", **node), *why]), state)
        else:
            self.nothing_left(state)

    def _only_if(self, edge: EdgeSpec) -> str:
        what = say_act(edge, self.graph, self.stages.variables)
        return say("turn.only_if", what=what, condition=say_conditions(edge.condition, self.graph))

    def _value(self, name: str) -> str:
        return say("turn.value_is", name=self.graph.label_of(name), value=self.stages.variables.get(name, ""))

    def nothing_left(self, state: ScreenState) -> None:
        if self.at.rejected:
            self.pause(PauseReason.REJECTED, say("turn.rejected_no_other"), state)
        else:
            self.pause(PauseReason.SKIPPED, say("turn.everything_skipped"), state)

    def failed(self, failure: str, state: ScreenState) -> None:
        """An action did not work, and nobody knows a way on."""
        self.pause(PauseReason.FAILED_ACTION, by_sentence([failure, self.overlays.over(state)[0]]), state)

    def never_still(self, failure: str, state: ScreenState) -> None:
        """The screen changed under the action: look anew, and ask once that has happened too often."""
        if self.at.unready >= self.limits.max_no_match_retries:
            self.at.unready = 0
            self.pause(PauseReason.FAILED_ACTION, failure, state)


def _asked_about(edges: Iterable[EdgeSpec]) -> tuple[str, ...]:
    """The values that conditions ask about, each once."""
    return tuple(dict.fromkeys(condition.value for edge in edges for condition in edge.condition))
