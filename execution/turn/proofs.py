"""Reading back what was done (S5.9): an act that has a proof counts as verified once that has held, and not before.

The proof is another workflow that only looks, done inside the run's own behind the act (`workflows.calling`). Its steps
are steps of the run, so whoever takes over a run goes on in the middle of it and reads again; the act stays behind.
What does not hold, was not read, or was left is put to a person: never is the act done again by itself. Nor does a row
tell anything that the run has seen just so before the act.
"""

from __future__ import annotations

from dataclasses import dataclass

from execution.choices import NOT_EXECUTED, Outcome, PromptKind, ReadBack
from execution.models import Step
from execution.record.journal import Journal
from execution.record.kept_screens import state_of
from execution.record.sentences import step_sentence
from execution.turn.coach import Coach
from execution.turn.overlays import Overlays
from execution.turn.rows import Row, rows_in
from execution.turn.stages import Stages
from execution.turn.watching import watch
from execution.types import Answer, Choice, Reason, ResolveStatus, ScreenState, Suggestion, Verification
from execution.verification.reading import ScreenReading
from sentences.said import by_sentence, say
from workflows.calling import done_in, within
from workflows.catalogue import CHECKING_ACTION_TYPES
from workflows.graph import EdgeSpec

READ_BACK = "read_back"  # the sign of what was read


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """An act that is not proved, and why not, in a sentence."""

    act: Step
    why: str


