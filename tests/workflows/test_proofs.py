"""S5.9: an action names the workflow that proves it; it is taken in frozen, and does nothing itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sentences.said import worded
from tests.factories import make_published, make_user, make_workflow
from workflows.actions.publish import digest_of, publish
from workflows.bundle import export_bundle, import_bundle
from workflows.called import called_by, take_newest
from workflows.calling import drawn, expanded, published
from workflows.exceptions import InvalidWorkflow
from workflows.graph import GraphSpec
from workflows.models import Edge, Workflow, WorkflowVersion
from workflows.specs import graph_of
from workflows.validation import problems
from workflows.words import when

pytestmark = pytest.mark.django_db


def node(node_id: str, **fields: Any) -> dict[str, Any]:
    return {"node_id": node_id, "name": node_id.title(), "texts": [f"Page {node_id}"], **fields}


def click(edge_id: str, source: str, destination: str, **fields: Any) -> dict[str, Any]:
    target = {"target_id": f"t_{edge_id}", "label": edge_id, "text": edge_id}
    made = {"edge_id": edge_id, "source": source, "destination": destination, "action_type": "click"}
    return {**made, "target": target, **fields}


def row(edge_id: str, at: str, text: str = "{{who}}", **fields: Any) -> dict[str, Any]:
    made = {"edge_id": edge_id, "source": at, "destination": at, "action_type": "must_see_row"}
    return {**made, "params": {"text": text}, **fields}


LOOK: dict[str, Any] = {
    "workflow_id": "look",
    "name": "Look in the list",
    "nodes": [node("saved", is_entry=True, is_end=True), node("list")],
    "edges": [
        click("open", "saved", "list", effect_class="read"),
        row("see", "list", order=1),
        click("back", "list", "saved", effect_class="read", order=2),
    ],
    "variables": [{"name": "who"}],
    "already_at_end_is_fine": True,
}
PROOF = {"workflow": "look", "version": 1, "values": {"who": "{{patient}}"}}


def saving(**fields: Any) -> Workflow:
    """Saves on a form; the proof of that begins where it leads."""
    given: dict[str, Any] = {
        "workflow_id": "saving",
        "name": "Saving",
        "nodes": [node("form", is_entry=True), node("saved"), node("end", is_end=True)],
        "edges": [click("save", "form", "saved", proof=PROOF), click("close", "saved", "end", order=1)],
        "variables": [{"name": "patient", "required": False}],
    }
    return make_workflow(**{**given, **fields})


def codes(workflow: Workflow) -> list[str]:
    return [problem.code for problem in problems(graph_of(workflow)) if problem.is_error]


def words_of(workflow: Workflow) -> str:
    return " ".join(problem.message for problem in problems(graph_of(workflow)))


def test_what_proves_it_comes_behind_the_act_and_leads_back_to_where_that_leads() -> None:
    make_published(**LOOK)
    graph = publish(workflow=saving(), user=None).spec()
    save = graph.edge("save")
    assert save is not None
    assert (save.enters, save.leads_to, save.destination) == (("save/saved",), ("saved",), "saved")
    assert (save.action_type, save.is_read_back, save.inner_name) == ("click", True, "Look in the list")
    inside = [(e.edge_id, e.source, e.destination) for e in graph.outgoing("save/saved")]
    assert inside == [("save/open", "save/saved", "save/list"), ("save/end/1", "save/saved", "saved")]
    assert [e.edge_id for e in graph.outgoing("save/list")] == ["save/see", "save/back"]
    given = {v.name: v.given for v in graph.variables if v.scope}
    assert list(given.values()) == ["{{patient}}"]


def test_what_is_drawn_is_what_was_drawn() -> None:
    make_published(**LOOK)
    graph = graph_of(saving())
    whole = expanded(graph, published)
    assert drawn(whole) == graph
    assert GraphSpec.from_json(json.loads(json.dumps(whole.to_json()))) == whole


def test_a_workflow_without_a_proof_is_the_version_that_it_was_before_there_were_any() -> None:
    workflow = saving(edges=[click("save", "form", "saved"), click("close", "saved", "end", order=1)])
    assert all("proof" not in edge for edge in graph_of(workflow).to_json()["edges"])
    version = publish(workflow=workflow, user=None)
    assert digest_of(version.spec()) == version.digest


def test_a_proof_that_does_something_is_refused_with_the_step_that_does_it() -> None:
    edges = [click("open", "saved", "list"), *LOOK["edges"][1:]]
    make_published(**{**LOOK, "edges": edges})
    workflow = saving()
    assert codes(workflow) == ["proof_does_something"]
    assert "Click “open”" in words_of(workflow)
    with pytest.raises(InvalidWorkflow):
        publish(workflow=workflow, user=None)


def test_going_to_a_place_by_sight_is_no_doing() -> None:
    goes = {"action_type": "navigate", "params": {"place": "List"}, "target": None, "effect_class": "undeclared"}
    make_published(**{**LOOK, "edges": [{**LOOK["edges"][0], **goes}, *LOOK["edges"][1:]]})
    assert codes(saving()) == []


def test_a_proof_that_holds_nothing_against_the_screen_is_refused() -> None:
    make_published(**{**LOOK, "edges": [LOOK["edges"][0], LOOK["edges"][2]], "variables": []})
    save, close = click("save", "form", "saved", proof={**PROOF, "values": {}}), click("close", "saved", "end", order=1)
    assert codes(saving(edges=[save, close])) == ["proof_without_reading"]


def test_a_proof_that_reads_the_same_for_every_record_is_warned_of() -> None:
    edges = [LOOK["edges"][0], row("see", "list", "Saved", order=1), LOOK["edges"][2]]
    make_published(**{**LOOK, "edges": edges, "variables": [{"name": "who", "required": False}]})
    [said] = [problem for problem in problems(graph_of(saving())) if problem.code == "proof_of_anything"]
    assert (said.where, said.field, said.is_error) == ("save", "proof", False)
    make_published(**{**LOOK, "workflow_id": "look2"})
    better = saving(workflow_id="other", edges=[click("save", "form", "saved", proof={**PROOF, "workflow": "look2"})])
    assert "proof_of_anything" not in [problem.code for problem in problems(graph_of(better))]


def test_one_that_is_not_there_leads_back_or_lacks_a_value_is_refused() -> None:
    make_published(**LOOK)
    save, close = click("save", "form", "saved"), click("close", "saved", "end", order=1)
    for proof, code in (
        ({**PROOF, "version": 7}, "unknown_call"),
        ({**PROOF, "workflow": "nobody"}, "unknown_call"),
        ({"workflow": "look", "version": 1}, "call_without_value"),
        ({**PROOF, "values": {"who": "{{patient}}", "ward": "x"}}, "call_unknown_variable"),
    ):
        workflow = saving(workflow_id="", edges=[{**save, "proof": proof}, close])
        assert code in codes(workflow)
        workflow.delete()


def test_a_secret_is_not_shown_to_a_proof() -> None:
    make_published(**LOOK)
    workflow = saving(variables=[{"name": "patient", "kind": "secret"}])
    assert "call_secret_shown" in codes(workflow)


def test_a_workflow_that_is_done_inside_is_proved_step_by_step() -> None:
    make_published(**LOOK)
    call = {**click("do", "form", "saved", proof=PROOF), "action_type": "call_workflow", "target": None}
    workflow = saving(edges=[{**call, "params": PROOF}])
    assert "proof_of_call" in codes(workflow)


def test_nothing_need_be_declared_of_an_act_that_is_read_back() -> None:
    make_published(**LOOK)
    warned = {p.where for p in problems(graph_of(saving())) if p.code == "nothing_expected"}
    assert warned == {"close"}


def test_its_file_holds_the_proof_and_another_machine_proves_by_it() -> None:
    make_published(**LOOK)
    workflow = saving()
    version = publish(workflow=workflow, user=None)
    data = export_bundle(workflow)
    WorkflowVersion.objects.all().delete()
    Workflow.objects.all().delete()
    imported = import_bundle(data, user=make_user("designer"))
    assert imported.edges.get(edge_id="save").proof == PROOF
    assert publish(workflow=imported, user=None).digest == version.digest


def test_it_is_told_with_the_step_and_its_newest_version_can_be_taken() -> None:
    inner = make_published(**LOOK).workflow
    workflow = saving()
    graph = graph_of(workflow)
    [edge] = [edge for edge in graph.edges if edge.proof]
    assert when(edge, graph) == (worded(when(edge, graph)[0]),) == ("then read back by “look”, version 1",)
    assert called_by(graph)["save"].name == "Look in the list"
    inner.edges.filter(edge_id="see").update(params={"text": "{{who}}\nWard 1"})
    publish(workflow=inner, user=None)
    assert take_newest(workflow, "save") == 2
    assert Edge.objects.get(workflow=workflow, edge_id="save").proof == {**PROOF, "version": 2}
