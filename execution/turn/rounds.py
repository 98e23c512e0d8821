"""Rounds of a repetition: which line of a list a run is at, told from the steps that are behind it (S6.13).

Values in, values out: a run that is gone on with after a crash comes to the same line from the same steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workflows.graph import EdgeSpec, GraphSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """Round `number` of the list on the screen `node_id`, begun by the action `edge_id`.

    Its line stood at place `line` of the list when the round began: where lines that are done leave the list, the next
    one moves up. `steps` are the other actions of that screen which belong to it, `done` those that are behind this
    round.
    """

    edge_id: str
    node_id: str
    number: int
    line: int
    steps: frozenset[str] = frozenset()
    done: frozenset[str] = frozenset()

    def holds(self, edge_id: str) -> bool:
        """Whether that action is one of its rounds."""
        return edge_id == self.edge_id or edge_id in self.steps


Rounds = tuple[Round, ...]  # those within another one behind it


def after(rounds: Rounds, edge: EdgeSpec, *, done: bool, line: int = 0) -> Rounds:
    """The rounds once an action is behind the run, done or skipped; of one that begins a round, for that `line`.

    A round that begins ends those within the one before it; what leads on from the list's screen ends its own.
    """
    at = _at(rounds, edge.source)
    if edge.repeat is not None:
        before = rounds[at] if at is not None and rounds[at].edge_id == edge.edge_id else None
        steps = frozenset(edge.repeat.steps)
        begun = Round(
            edge_id=edge.edge_id,
            node_id=edge.source,
            number=before.number + 1 if before else 1,
            line=line or (before.line + 1 if before else 1),
            steps=steps,
            done=frozenset() if done else steps,  # a line that is skipped is skipped whole
        )
        return (*rounds[: len(rounds) if at is None else at], begun)
    if at is None:
        return rounds
    mine = rounds[at]
    if mine.holds(edge.edge_id):
        return (*rounds[:at], replace(mine, done=mine.done | {edge.edge_id}), *rounds[at + 1 :])
    return rounds if edge.destination == edge.source else rounds[:at]


def round_at(rounds: Rounds, node_id: str) -> Round | None:
    """The round of the list on that screen, if one has begun."""
    at = _at(rounds, node_id)
    return None if at is None else rounds[at]


def counted(graph: GraphSpec, rounds: Rounds, about: EdgeSpec | None = None, *, line: int = 0) -> dict[str, str]:
    """What a graph's counters say: the line of the present round, from 1; for `about`, which begins one, the next, or
    that `line`."""
    lines = {r.edge_id: r.line for r in rounds}
    if about is not None:
        lines[about.edge_id] = line or lines.get(about.edge_id, 0) + 1
    return {edge.repeat.counter: str(max(1, lines.get(edge.edge_id, 0))) for edge in graph.edges if edge.repeat}


def _at(rounds: Sequence[Round], node_id: str) -> int | None:
    return next((i for i in reversed(range(len(rounds))) if rounds[i].node_id == node_id), None)


def edges_in_rounds(graph: GraphSpec) -> frozenset[str]:
    """The edges that are done for each line of a list: on its screen, and wherever a line leads from there."""
    found: set[str] = set()
    for first in (edge for edge in graph.edges if edge.repeat):
        assert first.repeat is not None
        found |= {first.edge_id, *first.repeat.steps}
        seen, left = {first.source}, list(first.leads_to)
        while left:
            node = left.pop()
            if node not in seen:
                seen.add(node)
                found |= {edge.edge_id for edge in graph.outgoing(node)}
                left += [to for edge in graph.outgoing(node) for to in edge.leads_to]
    return frozenset(found)
