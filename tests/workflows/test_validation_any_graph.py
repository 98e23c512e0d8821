"""Any graph whatever: validation never raises, what it lets pass can be run, and a planted fault is found (S1.4)."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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
