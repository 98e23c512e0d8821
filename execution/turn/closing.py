"""Closing dialogs: those that a workflow says may come, and others with the button that a person chose.

Each is a step of its own that is looked at afterwards.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from django.utils.translation import gettext as _

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

    def __init__(self, journal: Journal, stages: Stages, coach: Coach, hold: Hold, *, timeout_s: float) -> None:
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
            return _("“%(name)s” was closed %(n)d times and is there again.") % {
                "name": found.spec.name,
                "n": popups.MOST_IN_A_ROW,
            }
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
            message = _("Not done: the run was asked to pause, stop or leave.")
            self.journal.close_step(step, Outcome.INTERRUPTED, message)
            return True
        return False

    def _closed(self, found: Closable) -> _End:
        name = {"name": found.spec.name}
        return _End(
            gone=lambda after: self.stages.popup_gone(found.spec, after),
            done=_("Closed “%(name)s”.") % name,
            undone=_("“%(name)s” is still there.") % name,
        )

    def _allowed(self, step: Step, state: ScreenState, found: Closable, suggestion: Suggestion) -> bool:
        """Automatic runs close it by themselves; the others ask, as before every action."""
        if self.journal.execution.mode == ExecutionMode.AUTOMATIC:
            return True
        message = _("Execute action: %(sentence)s?") % {"sentence": suggestion.sentence}
        look = watch(self.stages, suggestion, state)
        answer = self.coach.ask(step, PromptKind.CONFIRMATION, message, timeout_s=self.timeout_s, look=look)
        if answer.decision is None:
            self.journal.close_step(step, Outcome.INTERRUPTED, _("The question was withdrawn."))
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
            return _("“%(button)s” was not pressed: a run that watches does nothing by itself.") % name
        button = self.stages.chosen_button(chosen, state, known)
        if button is None:
            return _("“%(button)s” was not pressed: the dialog that it was chosen in has changed or is gone.") % name
        suggestion = pressing.suggestion_of(chosen, button, node_id)
        chose = Recognition(match=None, why_not=_("%(who)s chose the button.") % {"who": chosen.by})
        step = self.journal.open_step(state, chose, suggestion, match_ms=0)
        if self._stopped(step):
            return ""
        ends = _End(
            gone=lambda after: not self.stages.chosen_dialog_stays(chosen, after),
            done=_("Pressed “%(button)s”, as %(who)s chose.") % {**name, "who": chosen.by},
            undone=_("Pressed “%(button)s”, as %(who)s chose; the dialog is still there.") % {**name, "who": chosen.by},
        )
        return self._act(step, state, suggestion, ends)

    def _changed(self, suggestion: Suggestion, state: ScreenState) -> str:
        changed = self.stages.what_changed(suggestion, state, self.stages.glance())
        return (
            _("The screen changed before the action, so nothing was done. %(why)s") % {"why": changed}
            if changed
            else ""
        )

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
            message = _("The database had to be waited for: the screen is looked at anew.")
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
