"""A graph with corrections laid over it: what a run goes by, while the published version stays as it is (S6.4, S6.17).

A corrected place is one more look of its target ("also this"), a corrected parameter stands in the place of the taught
one, a picked screen is one more look of its node. Each is laid over only what it was learned of: what was taught anew
since is not corrected by what was said of the old.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from execution.choices import CorrectionKind
from execution.learning.conditions import Conditions
from execution.learning.taught_as import taught_as
from workflows.graph import EdgeSpec, GraphSpec, NodeSpec, TargetSpec

MOST_LOOKS = 6  # of one target or node: each is looked for in every turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """One correction as a run goes by it. `key` is its name in the graph: the id of the look, for a target.

    `of` is what it was learned of: the target's id, the taught parameters, the node's id; `taught_as` as what that was
    taught then, "" where nobody kept it. `trusted_in` are the conditions that it is trusted under, None for any
    whatever; under all others it is on trial. `said` says where it is from.
    """

    key: str
    kind: CorrectionKind
    edge_id: str = ""
    node_id: str = ""
    of: Any = ""
    taught_as: str = ""
    target: TargetSpec | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    picture: str = ""
    gone: tuple[str, ...] = ()  # texts that the node is known by, and that this look of it does not say
    trusted_in: frozenset[Conditions | None] = frozenset()
    said: str = ""

    def is_trusted(self, here: Conditions) -> bool:
        """Whether nobody need be asked on a screen like that."""
        return not self.trusted_in.isdisjoint((None, here))


@dataclass(frozen=True, slots=True)
class Overlay:
    """`graph` is what a run goes by; `taught` are the corrections in it, by their keys."""

    graph: GraphSpec
    taught: Mapping[str, Taught] = field(default_factory=dict)

    def looks_of(self, node_id: str) -> tuple[Taught, ...]:
        """The further looks of a screen."""
        return tuple(one for one in self.taught.values() if one.kind == CorrectionKind.NODE and one.node_id == node_id)

    def params_of(self, edge: EdgeSpec) -> tuple[Taught, ...]:
        """The corrections that say the edge's parameters as they are."""
        rules = (one for one in self.taught.values() if one.kind == CorrectionKind.PARAMS)
        return tuple(
            rule
            for rule in rules
            if rule.edge_id == edge.edge_id and all(edge.params.get(n) == v for n, v in rule.params.items())
        )


def overlaid(graph: GraphSpec, corrections: Iterable[Taught]) -> Overlay:
    """The graph with those corrections over it, the first first; those that do not fit it are left out."""
    taught: dict[str, Taught] = {}
    by_edge: dict[str, list[Taught]] = {}
    by_node: dict[str, list[Taught]] = {}
    for one in (one for one in corrections if fits(graph, one)):
        if one.kind == CorrectionKind.NODE:
            by_node.setdefault(one.node_id, []).append(one)
        else:
            by_edge.setdefault(one.edge_id, []).append(one)
    if not (by_edge or by_node):
        return Overlay(graph)
    edges = tuple(_edge(edge, by_edge.get(edge.edge_id, ()), taught) for edge in graph.edges)
    nodes = tuple(_node(node, by_node.get(node.node_id, ()), taught) for node in graph.nodes)
    return Overlay(replace(graph, edges=edges, nodes=nodes), taught) if taught else Overlay(graph)


def fits(graph: GraphSpec, one: Taught) -> bool:
    """Whether what it was learned of is taught in that graph as it was then. Where nobody knows that, it is not."""
    now = taught_as(one.kind, graph, edge_id=one.edge_id, node_id=one.node_id)
    return bool(now) and one.taught_as == now


def _edge(edge: EdgeSpec, corrections: Sequence[Taught], taught: dict[str, Taught]) -> EdgeSpec:
    looks: list[TargetSpec] = []
    for one in corrections:
        if one.kind == CorrectionKind.TARGET and one.target is not None and edge.target is not None:
            if edge.target.target_id == one.of and len(looks) < MOST_LOOKS:
                looks.append(replace(one.target, target_id=one.key, label=edge.target.label))
                taught[one.key] = one
        elif one.kind == CorrectionKind.PARAMS and one.of and all(edge.params.get(n) == v for n, v in one.of.items()):
            edge = replace(edge, params={**edge.params, **one.params})
            taught[one.key] = one
    if looks and edge.target is not None:
        edge = replace(edge, target=replace(edge.target, also=(*edge.target.also, *looks)))
    return edge


def _node(node: NodeSpec, corrections: Sequence[Taught], taught: dict[str, Taught]) -> NodeSpec:
    for one in corrections[:MOST_LOOKS]:
        if one.picture and one.picture not in (node.picture, *node.looks):
            texts = tuple(text for text in node.texts if text not in one.gone)
            if texts or not node.texts:
                node = replace(node, looks=(*node.looks, one.picture), texts=texts)
                taught[one.key] = one
    return node
