"""The one writer of a run at work: steps, prompts, moves, counters and their events, each change in one transaction.

Every write checks the epoch; whoever has lost the run gets LeaseLost and has changed nothing (S9.1, S9.4, S9.5).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.db import DatabaseError, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from execution.choices import (
    NOT_EXECUTED,
    PERFORMED,
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
    Verified,
    Wish,
    ended_error,
)
from execution.exceptions import LeaseLost
from execution.models import Decision as Answer
from execution.models import Execution, Prompt, ReferenceVector, Robot, Step, WishRecord
from execution.models.robot import lease_end
from execution.record.attribution import named
from execution.record.clocks import RunMeter
from execution.record.events import emit, emit_state
from execution.record.patience import Patience
from execution.record.payloads import (
    mode_payload,
    prompt_payload,
    recognition_json,
    screen_json,
    step_payload,
    suggestion_json,
    verification_json,
)
from execution.record.run_pictures import RunPictures
from execution.record.secret_values import hidden_values, hide_what_is_typed, redaction_for, sealed
from execution.signals import step_recorded, tell
from execution.types import (
    ActionResult,
    Choice,
    Decision,
    Frame,
    Recognition,
    ScreenState,
    Suggestion,
    Verification,
)
from workflows.catalogue import effect_class_of
from workflows.graph import GraphSpec
from workflows.models import Correction
from workflows.pictures import PictureStore

log = logging.getLogger(__name__)

P = ParamSpec("P")
R = TypeVar("R")
_LONGEST_CHANGE = 300  # characters, as the column holds them: a window's title stands in it

# Which counter a coach's answer adds to (S1.13).
COUNTER_OF_CHOICE = {
    Choice.ACCEPT: "accepted",
    Choice.REJECT: "rejected",
    Choice.CORRECT: "corrected",
    Choice.MANUAL: "manual_executions",
    Choice.SKIP: "skipped",
}


def persistent(method: Callable[Concatenate[Journal, P], R]) -> Callable[Concatenate[Journal, P], R]:
    """One transaction, begun again while the database is away: only the record is repeated, never an act.

    Raises DatabaseAway where that takes too long or the loop is to leave; then nothing of it is recorded.
    """

    @wraps(method)
    def recorded(self: Journal, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.patience.until_done(lambda: method(self, *args, **kwargs))

    return recorded


class Journal:
    """The record of one claimed run. `execution` is the row as last read or written."""

    def __init__(
        self,
        execution: Execution,
        graph: GraphSpec,
        *,
        pictures: PictureStore | None = None,
        patience: Patience | None = None,
    ) -> None:
        self.execution = execution
        self.graph = graph
        self.epoch = execution.epoch
        self._warned: set[str] = set()
        self._meter = RunMeter(execution.duration_seconds)
        self._turn_began: float | None = None  # by the monotonic clock, until a step is opened in it
        self._began: dict[int, float] = {}  # of the steps that this process opened, by index
        self.patience = patience or Patience()
        self.hidden, problem = redaction_for(execution, graph)
        self.pictures = RunPictures(pictures or PictureStore(), self.hidden)
        self.on_step: list[Callable[[Step], None]] = []
        self.recent_frames: Callable[[], Sequence[Frame]] = tuple  # the last changed ones of continuous capture (S1.14)
        self.on_mode: list[Callable[[Execution], Any]] = []
        self.on_state: list[Callable[[Execution], None]] = []
        if problem:
            self.warn("masks", problem)

    @contextmanager
    def _fenced(self) -> Iterator[Execution]:
        """A transaction that only the run's owner gets into; `execution` is read anew inside it."""
        with transaction.atomic():
            mine = Execution.objects.filter(pk=self.execution.pk, epoch=self.epoch)
            if not mine.update(lease_until=lease_end(), **self._measured()):
                raise LeaseLost(f"{self.execution.execution_id} belongs to another run loop")
            self.execution = Execution.objects.by_id(self.execution.execution_id)
            yield self.execution

    def _measured(self) -> dict[str, Any]:
        return {"lasted_s": self._meter.lasted_s(), "measured_at": timezone.now()}

    def measure(self) -> None:
        """Keep how long the run has lasted; from any thread, as the heartbeat does while a run stands still."""
        Execution.objects.live().filter(pk=self.execution.pk, epoch=self.epoch).update(**self._measured())

    @persistent
    def refresh(self) -> Execution:
        """The run as it is now, wishes included; LeaseLost when it is no longer ours."""
        execution = Execution.objects.by_id(self.execution.execution_id)
        if execution.epoch != self.epoch:
            raise LeaseLost(f"{execution.execution_id} belongs to another run loop")
        self.execution = execution
        return execution

    # --- steps ------------------------------------------------------------------------------------------------------
    def begin_turn(self) -> None:
        """A turn begins: the step that is opened in it begins here, before the screen is looked at (S2.5)."""
        self._turn_began = time.perf_counter()

    @persistent
    def open_step(
        self, state: ScreenState, recognition: Recognition, suggestion: Suggestion | None, *, match_ms: float
    ) -> Step:
        """Record what was seen and what is meant; nothing is done yet. Raises PictureNotStored."""
        match, timings = recognition.match, state.timings
        began = self._turn_began
        if began is None:  # a step within another one's turn, such as closing a dialog that came
            began = time.perf_counter() - (timings.capture_ms + timings.analyze_ms + match_ms) / 1000
        kept = self.pictures.keep(state)
        picture, shown = kept.digest, kept.shown
        with self._fenced() as execution:
            step = Step(
                execution=execution,
                index=execution.next_step,
                epoch=self.epoch,
                mode=execution.mode,
                node_id=match.node_id if match else "",
                confidence=match.confidence if match else 0,
                margin=match.margin if match else 0,
                recognition=self.hidden.any(recognition_json(recognition)),
                picture_before=picture,
                screen=screen_json(shown, execution=execution, picture=picture, path=self.pictures.path(picture)),
                started_at=timezone.now() - timedelta(seconds=time.perf_counter() - began),
                capture_ms=timings.capture_ms,
                ocr_ms=timings.ocr_ms,
                ui_ms=timings.ui_ms,
                analyze_ms=timings.analyze_ms,
                match_ms=match_ms,
                cache_hit=state.cache_hit,
                degraded=state.degraded,
            )
            if suggestion:
                self._put_suggestion(step, suggestion, state)
            step.save()
            _keep_vector(picture, shown.state)
            self._update(next_step=F("next_step") + 1, current_edge_id=step.edge_id)
        self._turn_began, self._began[step.index] = None, began
        return step

    def _put_suggestion(self, step: Step, suggestion: Suggestion, state: ScreenState) -> None:
        edge, resolution = suggestion.edge, suggestion.resolution
        step.edge_id, step.action_type, step.sentence = (
            edge.edge_id,
            edge.action_type,
            self.hidden.text(suggestion.sentence),
        )
        step.effect_class = effect_class_of(edge.action_type, edge.params, edge.effect_class, expects=bool(edge.expect))
        step.suggestion = self.hidden.any(suggestion_json(suggestion, state.frame.size, self.graph))
        step.rung, step.score, step.resolve_ms = resolution.rung, resolution.score, resolution.resolve_ms

    @persistent
    def intend(self, step: Step, suggestion: Suggestion, state: ScreenState, *, attempt: int) -> None:
        """Commit that the action is about to be done. Only after this may input be sent."""
        hide_what_is_typed(self.hidden, suggestion, state)
        with self._fenced():
            self._put_suggestion(step, suggestion, state)
            step.phase, step.intent_at, step.retries = StepPhase.INTENT, timezone.now(), attempt
            step.save()

    @persistent
    def attempt_failed(self, step: Step, message: str) -> None:
        """An attempt came to nothing and another may follow: the intent is taken back."""
        with self._fenced():
            step.phase, step.message = StepPhase.PLANNED, self.hidden.text(message)
            step.save(update_fields=["phase", "message"])

    @persistent
    def close_step(
        self,
        step: Step,
        outcome: Outcome,
        message: str = "",
        *,
        result: ActionResult | None = None,
        verification: Verification | None = None,
        after: ScreenState | None = None,
        decision: Decision | None = None,
    ) -> None:
        """Record how a step ended: the row, the counters and the `step` event, in one transaction."""
        picture_after = self._picture_after(after)
        if outcome is Outcome.FAILED and not step.just_before:
            step.just_before = self._just_before(step)
        with self._fenced() as execution:
            step.phase, step.outcome = StepPhase.CLOSED, outcome
            step.success = outcome in (Outcome.SUCCEEDED, Outcome.MANUAL, Outcome.OBSERVED, Outcome.TERMINAL)
            step.message, step.picture_after = self.hidden.text(message), picture_after
            step.ended_at = max(timezone.now(), step.started_at)  # people set clocks, also backwards
            if result:
                step.act_ms = result.act_ms
            if verification:
                step.verified, step.verification = (
                    Verified(verification.answer),
                    self.hidden.any(verification_json(verification)),
                )
                step.verify_ms = verification.verify_ms
            step.total_ms = max(step.measured_ms, self._elapsed_ms(step))
            step.save()
            self._count(step, decision)
            emit(execution, EventKind.STEP, step_payload(step))
            step_id = step.pk
            transaction.on_commit(lambda: tell(step_recorded, self.warn, sender=Step, step_id=step_id), robust=True)
        self._began.pop(step.index, None)
        _tell(self.on_step, step)

    def _elapsed_ms(self, step: Step) -> float:
        """Since the step's turn began; 0 for a step of an earlier loop, of which only the parts are known."""
        began = self._began.get(step.index)
        return (time.perf_counter() - began) * 1000 if began is not None else 0.0

    def _picture_after(self, after: ScreenState | None) -> str:
        """The after picture is evidence, not the record: a full disk must not lose the result of what was done."""
        if after is None:
            return ""
        try:
            return self.pictures.keep(after).digest
        except Exception as error:  # noqa: BLE001  whatever the disk says, the step's result is recorded first
            self.warn("picture", str(error))
            return ""

    def _just_before(self, step: Step) -> list[str]:
        """Pictures of what showed since the act: a message that went away again tells what came of it (S1.14)."""
        since = step.intent_at or step.started_at
        kept: list[str] = []
        try:
            for frame in self.recent_frames():
                if frame.taken_at >= since and (digest := self.pictures.keep_unread(frame)) not in kept:
                    kept.append(digest)
        except Exception as error:  # noqa: BLE001  evidence beside the record: neither disk nor capture may cost the step
            self.warn("picture", str(error))
        return kept

    def _count(self, step: Step, decision: Decision | None) -> None:
        changes: dict[str, Any] = {}
        if step.outcome not in NOT_EXECUTED:
            changes["steps_executed"] = F("steps_executed") + 1
        if step.outcome in PERFORMED:
            name = "steps_succeeded" if step.outcome == Outcome.SUCCEEDED else "steps_failed"
            changes[name] = F(name) + 1
        if decision and step.prompts.filter(kind=PromptKind.COACHING).exists():
            name = COUNTER_OF_CHOICE[decision.choice]
            changes[name] = F(name) + 1
        if self.execution.deaths and step.outcome != Outcome.INTERRUPTED:
            changes["deaths"] = 0
        if changes:
            self._update(**changes)

    @persistent
    def agreed(self, step: Step, agreed: bool, message: str, after: ScreenState) -> None:
        """Observation: whether the person did what would have been suggested (S1.18)."""
        picture_after = self._picture_after(after)
        with self._fenced() as execution:
            step.agreed, step.message, step.picture_after = agreed, self.hidden.text(message), picture_after
            step.save(update_fields=["agreed", "message", "picture_after"])
            emit(execution, EventKind.STEP, step_payload(step))

    @persistent
    def anything_done(self) -> bool:
        """Whether an action of this run was done, by the robot or, told or watched, by a person."""
        done = (Outcome.SUCCEEDED, Outcome.MANUAL, Outcome.OBSERVED)
        return self.execution.steps.filter(outcome__in=done).exclude(edge_id="").exists()

    @persistent
    def open_intent(self) -> Step | None:
        """The step in doubt, if a loop died between its intent and its result."""
        return self.execution.steps.in_doubt().first()

    @persistent
    def show_after(self, step: Step, after: ScreenState, verification: Verification | None) -> None:
        """What the screen shows now, for a person who is asked whether the step was done."""
        step.picture_after, step.just_before = self._picture_after(after), self._just_before(step)
        if verification:
            step.verification = self.hidden.any(verification_json(verification))
        with self._fenced():
            step.save(update_fields=["picture_after", "just_before", "verification"])

    @persistent
    def doubt(self, step: Step) -> None:
        with self._fenced():
            step.in_doubt = True
            step.save(update_fields=["in_doubt"])

    @persistent
    def tidy(self) -> None:
        """Taking over: questions of the loop before us are withdrawn, its planned steps were never carried out."""
        with self._fenced() as execution:
            execution.prompts.open().update(state=PromptState.WITHDRAWN)
            if execution.state in WAITING:
                execution.move(ExecutionState.RUNNING, fence=self.epoch)
                emit_state(execution)
        for step in self.execution.steps.filter(phase=StepPhase.PLANNED):
            self.close_step(step, Outcome.INTERRUPTED, _("The run loop was restarted before this was done."))

    @persistent
    def correction(self, step: Step, correction: Mapping[str, Any], decision: Decision, user: Any) -> None:
        """Keep what a coach put in the place of the suggestion (S1.10)."""
        kinds = [name for name in ("target", "params", "action") if correction.get(name)]
        with self._fenced() as execution:
            Correction.objects.create(
                workflow=execution.version.workflow,
                version_number=execution.version.number,
                execution_id=execution.execution_id,
                step=step.index,
                node_id=step.node_id,
                edge_id=step.edge_id,
                correction_type="+".join(kinds) or "wait",
                original_target={k: step.suggestion.get(k) for k in ("target", "box", "point")},
                corrected_target=correction.get("target") or {},
                original_params=step.suggestion.get("params") or {},
                corrected_params=correction.get("params") or {},
                corrected_action=correction.get("action") or "",
                wait_before=correction.get("wait_before") or 0,
                wait_after=correction.get("wait_after") or 0,
                feedback=decision.feedback,
                decided_by=user,
            )

    # --- prompts ----------------------------------------------------------------------------------------------------
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
        _tell(self.on_state, self.execution)
        return prompt

    @persistent
    def prompt_changed(self, prompt: Prompt, words: str) -> None:
        """What an open question asks about is not any more as it was, or is again: whoever sees it is told."""
        with self._fenced() as execution:
            if Prompt.objects.open().filter(pk=prompt.pk).update(changed=self.hidden.text(words)[:_LONGEST_CHANGE]):
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
        _tell(self.on_state, self.execution)

    # --- the run ----------------------------------------------------------------------------------------------------
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
        detail = self.hidden.any({"message": message, **(detail or {})})
        with self._fenced() as execution:
            if execution.state == ExecutionState.PAUSED:
                return
            execution.prompts.open().update(state=PromptState.WITHDRAWN)
            execution.move(
                ExecutionState.PAUSED, fence=self.epoch, pause_reason=reason, pause_detail=detail, **self._fulfilled()
            )
            emit_state(execution)
        _tell(self.on_state, self.execution)

    @persistent
    def pause_as_asked(self) -> None:
        """Fulfil a wish to pause, saying whose it was (S1.24)."""
        wish = self._last_wish(Verb.PAUSE)
        who = {"by": wish.name, "origin": wish.origin} if wish else {"by": "", "origin": ""}
        message = _("Paused by %(who)s.") % {"who": named(who["by"], who["origin"])}
        self.pause(PauseReason.ASKED, message, who)

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
        _tell(self.on_mode, self.execution)

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
            )
            emit_state(execution)
        _tell(self.on_state, self.execution)
        return picked

    @persistent
    def resumed_by(self) -> str:
        """Who asked last that the run goes on, for people."""
        wish = self._last_wish(Verb.RESUME)
        return named(wish.name, wish.origin) if wish else named("", Origin.UNKNOWN)

    @persistent
    def finish(self, state: ExecutionState, error: str = "") -> None:
        """The run ends; what is still open is closed with it."""
        for step in self.execution.steps.exclude(phase=StepPhase.CLOSED):
            doubtful = step.phase == StepPhase.INTENT
            self.close_step(
                step,
                Outcome.FAILED if doubtful else Outcome.INTERRUPTED,
                _("The run ended before anyone could say whether this was done.") if doubtful else _("The run ended."),
            )
        with self._fenced() as execution:
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
        _tell(self.on_state, self.execution)

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
            emit(execution, EventKind.DEGRADED, {"reason": reason})
            emit_state(execution)

    @persistent
    def error(self, kind: str, message: str) -> None:
        """An `error` event: something went wrong and the person looking should know."""
        message = self.hidden.text(message)
        log.warning(message, extra={"execution": self.execution.execution_id, "kind": kind})
        with self._fenced() as execution:
            emit(execution, EventKind.ERROR, {"kind": kind, "message": message})

    def warn(self, kind: str, message: str) -> None:
        """A helper failed: one line in the log and one on the status page, nothing else (S1.21)."""
        message = self.hidden.text(message)
        if kind not in self._warned:
            self._warned.add(kind)
            log.warning(message, extra={"execution": self.execution.execution_id, "kind": kind})
        if self.execution.robot_id is not None:
            with _without_waiting("warning"):
                Robot.objects.warn(self.execution.robot_id, kind, message)

    @persistent
    def keep_variables(self, variables: Mapping[str, Any]) -> None:
        """The run's variables as a program's executor left them, its secret ones sealed."""
        shown, secrets = sealed(self.graph.variables, variables)
        with self._fenced():
            self._update(variables=shown, secrets=secrets)
            self.execution.secrets = secrets
        self.hidden.values = hidden_values(self.execution)

    def capture_stats(self, stats: Mapping[str, Any]) -> None:
        with _without_waiting("capture_stats"):
            Execution.objects.filter(pk=self.execution.pk, epoch=self.epoch).update(capture_stats=dict(stats))

    def _update(self, **changes: Any) -> None:
        Execution.objects.filter(pk=self.execution.pk, epoch=self.epoch).update(**changes)


def _keep_vector(picture: str, state: ScreenState) -> None:
    """What the screen's JSON names as its vector is there to be fetched."""
    if state.embedding is not None:
        vector = state.embedding.vector.astype("<f4").tobytes()
        ReferenceVector.objects.get_or_create(picture=picture, model=state.embedding.model, defaults={"vector": vector})


@contextmanager
def _without_waiting(kind: str) -> Iterator[None]:
    """For what is only told: no run waits for it."""
    try:
        yield
    except DatabaseError as error:
        log.warning("not kept: %s", error, extra={"kind": kind})


def _is_asked_again(step: Step) -> bool:
    """Whether the last coaching question of the run was the same and was withdrawn, by a pause or a restart (S1.13)."""
    last = Prompt.objects.filter(execution=step.execution, kind=PromptKind.COACHING).select_related("step").first()
    if last is None or last.state != PromptState.WITHDRAWN:
        return False
    return (last.step.edge_id, last.step.node_id) == (step.edge_id, step.node_id)


def _tell(listeners: list[Callable[[Any], Any]], value: Any) -> None:
    for listener in listeners:
        try:
            listener(value)
        except Exception:
            log.exception("a listener of the run failed")
