"""Closing dialogs: those that a workflow says may come, and others with the button that a person chose.

Each is a step of its own that is looked at afterwards.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from execution.choices import ExecutionMode, Outcome, PromptKind
from execution.desktop.base import DesktopLost
from execution.models import Step
from execution.record.attribution import rejected
from execution.record.journal import Journal
from execution.targeting import pressing
from execution.targeting.pressing import Chosen
from execution.turn import popups
from execution.turn.coach import Coach
from execution.turn.holding import Hold
from execution.turn.popups import Closable
from execution.turn.readiness import FRESH_S
from execution.turn.stages import Stages
from execution.turn.watching import watch
from execution.types import (
    ActionStatus,
    Answer,
    Choice,
    Reason,
    Recognition,
    ScreenState,
    Suggestion,
    Verification,
)
from sentences.said import say


@dataclass(frozen=True, slots=True, kw_only=True)
class _End:
    """How it is seen that a dialog is gone, and what is said of it either way."""

    gone: Callable[[ScreenState], bool]
    done: str
    undone: str


class Closer:
    """Closes dialogs on behalf of the loop, at most three in a row; in modes that ask first, after asking.

    What nobody declared is left to people: it presses the button that one of them chose.
    """

    def __init__(self, journal: Journal, stages: Stages, coach: Coach, hold: Hold, *, timeout_s: float | None) -> None:
        self.journal, self.stages, self.coach, self.hold = journal, stages, coach, hold
        self.timeout_s = timeout_s
        self._in_a_row = 0
        self._refused = ""

    def find(self, state: ScreenState, recognition: Recognition, known: ScreenState | None) -> Closable | None:
        """The declared dialog that is to be closed now; `known` is the last screen that was recognised."""
        if self.journal.execution.mode == ExecutionMode.OBSERVATION:
            return None
        found = self.stages.declared_popup(state, recognition.match, known)
        if found is None and recognition.match is not None:
            self._in_a_row, self._refused = 0, ""
        return None if found and found.spec.name == self._refused else found

    def close(self, found: Closable, state: ScreenState, recognition: Recognition, node_id: str) -> str:
        """Close it and record it as a step; gives what a person should know where it cannot go on, else empty."""
        if self._in_a_row >= popups.MOST_IN_A_ROW:
            self._in_a_row = 0
            return say("turn.closed_too_often", name=found.spec.name, n=popups.MOST_IN_A_ROW)
        suggestion = popups.suggestion_of(found, node_id)
        step = self.journal.open_step(state, recognition, suggestion, match_ms=0)
        if self._stopped(step):
            return ""
        if self._allowed(step, state, found, suggestion):
            self._in_a_row += 1
            self._act(step, state, suggestion, self._closed(found))
        return ""

    def _stopped(self, step: Step) -> bool:
        if self.hold.stopped():
            message = say("turn.asked_to_end")
            self.journal.close_step(step, Outcome.INTERRUPTED, message)
            return True
        return False

    def _closed(self, found: Closable) -> _End:
        name = {"name": found.spec.name}
        return _End(
            gone=lambda after: self.stages.popup_gone(found.spec, after),
            done=say("turn.popup_closed", **name),
            undone=say("turn.popup_stays", **name),
        )

    def _allowed(self, step: Step, state: ScreenState, found: Closable, suggestion: Suggestion) -> bool:
        """Automatic runs close it by themselves; the others ask, as before every action."""
        if self.journal.execution.mode == ExecutionMode.AUTOMATIC:
            return True
        message = say("turn.execute", sentence=suggestion.sentence)
        look = watch(self.stages, suggestion, state)
        answer = self.coach.ask(step, PromptKind.CONFIRMATION, message, timeout_s=self.timeout_s, look=look)
        if answer.decision is None:
            self.journal.close_step(step, Outcome.INTERRUPTED, say("turn.question_withdrawn"))
            return False
        if answer.decision.choice is Choice.ACCEPT:
            return True
        self._refused = found.spec.name
        self.journal.close_step(step, Outcome.REJECTED, rejected(answer.decision), decision=answer.decision)
        return False

    def press(self, chosen: Chosen, state: ScreenState, known: ScreenState | None, node_id: str) -> str:
        """Press the button that a person chose, if it is the dialog that they saw; once, whatever comes of it.

        Gives why nothing was pressed, else empty.
        """
        name = {"button": chosen.button}
        if self.journal.execution.mode == ExecutionMode.OBSERVATION:
            return say("turn.not_pressed_watching", **name)
        button = self.stages.chosen_button(chosen, state, known)
        if button is None:
            return say("turn.not_pressed_changed", **name)
        suggestion = pressing.suggestion_of(chosen, button, node_id)
        chose = Recognition(match=None, why_not=say("turn.button_chosen", who=chosen.by))
        step = self.journal.open_step(state, chose, suggestion, match_ms=0)
        if self._stopped(step):
            return ""
        ends = _End(
            gone=lambda after: not self.stages.chosen_dialog_stays(chosen, after),
            done=say("turn.button_pressed", **name, who=chosen.by),
            undone=say("turn.button_pressed_in_vain", **name, who=chosen.by),
        )
        return self._act(step, state, suggestion, ends)

    def _changed(self, suggestion: Suggestion, state: ScreenState) -> str:
        changed = self.stages.what_changed(suggestion, state, self.stages.glance())
        return say("turn.changed_before", why=changed) if changed else ""

    def _act(self, step: Step, state: ScreenState, suggestion: Suggestion, ends: _End) -> str:
        """Act, look and record; gives why nothing was done, else empty."""
        if message := self._changed(suggestion, state):
            self.journal.close_step(step, Outcome.INTERRUPTED, message)
            return message
        looked = time.monotonic()
        self.hold.may_act()
        if self.journal.open_intent() is None:  # while an action is being done, its intent is this one's too (S9.1)
            self.journal.intend(step, suggestion, state, attempt=0)
        if time.monotonic() - looked > FRESH_S:
            message = say("turn.database_waited")
        if message := message or self._changed(suggestion, state):  # what came while the intent was written down
            self.journal.close_step(step, Outcome.INTERRUPTED, message)
            return message
        result = self.stages.act(suggestion, self.hold)
        if result.status is ActionStatus.UNCERTAIN:
            raise DesktopLost(result.message)
        after = self.stages.settle(suggestion.edge)
        gone = result.status is ActionStatus.DONE and ends.gone(after)
        message = ends.done if gone else result.message or ends.undone
        verification = Verification(
            answer=Answer.YES if gone else Answer.NO,
            evidence=(Reason(sign="popup", score=float(gone), note=message),),
            message=message,
        )
        self.journal.close_step(
            step,
            Outcome.SUCCEEDED if gone else Outcome.FAILED,
            message,
            result=result,
            verification=verification,
            after=after,
        )
        return ""
