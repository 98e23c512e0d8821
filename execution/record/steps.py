"""The steps of a run: what was seen, meant, done and verified (S9.1, S2.5)."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from execution.choices import NOT_EXECUTED, PERFORMED, EventKind, Outcome, PromptKind, ReadBack, StepPhase, Verified
from execution.learning.conditions import conditions_of
from execution.learning.overlay import Taught
from execution.learning.promotion import Tally, asks_at
from execution.models import ReferenceVector, Step, ValueRead
from execution.record import corrections
from execution.record.by_hand import propose_way
from execution.record.came import came
from execution.record.events import emit
from execution.record.fence import FencedRun, persistent
from execution.record.payloads import recognition_json, screen_json, step_payload, suggestion_json, verification_json
from execution.record.secret_values import hide_what_is_typed
from execution.record.standing import is_act, tally_of
from execution.record.values_of_runs import forget_typed, read_afterwards, values_of
from execution.signals import call_each, step_recorded, tell
from execution.types import (
    ActionResult,
    Answer,
    Choice,
    Decision,
    Frame,
    Recognition,
    ScreenState,
    Suggestion,
    Verification,
)
from sentences.said import by_sentence, cause, say, to_json, told_by
from workflows.catalogue import effect_of
from workflows.graph import EdgeSpec, NormBox
from workflows.models import Correction

# Which counter a coach's answer adds to (S1.13).
COUNTER_OF_CHOICE = {
    Choice.ACCEPT: "accepted",
    Choice.REJECT: "rejected",
    Choice.CORRECT: "corrected",
    Choice.MANUAL: "manual_executions",
    Choice.SKIP: "skipped",
}


_DETECTED = "screen__perception__detected_text"
_DONE = (Outcome.SUCCEEDED, Outcome.MANUAL)


class Steps(FencedRun):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._turn_began: float | None = None  # by the monotonic clock, until a step is opened in it
        self._began: dict[int, float] = {}  # of the steps that this process opened, by index
        self.on_turn: list[Callable[[], None]] = []
        self.on_step: list[Callable[[Step], None]] = []
        self.recent_frames: Callable[[], Sequence[Frame]] = tuple  # the last changed ones of continuous capture (S1.14)
        super().__init__(*args, **kwargs)

    def begin_turn(self) -> None:
        """A turn begins: the step that is opened in it begins here, before the screen is looked at (S2.5)."""
        self._turn_began = time.perf_counter()
        call_each(self.on_turn, of="the run's turn")

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
        lies = self.pictures.lies(picture)
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
                screen=screen_json(shown, execution=execution, picture=picture, lies=lies),
                started_at=timezone.now() - timedelta(seconds=time.perf_counter() - began),
                capture_ms=timings.capture_ms,
                ocr_ms=timings.ocr_ms,
                ui_ms=timings.ui_ms,
                analyze_ms=timings.analyze_ms,
                match_ms=match_ms,
                cache_hit=not state.read_anew,
                degraded=state.degraded,
            )
            if suggestion:
                self._put_suggestion(step, suggestion, state)
            step.save()
            if suggestion and suggestion.learned:
                corrections.note_uses(
                    step, suggestion.learned, suggestion.resolution.box, state.frame.size, under=conditions_of(state)
                )
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
            step.cache_hit = step.cache_hit and not state.read_anew
            step.save()
            corrections.note_acts(step, suggestion.learned)

    @persistent
    def attempt_failed(
        self,
        step: Step,
        message: str,
        *,
        result: ActionResult | None = None,
        verification: Verification | None = None,
        after: ScreenState | None = None,
    ) -> None:
        """An attempt came to nothing and another may follow: the intent is taken back; what was done is kept."""
        said = self.hidden.text(message)
        if result:
            tried = {
                "message": to_json(said),
                "answer": verification.answer if verification else "",
                "act_ms": round(result.act_ms, 2),
                "look_ms": round(verification.look_ms, 2) if verification else 0.0,
                "verify_ms": round(verification.verify_ms, 2) if verification else 0.0,
                "picture": self._seen_after(step, after)[0],
            }
            step.attempts = [*step.attempts, tried]
        if verification:
            step.cache_hit = step.cache_hit and not verification.read_anew
        with self._fenced():
            step.phase, step.message = StepPhase.PLANNED, said
            step.save(update_fields=["phase", "message", "attempts", "cache_hit"])

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
        """Record how a step ended: the row, the counters and the `step` event, in one transaction.

        An act that has a proof is done by then, and not verified: that is said once it was read back.
        """
        edge = self.graph.edge(step.edge_id)
        if edge is not None and edge.is_read_back and outcome in (Outcome.SUCCEEDED, Outcome.MANUAL):
            verification = _to_be_read_back(verification)
            message = by_sentence([message, say("record.to_be_read_back", name=edge.inner_name)])
        picture_after, new = self._seen_after(step, after)
        if outcome is Outcome.FAILED and not step.just_before:
            step.just_before = self._just_before(step)
        tried = [attempt["picture"] for attempt in step.attempts if attempt["picture"]]
        step.just_before = list(dict.fromkeys([*tried, *step.just_before]))  # whoever clears up knows them by this
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
                step.look_ms, step.verify_ms = verification.look_ms, verification.verify_ms
                step.cache_hit = step.cache_hit and not verification.read_anew
            step.verification = {**step.verification, "came": new} if new else step.verification
            step.total_ms = max(step.measured_ms, self._elapsed_ms(step))
            step.save()
            if result and result.output and step.success:
                ValueRead.objects.create(execution=execution, step=step, **asdict(result.output))
                read_afterwards(execution, self.graph, self.hidden)
            if decision and decision.correction:
                forget_typed(step, values_of(execution, self.graph, hidden=self.hidden))
            self._count(step, decision)
            corrections.close_uses(step, decision, result)
            emit(execution, EventKind.STEP, step_payload(step))
            told = {"step_id": step.pk, "has_read": bool(result and result.output)}
            transaction.on_commit(lambda: tell(step_recorded, self.warn, sender=Step, **told), robust=True)
        self._began.pop(step.index, None)
        call_each(self.on_step, step, of="the run's step")

    @persistent
    def to_read_back(self, edge_ids: Collection[str]) -> Step | None:
        """The last of these acts that is behind the run, while its proof is open (S5.9)."""
        last = self.execution.steps.filter(edge_id__in=edge_ids, outcome__in=_DONE).order_by("index").last()
        return last if last is not None and last.verification.get("read_back") == ReadBack.OPEN else None

    @persistent
    def done_since(self, step: Step, edge_ids: Collection[str]) -> list[Step]:
        """The closed steps of these acts after that one, in order."""
        return list(self.execution.steps.closed().filter(edge_id__in=edge_ids, index__gt=step.index).order_by("index"))

    @persistent
    def showing(self, texts: Collection[str], *, until: Step) -> list[Step]:
        """The steps up to that one on whose screens all of these were read, the last first."""
        told = self.execution.steps.filter(index__lte=until.index).values_list("pk", _DETECTED)
        found = [pk for pk, seen in told if set(texts) <= set(seen or ())]
        return list(self.execution.steps.filter(pk__in=found).order_by("-index"))

    @persistent
    def read_back(self, step: Step, outcome: Outcome, verification: Verification) -> None:
        """What its proof, or a person who was asked in its place, says of an act that was closed before."""
        came_then, was = step.verification.get("came"), step.outcome
        with self._fenced() as execution:
            step.outcome, step.success = outcome, outcome != Outcome.FAILED
            step.message, step.verified = self.hidden.text(verification.message), Verified(verification.answer)
            step.verification = self.hidden.any(verification_json(verification))
            if came_then:
                step.verification = {**step.verification, "came": came_then}
            step.save(update_fields=["outcome", "success", "message", "verified", "verification"])
            if outcome != was and was == Outcome.SUCCEEDED:
                self._update(steps_succeeded=F("steps_succeeded") - 1, steps_failed=F("steps_failed") + 1)
            if was == Outcome.SUCCEEDED:  # by hand it was done on nobody's word
                corrections.close_read_back(step)
            emit(execution, EventKind.STEP, step_payload(step))
            told = {"step_id": step.pk, "has_read": False}
            transaction.on_commit(lambda: tell(step_recorded, self.warn, sender=Step, **told), robust=True)

    def _elapsed_ms(self, step: Step) -> float:
        """Since the step's turn began; 0 for a step of an earlier loop, of which only the parts are known."""
        began = self._began.get(step.index)
        return (time.perf_counter() - began) * 1000 if began is not None else 0.0

    def _seen_after(self, step: Step, after: ScreenState | None) -> tuple[str, list[str]]:
        """The picture after a step and what came with it: evidence, not the record, so a full disk must not lose the
        result of what was done."""
        if after is None:
            return "", []
        try:
            kept = self.pictures.keep(after)
        except Exception as error:  # noqa: BLE001  whatever the disk says, the step's result is recorded first
            self.warn("picture", told_by(error))
            return "", []
        return kept.digest, [self.hidden.text(text) for text in came(step.screen, kept.shown.state)]

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
        picture_after, _new = self._seen_after(step, after)
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
    def in_doubt_again(self, step: Step) -> None:
        """What was done and came to nothing may come late: it is looked at again before anything else."""
        if step.phase == StepPhase.PLANNED and any(tried.get("act_ms") for tried in step.attempts):
            with self._fenced():
                step.phase = StepPhase.INTENT
                step.save(update_fields=["phase"])

    @persistent
    def open_intent(self) -> Step | None:
        """The step in doubt, if a loop died between its intent and its result."""
        return self.execution.steps.in_doubt().first()

    @persistent
    def latest_done(self, edge_id: str, most: int) -> list[Step]:
        """The last steps of that action that are behind the run, the latest first."""
        return list(self._behind(edge_id).reverse()[:most])

    @persistent
    def times_done(self, edge_id: str) -> list[int]:
        """The indexes of the steps of that action that are behind the run, in order."""
        return list(self._behind(edge_id).values_list("index", flat=True))

    @persistent
    def was_said_empty(self, edge_id: str) -> bool:
        """Whether a person has said in any run of the workflow that its list is empty where it shows no line."""
        said = Step.objects.filter(execution__version__workflow_id=self.execution.version.workflow_id, edge_id=edge_id)
        said = said.filter(outcome=Outcome.SKIPPED, suggestion__no_line=True)
        return said.filter(prompts__decision__source__in=corrections.BY_PERSON).exists()

    @persistent
    def any_done(self, edge_ids: Collection[str]) -> bool:
        """Whether a step of one of those actions is behind the run."""
        return self._behind(*edge_ids).exists()

    def _behind(self, *edge_ids: str) -> QuerySet[Step]:
        behind = (Outcome.SUCCEEDED, Outcome.MANUAL, Outcome.SKIPPED)
        return self.execution.steps.filter(edge_id__in=edge_ids, outcome__in=behind).order_by("index")

    @persistent
    def values_read(self) -> dict[str, tuple[int, str]]:
        """Of each value that was read the step that read it last, and the value as programs have it."""
        newest = self.execution.values_read.select_related("step").newest()
        return {name: (value.step.index, value.value) for name, value in newest.items()}

    @persistent
    def show_after(self, step: Step, after: ScreenState, verification: Verification | None) -> None:
        """What the screen shows now, for a person who is asked whether the step was done."""
        step.picture_after, new = self._seen_after(step, after)
        step.just_before = self._just_before(step)
        if verification:
            step.verification = self.hidden.any(verification_json(verification))
        step.verification = {**step.verification, "came": new} if new else step.verification
        with self._fenced():
            step.save(update_fields=["picture_after", "just_before", "verification"])
            if verification and verification.answer is Answer.NO:
                corrections.seen_undone(step)

    def unproved(self, edge: EdgeSpec) -> str:
        """Why a run that works by itself asks before this step, in a sentence; empty where it need not (S6.8)."""
        if not self.execution.ask_below or not is_act(edge):
            return ""
        try:
            return asks_at(self._tally(edge.edge_id), self.execution.ask_below)
        except (LookupError, ValueError, TypeError) as error:  # what cannot be worked out is not proved
            self.warn("learning", cause(error))
            return say("standing.ask_unknown")

    @persistent
    def _tally(self, edge_id: str) -> Tally:
        return tally_of(self.execution, edge_id)

    @persistent
    def doubt(self, step: Step) -> None:
        with self._fenced():
            step.in_doubt = True
            step.save(update_fields=["in_doubt"])

    @persistent
    def in_force(self) -> tuple[Taught, ...]:
        """What coaches have shown of the workflow, as a run goes by it now (S6.4)."""
        return corrections.in_force(self.graph.workflow_id, self.execution)

    @persistent
    def still_in_force(self, suggestion: Suggestion) -> bool:
        """Whether what the suggestion stands on of corrections is not off by now."""
        return corrections.still_in_force(suggestion.learned)

    @persistent
    def picked(self, node_id: str, look: corrections.ScreenLook) -> None:
        """A person said which screen it is: one more look of it, on trial where something is left to know it by."""
        with self._fenced() as execution:
            corrections.learn_screen(execution, self.graph, node_id, look)

    @persistent
    def went(self, came_from: str, to: str) -> None:
        """A person put the run on a screen: how they came there is a way that may be taught."""
        with self._fenced() as execution:
            propose_way(execution, self.graph, came_from=came_from, to=to)

    @persistent
    def correction(
        self, step: Step, lesson: corrections.Lesson, decision: Decision, user: Any, shown: NormBox | None = None
    ) -> None:
        """Keep what a coach put in the place of the suggestion, and what it teaches (S1.10, S6.4).

        `shown` is the place that is acted on instead.
        """
        said, edge = lesson.correction, self.graph.edge(step.edge_id)
        kinds = [name for name in ("target", "params", "action") if decision.correction.get(name)]
        parts = [corrections.PLACE if name == "target" else name for name in kinds]
        place = step.suggestion.get("target") or {}
        if place and edge and edge.target:
            place = {**place, "label": edge.target.label}
        with self._fenced() as execution:
            kept = Correction.objects.create(
                workflow=execution.version.workflow,
                version_number=execution.version.number,
                execution_id=execution.execution_id,
                step=step.index,
                node_id=step.node_id,
                edge_id=step.edge_id,
                correction_type="+".join(kinds) or "wait",
                original_target={**{k: step.suggestion.get(k) for k in ("box", "point")}, "target": place},
                corrected_target=said.get("target") or {},
                original_params=dict(edge.params) if edge else {},
                corrected_params=said.get("params") or {},
                corrected_action=said.get("action") or "",
                wait_before=decision.correction.get("wait_before") or 0,
                wait_after=decision.correction.get("wait_after") or 0,
                feedback=self.hidden.text(lesson.feedback),
                decided_by=user,
            )
            if not corrections.corrected(step, decision, parts, shown):
                corrections.learn(step, kept, lesson, graph=self.graph, user=user, name=decision.decided_by)


def _to_be_read_back(verification: Verification | None) -> Verification:
    """What the screen showed right after the act is weaker than what is read back."""
    seen = verification or Verification(answer=Answer.CANNOT_TELL)
    return replace(seen, answer=Answer.CANNOT_TELL, read_back=ReadBack.OPEN)


def _keep_vector(picture: str, state: ScreenState) -> None:
    """What the screen's JSON names as its vector is there to be fetched."""
    if state.embedding is not None:
        vector = state.embedding.vector.astype("<f4").tobytes()
        ReferenceVector.objects.get_or_create(picture=picture, model=state.embedding.model, defaults={"vector": vector})
