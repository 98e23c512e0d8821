"""A graph as the pages show it: screens in the order a run meets them, actions in words, cytoscape's elements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from workflows.called import Called
from workflows.catalogue import ACTIONS, effect_of
from workflows.choices import EffectClass
from workflows.graph import CALL, EdgeSpec, GraphSpec, NeighbourSpec, NodeSpec
from workflows.validation import Problem
from workflows.words import closed_by, identity, known_by, params, sentence, when

EFFECT_EXPLAINED = {
    EffectClass.READ: gettext_lazy("Changes nothing, so it may be repeated."),
    EffectClass.IDEMPOTENT: gettext_lazy("Doing it twice comes to the same, so it may be repeated."),
    EffectClass.OBSERVABLE: gettext_lazy("Repeated only while the screen shows that it has not happened."),
    EffectClass.OPAQUE: gettext_lazy("Never repeated without a person."),
}
DIRECTIONS = (
    gettext_lazy("right of it"),
    gettext_lazy("below it"),
    gettext_lazy("left of it"),
    gettext_lazy("above it"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One edge, told in words."""

    edge: EdgeSpec
    sentence: str
    destination: NodeSpec | None
    effect: str
    params: tuple[tuple[str, str], ...]
    neighbours: tuple[str, ...]
    identity: tuple[str, ...]
    when: tuple[str, ...]
    problems: tuple[Problem, ...]
    called: Called | None = None

    @property
    def anchor(self) -> str:
        return f"edge-{self.edge.edge_id}"

    @property
    def severity(self) -> str:
        return worst(self.problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnScreen:
    node: NodeSpec
    number: int
    actions: tuple[Action, ...]
    problems: tuple[Problem, ...]

    @property
    def anchor(self) -> str:
        return f"node-{self.node.node_id}"

    @property
    def severity(self) -> str:
        return worst(self.problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnDialog:
    """A dialog that may come, told in words."""

    name: str
    known_by: str
    closed_by: str


def dialogs(graph: GraphSpec) -> tuple[DrawnDialog, ...]:
    return tuple(DrawnDialog(name=p.name, known_by=known_by(p), closed_by=closed_by(p)) for p in graph.popups)


def worst(problems: Iterable[Problem]) -> str:
    """“error” where one of them is, else “warning” where there is any, else empty."""
    return min((p.severity for p in problems), default="")  # “error” sorts before “warning”


def screens(
    graph: GraphSpec, problems: Iterable[Problem] = (), called: Mapping[str, Called] | None = None
) -> tuple[DrawnScreen, ...]:
    """The nodes as a run meets them from the entries on, those that no run meets last."""
    found: dict[tuple[str, str], list[Problem]] = {}
    for problem in problems:
        found.setdefault((problem.kind, problem.where), []).append(problem)
    return tuple(
        DrawnScreen(
            node=node,
            number=number,
            actions=tuple(_action(edge, graph, found, called or {}) for edge in graph.outgoing(node.node_id)),
            problems=tuple(found.get(("node", node.node_id), ())),
        )
        for number, node in enumerate(in_order(graph), 1)
    )


def in_order(graph: GraphSpec) -> tuple[NodeSpec, ...]:
    """Depth first from the entries, so that what follows each other stands together."""
    seen: dict[str, None] = {}
    todo = [n.node_id for n in reversed(graph.nodes) if n.is_entry]
    while todo:
        node_id = todo.pop()
        if node_id not in seen:
            seen[node_id] = None
            todo += [e.destination for e in reversed(graph.outgoing(node_id))]
    known = {n.node_id: n for n in graph.nodes}
    rest = [n.node_id for n in graph.nodes if n.node_id not in seen]
    return tuple(known[node_id] for node_id in (*seen, *rest) if node_id in known)


def _action(
    edge: EdgeSpec,
    graph: GraphSpec,
    found: Mapping[tuple[str, str], Sequence[Problem]],
    called: Mapping[str, Called],
) -> Action:
    problems = list(found.get(("edge", edge.edge_id), ()))
    if edge.target:
        problems += found.get(("target", edge.target.target_id), ())
    named = _named(edge, called)
    return Action(
        edge=edge,
        sentence=sentence(named, graph),
        destination=graph.node(edge.destination),
        effect="" if edge.action_type == CALL else effect(edge),
        params=params(edge),
        neighbours=tuple(neighbour(n) for n in edge.target.neighbours) if edge.target else (),
        identity=tuple(identity(spec) for spec in edge.identity),
        when=when(named, graph),
        problems=tuple(problems),
        called=called.get(edge.edge_id),
    )


def _named(edge: EdgeSpec, called: Mapping[str, Called]) -> EdgeSpec:
    """With the name of the workflow that it does, or is proved by."""
    one = called.get(edge.edge_id)
    if one and edge.proof:
        return replace(edge, proof=replace(edge.proof, name=one.name))
    return replace(edge, params={**edge.params, "name": one.name}) if one else edge


def effect(edge: EdgeSpec) -> str:
    """What repeating the action may do, in a sentence; empty for an action nobody knows."""
    if edge.action_type not in ACTIONS:
        return ""
    declared = edge.effect_class if edge.effect_class in EffectClass.values else ""
    return str(EFFECT_EXPLAINED[effect_of(replace(edge, effect_class=declared))])


def neighbour(spec: NeighbourSpec) -> str:
    """“Cancel”, 90 px left of it."""
    across = abs(spec.dx) >= abs(spec.dy)
    which = (0 if spec.dx >= 0 else 2) if across else (1 if spec.dy >= 0 else 3)
    distance = abs(spec.dx) if across else abs(spec.dy)
    return _("“%(text)s”, %(distance)d px %(direction)s") % {
        "text": " / ".join(spec.texts),
        "distance": distance,
        "direction": DIRECTIONS[which],
    }


def elements(graph: GraphSpec, called: Mapping[str, Called] | None = None) -> dict[str, Any]:
    """What the drawing in the browser is made of; an action that leads nowhere is left to the problems."""
    known = {n.node_id for n in graph.nodes}
    return {
        "nodes": [
            {
                "id": f"node-{n.node_id}",
                "label": n.name,
                "picture": reverse("picture", args=[n.picture]) if n.picture else "",
                "signs": " · ".join([*n.texts, *([n.window_title] if n.window_title else [])]),
                "entry": n.is_entry,
                "end": n.is_end,
            }
            for n in in_order(graph)
        ],
        "edges": [
            {
                "id": f"edge-{e.edge_id}",
                "source": f"node-{e.source}",
                "target": f"node-{e.destination}",
                "label": " · ".join((*when(_named(e, called or {}), graph), sentence(_named(e, called or {}), graph))),
            }
            for e in graph.edges
            if e.source in known and e.destination in known
        ],
    }
