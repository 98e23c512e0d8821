"""What a run does next on the screen that it is on: the way that is open, and of a list the line that follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from execution.record.journal import Journal
from execution.turn.choosing import Way, next_way
from execution.turn.holding import Hold
from execution.turn.lists import Lists, Rest
from execution.turn.pausing import Pauses
from execution.turn.position import Position
from execution.turn.proofs import Proofs
from execution.turn.rounds import counted
from execution.turn.seeking import worth_scrolling
from execution.turn.stages import Stages
from execution.turn.visits import Visits
from execution.types import ResolveStatus, ScreenState, Suggestion
from sentences.said import by_sentence, say
from workflows.calling import read_in, with_given
from workflows.conditions import CannotTell, holds
from workflows.graph import EdgeSpec
from workflows.text import names


class Chooser:
    def __init__(
        self, journal: Journal, stages: Stages, hold: Hold, at: Position, pauses: Pauses, proofs: Proofs
    ) -> None:
        self.journal, self.graph = journal, journal.graph
        self.stages, self.hold, self.at, self.pauses = stages, hold, at, pauses
        self.lists, self.proofs, self.visits = Lists(journal, stages, hold), proofs, Visits(journal)

    def count(self, about: EdgeSpec | None = None, *, line: int = 0) -> None:
        """Tell the stages which lines of lists the run is at; `about`: an action that may begin the next, or `line`."""
        self.stages.count(counted(self.graph, self.at.place.rounds, about, line=line))
        if self.graph.outputs and (self.at.place.rounds or self.graph.calls):
            self.stages.forget(self._of_other_lines(about) | self._of_earlier_calls())

    def is_over(self, node_id: str) -> bool:
        """Whether a run is over on a screen that is an end: steps that all stay on it are done there first, and a list.

        Not where the run begins there by chance: what comes before them was not done. Where its own steps lead away and
        back to it, it is over once it has been away, or none of them is to be done.
        """
        begins = node_id in self.graph.entry_nodes or self.journal.anything_done()
        if not self.stages.knows_ways or not begins:
            return True
        if not self.graph.done_at_end(node_id):
            trip = self.graph.round_trip(node_id)
            if not trip or self.journal.any_done([edge.edge_id for edge in trip]):
                return True
        way = self._way(node_id)
        refused = self.at.rejected and not self.at.tried <= self.at.ended
        return way.edge is None and not (way.unsure or refused or self.at.place.unfinished)

    def has_nothing_to_do(self, node_id: str, state: ScreenState) -> bool:
        """Whether the screen itself says that its list has no line."""
        return any(self.lists.says_over(edge, state) for edge in self.graph.outgoing(node_id))

    def _of_other_lines(self, about: EdgeSpec | None) -> set[str]:
        """The values that were last read in an earlier round: they are another record's."""
        read, others = self.journal.values_read(), set[str]()
        for one in self.at.place.rounds:
            begun = self.journal.times_done(one.edge_id)[-one.number :]
            present = None if about and about.edge_id == one.edge_id else begun[-1:]
            for name, (index, _value) in read.items():
                if begun and index > begun[0] and (not present or index < present[0]):
                    others.add(name)
        return others

    def _of_earlier_calls(self) -> set[str]:
        """The values that a workflow inside would read, and read when it was done before: they are another round's."""
        others = set[str]()
        for call in self.graph.calls:
            names = read_in(self.graph, call.edge_id)
            begun = self.journal.times_done(call.edge_id)[-1:] if names else []
            read = self.journal.values_read() if begun else {}
            others |= {name for name in names & read.keys() if read[name][0] < begun[0]}
        return others

    def is_open(self, edge: EdgeSpec) -> bool:
        """Whether what an action is done if surely is so."""
        try:
            return not edge.condition or holds(edge.condition, self._values(), self.graph)
        except CannotTell:
            return False

    def _values(self) -> Mapping[str, str]:
        """The run's values as conditions ask about them: what was read as it was understood, not as it stood there."""
        variables = self.stages.variables
        if not self.graph.outputs or not any(edge.condition for edge in self.graph.edges):
            return variables
        read = self.journal.values_read()
        known = {name: value for name, (_index, value) in read.items() if name in variables}
        return with_given(self.graph, {**variables, **known})

    def next(self, node_id: str, state: ScreenState, *, watching: bool) -> Suggestion | None:
        """What comes next on that screen; None where the turn ends without it. Raises Stopped, LeaseLost, DesktopLost.

        `watching`: the run does nothing by itself.
        """
        while True:
            way = self._way(node_id)
            if way.edge is None:
                if not (self.stages.is_end(node_id) and self.is_over(node_id)):  # else the next turn ends it
                    self.pauses.no_way(self._unfinished(way), state)
                return None
            if missing := self._missing(way.edge):
                self.pauses.no_way(Way(unsure=missing), state)
                return None
            if not self.lists.says_over(way.edge, state):
                self.count(way.edge)
                suggestion = self.stages.suggest(way.edge, node_id, state)
                behind = next((one for one in self.at.place.rounds if one.edge_id == way.edge.edge_id), None)
                compared = self.lists.compared(suggestion, behind, state)
                line = (compared.next_line if compared else None) or suggestion.line
                if line != suggestion.line:
                    self.count(way.edge, line=line)
                    suggestion = self.stages.suggest(way.edge, node_id, state)
                suggestion = self._doubted(suggestion)
                if self._look_again(suggestion, state):
                    return None
                if not suggestion.line:
                    return suggestion
                for_line = self.lists.judged(suggestion, behind, state, may_scroll=not watching)
                if for_line is Rest.BELOW:
                    return None
                if for_line is not Rest.NONE:
                    return for_line
            self.at.ended.add(way.edge.edge_id)
            self.count()

    def _unfinished(self, way: Way) -> Way:
        """With a line of this screen's list that was begun and not finished, where nothing else comes that asks."""
        line = self.at.place.unfinished
        return replace(way, unsure=say("turn.line_unfinished", line=line)) if line and not way.unsure else way

    def _doubted(self, suggestion: Suggestion) -> Suggestion:
        """With what a person has to know where a line of this screen's list, or the workflow that is done here, was
        begun and not finished, or the run was here before and nothing says what comes now."""
        line, begun = self.at.place.unfinished, self.at.place.begun == suggestion.edge.edge_id
        doubts = [say("turn.line_unfinished", line=line)] if line else []
        doubts += [say("turn.call_unfinished", name=suggestion.edge.params.get("name", ""))] if begun else []
        before = self.visits.doubt(suggestion.edge, self.at.place, self.stages.variables)
        doubts += [before] if before and self.stages.knows_ways else []
        return replace(suggestion, doubt=by_sentence([*doubts, suggestion.doubt])) if doubts else suggestion

    def _way(self, node_id: str) -> Way:
        """Which of the screen's steps: not what was rejected or skipped, or was done and led back to it."""
        if not self.stages.knows_ways:
            return Way(edge=self.stages.next_edge(node_id, self.at.tried))
        place, behind = self.at.place, self.at.tried | self.at.place.done_here | self.proofs.behind(node_id)
        behind |= self.visits.passed_over(node_id, place, behind)
        way = next_way(self.graph, place.rounds, node_id, values=self._values(), behind=behind, ended=self.at.ended)
        others = {e.edge_id for e in self.graph.outgoing(node_id)} - {way.edge.edge_id if way.edge else ""}
        return replace(way, edge=self.stages.next_edge(node_id, others))

    def _missing(self, edge: EdgeSpec) -> str:
        """That an action says a value which the run has not come to, in a sentence; "" where it has all of them."""
        own = names(edge.params) & self.graph.outputs.keys() - self.stages.variables.keys()
        return say("ways.no_value", name=self.graph.label_of(min(own))) if own else ""

    def _look_again(self, suggestion: Suggestion, state: ScreenState) -> bool:
        """A target that is not there yet may still be drawn: look a few times before asking about it."""
        if suggestion.resolution.status in (ResolveStatus.FOUND, ResolveStatus.NOT_NEEDED):
            return False
        if self.stages.eyes.is_to_be_whole(state):
            return True
        self.at.looks += 1
        looks = min(1, suggestion.edge.retries) if worth_scrolling(suggestion, state) else suggestion.edge.retries
        if self.at.looks > looks:
            self.at.looks = 0
            return False
        self.hold.leave.wait(suggestion.edge.retry_backoff_ms / 1000)
        return True
