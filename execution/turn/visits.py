"""A screen that a run comes back to, of which several ways lead on and nothing says which comes now (S6.13).

That is taught by going back to a screen and doing something else there, or by a step in whose place another may come.
What was not done yet is likelier; but a person says so, as what was done would be done twice.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from execution.language.acts import say_act
from execution.record.journal import Journal
from execution.turn.ways import Standpoint, same_act
from sentences.said import listed, say
from workflows.graph import EdgeSpec


class Visits:
    def __init__(self, journal: Journal) -> None:
        self.journal, self.graph = journal, journal.graph

    def passed_over(self, node_id: str, place: Standpoint, behind: Collection[str]) -> frozenset[str]:
        """The ways that were done before, where another one is left."""
        ways = self._ways(node_id)
        done = {way.edge_id for way in ways if self._was_done(way, place)}
        left = {way.edge_id for way in ways} - done - set(behind)
        return frozenset(done if left else ())

    def doubt(self, edge: EdgeSpec, place: Standpoint, variables: Mapping[str, str]) -> str:
        """What a person has to know who decides on that way; "" where the run is there for the first time."""
        ways = self._ways(edge.source)
        if edge.edge_id not in {way.edge_id for way in ways}:
            return ""
        done = [say_act(way, self.graph, variables) for way in ways if self._was_done(way, place)]
        return say("turn.here_before", done=listed(done)) if done else ""

    def _ways(self, node_id: str) -> list[EdgeSpec]:
        """The steps of which one leads on in any case, where they are several acts. Of one act that ends on one screen
        or on another, and of a list's lines, something else says which."""
        edges = self.graph.outgoing(node_id)
        rounds = {i for e in edges if e.repeat for i in (e.edge_id, *e.repeat.steps)}
        ways = [
            e
            for e in edges
            if e.destination != node_id and not (e.condition or e.optional or e.returns) and e.edge_id not in rounds
        ]
        return ways if any(not same_act(ways[0], way) for way in ways[1:]) else []

    def _was_done(self, way: EdgeSpec, place: Standpoint) -> bool:
        """At an earlier visit; what was done now, and left the screen as it is, is no reason to do something else."""
        if place.done is not None and place.done.source == way.source and same_act(place.done, way):
            return False
        alike = [one.edge_id for one in self.graph.outgoing(way.source) if same_act(one, way)]
        return self.journal.any_done(alike)
