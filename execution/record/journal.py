"""The one writer of a run at work: steps, questions, moves, counters and their events, each change in one transaction.

Every write checks the epoch; whoever has lost the run gets LeaseLost and has changed nothing (S9.1, S9.4, S9.5).
"""

from __future__ import annotations

from execution.choices import WAITING, ExecutionState, Outcome, PauseReason, PromptState, StepPhase, ended_error
from execution.record.by_hand import propose_way
from execution.record.events import emit_state
from execution.record.fence import persistent
from execution.record.moves import Moves
from execution.record.questions import Questions
from execution.record.steps import Steps
from execution.signals import call_each
from sentences.said import say


class Journal(Steps, Questions, Moves):
    """The record of one claimed run, from taking it over to its end."""

    @persistent
    def tidy(self) -> None:
        """Taking over: questions of the loop before us are withdrawn, its planned steps were never carried out."""
        with self._fenced() as execution:
            execution.prompts.open().update(state=PromptState.WITHDRAWN)
            if execution.state in WAITING:
                execution.move(ExecutionState.RUNNING, fence=self.epoch)
                emit_state(execution)
        for step in self.execution.steps.filter(phase=StepPhase.PLANNED):
            self.close_step(step, Outcome.INTERRUPTED, say("record.restarted"))

    @persistent
    def finish(self, state: ExecutionState, error: str = "") -> None:
        """The run ends; what is still open is closed with it."""
        for step in self.execution.steps.exclude(phase=StepPhase.CLOSED):
            doubtful = step.phase == StepPhase.INTENT
            self.close_step(
                step,
                Outcome.FAILED if doubtful else Outcome.INTERRUPTED,
                say("record.ended_in_doubt") if doubtful else say("record.ended"),
            )
        with self._fenced() as execution:
            propose_way(execution, self.graph, came_from=execution.current_node_id, to="")
            execution.prompts.open().update(state=PromptState.WITHDRAWN)
            text = self.hidden.text(error) or ("" if state == ExecutionState.COMPLETED else ended_error(state))
            execution.move(
                state,
                fence=self.epoch,
                error=text,
                pause_reason=PauseReason.NONE,
                lease_until=None,
                **(self._stopped_by() if state == ExecutionState.STOPPED else {}),
            )
            emit_state(execution)
        call_each(self.on_state, self.execution, of="the run's state")
