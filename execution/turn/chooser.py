"""What a run does next on the screen that it is on: the way that is open, and of a list the line that follows."""

from __future__ import annotations

from dataclasses import replace

from execution.record.journal import Journal
from execution.turn.choosing import Way, next_way
from execution.turn.holding import Hold
from execution.turn.lists import Lists
from execution.turn.pausing import Pauses
from execution.turn.position import Position
from execution.turn.rounds import counted
from execution.turn.seeking import worth_scrolling
from execution.turn.stages import Stages
from execution.types import ResolveStatus, ScreenState, Suggestion
from workflows.graph import EdgeSpec


class Chooser:
    def __init__(self, journal: Journal, stages: Stages, hold: Hold, at: Position, pauses: Pauses) -> None:
        self.graph, self.stages, self.hold, self.at, self.pauses = journal.graph, stages, hold, at, pauses
        self.lists = Lists(journal, stages, hold)

    def count(self, about: EdgeSpec | None = None) -> None:
        """Tell the stages which lines of lists the run is at; `about`: an action that may begin the next one."""
        self.stages.count(counted(self.graph, self.at.place.rounds, about))

    def next(self, node_id: str, state: ScreenState, *, watching: bool) -> Suggestion | None:
        """What comes next on that screen; None where the turn ends without it. Raises Stopped, LeaseLost, DesktopLost.

        `watching`: the run does nothing by itself.
        """
        while True:
            way = self._way(node_id)
            if way.edge is None:
                self.pauses.no_way(way, state)
                return None
            if not self.lists.says_over(way.edge, state):
                self.count(way.edge)
                suggestion = self.stages.suggest(way.edge, node_id, state)
                if self._look_again(suggestion):
                    return None
                if not suggestion.line:
                    return suggestion
                for_line = self.lists.judged(suggestion, state, may_scroll=not watching)
                if for_line is not None:
                    return for_line
            self.at.ended.add(way.edge.edge_id)
            self.count()

    def _way(self, node_id: str) -> Way:
        """Which of the screen's steps: not what was rejected or skipped, or was done and led back to it."""
        if not self.stages.knows_ways:
            return Way(edge=self.stages.next_edge(node_id, self.at.tried))
        place, values = self.at.place, self.stages.variables
        behind = self.at.tried | place.done_here
        way = next_way(self.graph, place.rounds, node_id, values=values, behind=behind, ended=self.at.ended)
        others = {e.edge_id for e in self.graph.outgoing(node_id)} - {way.edge.edge_id if way.edge else ""}
        return replace(way, edge=self.stages.next_edge(node_id, others))

    def _look_again(self, suggestion: Suggestion) -> bool:
        """A target that is not there yet may still be drawn: look a few times before asking about it."""
        if suggestion.resolution.status in (ResolveStatus.FOUND, ResolveStatus.NOT_NEEDED):
            return False
        self.at.looks += 1
        looks = min(1, suggestion.edge.retries) if worth_scrolling(suggestion) else suggestion.edge.retries
        if self.at.looks > looks:
            self.at.looks = 0
            return False
        self.hold.leave.wait(suggestion.edge.retry_backoff_ms / 1000)
        return True
