"""Doing what was decided: intent, act, look, record; again only where that is allowed (S1.16, S9.1, S9.3)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from execution.choices import HALTS, Outcome, PromptKind, Wish
from execution.desktop.base import DesktopLost
from execution.models import Step
from execution.navigation.hands import Stopped
from execution.record.journal import Journal
from execution.record.redaction import WHOLE, covered, hidden_in_screen, is_as_kept
from execution.turn.coach import Coach, CoachAnswer
from execution.turn.entering import enters
from execution.turn.holding import Hold
from execution.turn.overlays import Overlays
from execution.turn.readiness import FRESH_S, NotReady, Readiness, Ready
from execution.turn.repeating import is_harmless, is_settled, may_repeat, may_try_again, went_astray
from execution.turn.stages import Stages
from execution.turn.watching import watch
from execution.types import (
    ActionResult,
    ActionStatus,
    Answer,
    Choice,
    DecisionSource,
    ScreenState,
    Suggestion,
    Verification,
)
from sentences.said import by_sentence, say
from workflows.catalogue import LOOKING_ACTION_TYPES, SETTING_ACTION_TYPES
from workflows.choices import EffectClass
from workflows.exceptions import PictureAway, PictureNotStored
from workflows.graph import EdgeSpec, GraphSpec

MOST_CHANGES = 4  # times that the screen changes while an intent is written down, before the step is left alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What came of a step: whether its edge is behind us, and what the loop does about it."""

    passed: bool = False
    retry: bool = False  # a person said that it was not done: begin again from the edge's source
    stop: bool = False
    unanswered: bool = False  # in doubt, and nobody has said so far
    unready: bool = False  # the screen did not stand still, or was asked to be left alone: nothing was done
    answer: CoachAnswer | None = None  # it may not be done, and this is what a person wants instead
    failure: str = ""  # it did not work, or may not be done, in words
    after: ScreenState | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PerformedAct:
    result: ActionResult
    verification: Verification
    after: ScreenState

    @property
    def done(self) -> bool:
        return self.result.status is ActionStatus.DONE and self.verification.answer is not Answer.NO


