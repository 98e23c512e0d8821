"""Parts of a graph as people read them."""

from __future__ import annotations

from django.utils.translation import gettext as _

from workflows.catalogue import ACTIONS
from workflows.graph import EdgeSpec


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
