"""S6.13: conditions and repetitions of a graph: what is wrong with them, how they travel and how they are told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.factories import make_user, make_workflow
from workflows.actions.publish import publish
from workflows.bundle import export_bundle, import_bundle
from workflows.drawing import elements, screens
from workflows.graph import ConditionSpec, EdgeSpec, GraphSpec, NodeSpec, RepeatSpec, TargetSpec, VariableSpec
from workflows.models import Edge
from workflows.specs import graph_of
from workflows.validation import problems

LINE = TargetSpec(target_id="line", label="line {{n}}", text="File", number="{{n}}")
VARIABLES = (
    VariableSpec(name="ward", label="Ward"),
    VariableSpec(name="amount", kind="number"),
    VariableSpec(name="day", kind="date"),
    VariableSpec(name="pin", kind="secret"),
)


def edge(edge_id: str, **fields: Any) -> EdgeSpec:
    given = {"action_type": "press_keys", "params": {"keys": "f5"}, "expect": {"texts": ["x"]}, **fields}
    read = GraphSpec.from_json(
        {"workflow_id": "w", "name": "w", "learning_state": "x",
         "edges": [{"edge_id": edge_id, "source": edge_id[0], "destination": edge_id[1], **given}]}
    )  # fmt: skip
    return read.edges[0]


def only_if(value: str, test: str, *to: str) -> ConditionSpec:
    return ConditionSpec(value=value, test=test, to=to)


def graph(*edges: EdgeSpec, ends: str = "d") -> GraphSpec:
    """Screens a to d in a line, with these edges first; every variable is used."""
    nodes = tuple(
        NodeSpec(node_id=n, name=n.upper(), texts=(f"screen {n}", "{{ward}} {{amount}} {{day}} {{pin}}"),
                 is_entry=n == "a", is_end=n in ends)
        for n in "abcd"
    )  # fmt: skip
    line = [edge("ab", order=90), edge("bc", order=91), edge("cd", order=92)]
    own = {e.edge_id for e in edges}
    kept = tuple(e for e in line if e.edge_id not in own)
    return GraphSpec(
        workflow_id="w", name="w", learning_state="COACHING", nodes=nodes, edges=(*edges, *kept), variables=VARIABLES
    )


def on(*conditions: ConditionSpec, edge_id: str = "ac", **fields: Any) -> EdgeSpec:
    return replace(edge(edge_id, **fields), condition=conditions)


def found(whole: GraphSpec) -> set[tuple[str, str, str]]:
    return {(p.severity, p.code, p.where) for p in problems(whole)}


LIST = replace(
    edge("ab", action_type="click", params={}), target=LINE, repeat=RepeatSpec(counter="n", most=20, until=("empty",))
)
BACK, ON = edge("ba", order=1), edge("ad", order=2)


def listing(**changes: Any) -> GraphSpec:
    assert LIST.repeat is not None
    target = changes.pop("target", LINE)
    return graph(replace(LIST, target=target, repeat=replace(LIST.repeat, **changes)), BACK, ON)


@pytest.mark.parametrize(
    "whole",
    [
        graph(on(only_if("ward", "equals", "A"))),
        graph(on(only_if("amount", "more", "0.5"), only_if("day", "before", "2026-12-01"))),
        graph(on(only_if("ward", "one_of", "A", "B"), only_if("pin", "empty"))),
        graph(on(only_if("amount", "less", "{{day}}"))),
        graph(on(only_if("ward", "equals", "A")), on(only_if("ward", "is_not", "A"), edge_id="ab")),
        listing(),
        listing(until=()),
        graph(LIST, BACK, ends="ad"),
        graph(LIST, BACK, replace(ON, destination="a"), ends="ad"),
        listing(target=replace(LINE, number=0)),
    ],
)
def test_good_ways_have_no_problem(whole: GraphSpec) -> None:
    assert found(whole) == set()


FAULTS: list[tuple[GraphSpec, tuple[str, str, str]]] = [
    (graph(on(only_if("", "equals", "A"))), ("error", "condition_of_nothing", "ac")),
    (graph(on(only_if("nobody", "equals", "A"))), ("error", "undeclared_variable", "ac")),
    (graph(on(only_if("ward", "equals", "{{nobody}}"))), ("error", "undeclared_variable", "ac")),
    (graph(on(only_if("ward", "matches", "A"))), ("error", "unknown_test", "ac")),
    (graph(on(only_if("ward", "equals"))), ("error", "condition_incomplete", "ac")),
    (graph(on(only_if("ward", "equals", "A", "B"))), ("error", "condition_incomplete", "ac")),
    (graph(on(only_if("ward", "empty", "A"))), ("error", "condition_incomplete", "ac")),
    (graph(on(only_if("ward", "one_of"))), ("error", "condition_incomplete", "ac")),
    (graph(on(only_if("ward", "more", "5"))), ("error", "condition_kind", "ac")),
    (graph(on(only_if("amount", "before", "2026-01-01"))), ("error", "condition_kind", "ac")),
    (graph(on(only_if("amount", "more", "1,250"))), ("error", "condition_value", "ac")),
    (graph(on(only_if("amount", "equals", "many"))), ("error", "condition_value", "ac")),
    (graph(on(only_if("day", "before", "tomorrow"))), ("error", "condition_value", "ac")),
    (graph(on(only_if("pin", "equals", "1234"))), ("error", "condition_on_secret", "ac")),
    (
        graph(on(only_if("ward", "equals", "A")), on(only_if("ward", "equals", " a"), edge_id="ad", order=1)),
        ("warning", "same_condition", "ad"),
    ),
    (graph(edge("ab"), on(only_if("ward", "equals", "A"), order=1)), ("warning", "way_never_taken", "ac")),
    (
        graph(on(only_if("ward", "equals", "A")), on(only_if("ward", "equals", "B"), edge_id="ab")),
        ("warning", "no_way_otherwise", "a"),
    ),
    (listing(counter="the line"), ("error", "bad_counter", "ab")),
    (listing(counter="ward"), ("error", "counter_is_variable", "ab")),
    (listing(most=0), ("error", "bad_most", "ab")),
    (listing(until=(), target=replace(LINE, number=1)), ("error", "repeat_without_end", "ab")),
    (listing(steps=("bc",)), ("error", "unknown_step", "ab")),
    (graph(LIST, ON), ("error", "no_way_back", "ab")),
    (graph(LIST, BACK), ("error", "no_way_after_list", "ab")),
    (graph(LIST, BACK, replace(ON, destination="a")), ("error", "no_way_after_list", "ab")),
    (graph(replace(LIST, order=9), BACK, ON), ("error", "list_never_begun", "ab")),
    (graph(LIST, BACK, ON, ends="ad"), ("error", "list_is_end", "ab")),
    (
        graph(LIST, BACK, replace(ON, repeat=RepeatSpec(counter="m", most=5, until=("x",)))),
        ("error", "two_repetitions", "ad"),
    ),
    (
        graph(LIST, BACK, ON, replace(edge("bc"), repeat=RepeatSpec(counter="n", most=5, until=("x",)))),
        ("error", "counter_twice", "bc"),
    ),
]


@pytest.mark.parametrize(("whole", "fault"), FAULTS, ids=[fault[1] for _graph, fault in FAULTS])
def test_a_fault_is_found_and_said(whole: GraphSpec, fault: tuple[str, str, str]) -> None:
    assert fault in found(whole)
    assert all(len(p.message) > 20 and "%(" not in p.message for p in problems(whole))


def test_a_graph_is_read_as_it_was_written() -> None:
    whole = graph(LIST, BACK, on(only_if("ward", "one_of", "A", "B")))
    assert GraphSpec.from_json(whole.to_json()) == whole


def test_what_they_say_stands_at_the_action() -> None:
    whole = graph(LIST, BACK, on(only_if("ward", "one_of", "A", "B")))
    said = {action.edge.edge_id: action.when for screen in screens(whole) for action in screen.actions}
    assert said["ac"] == ("only if “Ward” is one of “A”, “B”",)
    assert said["ab"] == ("for each line “n” of the list, at most 20", "until “empty” is seen")
    labels = {e["id"]: e["label"] for e in elements(whole)["edges"]}
    assert labels["edge-ac"].startswith("only if “Ward” is one of")


# --- as rows ----------------------------------------------------------------------------------------------------
def rows() -> Any:
    return make_workflow(
        workflow_id="wf_files",
        nodes=[
            {"node_id": n, "name": n.upper(), "texts": [f"screen {n}"], "is_entry": n == "a", "is_end": n == "d"}
            for n in "abd"
        ],
        edges=[
            {"edge_id": "ab", "source": "a", "destination": "b", "action_type": "press_keys", "params": {"keys": "f2"},
             "repeat": {"counter": "n", "most": 20, "until": ["No files"], "steps": []}},
            {"edge_id": "ba", "source": "b", "destination": "a", "action_type": "type_text",
             "params": {"text": "{{n}}"}},
            {"edge_id": "ad", "source": "a", "destination": "d", "action_type": "press_keys", "params": {"keys": "f5"},
             "condition": [{"value": "patient", "test": "not_empty", "to": []}]},
        ],
    )  # fmt: skip


@pytest.mark.django_db
def test_ways_and_rounds_come_in_as_they_went_out() -> None:
    """S8.6"""
    bundle = export_bundle(rows())
    there = graph_of(import_bundle(bundle, user=None, workflow_id="wf_there"))
    here = graph_of(import_bundle(bundle, user=None, workflow_id="wf_here"))
    assert there.edges == here.edges
    assert there.edge("ab").repeat == RepeatSpec(counter="n", most=20, until=("No files",))
    assert there.edge("ad").condition == (ConditionSpec(value="patient", test="not_empty"),)
    assert publish(workflow=rows_again(), user=None).spec().edge("ab").repeat == there.edge("ab").repeat


def rows_again() -> Any:
    from workflows.models import Workflow

    return Workflow.objects.get(workflow_id="wf_here")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("field", "written", "kept"),
    [
        ("condition", '[{"value": "patient", "test": "empty"}]', [{"value": "patient", "test": "empty"}]),
        ("condition", "", []),
        ("repeat", "", {}),
        ("condition", '[{"test": "equals"}]', None),
        ("repeat", '{"most": 3}', None),
    ],
)  # fmt: skip
def test_they_are_edited_in_the_admin(client: Any, field: str, written: str, kept: Any) -> None:
    client.force_login(make_user("designer", is_staff=True))
    row = rows().edges.get(edge_id="ad")
    url = f"/admin/workflows/edge/{row.pk}/change/"
    form = client.get(url).context["adminform"].form
    data = {name: form[name].value() for name in form.fields if form[name].value() is not None}
    before = getattr(row, field)
    answer = client.post(
        url, {**{name: "" if value is False else value for name, value in data.items()}, field: written}
    )
    row = Edge.objects.get(pk=row.pk)
    assert answer.status_code == (302 if kept is not None else 200)
    assert getattr(row, field) == (before if kept is None else kept)
