"""Parts of a graph as people read them."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from workflows.catalogue import ACTIONS
from workflows.graph import EdgeSpec

PARAM_WORDS = {
    "text": gettext_lazy("Text"),
    "clear": gettext_lazy("Empty the field first"),
    "keys": gettext_lazy("Keys"),
    "dx": gettext_lazy("Across"),
    "dy": gettext_lazy("Down"),
}


def sentence(edge: EdgeSpec) -> str:
    """The action in words, as people read it: Click “Save”. An action nobody knows goes by its id."""
    spec = ACTIONS.get(edge.action_type)
    if spec is None:
        return _("Action “%(id)s”") % {"id": edge.edge_id}
    keys = edge.params.get("keys", "")
    values = {
        **{p.name: "…" for p in spec.params},
        **{name: v.strip() if isinstance(v, str) else v for name, v in edge.params.items()},
        "keys": "+".join(map(str, keys)) if isinstance(keys, list | tuple) else keys,
        "target": f"“{edge.target.label}”" if edge.target else "…" if spec.target == "needed" else _("the screen"),
    }
    return str(spec.sentence) % values


def params(edge: EdgeSpec) -> tuple[tuple[str, str], ...]:
    """The parameters by their names in words, and their values."""
    return tuple((str(PARAM_WORDS.get(name, name)), _value(value)) for name, value in edge.params.items())


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return "+".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
