"""From a graph to editable rows: the way back from `specs`, for imports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, TypeVar

from django.db import models

from workflows.graph import (
    ConditionSpec,
    EdgeSpec,
    ExpectSpec,
    GraphSpec,
    NodeSpec,
    ProofSpec,
    RepeatSpec,
    TargetSpec,
    VariableSpec,
)
from workflows.models import Edge, Node, Picture, Target, Variable, Workflow
from workflows.specs import target_columns

Row = TypeVar("Row", bound=models.Model)


def saved(row: Row) -> Row:
    """The row, checked by its own rules first; raises ValidationError."""
    row.full_clean()
    row.save()
    return row


def write_graph(graph: GraphSpec, *, workflow: Workflow, pictures: Mapping[str, Picture]) -> None:
    """The rows of `graph` under a workflow that has none yet; `pictures` by digest. Call inside a transaction."""
    nodes = {n.node_id: saved(_node(n, workflow, pictures)) for n in graph.nodes}
    for n in graph.nodes:
        nodes[n.node_id].looks.set(pictures[digest] for digest in n.looks if digest in pictures)
    specs = {e.target.target_id: e.target for e in graph.edges if e.target}
    targets = {target_id: saved(_target(spec, workflow, pictures)) for target_id, spec in specs.items()}
    for edge in graph.edges:
        saved(_edge(edge, workflow, nodes, targets))
    for order, variable in enumerate(graph.variables):
        saved(_variable(variable, workflow, order))


def _node(spec: NodeSpec, workflow: Workflow, pictures: Mapping[str, Picture]) -> Node:
    return Node(
        workflow=workflow,
        node_id=spec.node_id,
        name=spec.name,
        texts=list(spec.texts),
        absent=list(spec.absent),
        window_title=spec.window_title,
        app_name=spec.app_name,
        reference=pictures.get(spec.picture),
        regions=[{"box": list(region.box), "kind": region.kind} for region in spec.regions],
        is_entry=spec.is_entry,
        is_end=spec.is_end,
        is_common=spec.is_common,
        exception=spec.exception,
    )


def _target(spec: TargetSpec, workflow: Workflow, pictures: Mapping[str, Picture]) -> Target:
    return Target(
        workflow=workflow,
        picture=pictures.get(spec.picture),
        context=pictures.get(spec.context),
        **target_columns(spec),
    )


def _expect(spec: ExpectSpec) -> dict[str, Any]:
    declared = {"texts": list(spec.texts), "gone": list(spec.gone), "window_title": spec.window_title}
    return {name: value for name, value in declared.items() if value}


def _plain(spec: ConditionSpec | RepeatSpec) -> dict[str, Any]:
    """As JSON has it: with lists."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(spec).items()}


def _proof(spec: ProofSpec) -> dict[str, Any]:
    """As it is drawn: what it is called is that of its workflow."""
    return {name: value for name, value in asdict(spec).items() if name != "name" and value}


def _edge(spec: EdgeSpec, workflow: Workflow, nodes: Mapping[str, Node], targets: Mapping[str, Target]) -> Edge:
    return Edge(
        workflow=workflow,
        edge_id=spec.edge_id,
        source=nodes[spec.source],
        destination=nodes[spec.destination],
        action_type=spec.action_type,
        params=dict(spec.params),
        target=targets[spec.target.target_id] if spec.target else None,
        before=_expect(spec.before),
        identity=[asdict(identity) for identity in spec.identity],
        expect=_expect(spec.expect),
        effect_class=spec.effect_class,
        optional=spec.optional,
        condition=[_plain(condition) for condition in spec.condition],
        repeat=_plain(spec.repeat) if spec.repeat else {},
        proof=_proof(spec.proof) if spec.proof else {},
        retries=spec.retries,
        retry_backoff_ms=spec.retry_backoff_ms,
        settle_ms=spec.settle_ms,
        settle_timeout_ms=spec.settle_timeout_ms,
        order=spec.order,
    )


def _variable(spec: VariableSpec, workflow: Workflow, order: int) -> Variable:
    return Variable(
        workflow=workflow,
        name=spec.name,
        label=spec.label,
        kind=spec.kind,
        required=spec.required,
        default=spec.default,
        example=spec.example,
        choices=list(spec.choices),
        order=order,
    )
