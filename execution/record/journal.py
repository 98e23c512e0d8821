"""The one writer of a run at work: steps, questions, moves, counters and their events, each change in one transaction.

Every write checks the epoch; whoever has lost the run gets LeaseLost and has changed nothing (S9.1, S9.4, S9.5).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db.models import F
from django.utils import timezone

from execution.choices import (
    WAITING,
    EventKind,
    ExecutionState,
    Origin,
    Outcome,
    PauseReason,
    PromptKind,
    PromptState,
    StepPhase,
    Verb,
    Wish,
    ended_error,
)
from execution.models import Decision as Answer
from execution.models import Execution, Prompt, Step, WishRecord
from execution.record.attribution import named
from execution.record.by_hand import propose_way
from execution.record.events import emit, emit_state
from execution.record.fence import FencedRun, persistent
from execution.record.payloads import mode_payload, prompt_payload, version_payload
from execution.record.secret_values import hidden_values, sealed
from execution.record.steps import Steps
from execution.signals import call_each
from sentences.said import say, to_json

# Where a run is and what state it is in: arrived, paused, resumed, degraded, in another mode (S1.2, S1.23).


class Moves(FencedRun):
    @persistent
    def arrive(self, node_id: str, confidence: float) -> None:
        """The run is at `node_id` now."""
        with self._fenced() as execution:
            self._update(current_node_id=node_id, last_confidence=confidence)
            if execution.current_node_id != node_id:
                execution.current_node_id, execution.last_confidence = node_id, confidence
                emit_state(execution)

    @persistent
    def pause(self, reason: PauseReason, message: str, detail: Mapping[str, Any] | None = None) -> None:
        detail = self.hidden.any({"message": to_json(message), **(detail or {})})
        with self._fenced() as execution:
            if execution.state == ExecutionState.PAUSED:
                return
            execution.prompts.open().update(state=PromptState.WITHDRAWN)
            execution.move(
                ExecutionState.PAUSED, fence=self.epoch, pause_reason=reason, pause_detail=detail, **self._fulfilled()
            )
            emit_state(execution)
        call_each(self.on_state, self.execution, of="the run's state")

    @persistent
    def pause_as_asked(self) -> None:
        """Fulfil a wish to pause, saying whose it was (S1.24)."""
        wish = self._last_wish(Verb.PAUSE)
        who = {"by": wish.name, "origin": wish.origin} if wish else {"by": "", "origin": ""}
        message = say("record.paused", who=named(who["by"], who["origin"]))
        self.pause(PauseReason.ASKED, message, who)

    @persistent
    def hand_over(self) -> None:
        """Fulfil a wish to take control: the run stands still for that person, whatever it stood still for (S6.15)."""
        wish = self._last_wish(Verb.TAKE_CONTROL)
        who = {"by": wish.name, "origin": wish.origin} if wish else {"by": "", "origin": ""}
        self._stand_still(PauseReason.CONTROL, say("record.has_control", who=named(who["by"], who["origin"])), who)

    @persistent
    def control_left(self, who: str) -> None:
        """Nobody is there any more who acts on the desktop: it stays paused until a person says that it goes on."""
        self._stand_still(PauseReason.ASKED, say("record.control_left", who=who), {"by": who, "left": True})

    @persistent
    def set_aside(self, why: str) -> None:
        """Its run loops died over it: it stands still, whatever was wished of it but a stop, until a person says how it
        goes on; then it is tried as often again."""
        with self._fenced() as execution:
            if execution.wish != Wish.STOP:
                self._update(wish=Wish.NONE, wish_node_id="", wish_press={}, wish_version=None)
            self._update(deaths=0)
            emit(execution, EventKind.ERROR, {"kind": "set_aside", "message": to_json(why)})
            self._stand_still(PauseReason.ERROR, why, {})

    def _stand_still(self, reason: PauseReason, message: str, detail: Mapping[str, Any]) -> None:
        detail = self.hidden.any({"message": to_json(message), **detail})
        with self._fenced() as execution:
            has_control = reason == PauseReason.CONTROL
            changes: dict[str, Any] = {"pause_reason": reason, "pause_detail": detail}
            changes |= {} if has_control else {"controller": None}
            if execution.wish == Wish.CONTROL:
                changes["wish"] = Wish.NONE
            if execution.state == ExecutionState.PAUSED:
                self._update(**changes)
                for name, value in changes.items():
                    setattr(execution, name, value)
            else:
                execution.prompts.open().update(state=PromptState.WITHDRAWN)
                execution.move(ExecutionState.PAUSED, fence=self.epoch, **changes)
            emit_state(execution)
        call_each(self.on_state, self.execution, of="the run's state")

    @persistent
    def control(self, act: Mapping[str, Any]) -> None:
        """What a person is about to do on the desktop, told before it is done (S6.15)."""
        with self._fenced() as execution:
            emit(execution, EventKind.CONTROL, self.hidden.any(dict(act)))

    def _last_wish(self, verb: Verb) -> WishRecord | None:
        return self.execution.wishes.filter(verb=verb).first()

    @persistent
    def change_mode(self) -> None:
        """Take the mode that was asked for; a turn is in one mode from its beginning to its end (S1.23)."""
        with self._fenced() as execution:
            was, mode = execution.mode, execution.wish_mode
            self._update(mode=mode, wish_mode="")
            execution.mode, execution.wish_mode = mode, ""
            if mode == was:
                return
            emit(execution, EventKind.MODE_CHANGED, mode_payload(was, mode, self._last_wish(Verb.SET_MODE)))
            emit_state(execution)
        call_each(self.on_mode, self.execution, of="the run's mode")

    @persistent
    def change_version(self) -> bool:
        """Take the version that was asked for, compare-and-set; a paused run is resumed with it. Whether it was.

        Everything that was made of the version before is of no use from here on.
        """
        with self._fenced() as execution:
            was, version, wish = execution.version, execution.wish_version, self._last_wish(Verb.CHANGE_VERSION)
            if version is None:
                return False
            changes: dict[str, Any] = {"version": version, "wish_version": None}
            changes["wish"] = Wish.RESUME if execution.state == ExecutionState.PAUSED else Wish.NONE
            asked = Execution.objects.filter(pk=execution.pk, version=was, wish=Wish.CHANGE_VERSION)
            if not asked.update(**changes):
                return False
            for name, value in changes.items():
                setattr(execution, name, value)
            emit(execution, EventKind.VERSION_CHANGED, version_payload(was.number, version.number, wish))
            emit_state(execution)
        return True

    @persistent
    def keep_version(self, why: str) -> None:
        """The run stays as it is with the version that it has; why is told, and the wish is over."""
        with self._fenced() as execution:
            changes: dict[str, Any] = {"wish": Wish.NONE, "wish_version": None}
            if not Execution.objects.filter(pk=execution.pk, wish=Wish.CHANGE_VERSION).update(**changes):
                return
            execution.wish, execution.wish_version = Wish.NONE, None
            if why:
                message = to_json(self.hidden.text(say("record.version_kept", why=why)))
                emit(execution, EventKind.ERROR, {"kind": "version", "message": message})
            emit_state(execution)

    def _fulfilled(self) -> dict[str, Any]:
        """A pause was asked for and is here; a stop stays to be heeded."""
        return {"wish": Wish.NONE} if self.execution.wish == Wish.PAUSE else {}

    @persistent
    def resume(self) -> str:
        """Run again after a pause; gives the node that the person picked, if any."""
        with self._fenced() as execution:
            picked = execution.wish_node_id
            execution.move(
                ExecutionState.RUNNING,
                fence=self.epoch,
                pause_reason=PauseReason.NONE,
                pause_detail={},
                wish=Wish.NONE,
                wish_node_id="",
                wish_press={},
                controller=None,
            )
            emit_state(execution)
        call_each(self.on_state, self.execution, of="the run's state")
        return picked

    @persistent
    def resumed_by(self) -> str:
        """Who asked last that the run goes on, for people."""
        wish = self._last_wish(Verb.RESUME)
        return named(wish.name, wish.origin) if wish else named("", Origin.UNKNOWN)

    def _stopped_by(self) -> dict[str, str]:
        """Whose wish, or else whose answer, ended the run."""
        if wish := self._last_wish(Verb.STOP):
            return {"stopped_by": wish.name, "stopped_from": wish.origin}
        answer = Answer.objects.select_related("user").filter(prompt__execution=self.execution).first()
        return {"stopped_by": answer.decided_by, "stopped_from": answer.origin} if answer else {}

    @persistent
    def degrade(self, reason: str) -> None:
        with self._fenced() as execution:
            self._update(degraded=True, degraded_reason=reason)
            execution.degraded, execution.degraded_reason = True, reason
            emit(execution, EventKind.DEGRADED, {"reason": to_json(reason)})
            emit_state(execution)

    @persistent
    def see_whole(self) -> None:
        with self._fenced() as execution:
            self._update(degraded=False, degraded_reason="")
            execution.degraded, execution.degraded_reason = False, ""
            emit_state(execution)

    @persistent
    def keep_variables(self, variables: Mapping[str, Any]) -> None:
        """The run's variables as a program's executor left them, its secret ones sealed."""
        shown, secrets = sealed(self.graph.variables, variables)
        with self._fenced():
            self._update(variables=shown, secrets=secrets)
            self.execution.secrets = secrets
        self.hidden.values = hidden_values(self.execution)


# The questions of a run: put to people, changed, settled (S1.5, S9.5).


class Questions(FencedRun):
    @persistent
    def ask(
        self,
        step: Step,
        kind: PromptKind,
        message: str,
        *,
        timeout_s: float | None,
        picture: str = "",
        dialog: Mapping[str, Any] | None = None,
    ) -> Prompt:
        """Put a question to a person and move the run to the state that waits for the answer."""
        confirmation = kind is PromptKind.CONFIRMATION
        to = ExecutionState.WAITING_CONFIRMATION if confirmation else ExecutionState.WAITING_COACHING
        with self._fenced() as execution:
            now, again = timezone.now(), _is_asked_again(step)
            prompt = Prompt.objects.create(
                execution=execution,
                step=step,
                kind=kind,
                message=self.hidden.text(message),
                picture=picture or step.picture_before,
                dialog=self.hidden.any(dict(dialog or {})),
                created_at=now,
                deadline_at=now + timedelta(seconds=timeout_s) if timeout_s is not None else None,
            )
            if kind is PromptKind.COACHING and not again:
                self._update(suggestions_made=F("suggestions_made") + 1)
            execution.move(to, fence=self.epoch)
            emit(execution, EventKind.PROMPT, prompt_payload(prompt))
            emit_state(execution)
        call_each(self.on_state, self.execution, of="the run's state")
        return prompt

    @persistent
    def prompt_changed(self, prompt: Prompt, words: str) -> None:
        """What an open question asks about is not any more as it was, or is again: whoever sees it is told."""
        with self._fenced() as execution:
            if Prompt.objects.open().filter(pk=prompt.pk).update(changed=self.hidden.text(words)):
                prompt.refresh_from_db()
                emit(execution, EventKind.PROMPT, prompt_payload(prompt))

    @persistent
    def answered(self, prompt: Prompt, *, withdrawn: bool = False) -> None:
        """The question is settled: the run is running again, and what was waited for it is kept with its step."""
        with self._fenced() as execution:
            prompt.step.save(update_fields=["waited_ms"])
            if withdrawn:
                Prompt.objects.filter(pk=prompt.pk, state=PromptState.OPEN).update(state=PromptState.WITHDRAWN)
            execution.move(ExecutionState.RUNNING, fence=self.epoch)
            emit_state(execution)
        call_each(self.on_state, self.execution, of="the run's state")


def _is_asked_again(step: Step) -> bool:
    """Whether the last coaching question of the run was the same and was withdrawn, by a pause or a restart (S1.13)."""
    last = Prompt.objects.filter(execution=step.execution, kind=PromptKind.COACHING).select_related("step").first()
    if last is None or last.state != PromptState.WITHDRAWN:
        return False
    return (last.step.edge_id, last.step.node_id) == (step.edge_id, step.node_id)


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
