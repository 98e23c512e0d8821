"""The loop: the order of the stages, and none of their content (S1.5).

observe → recognise → choose → suggest → decide → act → verify → record, one turn after the other, until the run ends,
is taken away, or its loop is told to leave.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from execution.choices import ExecutionMode, ExecutionState, Outcome, PauseReason, PromptKind, Wish
from execution.desktop.base import DesktopLost
from execution.language.acts import say_act
from execution.models import Execution, Step
from execution.navigation.hands import Stopped
from execution.record import attribution
from execution.record.journal import Journal
from execution.record.kept_screens import size_of
from execution.targeting.pressing import Chosen
from execution.turn import looking
from execution.turn.chooser import Chooser
from execution.turn.closing import Closer
from execution.turn.coach import Coach, CoachAnswer
from execution.turn.holding import Hold
from execution.turn.lessons import lesson_of, look_of
from execution.turn.limits import LoopLimits
from execution.turn.overlays import Overlays
from execution.turn.pausing import Pauses
from execution.turn.performing import Done, Performer, edge_of_step
from execution.turn.position import Position
from execution.turn.proofs import Doubt, Proofs
from execution.turn.put_values import leaves_behind
from execution.turn.seeking import seek, worth_scrolling
from execution.turn.stages import Stages
from execution.turn.versions import why_not
from execution.turn.watching import watch
from execution.turn.ways import Standpoint, Ways
from execution.types import (
    ActionResult,
    ActionStatus,
    Choice,
    Decision,
    DecisionSource,
    Match,
    Output,
    Recognition,
    ResolveStatus,
    ScreenState,
    Suggestion,
)
from sentences.said import by_sentence, say, told_by
from workflows.exceptions import PictureAway, PictureNotStored
from workflows.graph import EdgeSpec

PAUSED_LOOK_S = 0.1


class Loop:
    """Runs one claimed execution. `run` returns when it has ended, when `leave` is set, or when it is outdated."""

    def __init__(
        self,
        journal: Journal,
        stages: Stages,
        coach: Coach,
        *,
        leave: threading.Event,
        limits: LoopLimits | None = None,
        may_act: Callable[[], None] = lambda: None,
        on_miss: Callable[[str], None] = lambda message: None,
        on_look: Callable[[Execution], None] = lambda execution: None,
        hand_over: Callable[[], None] = lambda: None,
    ) -> None:
        self.journal, self.stages, self.coach, self.leave = journal, stages, coach, leave
        self.limits = limits or LoopLimits()
        coach.look_every_s = self.limits.capture_interval_ms / 1000
        self.on_look, self.hand_over = on_look, hand_over
        self.graph = journal.graph
        self.ways = Ways(self.graph, lambda edge: self.chooser.is_open(edge))
        self.at = Position.left(journal.execution, self.ways)
        self.hold = Hold(journal, leave=leave, may_act=may_act)
        closer = Closer(journal, stages, coach, self.hold, timeout_s=self.limits.confirmation_timeout_s)
        self.overlays = Overlays(stages, closer, self.at)
        self.performer = Performer(
            journal, stages, coach, self.hold, self.overlays, answer_timeout_s=self.limits.coaching_timeout_s
        )
        self.proofs = Proofs(journal, stages, coach, self.overlays)
        self.pauses = Pauses(
            journal,
            stages,
            self.overlays,
            self.ways,
            self.at,
            self.proofs,
            limits=self.limits,
            leave=leave,
            hold=self.hold,
            on_miss=on_miss,
        )
        self.chooser = Chooser(journal, stages, self.hold, self.at, self.pauses, self.proofs)
        self._pending: Callable[[], None] | None = self.recover if journal.open_intent() else None
        self.is_outdated = False  # the run goes on with another version, which this loop does not know
        self._chosen: Chosen | None = None  # a dialog's button that a person chose
        self._degraded_told = stages.eyes.degraded  # a loop before us has told of it
        self._sees_less = False  # in the turn before
        self._recall_put()

    @property
    def mode(self) -> ExecutionMode:
        """The run's mode; another one is taken between two turns alone (S1.23)."""
        return ExecutionMode(self.journal.execution.mode)

    def run(self) -> None:
        while not (self.journal.execution.is_final or self.leave.is_set() or self.is_outdated):
            try:
                self.turn()
            except (PictureNotStored, PictureAway) as error:
                self.journal.error("storage", told_by(error))
                self.journal.pause(PauseReason.STORAGE, told_by(error))
                if self.journal.open_intent():  # what was begun is looked at before anything else
                    self._pending = self.recover
            except DesktopLost as error:
                self.journal.pause(PauseReason.DESKTOP_LOST, told_by(error))
                raise

    def turn(self) -> None:
        """One turn. Ends early where there is nothing to do: paused, not recognised, not yet to be found."""
        if not self._heed():
            return
        if self._pending:  # a step in doubt comes before anything else
            pending, self._pending = self._pending, None
            pending()
            return
        if self.stages.missing:
            self.journal.pause(PauseReason.PROGRAM, self.stages.missing)
            return
        if self._chosen:
            chosen, self._chosen = self._chosen, None
            self._press(chosen)
            return
        self.journal.begin_turn()
        self.stages.learn(self.journal.in_force())
        self.chooser.count()
        state, picked = self._look(), self.at.picked
        recognition, match_ms = self._recognise(state)
        match = recognition.match
        if (problem := self.overlays.close(state, recognition)) is not None:
            if problem:
                self.pauses.pause(PauseReason.DIALOG, problem, state, recognition)
            return
        if match is None:
            self.pauses.miss(state, recognition)
            return
        contradiction = None if picked else self._contradiction(match)
        if refusal := contradiction or self.overlays.covered(state, match):
            self.pauses.miss(state, refusal)
            return
        leaping = self._leaps(match)
        if leaping and picked is None and not self.at.anywhere:
            self.pauses.leap(state, match)
            return
        self._arrive(match.node_id, match.confidence, state, anew=leaping or picked is not None)
        if picked is not None and self.stages.knows_ways:
            self._learn_screen(picked, state)
        if unproved := self._unproved(match.node_id):
            step = self.journal.open_step(state, recognition, None, match_ms=match_ms)
            self._ask_unproved(step, unproved, state)
            return
        if self._is_over(match.node_id):
            if picked is None and (doubt := self.stages.screen_doubt(match.node_id, state)):
                self.pauses.unsure_end(doubt, state, match)
                return
            self._end(state, recognition, match_ms, by_person=picked is not None)
            return
        try:
            suggestion = self.chooser.next(match.node_id, state, watching=self.mode is ExecutionMode.OBSERVATION)
            if suggestion is None:
                if picked is not None and self.at.looks:  # looked for once more: the screen is still what a person said
                    self.at.picked = picked
                return
            state, suggestion = self._seek(state, suggestion)
        except Stopped:
            return  # what was asked for is heeded by the next turn
        step = self.journal.open_step(state, recognition, suggestion, match_ms=match_ms)
        self._tell_degraded()
        self._decide(step, state, suggestion)

    def _recall_put(self) -> None:
        """What a loop before us has put on this screen, for whoever saves it."""
        done: list[Suggestion] = []
        steps = self.journal.execution.steps.filter(outcome=Outcome.SUCCEEDED).exclude(edge_id="").order_by("-index")
        for step in steps.iterator(chunk_size=20):  # the last ones alone: what led here left all else behind
            edge, size = self.graph.edge(step.edge_id), size_of(step.screen)
            if edge is None or size is None:
                continue
            if leaves_behind(edge):
                break
            done.append(self.stages.recall(edge, step.suggestion, size))
        self.stages.recall_put(reversed(done))

    # --- before a step ----------------------------------------------------------------------------------------------
    def _heed(self) -> bool:
        """Fulfil what people asked for; whether the turn may go on."""
        execution = self.journal.refresh()
        self._follow_flags()
        self.on_look(execution)
        if execution.wish_mode:
            self.journal.change_mode()
        if execution.wish == Wish.STOP:
            self.journal.finish(ExecutionState.STOPPED)
            return False
        if execution.wish == Wish.CONTROL:
            self.journal.hand_over()
            return False
        if execution.wish == Wish.CHANGE_VERSION:
            self._change_version()
            return False
        if execution.state == ExecutionState.PAUSED:
            if execution.wish == Wish.RESUME:
                self._resume()
            elif execution.pause_reason == PauseReason.CONTROL:
                self.hand_over()
            else:
                self.leave.wait(PAUSED_LOOK_S)
            return False
        if execution.wish == Wish.PAUSE:
            self.journal.pause_as_asked()
            return False
        return True

    def _change_version(self) -> None:
        """Leave the run to a loop that knows the other version, if it can go on with that from where it stands."""
        execution = self.journal.execution
        version = execution.wish_version
        if version is None or (why := why_not(execution, self.graph, version.spec())):
            self.journal.keep_version(why if version else "")
        else:
            self.is_outdated = self.journal.change_version()

    def _follow_flags(self) -> None:
        eyes, execution = self.stages.eyes, self.journal.execution
        if eyes.degraded and not execution.degraded and self._degraded_told:
            eyes.lift()
            self._degraded_told = False

    def _look(self) -> ScreenState:
        """The screen; as a whole where less was seen in the turn before, or a person says which it is (S2.13)."""
        state = self.stages.observe(whole=self._sees_less or self.at.picked is not None)
        self._sees_less = self.stages.eyes.is_to_be_whole(state)
        if self._degraded_told and not self.stages.eyes.degraded:
            self._degraded_told = False
            self.journal.see_whole()
        return state

    def _tell_degraded(self) -> None:
        """The slow step was whole; from the next one on the run is degraded, and people are told now (S2.4)."""
        if self.stages.eyes.degraded and not self._degraded_told:
            self._degraded_told = True
            self.journal.degrade(self.stages.eyes.degraded_reason)

    def _resume(self) -> None:
        anywhere = self.journal.execution.pause_reason in (PauseReason.ASKED, PauseReason.CONTROL)
        if wish := self.journal.execution.wish_press:
            self._chosen = Chosen.from_json(wish, by=self.journal.resumed_by())
        if picked := self.journal.resume():
            self._pick(picked)
            return
        self.at.look_anew(anywhere=anywhere)

    def _pick(self, node_id: str) -> None:
        """A person says which screen it is: the next turn believes it."""
        self.at.look_anew(picked=node_id)

    def _recognise(self, state: ScreenState) -> tuple[Recognition, float]:
        if self.at.picked:
            picked, self.at.picked = self.at.picked, None
            return self.stages.picked(picked), 0.0
        began = time.perf_counter()
        recognition = self.stages.recognise(state, last_node=self.at.last_node, expected=self.at.expected)
        return recognition, (time.perf_counter() - began) * 1000

    def _contradiction(self, match: Match) -> Recognition | None:
        """What was just done must not be done again because the screen still looks like before it."""
        edge = self.ways.arrive(self.at.place, match.node_id).done
        if edge is None or match.node_id != edge.source or self.stages.may_stay(edge):
            return None
        why = say(
            "turn.looks_like_before",
            what=say_act(edge, self.graph, self.stages.variables),
            node=self.graph.name_of(match.node_id),
        )
        return Recognition(match=None, candidates=(match,), why_not=why)

    def _leaps(self, match: Match) -> bool:
        """Whether the run could not have come to that screen. Observation follows the person, wherever they go."""
        if self.mode is ExecutionMode.OBSERVATION or not self.stages.knows_ways:
            return False
        return not self.ways.may_go_on(self.at.place, match.node_id)

    def _press(self, chosen: Chosen) -> None:
        """Press the button that a person chose, as a turn of its own; what comes of it the next one sees."""
        self.journal.begin_turn()
        if problem := self.overlays.press(chosen, self.stages.observe()):
            self.pauses.pause(PauseReason.DIALOG, problem, self.stages.observe())

    def _arrive(self, node_id: str, confidence: float, state: ScreenState, *, anew: bool) -> None:
        """The run is there; `anew`: a person said so, or left the desktop there, and what was before is behind."""
        place, put = self.at.place, anew or self.at.anywhere
        self.at.misses, self.at.known, self.at.anywhere = 0, state, False
        if node_id != self.at.last_node:
            self.at.looks, self.at.ended = 0, set()
        self.at.place = self.ways.put(place, node_id, anew=anew) if put else self.ways.arrive(place, node_id)
        if put and self.stages.knows_ways:
            self.journal.went(place.last or "", node_id)
        self.journal.arrive(node_id, confidence)

    def _learn_screen(self, node_id: str, state: ScreenState) -> None:
        """A person said which screen it is; where that could not be told by itself it is one more look of it."""
        known = self.stages.recognise(state, last_node=node_id, expected=node_id).match
        node = self.graph.node(node_id)
        if node is None or (known is not None and known.node_id == node_id):
            return
        look = look_of(node, state, journal=self.journal, variables=self.stages.variables)
        if look is not None:
            self.journal.picked(node_id, look)

    def _is_over(self, node_id: str) -> bool:
        if self.stages.is_terminal(node_id) or not self.stages.is_end(node_id):
            return self.stages.is_terminal(node_id)
        return self.mode is ExecutionMode.OBSERVATION or self.chooser.is_over(node_id)

    def _end(self, state: ScreenState, recognition: Recognition, match_ms: float, *, by_person: bool) -> None:
        node_id = self.at.last_node or ""
        fine = by_person or self.graph.already_at_end_is_fine or self.journal.anything_done()
        if not (fine or self.chooser.has_nothing_to_do(node_id, state)):
            self.pauses.already_at_end(state, recognition)
            return
        if self.stages.is_terminal(node_id):
            step = self.journal.open_step(state, recognition, None, match_ms=match_ms)
            self.journal.close_step(step, Outcome.TERMINAL, attribution.TERMINAL)
        self.journal.finish(ExecutionState.COMPLETED)

    def _seek(self, state: ScreenState, suggestion: Suggestion) -> tuple[ScreenState, Suggestion]:
        """Scroll to what is not on the screen, before anyone is asked; a run that only watches never does."""
        if self.mode is ExecutionMode.OBSERVATION or not worth_scrolling(suggestion, state):
            return state, suggestion
        return seek(self.stages, suggestion, state, self.hold)

    # --- deciding ---------------------------------------------------------------------------------------------------
    def _decide(self, step: Step, state: ScreenState, suggestion: Suggestion) -> None:
        if self.mode is ExecutionMode.OBSERVATION:
            self._follow(step, suggestion)
            return
        if doubt := self.proofs.doubted(step, suggestion):
            self._ask_unproved(step, doubt, state, suggestion)
            return
        self.proofs.hold(suggestion)
        answer = self._answer(step, state, suggestion)
        if answer.decision is None:
            self.journal.close_step(step, Outcome.INTERRUPTED, say("turn.question_withdrawn"))
            return
        self._follow_answer(step, state, suggestion, answer)

    def _unproved(self, node_id: str) -> Doubt | None:
        """An act that is still to be read back where the run is not in its proof any more."""
        return None if self.mode is ExecutionMode.OBSERVATION else self.proofs.left(node_id)

    def _ask_unproved(self, step: Step, doubt: Doubt, state: ScreenState, suggestion: Suggestion | None = None) -> None:
        choice = self.proofs.ask(step, doubt, state, suggestion)
        if choice is Choice.DONE and step.outcome == Outcome.SKIPPED and suggestion is not None:
            self.at.tried.add(suggestion.edge.edge_id)
            self._passed(suggestion.edge, done=False, line=suggestion.line)
        elif choice is Choice.RETRY:  # before the act again, wherever its proof has led
            self.journal.arrive(doubt.act.node_id, doubt.act.confidence)
            self.at.place = Position.left(self.journal.execution, self.ways).place
            self.at.look_anew()
        elif choice in (Choice.STOP, Choice.REJECT):
            self.journal.finish(ExecutionState.STOPPED)

    def _follow_answer(
        self, step: Step, state: ScreenState, suggestion: Suggestion, answer: CoachAnswer, why: str = ""
    ) -> None:
        """Do what a person, the mode or a time-out decided; `why` it could not be done before, if it could not."""
        assert answer.decision is not None
        choice = answer.decision.choice
        if choice is Choice.REJECT:
            self._reject(step, suggestion, answer, why)
            return
        handle = {
            Choice.ACCEPT: self._accept,
            Choice.CORRECT: self._correct,
            Choice.MANUAL: self._manual,
            Choice.SKIP: self._skip,
        }[choice]
        handle(step, state, suggestion, answer)

    def _answer(self, step: Step, state: ScreenState, suggestion: Suggestion) -> CoachAnswer:
        """Who decides, by mode; a target that was not found is never guessed."""
        if suggestion.edge.returns:  # nothing is done, and nothing else could be
            return CoachAnswer(Decision(choice=Choice.ACCEPT, source=DecisionSource.AUTO))
        found = suggestion.resolution.status in (ResolveStatus.FOUND, ResolveStatus.NOT_NEEDED)
        look = watch(self.stages, suggestion, state)
        if self.mode is ExecutionMode.COACHING:
            message = by_sentence([suggestion.doubt, say("turn.suggested", sentence=suggestion.sentence)])
            return self.coach.ask(
                step, PromptKind.COACHING, message, timeout_s=self.limits.coaching_timeout_s, look=look
            )
        if not found:
            message = by_sentence([suggestion.doubt, suggestion.resolution.message or say("turn.target_not_found")])
            return self.coach.ask(step, PromptKind.TARGET, message, timeout_s=self.limits.coaching_timeout_s, look=look)
        unsure = self.at.rejected or suggestion.doubt  # what comes next may build on what was not done
        unproved = self.journal.unproved(suggestion.edge) if self.mode is ExecutionMode.AUTOMATIC else ""
        if self.mode is ExecutionMode.SUPERVISED or unsure or unproved:
            asked = say("turn.execute", sentence=suggestion.sentence)
            message = by_sentence([suggestion.doubt, unproved, asked])
            return self.coach.ask(
                step, PromptKind.CONFIRMATION, message, timeout_s=self.limits.confirmation_timeout_s, look=look
            )
        return CoachAnswer(Decision(choice=Choice.ACCEPT, source=DecisionSource.AUTO))

    def _accept(self, step: Step, state: ScreenState, suggestion: Suggestion, answer: CoachAnswer) -> None:
        self._perform(step, state, suggestion, answer)

    def _correct(self, step: Step, state: ScreenState, suggestion: Suggestion, answer: CoachAnswer) -> None:
        decision = answer.decision
        if decision and decision.correction.get("value"):
            self._given(step, suggestion, answer, looking.given(suggestion, decision.correction["value"]))
            return
        if decision and decision.correction:
            try:
                suggestion = self.stages.correct(suggestion, decision.correction, state)
            except ValueError as error:
                self.journal.close_step(step, Outcome.REJECTED, told_by(error), decision=decision)
                self.journal.error("correction", told_by(error))
                return
            lesson = lesson_of(
                suggestion,
                decision.correction,
                state,
                journal=self.journal,
                variables=self.stages.variables,
                feedback=decision.feedback,
            )
            box = suggestion.resolution.box if decision.correction.get("target") else None
            shown = box.normalised(state.frame.size) if box else None
            self.journal.correction(step, lesson, decision, answer.user, shown)
            self.leave.wait(decision.correction.get("wait_before") or 0)
        self._perform(step, state, suggestion, answer)

    def _given(self, step: Step, suggestion: Suggestion, answer: CoachAnswer, value: Output) -> None:
        """What the robot could not read for certain a person has read."""
        self.stages.count({value.name: value.as_variable})
        result = ActionResult(status=ActionStatus.DONE, output=value)
        said = say("turn.read_by", who=_who(answer))
        self.journal.close_step(step, Outcome.MANUAL, said, result=result, decision=answer.decision)
        self._passed(suggestion.edge, done=True, by_person=True, line=suggestion.line)

    def _manual(self, step: Step, state: ScreenState, suggestion: Suggestion, answer: CoachAnswer) -> None:
        after = self.stages.settle(suggestion.edge)
        verification, after = self.stages.verify(suggestion, state, after)
        self.journal.close_step(
            step,
            Outcome.MANUAL,
            say("turn.done_by", who=_who(answer)),
            verification=verification,
            after=after,
            decision=answer.decision,
        )
        self._passed(suggestion.edge, done=True, by_person=True, line=suggestion.line)

    def _skip(self, step: Step, state: ScreenState, suggestion: Suggestion, answer: CoachAnswer) -> None:
        self.journal.close_step(step, Outcome.SKIPPED, attribution.skipped(answer.decision), decision=answer.decision)
        self.at.rejected = bool(suggestion.line) and suggestion.resolution.status is not ResolveStatus.FOUND
        if self.at.rejected:
            self.at.ended.add(suggestion.edge.edge_id)
        if self.at.rejected or not suggestion.line:
            self.at.tried.add(suggestion.edge.edge_id)
        if not self.at.rejected:  # a line that is not there: with it a person says that the list is over
            self._passed(suggestion.edge, done=False, line=suggestion.line)

    def _reject(self, step: Step, suggestion: Suggestion, answer: CoachAnswer, why: str = "") -> None:
        picked = answer.decision.node_id if answer.decision else ""
        if picked:
            why = say("turn.another_screen", name=self.graph.name_of(picked))
        message = attribution.rejected(answer.decision, coaching=self.mode is ExecutionMode.COACHING, why=why)
        self.journal.close_step(step, Outcome.REJECTED, message, decision=answer.decision)
        if picked:
            self._pick(picked)
            return
        self.at.tried.add(suggestion.edge.edge_id)
        self.at.rejected = True

    def _passed(self, edge: EdgeSpec, *, done: bool, by_person: bool = False, line: int = 0) -> None:
        """The edge is behind us: its destination is what the next look expects."""
        self.at.place = self.at.place.passed(edge, done=done, by_person=by_person, line=line)
        self.at.pointed = None if by_person else self.at.pointed
        if done:
            self.at.tried.clear()
            self.at.rejected = False

    def _perform(self, step: Step, state: ScreenState, suggestion: Suggestion, answer: CoachAnswer) -> None:
        done = self.performer.perform(step, state, suggestion, answer)
        self.at.unready = self.at.unready + 1 if done.unready else 0
        if done.answer is not None:
            self._follow_answer(step, done.after or state, suggestion, done.answer, done.failure)
        elif done.unready:
            self.at.pointed = None
            if done.after is not None:
                self.pauses.never_still(done.failure, done.after)
        else:
            hovers = suggestion.edge.action_type == "move"
            self.at.pointed = suggestion.resolution.point if done.passed and not hovers else None
            self._after(suggestion.edge, done, suggestion.line)

    def _after(self, edge: EdgeSpec, done: Done, line: int) -> None:
        """Where the run stands once a step has been carried out, or was not."""
        if done.passed:
            self._passed(edge, done=True, line=line)
        elif done.retry:
            self.at.picked = edge.source
        elif done.stop:
            self.journal.finish(ExecutionState.STOPPED)
        elif done.unanswered:  # the step stays in doubt, and is looked at anew by whoever goes on
            self._pending = self.recover
        elif done.failure and done.after:
            self.pauses.failed(done.failure, done.after)

    def recover(self) -> None:
        """Go on where a loop before us ended: a step between intent and result comes first (S9.2)."""
        step = self.journal.open_intent()
        if step is None:
            return
        if not step.edge_id:  # a dialog was about to be closed; whether it is still there is seen by looking
            self.journal.close_step(step, Outcome.INTERRUPTED, say("turn.looked_anew"))
            return
        edge = edge_of_step(step, self.graph)
        self.chooser.count(edge)
        self._after(edge, self.performer.recover(step), step.suggestion.get("line") or 0)

    # --- observation ------------------------------------------------------------------------------------------------
    def _follow(self, step: Step, suggestion: Suggestion) -> None:
        """Watch the person: one step a visit; what they did is compared when the next screen is known (S1.18)."""
        would = say("turn.would", what=suggestion.sentence)
        self.journal.close_step(step, Outcome.OBSERVED, would)
        node_id = suggestion.node_id
        while self._heed() and not self.leave.is_set() and self.mode is ExecutionMode.OBSERVATION:
            state = self.stages.observe()
            match = self.stages.recognise(state, last_node=node_id, expected=suggestion.edge.destination).match
            if match is not None and match.node_id != node_id:
                agreed = match.node_id == suggestion.edge.destination
                said = say("turn.person_same") if agreed else say("turn.person_else")
                self.journal.agreed(step, agreed, by_sentence([would, said]), state)
                self.at.place = Standpoint(last=node_id, expected=match.node_id, rounds=self.at.place.rounds)
                return
            self.leave.wait(self.limits.capture_interval_ms / 1000)


def _who(answer: CoachAnswer) -> str:
    return answer.decision.decided_by if answer.decision else ""
