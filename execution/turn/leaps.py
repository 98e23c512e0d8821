"""What a person is told of a run that finds itself on a screen that it could not have come to (S1.22)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from execution.turn.ways import Standpoint, Ways
from workflows.words import sentence

_TOLD = 6  # steps between two screens; of more the rest is counted


def message(ways: Ways, place: Standpoint, node_id: str, variables: Mapping[str, str]) -> str:
    """Which screen is seen, which was last, and what lies between."""
    here, last = _name(ways, node_id), _name(ways, place.last or "")
    steps = [sentence(edge, ways.graph, variables) for edge in ways.between(place, node_id)]
    if not last:
        seen = _("The screen is “%(here)s”, and the run does not begin there.") % {"here": here}
    else:
        seen = _("The screen is “%(here)s”, and the run was on “%(last)s”.") % {"here": here, "last": last}
    if not steps:
        return f"{seen} {_('No way of the workflow leads there from where it was.')}"
    told = " · ".join(steps[:_TOLD])
    if len(steps) > _TOLD:
        told = _("%(told)s and %(n)d more") % {"told": told, "n": len(steps) - _TOLD}
    return f"{seen} {_('Passed over would be: %(steps)s.') % {'steps': told}}"


def detail(
    ways: Ways, place: Standpoint, node_id: str, variables: Mapping[str, str], *, picture: str
) -> dict[str, Any]:
    """The same for a page: both screens, `picture` being the digest of the last one, and the steps between."""
    return {
        "node_id": node_id,
        "name": _name(ways, node_id),
        "last": {"node_id": place.last or "", "name": _name(ways, place.last or ""), "picture": picture},
        "between": [sentence(edge, ways.graph, variables) for edge in ways.between(place, node_id)],
    }


def _name(ways: Ways, node_id: str) -> str:
    node = ways.graph.node(node_id)
    return node.name if node else node_id
