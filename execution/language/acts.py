"""What an action does as data, so that it is worded in its reader's language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sentences.said import Said
from workflows import words
from workflows.graph import EdgeSpec, GraphSpec
from workflows.text import told

ACT = "act.done"


def values_of_act(edge: EdgeSpec, graph: GraphSpec | None, variables: Mapping[str, Any]) -> dict[str, Any]:
    """The action of an edge with the names of screens and the run's variables put in."""
    params = words.with_names(edge.params, graph) if graph else edge.params
    return {
        "action": edge.action_type,
        "params": {name: told(value, variables) if isinstance(value, str) else value for name, value in params.items()},
        "target": told(edge.target.label, variables) if edge.target else None,
        **inside(edge, graph),
    }


def inside(edge: EdgeSpec, graph: GraphSpec | None) -> dict[str, str]:
    """The workflow that the action is a step of, where it is done inside the run's own."""
    name = graph.inside(edge.source) if graph and not edge.returns else ""
    return {"inside": name} if name else {}


def say_act(edge: EdgeSpec, graph: GraphSpec, variables: Mapping[str, Any]) -> str:
    """What the action of an edge does: “Click “Save””."""
    return Said(ACT, values_of_act(edge, graph, variables))


def words_of_act(values: Mapping[str, Any]) -> str:
    """“Click “Save””, in the active language."""
    act = words.of_action(str(values.get("action", "")), values.get("params") or {}, label=values.get("target"))
    return f"{values['inside']}: {act}" if values.get("inside") else act
