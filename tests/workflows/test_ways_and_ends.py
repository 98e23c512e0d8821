"""S1.22: optional steps, common screens, and what already being at the end means, from the drawing to the run."""

from __future__ import annotations

from typing import Any

import pytest

from tests.factories import EDGES, NODES, make_published, make_user, make_workflow
from workflows.bundle import export_bundle, import_bundle
from workflows.graph import GraphSpec
from workflows.specs import graph_of
from workflows.validation import problems

pytestmark = pytest.mark.django_db

LOGOUT = {"node_id": "logout", "name": "You will be logged out", "texts": ["Stay"], "is_common": True}
STAY = {
    "edge_id": "stay",
    "source": "logout",
    "destination": "empty_note",
    "action_type": "click",
    "target": {"target_id": "stay", "label": "Stay", "text": "Stay", "role": "button"},
    "expect": {"gone": ["Stay"]},
}
DRAWN: dict[str, Any] = {
    "nodes": [*NODES, LOGOUT],
    "edges": [{**EDGES[0], "optional": True}, *EDGES[1:], STAY],
    "already_at_end_is_fine": True,
}


def said(graph: GraphSpec) -> tuple[list[str], list[str], bool]:
    common = [n.node_id for n in graph.nodes if n.is_common]
    return common, [e.edge_id for e in graph.edges if e.optional], graph.already_at_end_is_fine


def test_they_travel_and_are_published() -> None:
    drawn = make_workflow(**DRAWN)
    taken = import_bundle(export_bundle(drawn), user=make_user("designer"), workflow_id="wf_taken")
    for graph in (graph_of(drawn), graph_of(taken), make_published(**DRAWN).spec()):
        assert said(graph) == (["logout"], ["type_patient"], True)


def test_a_version_from_before_has_none_of_them() -> None:
    graph = make_published().spec().to_json()
    for part in (*graph["nodes"], *graph["edges"], graph):
        for name in ("is_common", "optional", "already_at_end_is_fine"):
            part.pop(name, None)
    assert said(GraphSpec.from_json(graph)) == ([], [], False)


def test_no_action_needs_to_lead_to_a_common_screen() -> None:
    assert "unreachable" not in {p.code for p in problems(graph_of(make_workflow(**DRAWN)))}
