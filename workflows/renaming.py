"""The parts of a graph under other names: what one workflow brings into another, so that neither means the other's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar

from workflows.graph import CALL, EdgeSpec, GraphSpec, NodeSpec, PopupSpec, VariableSpec
from workflows.text import VARIABLE

T = TypeVar("T")
BETWEEN = "/"  # what no id that people give can hold


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """How a graph's names are told inside another one: ids behind `scope`, values as `values` says. What people call
    its screens and dialogs stays."""

    scope: str
    values: Mapping[str, str]

    def id(self, own: str) -> str:
        return f"{self.scope}{BETWEEN}{own}" if own else self.scope

    def value(self, own: str) -> str:
        return self.values.get(own, own)

    def text(self, own: str) -> str:
        """A text with its {{variables}} under their new names."""
        return VARIABLE.sub(lambda m: f"{{{{{self.value(m[1])}}}}}", own)


def renamed(graph: GraphSpec, names: Names) -> GraphSpec:
    """The graph with all its ids and values under their new names; screens and dialogs get the scope."""
    nodes = {node.node_id for node in graph.nodes}
    return replace(
        graph,
        nodes=tuple(_node(node, names) for node in graph.nodes),
        edges=tuple(_edge(edge, names, nodes) for edge in graph.edges),
        variables=tuple(_variable(variable, names) for variable in graph.variables),
        popups=tuple(_popup(popup, names) for popup in graph.popups),
    )


def in_texts(value: T, change: Callable[[str], str]) -> T:
    """`value` with each text in it changed, however deep it lies; the keys of mappings stay."""
    changed: Any = value
    if isinstance(value, str):
        changed = change(value)
    elif isinstance(value, Mapping):
        changed = {key: in_texts(one, change) for key, one in value.items()}
    elif isinstance(value, list | tuple):
        changed = type(value)(in_texts(one, change) for one in value)
    elif is_dataclass(value) and not isinstance(value, type):
        changed = replace(value, **{f.name: in_texts(getattr(value, f.name), change) for f in fields(value)})
    return changed  # type: ignore[no-any-return]


def _node(node: NodeSpec, names: Names) -> NodeSpec:
    return replace(in_texts(node, names.text), node_id=names.id(node.node_id), scope=names.id(node.scope))


def _popup(popup: PopupSpec, names: Names) -> PopupSpec:
    return replace(in_texts(popup, names.text), scope=names.id(popup.scope))


def _variable(variable: VariableSpec, names: Names) -> VariableSpec:
    given = None if variable.given is None else names.text(variable.given)
    return replace(variable, name=names.value(variable.name), scope=names.id(variable.scope), given=given)


def _edge(edge: EdgeSpec, names: Names, nodes: set[str]) -> EdgeSpec:
    edge = in_texts(edge, names.text)
    repeat = edge.repeat and replace(
        edge.repeat,
        counter=names.value(edge.repeat.counter),
        steps=tuple(names.id(step) for step in edge.repeat.steps),
    )
    return replace(
        edge,
        edge_id=names.id(edge.edge_id),
        source=names.id(edge.source),
        destination=names.id(edge.destination),
        enters=tuple(names.id(node) for node in edge.enters),
        params=_params(edge, names, nodes),
        target=edge.target and replace(edge.target, target_id=names.id(edge.target.target_id)),
        condition=tuple(replace(one, value=names.value(one.value)) for one in edge.condition),
        repeat=repeat,
    )


def _params(edge: EdgeSpec, names: Names, nodes: set[str]) -> dict[str, Any]:
    """What the action names by itself: a value that it reads, a screen by its id, what a workflow in it brings."""
    params = dict(edge.params)
    if edge.action_type == "read_value" and isinstance(params.get("name"), str):
        params["name"] = names.value(params["name"])
    if edge.action_type in ("wait_node", "navigate"):
        params |= {key: names.id(params[key]) for key in ("node", "place") if params.get(key) in nodes}
    if edge.action_type == CALL and isinstance(params.get("outputs"), Mapping):
        params["outputs"] = {own: names.value(str(ours)) for own, ours in params["outputs"].items()}
    return params
