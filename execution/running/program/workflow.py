"""A workflow that only a program's own pipeline knows: its object read, and rows to record its runs by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from workflows.choices import LearningState
from workflows.graph import GraphSpec, NodeSpec
from workflows.models import Workflow, WorkflowVersion

BY_A_PROGRAM = "by a program"


def part(thing: Any, *names: str) -> Any:
    """The first of these that `thing` has, as a key or as an attribute; None where it has none."""
    for name in names:
        value = thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)
        if value is not None:
            return value
    return None


def edge_in(workflow: Any, edge_id: str) -> Any:
    """What the program's workflow object gives for an edge; None where it has no `get_edge`, or no such edge."""
    get_edge = getattr(workflow, "get_edge", None)
    return get_edge(edge_id) if callable(get_edge) else None


def learning_state(workflow: Any) -> str:
    """By its value, so that an enum of the program's own works; empty where it says none that is known."""
    stated = part(workflow, "learning_state")
    value = str(getattr(stated, "value", stated)).upper()
    return value if value in LearningState.values else ""


def keep_rows(workflow_id: str, loaded: Any) -> None:
    """Rows for the workflow as the program has it now. One that was taught here stays as it was published."""
    workflow = Workflow.objects.filter(workflow_id=workflow_id).first()
    latest = workflow.versions.order_by("-number").first() if workflow else None
    if workflow is not None and (latest is None or latest.note != BY_A_PROGRAM):
        return
    state = learning_state(loaded) or LearningState.OBSERVATION
    name = str(part(loaded, "name") or workflow_id)[:200]
    if workflow is None:
        workflow = Workflow.objects.create(workflow_id=workflow_id, name=name, learning_state=state)
    else:
        Workflow.objects.filter(pk=workflow.pk).update(name=name, learning_state=state)
    number = latest.number if latest else 0
    graph = GraphSpec(
        workflow_id=workflow_id, name=name, learning_state=state, version=number, nodes=_nodes(loaded)
    ).to_json()
    if latest is None or GraphSpec.from_json(latest.graph) != GraphSpec.from_json(graph):
        WorkflowVersion.objects.create(
            workflow=workflow, number=number + 1, graph={**graph, "version": number + 1}, note=BY_A_PROGRAM
        )


def _nodes(loaded: Any) -> tuple[NodeSpec, ...]:
    entries, ends = _ids(part(loaded, "entry_nodes")), _ids(part(loaded, "end_nodes"))
    return tuple(
        NodeSpec(node_id=n, name=n, is_entry=n in entries, is_end=n in ends) for n in dict.fromkeys([*entries, *ends])
    )


def _ids(nodes: Any) -> list[str]:
    """Ids, whether the program lists ids or nodes that have one."""
    if not isinstance(nodes, Iterable) or isinstance(nodes, str):
        return []
    return [node if isinstance(node, str) else str(part(node, "node_id", "id") or node) for node in nodes]
