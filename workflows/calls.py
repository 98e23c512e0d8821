"""What edges say of other workflows: which one an edge does, or is proved by (S6.12, S5.9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workflows.graph import CALL, EdgeSpec, GraphSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What an edge does, or is proved by: version `number` of a workflow. `values` are texts of ours by the names of
    its variables, `outputs` names of ours by those of the values that it reads."""

    workflow_id: str
    number: int
    values: Mapping[str, str]
    outputs: Mapping[str, str]


def call_of(edge: EdgeSpec) -> Call | None:
    """What the edge says that it does, or is proved by; None where it does not say it in its form."""
    if edge.action_type != CALL and (proof := edge.proof):
        return Call(workflow_id=proof.workflow, number=proof.version, values=proof.values, outputs={})
    if edge.action_type != CALL:
        return None
    workflow_id, number = edge.params.get("workflow"), edge.params.get("version")
    values, outputs = (_texts(edge.params.get(name)) for name in ("values", "outputs"))
    whole = isinstance(number, int) and not isinstance(number, bool) and number > 0
    if not (isinstance(workflow_id, str) and workflow_id and whole) or values is None or outputs is None:
        return None
    return Call(workflow_id=workflow_id, number=int(number or 0), values=values, outputs=outputs)


def done_inside(graph: GraphSpec) -> frozenset[str]:
    """The ids of the workflows that the graph does inside or is proved by; of an expanded one at whatever depth."""
    return frozenset(call.workflow_id for edge in graph.calls if (call := call_of(edge)))


def _texts(value: Any) -> dict[str, str] | None:
    if value in (None, ""):
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(one, str) for pair in value.items() for one in pair):
        return None
    return dict(value)
