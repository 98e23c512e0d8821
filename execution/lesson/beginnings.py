"""Whether another workflow begins on the screen on which it is done, by the pictures that are kept of it (S6.12)."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings

from execution.lesson.here import Here
from execution.lesson.proving import with_pixels
from execution.lesson.screens import Look
from execution.matching import ScopedMatcher
from execution.perception.pictures import PictureSource
from workflows.calling import called, published
from workflows.graph import EdgeSpec
from workflows.text import fill


def begins_on(edge: EdgeSpec, looks: Sequence[Look], here: Here, pictures: PictureSource) -> dict[str, int]:
    """On how many of the pictures of its screen a run would not find where it begins, by the other's own signs."""
    graph = called(edge, published)
    if graph is None:
        return {}
    given = edge.params.get("values") or {}
    values = {v.name: fill(str(given.get(v.name, v.default)), here.known.values) for v in graph.asked}
    matcher = ScopedMatcher(graph, pictures=pictures, embedder=None, threshold=settings.RPA_MATCH_THRESHOLD)
    states = [state for look in looks if (state := with_pixels(look, pictures)) is not None]
    found = [matcher.recognise(state, variables=values, last_node=None, expected=None).match for state in states]
    failed = [match for match in found if match is None or match.node_id not in graph.entry_nodes]
    return {"of": len(states), "failed": len(failed)}