class Performer:
    """Carries out suggestions on behalf of the loop."""

    def __init__(
        self,
        journal: Journal,
        stages: Stages,
        coach: Coach,
        hold: Hold,
        overlays: Overlays,
        *,
        answer_timeout_s: float | None = None,
    ) -> None:
        self.journal, self.stages, self.coach, self.hold, self.overlays = journal, stages, coach, hold, overlays
        self.answer_timeout_s = answer_timeout_s
        self.readiness = Readiness(stages, hold)

    def perform(self, step: Step, state: ScreenState, suggestion: Suggestion, answer: CoachAnswer) -> Done:
        """Act, and act again while the edge allows it and nothing that may not be repeated is."""
        try:
            return self._perform(step, state, suggestion, answer)
        except (PictureNotStored, PictureAway):
            self.journal.in_doubt_again(step)
            raise
        except Stopped as stopped:
            if stopped.touched:
                return Done(unanswered=True)  # a part of it was done: whoever goes on looks first (S9.2)
            self._interrupt(step)
            return Done()

    def _perform(self, step: Step, state: ScreenState, suggestion: Suggestion, answer: CoachAnswer) -> Done:
        edge, number, changes = suggestion.edge, 0, 0
        tried: PerformedAct | None = None
        while True:
            if not self._heed(step):
                return Done()
            if tried:
                tried = self._looked_again(suggestion, state, tried)
                if tried.done:
                    return self._record(step, suggestion, answer, tried)
            ready = self._ready(step, state, suggestion, answer, tried=tried)
            if isinstance(ready, Done):
                return ready
            state, suggestion = ready.state, ready.suggestion
            if not self.journal.still_in_force(suggestion):
                gone = NotReady(message=say("turn.learned_gone"), state=state)
                return self._left_alone(step, suggestion, answer, gone, tried=tried)
            attempt = self._attempt(step, ready, number)
            if isinstance(attempt, str):
                changes += 1
                if changes < MOST_CHANGES:
                    continue
                return self._left_alone(step, suggestion, answer, NotReady(message=attempt, state=state), tried=tried)
            if attempt.result.status is ActionStatus.UNCERTAIN:
                raise DesktopLost(attempt.result.message)
            again = number < edge.retries and may_try_again(
                edge.action_type, EffectClass(step.effect_class), attempt.result, attempt.verification
            )
            if attempt.done or not again:
                if not attempt.done and edge.action_type == "read_value":
                    return self._ask_for_value(step, suggestion, attempt)
                if _is_open(step, suggestion, attempt):
                    self.hold.leave.wait(edge.retry_backoff_ms / 1000)
                    attempt = self._looked_again(suggestion, state, attempt)
                return self._record(step, suggestion, answer, attempt)
            number, tried = number + 1, attempt
            self.journal.attempt_failed(
                step,
                attempt.result.message or attempt.verification.message,
                result=attempt.result,
                verification=attempt.verification,
                after=attempt.after,
            )
            self.hold.leave.wait(edge.retry_backoff_ms * number / 1000)

    def _ask_for_value(self, step: Step, suggestion: Suggestion, attempt: PerformedAct) -> Done:
        """What cannot be read for certain a person reads; looking again would only say the same."""
        message, state = attempt.result.message or attempt.verification.message, attempt.after
        self.journal.attempt_failed(step, message, result=attempt.result, after=state)
        said = self.coach.ask(
            step,
            PromptKind.TARGET,
            message,
            timeout_s=self.answer_timeout_s,
            picture=self.journal.pictures.keep(state).digest,
            look=watch(self.stages, suggestion, state, whole=True),
        )
        if said.decision is None:
            self.journal.close_step(step, Outcome.INTERRUPTED, say("turn.question_withdrawn"))
            return Done()
        return Done(answer=said, failure=message, after=state)

    def _heed(self, step: Step) -> bool:
        """A wish that came while the turn was thinking takes effect before the action (S1.7)."""
        if self.journal.refresh().wish not in HALTS:
            return True
        self._interrupt(step)
        return False

    def _interrupt(self, step: Step) -> None:
        wish = self.journal.refresh().wish
        if wish in HALTS:
            message = say("turn.asked_to_stop") if wish == Wish.STOP else say("turn.asked_to_pause")
        else:
            message = say("turn.asked_to_leave")
        self.journal.close_step(step, Outcome.INTERRUPTED, message)

    def _looked_again(self, suggestion: Suggestion, before: ScreenState, tried: PerformedAct) -> PerformedAct:
        """The attempt as the screen shows it now: what was done late is not done twice (S1.16)."""
        if tried.result.status is not ActionStatus.DONE:
            return tried
        now = self.stages.observe()
        verification = self.stages.judge(suggestion, before, now, between=(tried.after,))
        return PerformedAct(result=tried.result, verification=verification, after=now)

    def _ready(
        self, step: Step, state: ScreenState, suggestion: Suggestion, answer: CoachAnswer, *, tried: PerformedAct | None
    ) -> Ready | Done:
        """Where to act, or what becomes of the step instead: what may not be done now is a person's to say."""
        decision, anew = answer.decision, tried is not None
        while True:
            ready = self.readiness.ready(
                state,
                suggestion,
                anew=anew or decision is None or decision.source is not DecisionSource.AUTO,
                by_hand=decision is not None and bool(decision.correction.get("target")),
            )
            if isinstance(ready, Ready):
                return ready
            if not ready.asks:
                return self._left_alone(step, suggestion, answer, ready, tried=tried)
            said = self._ask_about(step, suggestion, ready)
            if said.decision is None:
                self.journal.close_step(step, Outcome.INTERRUPTED, say("turn.question_withdrawn"))
                return Done()
            if said.decision.choice is not Choice.RETRY:
                return Done(answer=said, failure=ready.message, after=ready.state)
            anew = True

    def _left_alone(
        self, step: Step, suggestion: Suggestion, answer: CoachAnswer, unready: NotReady, *, tried: PerformedAct | None
    ) -> Done:
        """The screen did not stand still. After an attempt that may be its effect: then nobody says that nothing was
        done."""
        if tried and tried.result.status is ActionStatus.DONE:
            return self.ask_whether_done(
                step, suggestion, unready.state, tried.verification, result=tried.result, first=answer
            )
        self.journal.close_step(
            step, Outcome.INTERRUPTED, unready.message, after=unready.state, decision=answer.decision
        )
        return Done(unready=True, failure=unready.message, after=unready.state)

    def _ask_about(self, step: Step, suggestion: Suggestion, unready: NotReady) -> CoachAnswer:
        picture = self.journal.pictures.keep(unready.state).digest
        over, dialog = self.overlays.over(unready.state)
        return self.coach.ask(
            step,
            PromptKind.IDENTITY,
            by_sentence([unready.message, over]),
            timeout_s=self.answer_timeout_s,
            picture=picture,
            dialog=dialog,
            look=watch(self.stages, suggestion, unready.state, whole=True),
        )

    def _attempt(self, step: Step, ready: Ready, number: int) -> PerformedAct | str:
        """What came of it, or why nothing was done: committing the intent takes time, and the screen may change in it.

        Between the last look and the act lies nothing.
        """
        state, suggestion = ready.state, ready.suggestion
        looked = time.monotonic()
        self.hold.may_act()
        self.journal.intend(step, suggestion, state, attempt=number)
        undone = ""
        if time.monotonic() - looked > FRESH_S:
            undone = say("turn.database_waited")
        if undone := undone or self.readiness.last_look(ready):
            self.journal.attempt_failed(step, undone)
            return undone
        result = self.stages.act(suggestion, self.hold)
        if result.status is not ActionStatus.DONE:
            return PerformedAct(
                result=result, verification=Verification(answer=Answer.NO, message=result.message), after=state
            )
        verification, after = self._verified(suggestion, state, EffectClass(step.effect_class))
        return PerformedAct(result=result, verification=verification, after=after)

    def _verified(
        self, suggestion: Suggestion, before: ScreenState, effect: EffectClass
    ) -> tuple[Verification, ScreenState]:
        """Whether it happened. What a dialog hides cannot be seen, so one that may be closed is closed first."""
        edge = suggestion.edge

        def is_seen(state: ScreenState) -> bool:
            new = state.frame.digest != before.frame.digest
            return new and self.stages.judge(suggestion, before, state).answer is Answer.YES

        declares = bool(edge.expect) and effect is not EffectClass.OPAQUE
        looks = [self.stages.settle(edge, enough=is_seen if declares else None)]
        if self.overlays.clear(looks[-1], edge):
            looks.append(self.stages.settle(edge))
        verification, after = self.stages.verify(suggestion, before, looks[-1])
        if verification.answer is not Answer.YES and self.overlays.clear(after, edge):
            looks.append(self.stages.settle(edge))
            again, after = self.stages.verify(suggestion, before, looks[-1])
            verification = again.following(verification)
        return verification.with_looks(*looks), after

    def _record(self, step: Step, suggestion: Suggestion, answer: CoachAnswer, attempt: PerformedAct) -> Done:
        verification, result = attempt.verification, attempt.result
        if _is_open(step, suggestion, attempt):
            return self.ask_whether_done(step, suggestion, attempt.after, verification, result=result, first=answer)
        self.journal.close_step(
            step,
            Outcome.SUCCEEDED if attempt.done else Outcome.FAILED,
            verification.message or result.message,
            result=result,
            verification=verification,
            after=attempt.after,
            decision=answer.decision,
        )
        if answer.decision:
            self.hold.leave.wait(answer.decision.correction.get("wait_after") or 0)
        if attempt.done:
            return Done(passed=True)
        why = result.message or verification.message
        failure = say("turn.did_not_work", what=suggestion.sentence, why=why)
        return Done(failure=failure, after=attempt.after)

    def ask_whether_done(
        self,
        step: Step,
        suggestion: Suggestion,
        after: ScreenState,
        verification: Verification,
        *,
        result: ActionResult | None = None,
        first: CoachAnswer | None = None,
    ) -> Done:
        """Nobody can say by looking whether it was done, and it matters: a person says so (S1.5, S9.2)."""
        self.journal.show_after(step, after, verification)
        message = say("turn.was_it_done", what=suggestion.sentence)
        said = say("turn.it_says", said=verification.said) if verification.said else ""
        over, dialog = self.overlays.over(after)
        message = by_sentence([message, said, over])
        look = watch(self.stages, suggestion, after, whole=True)
        answer = self.coach.ask(step, PromptKind.IN_DOUBT, message, timeout_s=None, dialog=dialog, look=look)
        if answer.decision is None:
            return Done(unanswered=True)
        outcome, said, done = _VERDICTS[answer.decision.choice]
        self.journal.close_step(
            step,
            outcome,
            say(said, who=answer.decision.decided_by),
            result=result,
            verification=verification,
            after=after,
            decision=first.decision if first else None,
        )
        return done

    def recover(self, step: Step) -> Done:
        """A loop died between this step's intent and result: look; act again only if nothing happened (S9.2)."""
        self.journal.doubt(step)
        edge = self.journal.graph.edge(step.edge_id)
        if edge is None:  # a program's own pipeline gave it: what it should have come to is known there alone
            return self._ask_without_looking(step)
        if edge.action_type in LOOKING_ACTION_TYPES:  # its answer was not kept, and looking once more does nothing
            self.journal.close_step(step, Outcome.INTERRUPTED, say("turn.looked_anew"))
            return Done()
        before = self.stages.remember(self.journal.pictures.get(step.picture_before), step.screen)
        suggestion = self.stages.recall(edge, step.suggestion, before.frame.size)
        now = self.stages.settle(edge)
        verification, after, same = self._compared(step, suggestion, before, now)
        verification = verification.with_looks(now)
        if verification.answer is Answer.YES:
            seen = say("turn.seen_done")
            self.journal.close_step(step, Outcome.SUCCEEDED, seen, verification=verification, after=after)
            return Done(passed=True)
        effect = EffectClass(step.effect_class)
        if self._is_entered_anew(suggestion, effect, verification, after):
            again = say("turn.set_anew" if suggestion.edge.action_type in SETTING_ACTION_TYPES else "turn.entered_anew")
            self.journal.close_step(step, Outcome.INTERRUPTED, again, verification=verification, after=after)
            return Done()
        if effect is EffectClass.READ or (same and may_repeat(effect, verification)):
            again = say("turn.seen_undone")
            self.journal.close_step(step, Outcome.INTERRUPTED, again, verification=verification, after=after)
            return Done()
        return self.ask_whether_done(step, suggestion, after, verification)

    def _is_entered_anew(
        self, suggestion: Suggestion, effect: EffectClass, verification: Verification, after: ScreenState
    ) -> bool:
        """Whether a field that is clicked and emptied first may be filled once more, or a control be set, however far
        it came: the screen is still its own, and nothing speaks against it."""
        sets = suggestion.edge.action_type in SETTING_ACTION_TYPES
        if not ((sets or enters(suggestion)) and is_harmless(effect)) or verification.said or went_astray(verification):
            return False
        match = self.stages.recognise(after, last_node=suggestion.node_id, expected=suggestion.node_id).match
        return match is not None and match.node_id == suggestion.node_id

    def _ask_without_looking(self, step: Step) -> Done:
        edge = edge_of_step(step, self.journal.graph)
        after = self.stages.settle(edge)
        suggestion = self.stages.recall(edge, step.suggestion, after.frame.size)
        message = say("turn.only_program_knows")
        return self.ask_whether_done(step, suggestion, after, Verification(answer=Answer.CANNOT_TELL, message=message))

    def _compared(
        self, step: Step, suggestion: Suggestion, before: ScreenState, after: ScreenState
    ) -> tuple[Verification, ScreenState, bool]:
        """Whether it was done, the screen then, and whether nothing at all has changed since `before`.

        Of a screen that was kept with parts hidden only what was kept can be compared: the other one is looked at as
        it would be kept, or what was hidden before would count as new.
        """
        hidden = hidden_in_screen(step.screen)
        if not hidden:
            verification, after = self.stages.verify(suggestion, before, after)
            return verification, after, self.stages.still_the_same(before, after)
        same = is_as_kept(step.screen, after) and self.stages.still_the_same(before, covered(after, hidden))
        if WHOLE in hidden:
            verification = Verification(answer=Answer.CANNOT_TELL, message=say("turn.nothing_kept"))
        else:
            verification = self.stages.judge(suggestion, before, self.journal.hidden.shown(after).state)
        return verification, after, same


