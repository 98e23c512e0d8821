"""Any graph whatever: validation never raises, what it lets pass can be run, and a planted fault is found (S1.4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.workflows.test_validation import SAVE
from workflows.catalogue import ACTIONS
from workflows.graph import EdgeSpec, ExpectSpec, GraphSpec, NodeSpec, TargetSpec, VariableSpec
from workflows.validation import errors, problems

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
many = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


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
