"""Whether a run can go on with another version of its workflow from where it stands (S6.14).

What is behind it must be in the other version as it was done, in that order, lead to where the run stands, and be all
that this version does up to there: a step that is new on the way would be done too late, or never. What lies before it
may be anything. Where that cannot be said, it stays with the version that it has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from execution.choices import Outcome
from execution.language.acts import say_act
from execution.models import Execution
from execution.turn.position import Position
from execution.turn.ways import Standpoint, Ways, same_act
from sentences.said import say
from workflows.graph import EdgeSpec, GraphSpec

_BEHIND = (Outcome.SUCCEEDED, Outcome.MANUAL, Outcome.SKIPPED)


def why_not(execution: Execution, was: GraphSpec, now: GraphSpec) -> str:
    """Why it cannot go on with `now`, in a sentence; "" where it can."""
    if execution.steps.in_doubt().exists():
        return say("turn.version_in_doubt")
    if execution.own_parts:
        return say("turn.version_of_program")
    here = execution.current_node_id or execution.start_node_id
    if here and now.node(here) is None:
        return say("turn.version_no_screen", node=was.name_of(here))
    steps = execution.steps.order_by("index")
    done = list(dict.fromkeys(steps.filter(outcome__in=_BEHIND).exclude(edge_id="").values_list("edge_id", flat=True)))
    for edge_id in done:
        then, there = was.edge(edge_id), now.edge(edge_id)
        if then is not None and (there is None or _act(then) != _act(there)):
            return say("turn.version_no_step", what=say_act(then, was, execution.variables))
    if name := min(_values(now) - _values(was), default=None):
        return say("turn.version_no_value", name=name[0])
    place = Position.left(execution, Ways(was)).place
    if _told(place) != _told(Position.left(execution, Ways(now)).place):
        return say("turn.version_other_place")
    came = (execution.start_node_id, *steps.values_list("node_id", flat=True), here)
    screens = list(dict.fromkeys(filter(None, came)))
    if _led(was, screens, done) != _led(now, screens, done):
        return say("turn.version_other_place")
    if new := _new_behind(screens, done, place, was, now):
        return say("turn.version_new_step", what=say_act(new, now, execution.variables))
    return ""


def _new_behind(
    screens: Iterable[str], done: Collection[str], place: Standpoint, was: GraphSpec, now: GraphSpec
) -> EdgeSpec | None:
    """A step of `now` that comes before where the run stands and that no run of `was` would have come to there."""
    stands = {one.expected for one in (place, place.held) if one is not None}
    for screen in screens:
        steps, before = now.outgoing(screen), was.outgoing(screen)
        last = max((n for n, edge in enumerate(steps) if edge.edge_id in done), default=-1)
        passed = steps[:last] if screen in stands else steps
        for edge in passed:
            if not _had_its_turn(edge, steps, before, done) and not _is_other_end(edge, steps, done):
                return edge
    return None


def _had_its_turn(edge: EdgeSpec, steps: Sequence[EdgeSpec], before: Sequence[EdgeSpec], done: Collection[str]) -> bool:
    """Whether it stood in the other version as well, before the same steps: it was done, or left out as it would be."""
    old = next((one for one in before if one.edge_id == edge.edge_id), None)
    if old is None or _following(old, before, done) != _following(edge, steps, done):
        return False
    return edge.edge_id in done or (_act(old), _if(old)) == (_act(edge), _if(edge))


def _following(edge: EdgeSpec, steps: Sequence[EdgeSpec], done: Collection[str]) -> set[str]:
    return {one.edge_id for one in steps[steps.index(edge) + 1 :] if one.edge_id in done}


def _if(edge: EdgeSpec) -> tuple[Any, ...]:
    """What it is left out by."""
    return edge.optional, edge.condition, edge.target and edge.target.target_id, edge.destination


def _is_other_end(edge: EdgeSpec, steps: Sequence[EdgeSpec], done: Collection[str]) -> bool:
    """Whether it is the act with which the screen was left, for another screen that it may end on."""
    leads_on = [one for one in steps if one.edge_id in done and one.destination != one.source]
    return edge.destination != edge.source and any(same_act(one, edge) for one in leads_on)


def _led(graph: GraphSpec, screens: Sequence[str], done: Iterable[str]) -> list[Any]:
    """Whether a run begins there, and where each of those steps leads."""
    edges = [graph.edge(edge_id) for edge_id in done]
    return [screens[:1] and screens[0] in graph.entry_nodes, *((e.destination, e.enters) for e in edges if e)]


def _act(edge: EdgeSpec) -> tuple[Any, ...]:
    """What was done with it: what it acted on may be known by other signs since."""
    of_each_line = edge.repeat and (edge.repeat.counter, edge.repeat.steps)
    params = sorted((name, repr(value)) for name, value in edge.params.items())
    return edge.source, edge.action_type, params, of_each_line


def _values(graph: GraphSpec) -> set[tuple[str, str]]:
    """What a run is started with: a value that it was not given it has not."""
    return {(variable.name, variable.kind) for variable in graph.variables if variable.given is None}


def _told(place: Standpoint | None) -> Any:
    """Where a run stands, as whoever goes on with it would find."""
    if place is None:
        return None
    done = (place.done.edge_id, place.done.destination) if place.done else None
    around = (_told(place.held), _told(place.back))
    return (place.last, place.expected, done, around, place.done_here, place.rounds, place.unfinished, place.begun)
