"""From editable rows to the frozen graph that is checked, published and run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.graph import (
    EdgeSpec,
    ExpectSpec,
    GraphSpec,
    NeighbourSpec,
    NodeSpec,
    NormBox,
    NormPoint,
    TargetSpec,
    VariableSpec,
)
from workflows.models import Edge, Node, Target, Variable, Workflow

FLAGS = ("enable_ui_detection", "enable_ocr", "analyze_timeout_ms", "window_info_provider", "masks")


def graph_of(workflow: Workflow) -> GraphSpec:
    """The workflow as it stands in the database now; unfinished and wrong parts included, for validation to name."""
    return GraphSpec(
        workflow_id=workflow.workflow_id,
        name=workflow.name,
        learning_state=workflow.learning_state,
        nodes=tuple(node_spec(n) for n in workflow.nodes.select_related("reference")),
        edges=tuple(
            edge_spec(e)
            for e in workflow.edges.select_related("source", "destination", "target__picture", "target__context")
        ),
        variables=tuple(variable_spec(v) for v in workflow.variables.all()),
        flags={name: value for name in FLAGS if (value := getattr(workflow, name)) not in (None, "", [])},
    )


def node_spec(node: Node) -> NodeSpec:
    return NodeSpec(
        node_id=node.node_id,
        name=node.name,
        texts=texts_in(node.texts),
        absent=texts_in(node.absent),
        window_title=node.window_title,
        app_name=node.app_name,
        picture=node.reference.digest if node.reference else "",
        is_entry=node.is_entry,
        is_end=node.is_end,
    )


def edge_spec(edge: Edge) -> EdgeSpec:
    return EdgeSpec(
        edge_id=edge.edge_id,
        source=edge.source.node_id,
        destination=edge.destination.node_id,
        action_type=edge.action_type,
        params=_mapping(edge.params),
        target=target_spec(edge.target) if edge.target else None,
        expect=expect_spec(edge.expect),
        effect_class=edge.effect_class,
        retries=edge.retries,
        retry_backoff_ms=edge.retry_backoff_ms,
        settle_ms=edge.settle_ms,
        settle_timeout_ms=edge.settle_timeout_ms,
        order=edge.order,
    )


def expect_spec(expect: Any) -> ExpectSpec:
    data = _mapping(expect)
    return ExpectSpec(
        texts=texts_in(data.get("texts")),
        gone=texts_in(data.get("gone")),
        window_title=str(data.get("window_title") or ""),
    )


def target_spec(target: Target) -> TargetSpec:
    """The columns, and from `evidence` what has no column; evidence that is not of its form is left out."""
    evidence = _mapping(target.evidence)
    screen = _numbers(evidence.get("screen_size"), 2) or (0, 0)
    return TargetSpec(
        target_id=target.target_id,
        label=target.label,
        text=target.text,
        role=target.role,
        picture=target.picture.digest if target.picture else "",
        context=target.context.digest if target.context else "",
        context_box=_box(evidence.get("context_box")),
        box=_box(evidence.get("box")),
        window_box=_box(evidence.get("window_box")),
        window_title=str(evidence.get("window_title") or ""),
        screen_size=(int(screen[0]), int(screen[1])),
        click=_point(evidence.get("click")) or (0.5, 0.5),
        neighbours=_neighbours(evidence.get("neighbours")),
    )


def target_columns(spec: TargetSpec) -> dict[str, Any]:
    """The other way: the columns and `evidence` of a row that holds `spec`, pictures aside."""
    evidence: dict[str, Any] = {
        name: list(value) for name in ("context_box", "box", "window_box") if (value := getattr(spec, name)) is not None
    }
    if spec.window_title:
        evidence["window_title"] = spec.window_title
    evidence["screen_size"] = list(spec.screen_size)
    evidence["click"] = list(spec.click)
    evidence["neighbours"] = [{"text": n.text, "dx": n.dx, "dy": n.dy} for n in spec.neighbours]
    return {
        "target_id": spec.target_id,
        "label": spec.label,
        "text": spec.text,
        "role": spec.role,
        "evidence": evidence,
    }


def variable_spec(variable: Variable) -> VariableSpec:
    return VariableSpec(
        name=variable.name,
        label=variable.label,
        kind=variable.kind,
        required=variable.required,
        default=variable.default,
        example=variable.example,
    )


def texts_in(value: Any) -> tuple[str, ...]:
    """The texts of a JSON list; a lone text counts as a list of one, blank ones are dropped."""
    items = value if isinstance(value, list | tuple) else [value] if isinstance(value, str) else []
    return tuple(text for item in items if (text := str(item).strip()))


def _mapping(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _numbers(value: Any, count: int) -> tuple[float, ...] | None:
    if not isinstance(value, list | tuple) or len(value) != count:
        return None
    if not all(isinstance(v, int | float) and not isinstance(v, bool) for v in value):
        return None
    return tuple(float(v) for v in value)


def _box(value: Any) -> NormBox | None:
    n = _numbers(value, 4)
    return (n[0], n[1], n[2], n[3]) if n else None


def _point(value: Any) -> NormPoint | None:
    n = _numbers(value, 2)
    return (n[0], n[1]) if n else None


def _neighbours(value: Any) -> tuple[NeighbourSpec, ...]:
    items = value if isinstance(value, list | tuple) else ()
    return tuple(
        NeighbourSpec(text=str(item["text"]), dx=int(offset[0]), dy=int(offset[1]))
        for item in items
        if isinstance(item, Mapping) and item.get("text") and (offset := _numbers([item.get("dx"), item.get("dy")], 2))
    )
