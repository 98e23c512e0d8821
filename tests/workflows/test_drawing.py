"""A graph as pages show it."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from tests.workflows.test_validation import graph, with_edge
from tests.workflows.test_validation_any_graph import graphs
from workflows.drawing import dialogs, effect, elements, in_order, screens
from workflows.graph import (
    EdgeSpec,
    ExpectSpec,
    GraphSpec,
    IdentitySpec,
    NodeSpec,
    PopupSpec,
)
from workflows.validation import problems

many = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_screens_stand_in_the_order_in_which_a_run_meets_them() -> None:
    whole = graph(nodes=tuple(reversed(graph().nodes)))

    assert [n.node_id for n in in_order(whole)] == ["empty_note", "written_note", "save_dialog", "saved"]
    assert [s.number for s in screens(whole)] == [1, 2, 3, 4]


def test_a_screen_that_no_run_meets_comes_last() -> None:
    whole = graph(edges=graph().edges[1:])

    assert in_order(whole)[0].node_id == "empty_note"
    assert {n.node_id for n in in_order(whole)} == {n.node_id for n in whole.nodes}


@many
@given(graphs)
def test_any_graph_whatever_can_be_shown(whole) -> None:
    shown = screens(whole, problems(whole))
    drawn = elements(whole) if not any("/" in n.picture for n in whole.nodes) else {"nodes": [], "edges": []}

    assert len({s.node.node_id for s in shown}) == len({n.node_id for n in whole.nodes})
    ids = {n["id"] for n in drawn["nodes"]}
    assert all(e["source"] in ids and e["target"] in ids for e in drawn["edges"])


def test_problems_stand_at_what_they_are_about() -> None:
    whole = with_edge("click_save", target=None)
    (screen,) = [s for s in screens(whole, problems(whole)) if s.node.node_id == "save_dialog"]

    assert screen.severity == ""
    assert screen.actions[0].severity == "error"
    assert [p.code for p in screen.actions[0].problems] == ["no_target"]


def test_a_warning_is_no_error() -> None:
    whole = with_edge("click_save", expect=ExpectSpec())
    actions = [a for s in screens(whole, problems(whole)) for a in s.actions]

    assert [a.severity for a in actions] == ["", "", "warning"]


@pytest.mark.parametrize(
    ("edge_id", "changes", "words"),
    [
        ("click_save", {"expect": ExpectSpec()}, "Never repeated without a person"),
        ("click_save", {}, "Repeated only while the screen shows"),
        ("click_save", {"effect_class": "read"}, "Changes nothing"),
        ("type_patient", {"params": {"text": "x", "clear": True}}, "Doing it twice comes to the same"),
    ],
)
def test_what_repeating_may_do_is_said_in_words(edge_id, changes, words) -> None:
    """S9.3"""
    assert effect(with_edge(edge_id, **changes).edge(edge_id)).startswith(words)


def test_parameters_are_named_in_words() -> None:
    keys = with_edge("open_save", params={"keys": ["ctrl", "s"]})
    text = with_edge("type_patient", params={"text": "{{patient}}", "clear": True})
    shown = {a.edge.edge_id: a.params for whole in (keys, text) for s in screens(whole) for a in s.actions}

    assert shown["type_patient"] == (("Text", "{{patient}}"), ("Empty the field first", "yes"))
    assert {a.params for s in screens(keys) for a in s.actions} >= {(("Keys", "ctrl+s"),)}


def test_identity_and_dialogs_are_told_in_words() -> None:
    edge = EdgeSpec(
        edge_id="e",
        source="a",
        destination="a",
        action_type="press_keys",
        params={"keys": "enter"},
        identity=(IdentitySpec(label="Patient", value="{{patient}}"), IdentitySpec(value="{{ward}}")),
    )
    popups = (
        PopupSpec(name="Update", texts=("Restart", "Later"), window_title="Update*", click="Later"),
        PopupSpec(name="Tip", texts=("Did you know",), keys="escape"),
    )
    node = NodeSpec(node_id="a", name="A", is_entry=True)
    graph = GraphSpec(
        workflow_id="wf", name="wf", learning_state="COACHING", nodes=(node,), edges=(edge,), popups=popups
    )
    assert screens(graph)[0].actions[0].identity == (
        "“{{patient}}” at “Patient”",
        "“{{ward}}” somewhere in the window",
    )
    assert [(d.name, d.known_by, d.closed_by) for d in dialogs(graph)] == [
        ("Update", "the window “Update*” · “Restart”, “Later”", "a click on “Later”"),
        ("Tip", "“Did you know”", "the keys escape"),
    ]
