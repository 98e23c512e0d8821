"""By which workflow a step is read back, as the teacher chooses it (S5.9); what is wrong with it the draft tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from execution.exceptions import BadEdit
from execution.models import Lesson
from workflows.called import Called, called_by
from workflows.calling import published
from workflows.catalogue import effect_of
from workflows.choices import EffectClass
from workflows.graph import EdgeSpec, GraphSpec
from workflows.models import Edge, Workflow
from workflows.specs import graph_of


def change_proof(lesson: Lesson, edge: Edge, wanted: Mapping[str, Any] | None) -> None:
    """The newest version of that workflow, or the one that is said, with those values; None: none any more.

    Of a variable that the workflow here has as well, its own is meant where nothing else is said.
    """
    if not wanted:
        edge.proof = {}
        return
    workflow_id = str(wanted.get("workflow") or "")
    number = int(wanted.get("version") or 0) or _newest(workflow_id)
    other = published(workflow_id, number)
    if other is None:
        raise BadEdit(_("There is no published workflow “%(name)s”.") % {"name": workflow_id})
    ours, given = graph_of(lesson.workflow).kinds, wanted.get("values")
    values = {v.name: "{{" + v.name + "}}" for v in other.asked if v.name in ours} if given is None else dict(given)
    values = {name: text.strip() for name, text in values.items() if text.strip()}
    edge.proof = {"workflow": workflow_id, "version": number, **({"values": values} if values else {})}


def change_effect(edge: Edge, *, changes_nothing: bool) -> None:
    """Whether the step merely leads somewhere, so that it may be done again, and in a proof."""
    edge.effect_class = EffectClass.READ if changes_nothing else EffectClass.UNDECLARED


def changes_nothing(edge: EdgeSpec) -> bool:
    return effect_of(edge) is EffectClass.READ


def with_names(graph: GraphSpec) -> GraphSpec:
    """Proofs by what people call the workflows that they are."""
    if not any(edge.proof for edge in graph.edges):
        return graph
    called = called_by(graph)
    return replace(graph, edges=tuple(_named(edge, called) for edge in graph.edges))


def _named(edge: EdgeSpec, called: Mapping[str, Called]) -> EdgeSpec:
    one = called.get(edge.edge_id)
    return replace(edge, proof=replace(edge.proof, name=one.name)) if edge.proof and one else edge


def proof_told(edge: EdgeSpec) -> dict[str, Any] | None:
    if edge.proof is None:
        return None
    proof = edge.proof
    return {"workflow": proof.workflow, "version": proof.version, "values": dict(proof.values)}


def _newest(workflow_id: str) -> int:
    workflow = Workflow.objects.filter(workflow_id=workflow_id).first()
    newest = workflow.versions.order_by("-number").first() if workflow else None
    return newest.number if newest else 0
