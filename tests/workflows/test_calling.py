"""S6.12: another workflow is done inside one. What it brings is the other's under names of its own, all of it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentences.said import worded
from tests.factories import make_published, make_user, make_workflow
from workflows.actions.publish import publish
from workflows.calling import drawn, expanded, published, with_given
from workflows.exceptions import InvalidWorkflow
from workflows.graph import (
    ConditionSpec,
    EdgeSpec,
    ExpectSpec,
    GraphSpec,
    IdentitySpec,
    NeighbourSpec,
    NodeSpec,
    PopupSpec,
    RepeatSpec,
    TargetSpec,
    VariableSpec,
)
from workflows.models import Workflow, WorkflowVersion
from workflows.specs import graph_of
from workflows.validation import problems

own = st.text("abc", min_size=1, max_size=3).map(lambda text: f"zz{text}")
texts = st.lists(own.map(lambda name: f"Mr {{{{ {name} }}}} – {{{{{name}}}}}") | st.just("Save"), max_size=3).map(tuple)
text = texts.map(" ".join)
beside = st.builds(NeighbourSpec, text=text, dx=st.just(1), dy=st.just(1), others=texts)
targets = st.builds(
    TargetSpec,
    target_id=own,
    label=text,
    text=text,
    row=texts,
    number=st.just(3) | own.map(lambda name: f"{{{{{name}}}}}"),
    named_by=st.none() | beside,
    neighbours=st.lists(beside, max_size=2).map(tuple),
)
expects = st.builds(ExpectSpec, texts=texts, gone=texts, window_title=text)
acts = (
    st.tuples(st.just("type_text"), st.builds(lambda t: {"text": t}, text))
    | st.tuples(st.just("read_value"), st.builds(lambda n, t: {"name": n, "label": t}, own, text))
    | st.tuples(st.just("wait_node"), st.builds(lambda n: {"node": n}, own))
    | st.tuples(st.just("navigate"), st.builds(lambda n: {"place": n}, own | text))
    | st.tuples(
        st.just("call_workflow"),
        st.builds(lambda n, t: {"workflow": "w", "version": 1, "values": {"a": t}, "outputs": {"b": n}}, own, text),
    )
)


@st.composite
def edges(draw: st.DrawFn) -> EdgeSpec:
    action, params = draw(acts)
    return EdgeSpec(
        edge_id=draw(own),
        source=draw(own),
        destination=draw(own),
        action_type=action,
        params=params,
        target=draw(st.none() | targets),
        before=draw(expects),
        expect=draw(expects),
        identity=(IdentitySpec(value=draw(text), label=draw(text)),),
        condition=(ConditionSpec(value=draw(own), test="equals", to=draw(texts)),),
        repeat=draw(st.none() | st.builds(RepeatSpec, counter=own, most=st.just(5), until=texts, steps=st.tuples(own))),
    )


@st.composite
def anything(draw: st.DrawFn) -> GraphSpec:
    """A graph all of whose names begin with zz. Each node and each value that it means is there."""
    lines = draw(st.lists(edges(), max_size=4))
    ids = {e.source for e in lines} | {e.destination for e in lines} | {"zzq"}
    ids |= {str(e.params[key]) for e in lines for key in ("node", "place") if str(e.params.get(key)).startswith("zz")}
    nodes = [
        NodeSpec(
            node_id=i, name="Screen", texts=draw(texts), absent=draw(texts), window_title=draw(text), is_entry=True
        )
        for i in sorted(ids)
    ]
    popups = [PopupSpec(name="Tip", texts=draw(texts), window_title=draw(text), click=draw(text))]
    graph = GraphSpec(workflow_id="w", name="Other", learning_state="", nodes=tuple(nodes), edges=tuple(lines))
    graph = replace(graph, popups=tuple(popups))
    used = set(re.findall(r"zz[abc]+", json.dumps(graph.to_json()))) - set(graph.kinds)
    return replace(graph, variables=tuple(VariableSpec(name=n, given=None) for n in sorted(used)))


@given(anything())
@pytest.mark.slow
def test_no_name_of_the_other_workflow_is_left(other: GraphSpec) -> None:
    edge = EdgeSpec(edge_id="E", source="a", destination="b", action_type="call_workflow", params=CALL)
    ours = GraphSpec(
        workflow_id="o",
        name="Ours",
        learning_state="",
        nodes=(NodeSpec(node_id="a", name="A"), NodeSpec(node_id="b", name="B")),
        edges=(edge,),
    )
    whole = expanded(ours, lambda workflow_id, number: other)
    inside = replace(whole, nodes=whole.nodes[2:], variables=tuple(replace(v, label="") for v in whole.variables))
    told = json.dumps(inside.to_json())
    assert not re.findall(r"(?<!E/)(?<!E__)(?<![a-z])zz[a-z]*", told)
    assert drawn(whole) == replace(ours, edges=(replace(edge, effect_class="undeclared"),))


CALL = {"workflow": "w", "version": 1}
PAGES = (
    {"node_id": "list", "name": "List", "texts": ["Records"], "is_entry": True},
    {"node_id": "found", "name": "Found", "texts": ["Total"]},
    {"node_id": "closed", "name": "Closed", "texts": ["Records", "Closed"], "is_end": True},
)
FIND: dict[str, Any] = {
    "workflow_id": "find",
    "name": "Find a record",
    "nodes": PAGES,
    "edges": (
        {
            "edge_id": "open",
            "source": "list",
            "destination": "found",
            "action_type": "click",
            "target": {"target_id": "row", "label": "{{patient}}", "text": "{{patient}}"},
            "condition": [{"value": "kind", "test": "equals", "to": ["A"]}],
        },
        {"edge_id": "any", "source": "list", "destination": "found", "action_type": "press_keys",
         "params": {"keys": "a"}},
        {
            "edge_id": "read",
            "source": "found",
            "destination": "found",
            "action_type": "read_value",
            "params": {"name": "total", "label": "Total", "kind": "number", "format": "us"},
        },
        {"edge_id": "close", "source": "found", "destination": "closed", "action_type": "press_keys",
         "params": {"keys": "escape"}, "expect": {"texts": ["Closed"]}},
    ),
    "variables": (
        {"name": "patient", "label": "Patient"},
        {"name": "kind", "choices": ["A", "B"], "default": "A"},
    ),
    "popups": [{"name": "Tip", "texts": ["Tip of the day"], "click": "Close"}],
    "masks": [[0, 0, 0.5, 0.1]],
}  # fmt: skip


def caller(**fields: Any) -> Workflow:
    params = {"workflow": "find", "version": 1, "values": {"patient": "{{who}}"}, "outputs": {"total": "sum"}}
    edges = fields.pop("edges", None) or (
        {"edge_id": "look_up", "source": "list", "destination": "list", "action_type": "call_workflow",
         "params": {**params, **fields.pop("params", {})}, "expect": {"texts": ["Closed"]}},
        {"edge_id": "done", "source": "list", "destination": "end", "action_type": "type_text",
         "params": {"text": "{{sum}}"}},
    )  # fmt: skip
    nodes = (PAGES[0], {"node_id": "end", "name": "End", "texts": ["Bye"], "is_end": True})
    variables = fields.pop("variables", ({"name": "who"},))
    made: Workflow = make_workflow(nodes=nodes, edges=edges, variables=variables, **fields)
    return made


def wrong(workflow: Workflow) -> dict[str, str]:
    return {p.code: p.message for p in problems(graph_of(workflow)) if p.is_error}


@pytest.fixture
def find(db: None) -> WorkflowVersion:
    return make_published(**FIND)


def test_a_published_version_holds_what_it_does_inside(find: WorkflowVersion) -> None:
    spec = publish(workflow=caller(), user=None).spec()
    assert [(n.node_id, n.scope, n.is_end) for n in spec.nodes] == [
        ("list", "", False),
        ("end", "", True),
        ("look_up/list", "look_up", False),
        ("look_up/found", "look_up", False),
        ("look_up/closed", "look_up", False),
    ]
    assert spec.entry_nodes == ("list",)
    entering = spec.edge("look_up")
    assert (entering.enters, entering.destination, entering.effect_class) == (("look_up/list",), "list", "read")
    back = spec.edge("look_up/end/1")
    assert (back.source, back.destination, back.expect.texts) == ("look_up/closed", "list", ("Closed",))
    assert spec.edge("look_up/open").target.text == "{{look_up__patient}}"
    assert [(v.name, v.given, v.default) for v in spec.variables] == [
        ("who", None, ""),
        ("look_up__patient", "{{who}}", ""),
        ("look_up__kind", None, "A"),
    ]
    assert [v.name for v in spec.asked] == ["who"]
    assert (spec.results, spec.inner_values) == ({"sum": "number"}, {"look_up__patient", "look_up__kind"})
    assert [(p.name, p.scope) for p in spec.popups] == [("Tip", "look_up")]
    assert spec.flags["masks"] == [[0, 0, 0.5, 0.1]]
    assert with_given(spec, {"who": "Ann", "look_up__kind": "B"})["look_up__patient"] == "Ann"
    assert "look_up__patient" not in with_given(spec, {"look_up__patient": "Bob"})
    assert GraphSpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec


def test_what_is_called_stays_as_it_was_called(find: WorkflowVersion) -> None:
    mine = caller()
    before = publish(workflow=mine, user=None)
    find.workflow.edges.filter(edge_id="close").update(expect={"texts": ["Gone"]})
    assert publish(workflow=find.workflow, user=None).number == 2
    assert publish(workflow=mine, user=None) == before


def test_a_call_within_a_call(find: WorkflowVersion) -> None:
    publish(workflow=caller(workflow_id="middle", name="Middle"), user=None)
    params = {"workflow": "middle", "version": 1, "values": {"who": "{{name}}"}, "outputs": {"sum": "s"}}
    edge = {"edge_id": "mid", "source": "list", "destination": "end", "action_type": "call_workflow", "params": params}
    spec = publish(workflow=caller(edges=[edge], variables=[{"name": "name"}]), user=None).spec()
    assert {n.scope for n in spec.nodes} == {"", "mid", "mid/look_up"}
    assert spec.edge("mid/look_up").enters == ("mid/look_up/list",)
    assert spec.edge("mid/look_up/read").params["name"] == "s"
    values = with_given(spec, {"name": "Ann"})
    assert values[spec.edge("mid/look_up/open").target.text.strip("{}")] == "Ann"
    assert spec.results == {"s": "number"}


def test_a_workflow_that_leads_back_to_itself_is_told_with_its_way(find: WorkflowVersion) -> None:
    middle = caller(workflow_id="middle", name="Middle")
    publish(workflow=middle, user=None)
    find.workflow.edges.create(
        edge_id="again", source=find.workflow.nodes.get(node_id="found"),
        destination=find.workflow.nodes.get(node_id="found"), action_type="call_workflow", order=9,
        params={"workflow": "middle", "version": 1, "values": {"who": "Ann"}},
    )  # fmt: skip
    told = wrong(find.workflow)["call_in_a_ring"]
    assert "“Find a record” → “Middle” (version 1) → “Find a record” (version 1)" in told
    with pytest.raises(InvalidWorkflow):
        publish(workflow=find.workflow, user=None)


def test_no_more_workflows_within_each_other_than_can_be_followed(find: WorkflowVersion) -> None:
    below = "find"
    for number, deep in enumerate(("one", "two", "three")):
        params = {"workflow": below, "version": 1, "values": {} if number else {"patient": "Ann"}}
        edge = {"edge_id": "down", "source": "list", "destination": "end", "action_type": "call_workflow",
                "params": params}  # fmt: skip
        made = caller(workflow_id=deep, name=deep, edges=[edge], variables=[])
        if deep != "three":
            publish(workflow=made, user=None)
        below = deep
    publish(workflow=made, user=None)
    edge["params"] = {"workflow": "three", "version": 1}
    assert "call_too_deep" in wrong(caller(edges=[edge], variables=[]))


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"version": 7}, "unknown_call"),
        ({"workflow": "nobody"}, "unknown_call"),
        ({"version": "1"}, "bad_parameter"),
        ({"workflow": ""}, "missing_parameter"),
        ({"values": {}}, "call_without_value"),
        ({"values": {"patient": " "}}, "call_without_value"),
        ({"values": {"patient": "Ann", "ward": "3"}}, "call_unknown_variable"),
        ({"values": {"patient": "Ann", "kind": "C"}}, "call_value_not_taken"),
        ({"values": {"patient": "{{nobody}}"}}, "undeclared_variable"),
        ({"outputs": {"amount": "sum"}}, "call_unknown_output"),
        ({"outputs": {"total": "who"}}, "call_output_name"),
        ({"outputs": {"total": "the sum"}}, "call_output_name"),
        ({"values": {"patient": "{{sum}}"}}, "call_output_given"),
    ],
)
def test_what_is_wrong_with_a_call_is_said_before_publishing(
    find: WorkflowVersion, params: dict[str, Any], code: str
) -> None:
    workflow = caller(params=params)
    assert code in wrong(workflow)
    with pytest.raises(InvalidWorkflow):
        publish(workflow=workflow, user=None)


@pytest.mark.parametrize(
    ("theirs", "given_text", "code"),
    [
        ("secret", "{{who}}", "call_secret_open"),
        ("secret", "swordfish", "call_secret_open"),
        ("secret", "x{{key}}", "call_secret_open"),
        ("text", "Mr {{key}}", "call_secret_shown"),
        ("secret", "{{key}}", ""),
    ],
)
def test_a_secret_goes_to_a_secret_variable_alone(db: None, theirs: str, given_text: str, code: str) -> None:
    make_published(**{**FIND, "variables": ({"name": "patient", "kind": theirs}, FIND["variables"][1])})
    mine = caller(
        params={"values": {"patient": given_text}},
        variables=[{"name": "who", "required": False}, {"name": "key", "kind": "secret", "required": False}],
    )
    found = wrong(mine)
    assert set(found) == ({code} if code else set())
    assert "swordfish" not in str(found)


def test_screens_may_be_alike_in_two_workflows_and_not_in_one(find: WorkflowVersion) -> None:
    twice = caller()
    twice.edges.filter(edge_id="look_up").update(order=3)
    assert "same_evidence" not in wrong(twice)
    twice.nodes.create(node_id="twin", name="Twin", texts=["Records"], is_entry=True)
    assert "same_evidence" in wrong(twice)


def test_an_act_that_only_publishing_makes_is_none_to_draw(db: None) -> None:
    edge = {"edge_id": "back", "source": "list", "destination": "end", "action_type": "return_workflow"}
    assert "unknown_action" in wrong(caller(edges=[edge]))


def test_a_call_in_words(find: WorkflowVersion) -> None:
    from workflows.words import sentence

    workflow = caller()
    assert sentence(graph_of(workflow).edge("look_up")) == "Do “find”, version 1"
    spec = publish(workflow=workflow, user=None).spec()
    assert sentence(spec.edge("look_up")) == "Do “Find a record”, version 1"
    assert sentence(spec.edge("look_up/end/1")) == "“Find a record” is done"
    assert worded(spec.label_of("look_up__patient")) == "Find a record: Patient"
    assert published("find", 2) is None
    path = [e.edge_id for e in spec.likely_path("list")]
    assert path == ["look_up", "look_up/open", "look_up/read", "look_up/close", "look_up/end/1", "done"]


def test_the_page_shows_what_is_done_and_takes_a_newer_version(find: WorkflowVersion, client: Any) -> None:
    mine = caller()
    publish(workflow=mine, user=None)
    address, shown = f"/workflows/{mine.workflow_id}/calls/look_up", f"/workflows/{mine.workflow_id}"
    client.force_login(make_user("designer"))
    page = client.get(shown).content.decode()
    assert "Do “Find a record”, version 1" in page
    assert 'href="/workflows/find"' in page
    assert "has been published since" not in page
    assert "Changed since" not in page
    find.workflow.edges.filter(edge_id="close").update(expect={"texts": ["Gone"]})
    publish(workflow=find.workflow, user=None)
    assert "Version 2 of it has been published since." in client.get(shown).content.decode()
    assert mine.latest_version().spec().edge("look_up/close").expect.texts == ("Closed",)
    client.force_login(make_user("operator"))
    assert client.post(address).status_code == 403
    client.force_login(make_user("designer"))
    assert client.get(address).status_code == 405
    assert client.post(address).status_code == 302
    assert mine.edges.get(edge_id="look_up").params["version"] == 2
    assert "has been published since" not in client.get(shown).content.decode()
    publish(workflow=mine, user=None)
    assert mine.latest_version().spec().edge("look_up/close").expect.texts == ("Gone",)


def test_the_admin_offers_no_way_back_as_an_action(find: WorkflowVersion, admin_client: Any) -> None:
    edge = caller().edges.get(edge_id="look_up")
    form = admin_client.get(f"/admin/workflows/edge/{edge.pk}/change/").context["adminform"].form
    assert "call_workflow" in dict(form.fields["action_type"].choices)
    assert "return_workflow" not in dict(form.fields["action_type"].choices)
