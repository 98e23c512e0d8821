"""What a person is told of a run that finds itself on a screen that it could not have come to (S1.22)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from execution.language.acts import say_act
from execution.turn.ways import Standpoint, Ways
from sentences.said import by_sentence, in_a_row, say, to_json

_TOLD = 6  # steps between two screens; of more the rest is counted


def message(ways: Ways, place: Standpoint, node_id: str, variables: Mapping[str, str]) -> str:
    """Which screen is seen, which was last, and what lies between."""
    here, last = _name(ways, node_id), _name(ways, place.last or "")
    steps = [say_act(edge, ways.graph, variables) for edge in ways.between(place, node_id)]
    seen = say("turn.leap", here=here, last=last) if last else say("turn.leap_from_nowhere", here=here)
    if not steps:
        return by_sentence([seen, say("turn.no_way_there")])
    told = in_a_row(steps[:_TOLD])
    if len(steps) > _TOLD:
        told = say("turn.and_more", told=told, n=len(steps) - _TOLD)
    return by_sentence([seen, say("turn.passed_over", steps=told)])


def detail(
    ways: Ways, place: Standpoint, node_id: str, variables: Mapping[str, str], *, picture: str
) -> dict[str, Any]:
    """The same for a page: both screens, `picture` being the digest of the last one, and the steps between."""
    return {
        "node_id": node_id,
        "name": _name(ways, node_id),
        "last": {"node_id": place.last or "", "name": _name(ways, place.last or ""), "picture": picture},
        "between": [to_json(say_act(edge, ways.graph, variables)) for edge in ways.between(place, node_id)],
    }


def _name(ways: Ways, node_id: str) -> str:
    node = ways.graph.node(node_id)
    return node.name if node else node_id
