"""What is wrong with a graph is found, and said in words: what, where, what to do."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.factories import EDGES, NODES, VARIABLES
from workflows.catalogue import ACTIONS
from workflows.graph import (
    EdgeSpec,
    ExpectSpec,
    GraphSpec,
    IdentitySpec,
    NodeSpec,
    PopupSpec,
    TargetSpec,
    VariableSpec,
)
from workflows.pictures import PictureStore
from workflows.validation import errors, problems

SAVE = TargetSpec(target_id="save_button", label="Save", text="Save")


def graph(**changes: Any) -> GraphSpec:
    """The valid graph of the factories, as values."""
    data = {"workflow_id": "wf", "name": "Patient note", "learning_state": "COACHING"}
    whole = GraphSpec.from_json({**data, "nodes": NODES, "edges": EDGES, "variables": VARIABLES})
    return replace(whole, **changes)


def with_node(node_id: str, **changes: Any) -> GraphSpec:
    whole = graph()
    return replace(whole, nodes=tuple(replace(n, **changes) if n.node_id == node_id else n for n in whole.nodes))


def with_edge(edge_id: str, **changes: Any) -> GraphSpec:
    whole = graph()
    return replace(whole, edges=tuple(replace(e, **changes) if e.edge_id == edge_id else e for e in whole.edges))


def found(whole: GraphSpec) -> set[tuple[str, str, str]]:
    return {(p.severity, p.code, p.where) for p in problems(whole)}


def test_a_good_graph_has_no_problem() -> None:
    assert problems(graph()) == ()


FAULTS: list[tuple[str, GraphSpec, tuple[str, str, str]]] = [
    ("no node", graph(nodes=(), edges=(), variables=()), ("error", "no_node", "")),
    ("no entry", with_node("empty_note", is_entry=False), ("error", "no_entry", "")),
    ("no end", with_node("saved", is_end=False), ("error", "no_end", "")),
    ("end out of reach", graph(edges=graph().edges[:2]), ("error", "end_not_reachable", "empty_note")),
    ("unreachable node", graph(edges=graph().edges[:2]), ("error", "unreachable", "saved")),
    ("unknown source", with_edge("click_save", source="nowhere"), ("error", "unknown_node", "click_save")),
    ("unknown destination", with_edge("click_save", destination="x"), ("error", "unknown_node", "click_save")),
    ("unknown action", with_edge("click_save", action_type="smash"), ("error", "unknown_action", "click_save")),
    ("missing parameter", with_edge("type_patient", params={}), ("error", "missing_parameter", "type_patient")),
    ("blank parameter", with_edge("open_save", params={"keys": ""}), ("error", "missing_parameter", "open_save")),
    (
        "unknown parameter",
        with_edge("type_patient", params={"text": "a", "speed": 3}),
        ("error", "unknown_parameter", "type_patient"),
    ),
    ("text of a number", with_edge("type_patient", params={"text": 3}), ("error", "bad_parameter", "type_patient")),
    (
        "yes as text",
        with_edge("type_patient", params={"text": "a", "clear": "yes"}),
        ("error", "bad_parameter", "type_patient"),
    ),
    ("keys with a hole", with_edge("open_save", params={"keys": "ctrl+"}), ("error", "bad_parameter", "open_save")),
    (
        "a way that is no number",
        with_edge("click_save", action_type="drag", params={"dx": "12", "dy": 3}),
        ("error", "bad_parameter", "click_save"),
    ),
    (
        "a way that is true",
        with_edge("click_save", action_type="drag", params={"dx": True, "dy": 3}),
        ("error", "bad_parameter", "click_save"),
    ),
    ("no target", with_edge("click_save", target=None), ("error", "no_target", "click_save")),
    (
        "target without evidence",
        with_edge("click_save", target=replace(SAVE, text=" ", box=(0.1, 0.1, 0.1, 0.1))),
        ("error", "no_evidence", "save_button"),
    ),
    ("variable in a node", with_node("saved", texts=("{{dose}}",)), ("error", "undeclared_variable", "saved")),
    (
        "variable in a title",
        with_node("saved", window_title="{{ dose }} - Notes"),
        ("error", "undeclared_variable", "saved"),
    ),
    (
        "variable in a parameter",
        with_edge("type_patient", params={"text": "{{dose}}"}),
        ("error", "undeclared_variable", "type_patient"),
    ),
    (
        "variable in an expectation",
        with_edge("open_save", expect=ExpectSpec(gone=("{{dose}}",))),
        ("error", "undeclared_variable", "open_save"),
    ),
    (
        "variable on a target",
        with_edge("click_save", target=replace(SAVE, text="{{dose}}")),
        ("error", "undeclared_variable", "save_button"),
    ),
    (
        "nothing to recognise",
        with_node("saved", texts=(), window_title="  ", absent=("Error",)),
        ("error", "nothing_to_recognise", "saved"),
    ),
    (
        "same evidence",
        with_node("saved", texts=("cancel", "Save  as"), window_title="Save As"),
        ("error", "same_evidence", "saved"),
    ),
    (
        "same id",
        graph(nodes=(*graph().nodes, replace(graph().nodes[0], name="Copy", texts=("other",)))),
        ("error", "duplicate_id", "empty_note"),
    ),
    ("picture not stored", with_node("saved", picture="ab" * 32), ("error", "picture_missing", "saved")),
    ("picture of no name", with_node("saved", picture="../../etc"), ("error", "picture_missing", "saved")),
    (
        "target picture not stored",
        with_edge("click_save", target=replace(SAVE, context="cd" * 32)),
        ("error", "picture_missing", "save_button"),
    ),
    (
        "terminal, not end",
        graph(
            nodes=(*graph().nodes, NodeSpec(node_id="refused", name="Refused", texts=("denied",))),
            edges=(*graph().edges, replace(graph().edges[2], edge_id="other", destination="refused")),
        ),
        ("warning", "terminal_not_end", "refused"),
    ),
    (
        "unused variable",
        graph(variables=(*graph().variables, VariableSpec(name="dose"))),
        ("warning", "unused_variable", "dose"),
    ),
    (
        "default of a secret variable",
        graph(variables=(*graph().variables, VariableSpec(name="code", kind="secret", default="Zx81-Quokka"))),
        ("error", "secret_default", "code"),
    ),
    (
        "default of a variable named like a secret",
        graph(variables=(*graph().variables, VariableSpec(name="mot_de_passe", default="Zx81-Quokka"))),
        ("error", "secret_default", "mot_de_passe"),
    ),
    ("opaque click", with_edge("click_save", expect=ExpectSpec()), ("warning", "nothing_expected", "click_save")),
    (
        "matches anything",
        with_node("saved", texts=("–",), window_title="*", is_end=True),
        ("warning", "matches_anything", "saved"),
    ),
]


@pytest.mark.parametrize(("whole", "problem"), [f[1:] for f in FAULTS], ids=[f[0] for f in FAULTS])
def test_a_planted_fault_is_found_where_it_is(whole: GraphSpec, problem: tuple[str, str, str]) -> None:
    assert problem in found(whole)


@pytest.mark.parametrize("whole", [f[1] for f in FAULTS], ids=[f[0] for f in FAULTS])
def test_every_problem_is_a_sentence_that_says_what_to_do(whole: GraphSpec) -> None:
    for problem in problems(whole):
        assert problem.message[0] in "“{" or problem.message[0].isupper()
        assert problem.message.endswith(".")
        assert "%(" not in problem.message


def test_errors_come_before_warnings_and_alone_keep_from_publishing() -> None:
    whole = replace(
        with_edge("click_save", expect=ExpectSpec(), target=None),
        variables=(*graph().variables, VariableSpec(name="x")),
    )

    assert [p.severity for p in problems(whole)] == ["error", "warning", "warning"]
    assert [p.code for p in errors(whole)] == ["no_target"]


@pytest.mark.parametrize(
    ("edge_id", "changes"),
    [
        ("click_save", {"effect_class": "read", "expect": ExpectSpec()}),
        ("type_patient", {"params": {"text": "{{patient}}", "clear": True}, "expect": ExpectSpec()}),
        ("open_save", {"action_type": "wait", "params": {}, "expect": ExpectSpec()}),
        ("open_save", {"params": {"keys": ["ctrl", "+"]}}),
        ("open_save", {"action_type": "scroll", "params": {"dy": 5}}),
    ],
)
def test_what_is_safe_to_repeat_needs_no_expectation(edge_id: str, changes: dict[str, Any]) -> None:
    """S9.3: the default of a click that declares nothing is opaque; of these it is not."""
    assert problems(with_edge(edge_id, **changes)) == ()


def test_two_screens_told_apart_by_what_must_be_absent_are_two() -> None:
    node = graph().node("save_dialog")

    assert problems(with_node("saved", texts=node.texts, window_title=node.window_title, absent=("Error",))) == ()


def test_a_picture_in_the_store_is_no_problem(tmp_path) -> None:
    digest = PictureStore(tmp_path).put(np.zeros((4, 4, 3), np.uint8))

    assert problems(with_node("saved", picture=digest), store=PictureStore(tmp_path)) == ()


@pytest.mark.parametrize(
    ("head", "code"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 10_000, 10_000), "picture_too_large"),
        (b"\x89PNG\r\n\x1a\n\0\0", "picture_missing"),
        (b"GIF89a" + bytes(30), "picture_missing"),
    ],
    ids=["10 000 x 10 000", "cut off", "no PNG"],
)
def test_a_picture_too_large_or_damaged_is_named(tmp_path, head: bytes, code: str) -> None:
    store = PictureStore(tmp_path)
    path = store.path("ab" * 32)
    path.parent.mkdir(parents=True)
    path.write_bytes(head)

    (problem,) = problems(with_node("saved", picture="ab" * 32), store=store)

    assert (problem.code, problem.where, problem.field) == (code, "saved", "picture")
    assert "Note saved" in problem.message


# --- Any graph whatever ----------------------------------------------------------------------------------------------
words = st.text(max_size=12) | st.sampled_from(["{{patient}}", "{{", "{{ dose }}", "*", "%", "%(name)s", "Save"])
ids = st.sampled_from(["a", "b", "c", "", "ø"]) | st.text(max_size=3)
texts = st.lists(words, max_size=3).map(tuple)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=5,
)
names = st.sampled_from(["text", "keys", "dx", "dy", "clear", "speed", "%"])
digests = st.sampled_from(["", "ab" * 32, "../x"])
targets = st.builds(TargetSpec, target_id=ids, label=words, text=words, picture=digests, context=digests)
nodes = st.builds(
    NodeSpec,
    node_id=ids,
    name=words,
    texts=texts,
    absent=texts,
    window_title=words,
    picture=digests,
    is_entry=st.booleans(),
    is_end=st.booleans(),
)
edges = st.builds(
    EdgeSpec,
    edge_id=ids,
    source=ids,
    destination=ids,
    action_type=st.sampled_from(list(ACTIONS)) | words,
    params=st.dictionaries(names, values, max_size=3),
    target=st.none() | targets,
    expect=st.builds(ExpectSpec, texts=texts, gone=texts, window_title=words),
    effect_class=st.sampled_from(["opaque", "read", "", "sideways"]),
)
graphs = st.builds(
    GraphSpec,
    workflow_id=ids,
    name=words,
    learning_state=words,
    nodes=st.lists(nodes, max_size=5).map(tuple),
    edges=st.lists(edges, max_size=6).map(tuple),
    variables=st.lists(st.builds(VariableSpec, name=ids | st.sampled_from(["patient", "dose"])), max_size=2).map(tuple),
)
many = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@many
@given(graphs)
def test_no_graph_makes_validation_raise(whole: GraphSpec) -> None:
    for problem in problems(whole):
        assert problem.message
        assert problem.severity in ("error", "warning")


@many
@given(graphs)
def test_a_graph_without_errors_can_be_run_from_every_entry_to_an_end(whole: GraphSpec) -> None:
    if errors(whole):
        return
    assert whole.entry_nodes
    assert all(set(whole.end_nodes) & whole.reachable([entry]) for entry in whole.entry_nodes)


@st.composite
def sound_graphs(draw) -> GraphSpec:
    """A line of screens with any shortcuts between them: nothing wrong with it."""
    size = draw(st.integers(2, 7))
    line = tuple(
        NodeSpec(node_id=f"n{i}", name=f"Screen {i}", texts=(f"title {i}",), is_entry=i == 0, is_end=i == size - 1)
        for i in range(size)
    )
    ways = [(i, i + 1) for i in range(size - 1)]
    ways += draw(st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), max_size=4))
    actions = tuple(
        EdgeSpec(
            edge_id=f"e{k}",
            source=f"n{a}",
            destination=f"n{b}",
            action_type="click",
            target=SAVE,
            expect=ExpectSpec(texts=(f"title {b}",)),
        )
        for k, (a, b) in enumerate(ways)
    )
    return GraphSpec(workflow_id="wf", name="Line", learning_state="COACHING", nodes=line, edges=actions)


def spoil_node(whole: GraphSpec, i: int, **changes: Any) -> tuple[GraphSpec, str]:
    i %= len(whole.nodes)
    nodes = (*whole.nodes[:i], replace(whole.nodes[i], **changes), *whole.nodes[i + 1 :])
    return replace(whole, nodes=nodes), whole.nodes[i].node_id


def spoil_edge(whole: GraphSpec, i: int, **changes: Any) -> tuple[GraphSpec, str]:
    i %= len(whole.edges)
    edges = (*whole.edges[:i], replace(whole.edges[i], **changes), *whole.edges[i + 1 :])
    return replace(whole, edges=edges), whole.edges[i].edge_id


PLANTED = {
    "nothing_to_recognise": lambda g, i: spoil_node(g, i, texts=()),
    "undeclared_variable": lambda g, i: spoil_node(g, i, texts=("{{nobody}}",)),
    "picture_missing": lambda g, i: spoil_node(g, i, picture="0" * 64),
    "unknown_action": lambda g, i: spoil_edge(g, i, action_type="smash"),
    "unknown_node": lambda g, i: spoil_edge(g, i, destination="nowhere"),
    "unknown_parameter": lambda g, i: spoil_edge(g, i, params={"speed": 1}),
    "no_target": lambda g, i: spoil_edge(g, i, target=None),
}


@many
@given(sound_graphs())
def test_a_sound_graph_has_no_problem(whole: GraphSpec) -> None:
    assert problems(whole) == ()


@many
@given(sound_graphs(), st.sampled_from(sorted(PLANTED)), st.integers(0, 20))
def test_one_fault_anywhere_in_a_sound_graph_is_found(whole: GraphSpec, code: str, place: int) -> None:
    spoiled, where = PLANTED[code](whole, place)

    assert (code, where) in {(p.code, p.where) for p in errors(spoiled)}


def test_what_waits_says_for_what_and_how_long() -> None:
    """A screen that is not there and a time that makes no sense are told with what there is."""
    params = {"node": "nowhere", "timeout_s": 0}
    whole = with_edge("click_save", action_type="wait_node", params=params, target=None)
    assert {
        ("error", "unknown_wait_node", "click_save"),
        ("error", "bad_timeout", "click_save"),
    } <= found(whole)
    told = next(p for p in problems(whole) if p.code == "unknown_wait_node")
    assert "empty_note" in told.message
    good = with_edge("click_save", action_type="wait_node", params={"node": "saved", "timeout_s": 3600}, target=None)
    assert not {code for _severity, code, _where in found(good)} & {"unknown_wait_node", "bad_timeout"}


@pytest.mark.parametrize(
    ("identity", "problem"),
    [
        (IdentitySpec(label="Patient", value="{{patient}}"), None),
        (IdentitySpec(label="Patient", value="Marie"), ("warning", "identity_without_variable", "click_save")),
        (IdentitySpec(label="Patient", value=" "), ("error", "empty_identity", "click_save")),
        (IdentitySpec(label="Patient", value="{{who}}"), ("error", "undeclared_variable", "click_save")),
    ],
)
def test_whose_record_it_must_be_is_a_variable_of_the_run(identity: IdentitySpec, problem: Any) -> None:
    """S9.6"""
    assert found(with_edge("click_save", identity=(identity,))) == ({problem} if problem else set())


def test_what_must_be_seen_before_uses_known_variables() -> None:
    before = ExpectSpec(texts=("{{who}}",))
    assert ("error", "undeclared_variable", "click_save") in found(with_edge("click_save", before=before))


UPDATE = PopupSpec(name="Update", texts=("Restart",), keys="escape")


@pytest.mark.parametrize(
    ("popups", "code"),
    [
        ((UPDATE,), None),
        ((replace(UPDATE, texts=()),), "popup_unknown"),
        ((replace(UPDATE, texts=(), window_title="*"),), "popup_matches_anything"),
        ((replace(UPDATE, keys=""),), "popup_not_closed"),
        ((replace(UPDATE, click="Later"),), "popup_not_closed"),
        ((replace(UPDATE, keys="alt+"),), "popup_bad_keys"),
        ((replace(UPDATE, name=" "),), "popup_without_name"),
        ((UPDATE, UPDATE), "popup_twice"),
        ((replace(UPDATE, texts=("{{who}}",)),), "undeclared_variable"),
    ],
)
def test_a_dialog_is_known_by_something_and_closed_in_one_way(popups: tuple[PopupSpec, ...], code: str | None) -> None:
    told = problems(graph(popups=popups))
    assert [p.code for p in told] == ([code] if code else [])
    assert all(p.kind == "workflow" for p in told)
