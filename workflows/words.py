"""Parts of a graph as people read them."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from workflows.catalogue import ACTIONS
from workflows.graph import EdgeSpec, IdentitySpec, PopupSpec

PARAM_WORDS = {
    "text": gettext_lazy("Text"),
    "clear": gettext_lazy("Empty the field first"),
    "keys": gettext_lazy("Keys"),
    "dx": gettext_lazy("Across"),
    "dy": gettext_lazy("Down"),
    "timeout_s": gettext_lazy("Longest wait (s)"),
    "node": gettext_lazy("Screen"),
    "place": gettext_lazy("Place"),
    "credential": gettext_lazy("Credentials"),
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


def identity(spec: IdentitySpec) -> str:
    """“{{patient}}” at “Patient”; without a label: “{{patient}}” somewhere in the window."""
    if spec.label:
        return _("“%(value)s” at “%(label)s”") % {"value": spec.value, "label": spec.label}
    return _("“%(value)s” somewhere in the window") % {"value": spec.value}


def known_by(popup: PopupSpec) -> str:
    """What a dialog is known by, in words."""
    texts = ", ".join(f"“{text}”" for text in popup.texts)
    window = _("the window “%(title)s”") % {"title": popup.window_title} if popup.window_title else ""
    return " · ".join(part for part in (window, texts) if part)


def closed_by(popup: PopupSpec) -> str:
    """How a dialog is closed, in words."""
    if popup.click:
        return _("a click on “%(text)s”") % {"text": popup.click}
    return _("the keys %(keys)s") % {"keys": popup.keys}
