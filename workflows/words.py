"""Parts of a graph as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from sentences.said import say, worded
from workflows.catalogue import ACTIONS, CALLING_ACTION_TYPES
from workflows.conditions import say_conditions
from workflows.graph import EdgeSpec, GraphSpec, IdentitySpec, PopupSpec
from workflows.text import told

PARAM_WORDS = {
    "text": gettext_lazy("Text"),
    "clear": gettext_lazy("Empty the field first"),
    "enter": gettext_lazy("Enter after"),
    "keys": gettext_lazy("Keys"),
    "dx": gettext_lazy("Across"),
    "dy": gettext_lazy("Down"),
    "timeout_s": gettext_lazy("Longest wait (s)"),
    "node": gettext_lazy("Screen"),
    "place": gettext_lazy("Place"),
    "credential": gettext_lazy("Credentials"),
    "name": gettext_lazy("Name"),
    "label": gettext_lazy("Label"),
    "box": gettext_lazy("Box beside it"),
    "kind": gettext_lazy("Kind"),
    "format": gettext_lazy("Format"),
    "option": gettext_lazy("Option"),
    "state": gettext_lazy("State"),
    "date": gettext_lazy("Date"),
    "columns": gettext_lazy("Columns"),
    "workflow": gettext_lazy("Workflow"),
    "version": gettext_lazy("Version"),
    "values": gettext_lazy("Its variables"),
    "outputs": gettext_lazy("Its values"),
}

CHOICE_WORDS = {"on": gettext_lazy("on"), "off": gettext_lazy("off")}
_OF_SCREENS = ("node", "place")  # parameters that may hold a screen's id


def sentence(edge: EdgeSpec, graph: GraphSpec | None = None, variables: Mapping[str, Any] | None = None) -> str:
    """The action in words, as people read it: Click “Save”. An action nobody knows goes by its type.

    Of `graph` come the names of screens, and of the workflow inside of which it is done. `variables` are those of a
    run, to be put in; without them {{variables}} stand as they were taught.
    """
    said = _sentence(replace(edge, params=with_names(edge.params, graph)) if graph else edge)
    around = graph.inside(edge.source) if graph and not edge.returns else ""
    said = f"{around}: {said}" if around else said
    return said if variables is None else told(said, variables)


def with_names(params: Mapping[str, Any], graph: GraphSpec) -> dict[str, Any]:
    """The parameters with the names of the screens that some of them mean."""
    return {**params, **names_of(params, graph)}


def names_of(params: Mapping[str, Any], graph: GraphSpec) -> dict[str, str]:
    """The names of the screens that parameters mean, by parameter."""
    nodes = {name: graph.node(str(params[name])) for name in _OF_SCREENS if name in params}
    return {name: node.name for name, node in nodes.items() if node}


def _sentence(edge: EdgeSpec) -> str:
    return of_action(edge.action_type, edge.params, label=edge.target.label if edge.target else None)


def of_action(action_type: str, params: Mapping[str, Any], *, label: str | None) -> str:
    """An action in words; one that is not in the catalogue goes by its type."""
    if action_type not in ACTIONS:
        return _("Action “%(name)s”") % {"name": action_type}
    return action_sentence(action_type, params, label=label)


def action_sentence(action_type: str, params: Mapping[str, Any], *, label: str | None) -> str:
    """The one way an action of the catalogue becomes a sentence; KeyError for one that is not in it.

    `label` is the target's, None where there is no target. What is not given stands as the action's default, or open.
    """
    spec, keys = ACTIONS[action_type], params.get("keys", "")
    values = {
        **{p.name: "…" if p.default in (None, "") else p.default for p in spec.params},
        **({"name": params.get("workflow") or "…"} if action_type in CALLING_ACTION_TYPES else {}),
        **{name: v.strip() if isinstance(v, str) else v for name, v in params.items()},
        "target": _("“%(text)s”") % {"text": label} if label else "…" if spec.target == "needed" else _("the screen"),
    }
    for name in {p.name for p in spec.params if p.kind == "choice"} & set(values):
        values[name] = str(CHOICE_WORDS.get(str(values[name]), values[name]))
    if "keys" in values:
        values["keys"] = "+".join(map(str, keys)) if isinstance(keys, list | tuple) else keys or "…"
    act = str(spec.sentence_at if label and spec.sentence_at else spec.sentence) % values
    return _("%(act)s, then press Enter") % {"act": act} if params.get("enter") else act


def params(edge: EdgeSpec) -> tuple[tuple[str, str], ...]:
    """The parameters by their names in words, and their values."""
    return tuple((str(PARAM_WORDS.get(name, name)), _value(value)) for name, value in edge.params.items())


def param_in_words(name: str, value: Any) -> str:
    """One parameter: “Keys: ctrl+s”."""
    return _("%(name)s: %(value)s") % {"name": PARAM_WORDS.get(name, name), "value": _value(value)}


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {one}" for name, one in value.items()) or _("none")
    return "+".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def when(edge: EdgeSpec, graph: GraphSpec) -> tuple[str, ...]:
    """What an action is done if, and for: “only if “Amount” is more than 100”, “for each line {{n}}, at most 50”; and
    what it is read back by."""
    said = [say("ways.only_if", condition=say_conditions(edge.condition, graph))] if edge.condition else []
    if edge.repeat:
        said.append(say("ways.for_each", counter=f"{{{{{edge.repeat.counter}}}}}", most=edge.repeat.most))
        said += [say("ways.until", texts=list(edge.repeat.until))] if edge.repeat.until else []
    if edge.proof:
        name = edge.proof.name or edge.proof.workflow
        said.append(say("ways.proved_by", name=name, version=edge.proof.version))
    return tuple(worded(one) for one in said)


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
