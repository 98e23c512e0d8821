"""What a graph says of its ways, values in and values out."""

from __future__ import annotations

from workflows.graph import EdgeSpec, GraphSpec, NodeSpec


def test_a_round_trip_is_what_leads_from_a_screen_and_back_to_it() -> None:
    def trip(node_id: str, *ways: str) -> list[str]:
        nodes = tuple(NodeSpec(node_id=name, name=name, is_entry=name == "a") for name in "abcd")
        edges = tuple(EdgeSpec(edge_id=w, source=w[0], destination=w[1], action_type="click") for w in ways)
        graph = GraphSpec(workflow_id="w", name="w", learning_state="COACHING", nodes=nodes, edges=edges)
        return [edge.edge_id for edge in graph.round_trip(node_id)]

    assert trip("b", "ab", "bc", "cb") == ["bc", "cb"]
    assert trip("b", "ab", "bb", "bc", "cd") == []  # what leads on leads elsewhere
    assert trip("a", "ab", "bc", "ca") == ["ab", "ca"]
    assert trip("a", "ab", "bc") == ["ab"]  # where a run begins it is over once it has been away


def test_what_was_published_before_windows_were_kept_stays_the_same() -> None:
    nodes = (NodeSpec(node_id="a", name="a"), NodeSpec(node_id="b", name="b", window_box=(0.1, 0.1, 0.5, 0.25)))
    graph = GraphSpec(workflow_id="w", name="w", learning_state="COACHING", nodes=nodes, edges=())
    assert ["window_box" in node for node in graph.to_json()["nodes"]] == [False, True]
    assert GraphSpec.from_json(graph.to_json()) == graph