class Proofs:
    """What of a run is done and not read back yet."""

    def __init__(self, journal: Journal, stages: Stages, coach: Coach, overlays: Overlays) -> None:
        self.journal, self.stages, self.coach, self.overlays = journal, stages, coach, overlays
        self.graph = journal.graph
        self._acts = [edge.edge_id for edge in self.graph.edges if edge.is_read_back]

    def open(self) -> Step | None:
        """The act whose proof is open."""
        return self.journal.to_read_back(self._acts) if self._acts else None

    def told(self) -> str:
        """That an act is not read back yet, in a sentence; "" where none is open."""
        act = self.open()
        return say("turn.not_read_back_yet", what=step_sentence(act), name=self._name(act)) if act else ""

    def behind(self, node_id: str) -> frozenset[str]:
        """What is not done any more, or not yet, on the screen that a proof both begins on and comes back to."""
        if self.graph.scope_of(node_id) not in self._acts:
            return frozenset()
        edges = self.graph.outgoing(node_id)
        back = next((edge.edge_id for edge in edges if edge.returns), "")
        if not back or all(edge.returns or edge.destination == node_id for edge in edges):
            return frozenset()
        act = self.open()
        looked = act is None or self._needed(act) <= self._looked_at(act)
        return frozenset({edge.edge_id for edge in edges} - {back} if looked else {back})

    def left(self, node_id: str) -> Doubt | None:
        """The act whose proof is open where the screen is none of that proof."""
        act = self.open()
        if act is None or within(self.graph.scope_of(node_id), act.edge_id):
            return None
        return Doubt(act=act, why=say("turn.proof_left"))

    def doubted(self, step: Step, suggestion: Suggestion) -> Doubt | None:
        """What a reading that does not hold, or the end of a proof without all of its readings, leaves in doubt.

        `step` is the one that is to read it.
        """
        edge = suggestion.edge
        act = self.open() if self._acts and self.graph.scope_of(edge.source) else None
        if act is None or not within(self.graph.scope_of(edge.source), act.edge_id):
            return None
        if edge.action_type in CHECKING_ACTION_TYPES:
            stands = suggestion.resolution.status in (ResolveStatus.FOUND, ResolveStatus.NOT_NEEDED)
            if not stands:
                return Doubt(act=act, why=suggestion.resolution.message or say("turn.not_read"))
            before = self._stood_before(act, step, suggestion) if edge.action_type == "must_see_row" else None
            return Doubt(act=act, why=say("turn.row_stood_before", n=before.index)) if before else None
        if not (edge.returns and self.graph.scope_of(edge.source) == act.edge_id):
            return None
        return None if self._has_held(act) else Doubt(act=act, why=say("turn.proof_not_read"))

    def hold(self, suggestion: Suggestion) -> None:
        """At the end of a proof of which nothing is in doubt the act is verified by what was read."""
        edge = suggestion.edge
        act = self.open() if edge.returns else None
        if act is None or self.graph.scope_of(edge.source) != act.edge_id:
            return
        read = (step for step in self.journal.done_since(act, self._checks(act)) if step.outcome == Outcome.SUCCEEDED)
        self.journal.read_back(
            act,
            Outcome(act.outcome),
            Verification(
                answer=Answer.YES,
                message=say("turn.read_back", name=self._name(act)),
                evidence=tuple(Reason(sign=READ_BACK, score=1.0, note=step_sentence(step)) for step in read),
                read_back=ReadBack.HELD,
            ),
        )

    def ask(self, step: Step, doubt: Doubt, state: ScreenState, suggestion: Suggestion | None = None) -> Choice | None:
        """Whether the act was done, a person says; None while nobody has. `step` is the one that is asked with."""
        act = doubt.act
        over, dialog = self.overlays.over(state)
        asked = say("turn.was_it_done_unproved", what=step_sentence(act), name=self._name(act))
        answer = self.coach.ask(
            step,
            PromptKind.IN_DOUBT,
            by_sentence([asked, doubt.why, over]),
            timeout_s=None,
            picture=self.journal.pictures.keep(state).digest,
            dialog=dialog,
            look=watch(self.stages, suggestion, state, whole=True) if suggestion else lambda: "",
        )
        if answer.decision is None:
            self.journal.close_step(step, Outcome.INTERRUPTED, say("turn.question_withdrawn"))
            return None
        choice = answer.decision.choice
        code, seen = _VERDICTS[choice]
        said = say(code, who=answer.decision.decided_by)
        self.journal.close_step(step, _outcome(choice, suggestion), by_sentence([doubt.why, said]))
        outcome = Outcome(act.outcome) if choice is Choice.DONE else Outcome.FAILED
        verdict = Verification(answer=seen, message=said, read_back=ReadBack.SAID)
        self.journal.read_back(act, outcome, verdict)
        return choice

    def _has_held(self, act: Step) -> bool:
        """Whether all that the proof holds against the screen was read, and stood there, as it was taught."""
        last = {step.edge_id: step for step in self.journal.done_since(act, self._checks(act))}
        return bool(last) and self._needed(act) <= last.keys() and all(map(self._is_as_taught, last.values()))

    def _stood_before(self, act: Step, step: Step, suggestion: Suggestion) -> Step | None:
        """The last step up to the act on whose screen the very row stood, as screens are kept."""
        now, box = state_of(step), suggestion.resolution.box
        if now is None or box is None:
            return None
        rows = rows_in(ScreenReading(now))
        row = next((row for row in rows if any(box.contains(one.box.center) for one in row)), ())
        wanted = _texts(row)
        for earlier in self.journal.showing(wanted, until=act) if wanted else ():
            then = state_of(earlier)
            if then is not None and wanted in map(_texts, rows_in(ScreenReading(then))):
                return earlier
        return None

    def _looked_at(self, act: Step) -> set[str]:
        steps = self.journal.done_since(act, self._checks(act))
        return {step.edge_id for step in steps if step.outcome not in NOT_EXECUTED}

    def _needed(self, act: Step) -> set[str]:
        """What it holds against the screen in any case."""
        edges = (self.graph.edge(edge_id) for edge_id in self._checks(act))
        return {edge.edge_id for edge in edges if edge is not None and not edge.condition}

    def _is_as_taught(self, step: Step) -> bool:
        corrected = step.prompts.filter(decision__choice=Choice.CORRECT).exists()
        return step.outcome == Outcome.SUCCEEDED and not corrected

    def _checks(self, act: Step) -> list[str]:
        inside = done_in(self.graph, act.edge_id)
        return [edge.edge_id for edge in inside if edge.action_type in CHECKING_ACTION_TYPES]

    def _name(self, act: Step) -> str:
        edge: EdgeSpec | None = self.graph.edge(act.edge_id)
        return edge.inner_name if edge else ""


def _texts(row: Row) -> tuple[str, ...]:
    return tuple(line.text for line in sorted(row, key=lambda line: line.box.x))


def _outcome(choice: Choice, suggestion: Suggestion | None) -> Outcome:
    """Of the step that was asked with: a reading that a person has answered for is left out, and the way goes on."""
    reads = suggestion is not None and suggestion.edge.action_type in CHECKING_ACTION_TYPES
    return Outcome.SKIPPED if reads and choice is Choice.DONE else Outcome.INTERRUPTED


# What a person's word comes to, and what it says of the act.
_VERDICTS = {
    Choice.DONE: ("turn.said_done", Answer.CANNOT_TELL),
    Choice.RETRY: ("turn.said_undone", Answer.NO),
    Choice.STOP: ("turn.stopped_in_doubt", Answer.CANNOT_TELL),
    Choice.REJECT: ("turn.ended_in_doubt", Answer.CANNOT_TELL),
}