def edge_of_step(step: Step, graph: GraphSpec) -> EdgeSpec:
    """The edge of a step; one that its version does not have as far as the step tells, without where it leads."""
    kept: Mapping[str, Any] = step.suggestion
    return graph.edge(step.edge_id) or EdgeSpec(
        edge_id=step.edge_id,
        source=step.node_id,
        destination=str(kept.get("destination") or ""),
        action_type=step.action_type,
        params=dict(kept.get("params") or {}),
    )


# What a person's word about a step in doubt comes to.
_VERDICTS = {
    Choice.DONE: (Outcome.SUCCEEDED, "turn.said_done", Done(passed=True)),
    Choice.RETRY: (Outcome.FAILED, "turn.said_undone", Done(retry=True)),
    Choice.STOP: (Outcome.FAILED, "turn.stopped_in_doubt", Done(stop=True)),
    Choice.REJECT: (Outcome.FAILED, "turn.ended_in_doubt", Done(stop=True)),
}


def _is_open(step: Step, suggestion: Suggestion, attempt: PerformedAct) -> bool:
    """Whether nobody but a person can say what came of input that was sent (S1.5, S9.3)."""
    effect, verification = EffectClass(step.effect_class), attempt.verification
    if attempt.result.status is not ActionStatus.DONE or verification.answer is Answer.YES:
        return False
    if verification.answer is Answer.NO:
        return not is_harmless(effect) or went_astray(verification)
    if suggestion.edge.is_read_back and not verification.said:
        return False  # its proof tells, and a person is asked where that does not
    known = suggestion.edge.action_type in SETTING_ACTION_TYPES | {"type_text"} and suggestion.resolution.box
    if known and suggestion.edge.target is not None:
        return True  # where it should be seen is known, and it is not seen there
    return bool(suggestion.edge.expect) or not is_settled(effect, verification)
