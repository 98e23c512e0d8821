"""The steps of a run: what was seen, meant, done and verified (S9.1, S2.5)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any, Protocol

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from execution.choices import NOT_EXECUTED, PERFORMED, EventKind, Outcome, PromptKind, StepPhase, Verified
from execution.models import ReferenceVector, Step, ValueRead
from execution.record.events import emit
from execution.record.fence import FencedRun, persistent
from execution.record.payloads import recognition_json, screen_json, step_payload, suggestion_json, verification_json
from execution.record.secret_values import hide_what_is_typed
from execution.signals import call_each, step_recorded, tell
from execution.types import ActionResult, Choice, Decision, Frame, Recognition, ScreenState, Suggestion, Verification
from sentences.said import told_by
from workflows.catalogue import effect_of
from workflows.graph import TargetSpec, target_from_json
from workflows.models import Correction

# Which counter a coach's answer adds to (S1.13).
COUNTER_OF_CHOICE = {
    Choice.ACCEPT: "accepted",
    Choice.REJECT: "rejected",
    Choice.CORRECT: "corrected",
    Choice.MANUAL: "manual_executions",
    Choice.SKIP: "skipped",
}


class Taught(Protocol):
    """What a correction teaches: the place as a demonstration, and the target with it, None where that is another."""

    @property
    def shown(self) -> TargetSpec: ...

    @property
    def target(self) -> TargetSpec | None: ...


class Steps(FencedRun):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._turn_began: float | None = None  # by the monotonic clock, until a step is opened in it
        self._began: dict[int, float] = {}  # of the steps that this process opened, by index
        self.on_step: list[Callable[[Step], None]] = []
        self.recent_frames: Callable[[], Sequence[Frame]] = tuple  # the last changed ones of continuous capture (S1.14)
        super().__init__(*args, **kwargs)

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
        step.effect_class = effect_of(edge)
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
            if result and result.output and step.success:
                ValueRead.objects.create(execution=execution, step=step, **asdict(result.output))
            self._count(step, decision)
            emit(execution, EventKind.STEP, step_payload(step))
            step_id = step.pk
            transaction.on_commit(lambda: tell(step_recorded, self.warn, sender=Step, step_id=step_id), robust=True)
        self._began.pop(step.index, None)
        call_each(self.on_step, step, of="the run's step")

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
            self.warn("picture", told_by(error))
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
            self.warn("picture", told_by(error))
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
        """Whether an action of this run was done, by the robot or, told, watched or in control, by a person."""
        if self.execution.events.filter(kind=EventKind.CONTROL).exists():
            return True
        done = (Outcome.SUCCEEDED, Outcome.MANUAL, Outcome.OBSERVED)
        return self.execution.steps.filter(outcome__in=done).exclude(edge_id="").exists()

    @persistent
    def open_intent(self) -> Step | None:
        """The step in doubt, if a loop died between its intent and its result."""
        return self.execution.steps.in_doubt().first()

    @persistent
    def last_done(self, edge_id: str) -> Step | None:
        """The last step of that action that is behind the run, done or skipped."""
        return self._behind(edge_id).last()

    @persistent
    def times_done(self, edge_id: str) -> list[int]:
        """The indexes of the steps of that action that are behind the run, in order."""
        return list(self._behind(edge_id).values_list("index", flat=True))

    def _behind(self, edge_id: str) -> QuerySet[Step]:
        behind = (Outcome.SUCCEEDED, Outcome.MANUAL, Outcome.SKIPPED)
        return self.execution.steps.filter(edge_id=edge_id, outcome__in=behind).order_by("index")

    @persistent
    def values_read(self) -> dict[str, tuple[int, str]]:
        """Of each value that was read the step that read it last, and the value as programs have it."""
        newest = self.execution.values_read.select_related("step").newest()
        return {name: (value.step.index, value.value) for name, value in newest.items()}

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
    def learned_before(self, edge_id: str) -> TargetSpec | None:
        """The edge's target with what corrections of this version taught of it that proved right; None without any."""
        execution = self.execution
        kept = Correction.objects.filter(
            workflow=execution.version.workflow, version_number=execution.version.number, edge_id=edge_id
        )
        for correction in kept.exclude(learned_target={}).order_by("-pk"):
            done = Step.objects.filter(execution__execution_id=correction.execution_id, index=correction.step)
            if done.filter(outcome=Outcome.SUCCEEDED, verified=Verified.YES).exists():
                return target_from_json(correction.learned_target)
        return None

    @persistent
    def correction(
        self,
        step: Step,
        correction: Mapping[str, Any],
        decision: Decision,
        user: Any,
        lesson: Taught | None = None,
    ) -> None:
        """Keep what a coach put in the place of the suggestion, and what it teaches of the target (S1.10)."""
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
                shown_target=asdict(lesson.shown) if lesson else {},
                learned_target=asdict(lesson.target) if lesson and lesson.target else {},
                original_params=step.suggestion.get("params") or {},
                corrected_params=correction.get("params") or {},
                corrected_action=correction.get("action") or "",
                wait_before=correction.get("wait_before") or 0,
                wait_after=correction.get("wait_after") or 0,
                feedback=decision.feedback,
                decided_by=user,
            )


def _keep_vector(picture: str, state: ScreenState) -> None:
    """What the screen's JSON names as its vector is there to be fetched."""
    if state.embedding is not None:
        vector = state.embedding.vector.astype("<f4").tobytes()
        ReferenceVector.objects.get_or_create(picture=picture, model=state.embedding.model, defaults={"vector": vector})
