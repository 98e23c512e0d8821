"""Which of a screen's actions comes next: in their order, by their conditions, and by the rounds of a list (S6.13).

Values in, an answer out. Of actions that lead on from a screen, one with conditions and those that follow it are ways:
the first that holds is taken and no other, the one without a condition being for all other cases.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from execution.turn.rounds import Rounds, round_at
from sentences.said import told_by
from workflows.conditions import CannotTell, holds
from workflows.graph import EdgeSpec, GraphSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """The next action, or why there is none: `unsure` says why it cannot be told, `unmet` are ways that are shut."""

    edge: EdgeSpec | None = None
    unsure: str = ""
    unmet: tuple[EdgeSpec, ...] = ()


def next_way(
    graph: GraphSpec,
    rounds: Rounds,
    node_id: str,
    *,
    values: Mapping[str, Any],
    behind: Collection[str] = (),
    ended: Collection[str] = (),
) -> Way:
    """What comes next on a screen. `behind` are actions that do not come, `ended` repetitions without another line."""
    edges = graph.outgoing(node_id)
    first = next((e for e in edges if e.repeat), None)
    if first is None or first.repeat is None:
        return _first(edges, graph, values, behind)
    own = [e for e in edges if e.edge_id in first.repeat.steps]
    present = round_at(rounds, node_id)
    if present is not None:
        way = _first(own, graph, values, {*behind, *present.done})
        if way.edge or way.unsure:
            return way
        edges = edges[edges.index(first) :]  # what comes before a list is done once, before its first line
    left_out = {*behind, *(e.edge_id for e in own)} | ({first.edge_id} & set(ended))
    return _first(edges, graph, values, left_out)


def _first(edges: Iterable[EdgeSpec], graph: GraphSpec, values: Mapping[str, Any], behind: Collection[str]) -> Way:
    """The first that is not behind and whose conditions hold; none of the other ways where one of them is behind."""
    unmet: list[EdgeSpec] = []
    decided = refused = False
    for edge in edges:
        leads_on = edge.destination != edge.source
        if decided and leads_on:
            continue
        try:
            open_now = holds(edge.condition, values, graph)
        except CannotTell as error:
            if edge.edge_id in behind:
                continue
            return Way(unsure=told_by(error))
        if not open_now:
            if leads_on and edge.edge_id not in behind:
                unmet.append(edge)
            continue
        decided = decided or (leads_on and bool(edge.condition))
        if edge.edge_id not in behind:
            return Way(edge=edge)
        refused = refused or leads_on
    return Way(unmet=() if refused else tuple(unmet))
