"""The order of a lesson's steps: as they were shown, or as a run does them; where one is moved or inserted (S6.10)."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _

from execution.choices import LessonStepState
from execution.exceptions import BadEdit
from execution.lesson import ways
from execution.models import LessonStep
from workflows.graph import EdgeSpec, GraphSpec
from workflows.models import Edge


def in_order(steps: Iterable[LessonStep], graph: GraphSpec) -> list[LessonStep]:
    """A lesson on a new workflow has them as they were shown; one on what was there before, as a run comes by them.

    Acts that are no step of the draft stand at the end.
    """
    all_steps = list(steps)
    if not any(step.state == LessonStepState.EARLIER for step in all_steps):
        return all_steps
    places = {edge.edge_id: place for place, edge in enumerate(graph.in_order)}
    return sorted(all_steps, key=lambda step: places.get(step.edge.edge_id if step.edge else "", len(places)))


def moves_of(edge: EdgeSpec, graph: GraphSpec) -> dict[str, bool]:
    """Whether the step may change places with the one before it on its screen, and with the one after it."""
    edges = graph.outgoing(edge.source)
    at = edges.index(edge)
    before, after = edges[max(at - 1, 0) : at], edges[at + 1 : at + 2]
    rounds = {name for one in edges if one.repeat for name in (one.edge_id, *one.repeat.steps)}

    def leaves(one: EdgeSpec) -> bool:
        is_sure = not one.optional and not one.condition and one.edge_id not in rounds
        return is_sure and one.destination != one.source

    # Where one of the two leaves the screen in every run, the other would never be done behind it.
    return {
        "earlier": any(leaves(one) == leaves(edge) for one in before),
        "later": any(leaves(one) == leaves(edge) for one in after),
    }


def move(edge: Edge, graph: GraphSpec, *, later: bool) -> None:
    """Change places with the step beside it on its screen. Raises BadEdit where one of them would never be done."""
    spec = graph.edge(edge.edge_id)
    if spec is None or not moves_of(spec, graph)["later" if later else "earlier"]:
        raise BadEdit(_("This step cannot be moved there: one of the two leads to another screen."))
    order = [one.edge_id for one in graph.outgoing(spec.source)]
    at = order.index(spec.edge_id)
    to = at + 1 if later else at - 1
    order[at], order[to] = order[to], order[at]
    ways.put_in_order(edge.source, order)
    edge.refresh_from_db(fields=["order"])


def insert_after(edge: Edge, before: Edge) -> None:
    """Put a new step right behind `before`: on another screen than that one's it is the first step there."""
    others = edge.source.outgoing.exclude(pk=edge.pk).order_by("order", "edge_id")
    order = list(others.values_list("edge_id", flat=True))
    order.insert(order.index(before.edge_id) + 1 if before.edge_id in order else 0, edge.edge_id)
    ways.put_in_order(edge.source, order)
    edge.refresh_from_db(fields=["order"])
