"""The workflows that a drawn one does inside, as pages show them, and taking the newest version of one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from workflows.calls import call_of
from workflows.exceptions import InvalidWorkflow
from workflows.graph import CALL, GraphSpec
from workflows.models import Edge, Workflow


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """What an edge does, or is proved by: version `number` of a workflow; `newest` is the last that is published."""

    workflow_id: str
    name: str
    number: int
    newest: int

    @property
    def is_old(self) -> bool:
        return 0 < self.number < self.newest


def called_by(graph: GraphSpec) -> Mapping[str, Called]:
    """By the ids of the edges; those whose workflow is not here are left out."""
    calls = {edge.edge_id: call for edge in graph.calls if (call := call_of(edge))}
    ids = {call.workflow_id for call in calls.values()}
    rows = {row.workflow_id: row for row in Workflow.objects.filter(workflow_id__in=ids).with_latest_version()}
    return {
        edge_id: Called(
            workflow_id=call.workflow_id,
            name=rows[call.workflow_id].name,
            number=call.number,
            newest=getattr(rows[call.workflow_id], "latest_number", None) or 0,
        )
        for edge_id, call in calls.items()
        if call.workflow_id in rows
    }


def take_newest(workflow: Workflow, edge_id: str) -> int:
    """Lets the draft do the newest version of what that edge does, or is proved by. Raises InvalidWorkflow where there
    is none."""
    edge = Edge.objects.filter(workflow=workflow, edge_id=edge_id).first()
    told = "params" if edge is not None and edge.action_type == CALL else "proof"
    said = dict(getattr(edge, told)) if edge is not None else {}
    call = Workflow.objects.filter(workflow_id=said.get("workflow")).first()
    latest = call.versions.order_by("-number").first() if call else None
    if edge is None or latest is None:
        raise InvalidWorkflow(_("There is no newer version to take."))
    setattr(edge, told, {**said, "version": latest.number})
    edge.save(update_fields=[told])
    return int(latest.number)
