"""Where a run will most likely go next, as people are shown it: “6 of about 13”."""

from __future__ import annotations

from workflows.graph import EdgeSpec, GraphSpec

MOST = 60


def likely_path(graph: GraphSpec, node_id: str) -> tuple[EdgeSpec, ...]:
    """The first edge of each node from `node_id` on, until an end, a node without a way on, or a ring."""
    path: list[EdgeSpec] = []
    seen: set[str] = set()
    while node_id and node_id not in seen and node_id not in graph.end_nodes and len(path) < MOST:
        seen.add(node_id)
        edges = graph.outgoing(node_id)
        if not edges:
            break
        path.append(edges[0])
        node_id = edges[0].destination
    return tuple(path)
