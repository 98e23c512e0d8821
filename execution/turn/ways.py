"""Where a run stands in its graph, and which screens it may go on from: no leap (S1.22).

Values in, values out. A run that finds itself on a screen that it could not have come to has not done what lies
between: what would be passed over may be the very step that it was started for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from execution.turn.rounds import Rounds, after, round_at
from workflows.catalogue import effect_of
from workflows.choices import EffectClass
from workflows.graph import EdgeSpec, GraphSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Standpoint:
    """Where a run stands: on `last`, or, where `done` was done there, on its way to `expected`.

    `last` is None before the first screen; `expected` is then where it begins. `held` is where it stood before a common
    screen came: it goes on from there afterwards. `done_here` are the steps that were done on `last` and led back, but
    for those of a round: `rounds` are the lists whose lines are being done, the inner one last. `unfinished` is the
    line of the list on `last` in the middle of which a person put that screen there; 0 where there is none. `begun` is
    the edge of a workflow that was not done to its end, where a person put the run back before it. While another
    workflow is done inside, `back` is where the run stands once that is over.
    """

    last: str | None = None
    expected: str | None = None
    done: EdgeSpec | None = None
    held: Standpoint | None = None
    done_here: frozenset[str] = frozenset()
    rounds: Rounds = ()
    unfinished: int = 0
    begun: str = ""
    back: Standpoint | None = None

    def passed(self, edge: EdgeSpec, *, done: bool, by_person: bool = False, line: int = 0) -> Standpoint:
        """The edge is behind the run, done or skipped (for a `line` of its list): its destination comes next.

        Of one that does another workflow the first screen of that comes next, unless a person did all of it; and once
        that is over the run stands where it would if the edge were any other act. What a person did is proved as well.
        """
        if edge.enters and done and (edge.is_read_back or not by_person):
            back = self._passed(edge, done=True, line=line)
            return replace(self, expected=edge.enters[0], done=edge, rounds=back.rounds, unfinished=0, back=back)
        if edge.returns and self.back is not None:
            return self.back
        return self._passed(edge, done=done, line=line)

    def _passed(self, edge: EdgeSpec, *, done: bool, line: int) -> Standpoint:
        rounds = after(self.rounds, edge, done=done, line=line)
        back = done and edge.source == edge.destination == self.last
        once = back and not any(one.holds(edge.edge_id) for one in rounds)
        done_here = self.done_here | {edge.edge_id} if once else self.done_here
        return replace(
            self,
            expected=edge.destination,
            done=edge if done else None,
            done_here=done_here,
            rounds=rounds,
            unfinished=0,
            begun="",
        )

    def anew(self, node_id: str) -> Standpoint:
        """A person says that it is that screen: what was done before it is behind, what was done on it stays done."""
        done_here = self.done_here if node_id == self.last else frozenset()
        return Standpoint(last=node_id, expected=node_id, done_here=done_here, rounds=self.rounds, back=self.back)

    @property
    def is_entering(self) -> bool:
        """Whether another workflow is about to begin."""
        return self.done is not None and self.expected in self.done.enters


class Behind(NamedTuple):
    """A step that lies behind a run: what came of it, and the line of a list that it was for, 0 where for none."""

    node_id: str
    edge_id: str
    done: bool = False
    by_person: bool = False
    skipped: bool = False
    line: int = 0


class Ways:
    """The ways of one graph. `is_open` says whether an action's conditions hold now: a way that is not open leads
    nowhere."""

    def __init__(self, graph: GraphSpec, is_open: Callable[[EdgeSpec], bool] = lambda edge: True) -> None:
        self.graph, self.is_open = graph, is_open
        self._common = frozenset(node.node_id for node in graph.nodes if node.is_common)
        self._edges = {edge.edge_id: edge for edge in graph.edges}
        self._scopes = {node.node_id: node.scope for node in graph.nodes}

    def arrive(self, place: Standpoint, node_id: str) -> Standpoint:
        """Where the run stands once `node_id` is seen."""
        if node_id == place.last:
            return place
        if self._scope(place) != self._scopes.get(node_id, ""):
            return self._elsewhere(place, node_id)
        if node_id in self._common:
            held = place.held if place.last in self._common else place
            return Standpoint(last=node_id, expected=node_id, held=held, rounds=place.rounds, back=place.back)
        if place.held is not None and node_id == place.held.last:
            return place.held
        return Standpoint(last=node_id, expected=node_id, rounds=place.rounds, back=place.back)

    def _scope(self, place: Standpoint) -> str:
        """The call whose workflow the run is in; the screen where it begins is one of its own."""
        at = place.expected if place.is_entering else place.last or place.expected
        return self._scopes.get(at or "", "")

    def _elsewhere(self, place: Standpoint, node_id: str) -> Standpoint:
        """Where the run stands once a person put it on a screen of another workflow than the one that it is in.

        Out of a workflow that was not done to its end the run is back before it: that it was begun is not forgotten.
        """
        over = node_id in self._within(self._roots(replace(place, last=place.expected)), _only_looks)
        at = place.back
        while at is not None and self._scope(at) != self._scopes.get(node_id, ""):
            at = at.back
        if at is None:
            return Standpoint(last=node_id, expected=node_id, rounds=place.rounds)
        call = at.done.edge_id if at.done and not over else ""
        here = at.done_here - {call} if node_id == at.last else frozenset()
        there = Standpoint(last=node_id, expected=node_id, done_here=here, rounds=at.rounds, back=at.back)
        return replace(there, begun=call)

    def put(self, place: Standpoint, node_id: str, *, anew: bool) -> Standpoint:
        """Where the run stands once `node_id` is seen and a person had the desktop, or says that it is that screen.

        `anew`: the run could not have come there by itself, or a person says so.
        """
        inside = self._scope(place) == self._scopes.get(node_id, "")
        there = place.anew(node_id) if anew and inside else self.arrive(place, node_id)
        return replace(there, unfinished=self._unfinished(place, node_id))

    def _unfinished(self, place: Standpoint, node_id: str) -> int:
        """The line of the list on that screen that is begun, and whose last step does not lead back there; 0 if none.

        What only looks may lie between: a wait for the list has nothing to do once it is seen.
        """
        present = round_at(place.rounds, node_id)
        if present is None:
            return 0
        stood = place.held if place.held is not None and place.last in self._common else place
        if stood.last == node_id and stood.done is None:
            return stood.unfinished
        outcomes = self._roots(replace(stood, last=stood.expected))
        return 0 if node_id in self._within(outcomes, _only_looks) else present.line

    def may_go_on(self, place: Standpoint, node_id: str) -> bool:
        """Whether the run may go on from that screen without anybody's word."""
        roots = self._roots(place)
        if not roots or node_id in self._common or node_id in self._within(roots):
            return True
        return place.held is not None and self.may_go_on(place.held, node_id)

    def between(self, place: Standpoint, node_id: str) -> tuple[EdgeSpec, ...]:
        """What would be passed over: the shortest way to that screen; empty where none leads there."""
        roots = self._roots(place.held or place)
        came_by: dict[str, EdgeSpec | None] = dict.fromkeys(sorted(roots))
        todo = list(came_by)
        while todo and node_id not in came_by:
            here = todo.pop(0)
            for edge in self.graph.outgoing(here):
                if edge.destination not in came_by:
                    came_by[edge.destination] = edge
                    todo.append(edge.destination)
        way: list[EdgeSpec] = []
        while (last := came_by.get(node_id)) is not None:
            way.insert(0, last)
            node_id = last.source
        return tuple(way)

    def replay(self, place: Standpoint, steps: Iterable[Behind]) -> Standpoint:
        """Where steps led."""
        for step in steps:
            place = self.found(place, step.node_id)
            edge = self._edges.get(step.edge_id)
            if edge is not None and (step.done or step.skipped):
                place = place.passed(edge, done=step.done, by_person=step.by_person, line=step.line)
        return place

    def found(self, place: Standpoint, node_id: str) -> Standpoint:
        """As `arrive`, where nobody remembers whether a person put that screen there: told by what could lead there.

        How a condition stood then is not known either, so no way with one counts.
        """
        unconditional = Ways(self.graph, lambda edge: not edge.condition)
        if unconditional.may_go_on(place, node_id):
            return unconditional.arrive(place, node_id)
        return replace(unconditional.arrive(place, node_id), unfinished=unconditional._unfinished(place, node_id))

    def _roots(self, place: Standpoint) -> frozenset[str]:
        """The screens that the run stands on or is on its way to."""
        if place.last is None:
            entries = frozenset(self.graph.entry_nodes)
            return frozenset({place.expected}) if place.expected and place.expected not in entries else entries
        done = place.done
        if done is not None and place.is_entering:
            return frozenset({place.last, *done.enters})
        if place.expected == "":
            return frozenset()  # a program's own action, of which it alone knows where it leads
        alike = [e for e in self.graph.outgoing(done.source) if same_act(e, done)] if done else []
        outcomes = [e.destination for e in alike if self.is_open(e)]
        return frozenset({place.last, place.expected or place.last, *outcomes})

    def _within(self, roots: Collection[str], passes: Callable[[EdgeSpec], bool] | None = None) -> frozenset[str]:
        """The roots, and what is reached from them over steps that need not be done, or that `passes` says."""
        passes = passes or _need_not_be_done
        seen, todo = set(roots), list(roots)
        while todo:
            for edge in self.graph.outgoing(todo.pop()):
                if edge.destination not in seen and passes(edge) and self.is_open(edge):
                    seen.add(edge.destination)
                    todo.append(edge.destination)
        return frozenset(seen)


def _need_not_be_done(edge: EdgeSpec) -> bool:
    return edge.optional or _only_looks(edge)


def _only_looks(edge: EdgeSpec) -> bool:
    return effect_of(edge) is EffectClass.READ and not edge.enters  # what it enters does more


def same_act(one: EdgeSpec, other: EdgeSpec) -> bool:
    """Whether two edges are one act that may end on one screen or on another."""
    acts = [(e.action_type, dict(e.params), e.target.target_id if e.target else "") for e in (one, other)]
    return acts[0] == acts[1]
