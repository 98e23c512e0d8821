"""From editable rows to the frozen graph that is checked, published and run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from workflows.graph import (
    ConditionSpec,
    EdgeSpec,
    ExpectSpec,
    GraphSpec,
    IdentitySpec,
    NeighbourSpec,
    NodeSpec,
    NormBox,
    NormPoint,
    PopupSpec,
    ProofSpec,
    RegionSpec,
    RepeatSpec,
    ShapeSpec,
    TargetSpec,
    VariableSpec,
    number_in,
    target_from_json,
)
from workflows.models import Edge, Node, Target, Variable, Workflow

FLAGS = ("enable_ui_detection", "enable_ocr", "analyze_timeout_ms", "window_info_provider", "masks", "mask_patterns")


def nodes_of(workflow: Workflow) -> list[Node]:
    """Its screens, with their pictures."""
    return list(workflow.nodes.select_related("reference").prefetch_related("looks"))


def graph_of(workflow: Workflow, nodes: Sequence[Node] | None = None) -> GraphSpec:
    """The workflow as it stands in the database now; unfinished and wrong parts included, for validation to name.

    `nodes` are its `nodes_of` where they were read a moment ago.
    """
    nodes = nodes_of(workflow) if nodes is None else nodes
    return GraphSpec(
        workflow_id=workflow.workflow_id,
        name=workflow.name,
        learning_state=workflow.learning_state,
        nodes=tuple(node_spec(n) for n in nodes),
        edges=tuple(edge_spec(e) for e in _between(nodes, workflow)),
        variables=tuple(variable_spec(v) for v in workflow.variables.all()),
        popups=popup_specs(workflow.popups),
        already_at_end_is_fine=workflow.already_at_end_is_fine,
        flags={name: value for name in FLAGS if (value := getattr(workflow, name)) not in (None, "", [])},
    )


def _between(nodes: Iterable[Node], workflow: Workflow) -> Iterator[Edge]:
    """The edges, their ends being those nodes: a join would read each node once more for each edge."""
    known = {node.pk: node for node in nodes}
    for edge in workflow.edges.select_related("target__picture", "target__context"):
        if edge.source_id in known and edge.destination_id in known:  # unless nodes were read a moment earlier
            edge.source, edge.destination = known[edge.source_id], known[edge.destination_id]
        yield edge


def node_spec(node: Node) -> NodeSpec:
    return NodeSpec(
        node_id=node.node_id,
        name=node.name,
        texts=texts_in(node.texts),
        absent=texts_in(node.absent),
        window_title=node.window_title,
        app_name=node.app_name,
        picture=node.reference.digest if node.reference else "",
        looks=tuple(sorted(look.digest for look in node.looks.all())),
        regions=_regions(node.regions),
        is_entry=node.is_entry,
        is_end=node.is_end,
        is_common=node.is_common,
        exception=node.exception,
        window_box=_box(node.window_box),
    )


def edge_spec(edge: Edge) -> EdgeSpec:
    return EdgeSpec(
        edge_id=edge.edge_id,
        source=edge.source.node_id,
        destination=edge.destination.node_id,
        action_type=edge.action_type,
        params=_mapping(edge.params),
        target=target_spec(edge.target) if edge.target else None,
        before=expect_spec(edge.before),
        identity=identity_specs(edge.identity),
        expect=expect_spec(edge.expect),
        effect_class=edge.effect_class,
        optional=edge.optional,
        condition=condition_specs(edge.condition),
        repeat=repeat_spec(edge.repeat),
        proof=proof_spec(edge.proof),
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


def identity_specs(value: Any) -> tuple[IdentitySpec, ...]:
    return tuple(
        IdentitySpec(value=str(item["value"]), label=str(item.get("label") or ""))
        for item in _list(value)
        if isinstance(item, Mapping) and item.get("value")
    )


def condition_specs(value: Any) -> tuple[ConditionSpec, ...]:
    return tuple(
        ConditionSpec(value=str(item.get("value") or ""), test=str(item.get("test") or ""), to=texts_in(item.get("to")))
        for item in _list(value)
        if isinstance(item, Mapping)
    )


def repeat_spec(value: Any) -> RepeatSpec | None:
    data = _mapping(value)
    if not data:
        return None
    return RepeatSpec(
        counter=str(data.get("counter") or ""),
        most=_count(data.get("most")),
        until=texts_in(data.get("until")),
        steps=texts_in(data.get("steps")),
    )


def proof_spec(value: Any) -> ProofSpec | None:
    data = _mapping(value)
    if not data:
        return None
    values = {str(name): str(text) for name, text in _mapping(data.get("values")).items()}
    return ProofSpec(workflow=str(data.get("workflow") or ""), version=_count(data.get("version")), values=values)


def popup_specs(value: Any) -> tuple[PopupSpec, ...]:
    return tuple(
        PopupSpec(
            name=str(item["name"]),
            texts=texts_in(item.get("texts")),
            **{name: str(item.get(name) or "") for name in ("window_title", "keys", "click")},
        )
        for item in _list(value)
        if isinstance(item, Mapping) and item.get("name")
    )


def target_spec(target: Target) -> TargetSpec:
    """The columns, and from `evidence` what has no column; evidence that is not of its form is left out."""
    evidence = _mapping(target.evidence)
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
        app_name=str(evidence.get("app_name") or ""),
        window_size=_size(evidence.get("window_size")),
        screen_size=_size(evidence.get("screen_size")),
        click=_point(evidence.get("click")) or (0.5, 0.5),
        neighbours=_neighbours(evidence.get("neighbours")),
        named_by=next(iter(_neighbours([evidence.get("named_by")])), None),
        row=texts_in(evidence.get("row")),
        shapes=_shapes(evidence.get("shapes")),
        number=number_in(evidence.get("number")),
        before_first=_count(evidence.get("before_first")),
        first_offset=_offset(evidence.get("first_offset")),
        next_offset=_offset(evidence.get("next_offset")),
        alike=_count(evidence.get("alike")),
        scroll_box=_box(evidence.get("scroll_box")),
        demonstrations=max(1, _count(evidence.get("demonstrations"))),
        needed=texts_in(evidence.get("needed")),
        also=_further_looks(evidence.get("also")),
    )


def target_columns(spec: TargetSpec) -> dict[str, Any]:
    """The other way: the columns and `evidence` of a row that holds `spec`, pictures aside."""
    columns = ("target_id", "label", "text", "role")
    plain: dict[str, Any] = asdict(spec)
    left_out = {*columns, "picture", "context"}
    empty = (None, "", (), (0, 0), 0)
    default = {field.name: field.default for field in fields(spec)}
    told = {name: value for name, value in plain.items() if value not in empty or value != default[name]}
    evidence = {name: value for name, value in told.items() if name not in left_out}
    return {**{name: plain[name] for name in columns}, "evidence": json.loads(json.dumps(evidence))}


def variable_spec(variable: Variable) -> VariableSpec:
    return VariableSpec(
        name=variable.name,
        label=variable.label,
        kind=variable.kind,
        required=variable.required,
        default=variable.default,
        example=variable.example,
        choices=texts_in(variable.choices),
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


def _size(value: Any) -> tuple[int, int]:
    n = _numbers(value, 2) or (0, 0)
    return int(n[0]), int(n[1])


def _further_looks(value: Any) -> tuple[TargetSpec, ...]:
    whole = [item for item in _list(value) if isinstance(item, Mapping) and item.get("target_id")]
    return tuple(target_from_json({"label": "", **item}) for item in whole)


def _offset(value: Any) -> tuple[int, int] | None:
    n = _numbers(value, 2)
    return (int(n[0]), int(n[1])) if n else None


def _count(value: Any) -> int:
    n = _numbers([value], 1)
    return max(0, int(n[0])) if n else 0


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _regions(value: Any) -> tuple[RegionSpec, ...]:
    return tuple(
        RegionSpec(box=box, kind=str(item["kind"]))
        for item in _list(value)
        if isinstance(item, Mapping) and item.get("kind") and (box := _box(item.get("box")))
    )


def _shapes(value: Any) -> tuple[ShapeSpec, ...]:
    names = ("dx", "dy", "w", "h")
    return tuple(
        ShapeSpec(role=str(item["role"]), **{name: int(n) for name, n in zip(names, numbers, strict=True)})
        for item in _list(value)
        if isinstance(item, Mapping) and item.get("role") and (numbers := _numbers([item.get(n) for n in names], 4))
    )


def _neighbours(value: Any) -> tuple[NeighbourSpec, ...]:
    return tuple(
        NeighbourSpec(text=str(item["text"]), dx=int(offset[0]), dy=int(offset[1]), others=texts_in(item.get("others")))
        for item in _list(value)
        if isinstance(item, Mapping) and item.get("text") and (offset := _numbers([item.get("dx"), item.get("dy")], 2))
    )
