"""Does each action say what to do, on what, and what must come of it?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from workflows.catalogue import ACTIONS, ALLOWED_ACTION_TYPES, Param, effect_of
from workflows.choices import EffectClass
from workflows.graph import EdgeSpec, GraphSpec, TargetSpec, VariableSpec
from workflows.text import VARIABLE_NAME, is_ordinal, names, sole_name
from workflows.validation.problem import Problem, of_edge, of_target, of_variable
from workflows.words import sentence

LONGEST_WAIT_S = 3600
PASTES, COPIES = ("ctrl+v", "shift+insert", "ctrl+shift+v"), ("ctrl+c", "ctrl+x", "ctrl+insert", "ctrl+shift+c")
BOX = ("left", "top", "width", "height")


def actions(graph: GraphSpec) -> Iterator[Problem]:
    known = {n.node_id for n in graph.nodes}
    for edge in graph.edges:
        for end, field in ((edge.source, "source"), (edge.destination, "destination")):
            if end not in known:
                yield of_edge(
                    "unknown_node",
                    _("%(edge)s: there is no screen “%(node)s”. Choose one that is there.")
                    % {"edge": sentence(edge), "node": end},
                    where=edge.edge_id,
                    field=field,
                )
        yield from _action(edge, {v.name: v for v in graph.variables}, inside=bool(graph.scope_of(edge.source)))
        yield from _waiting(edge, graph)
        yield from _pasting(edge, graph)
        yield from _identity(edge)


def _action(edge: EdgeSpec, variables: Mapping[str, VariableSpec], *, inside: bool) -> Iterator[Problem]:
    spec = ACTIONS.get(edge.action_type)
    if spec is None or (edge.returns and not inside):
        yield of_edge(
            "unknown_action",
            _("%(edge)s: there is no action “%(action)s”. There are: %(known)s.")
            % {"edge": sentence(edge), "action": edge.action_type, "known": ", ".join(sorted(ALLOWED_ACTION_TYPES))},
            where=edge.edge_id,
            field="action_type",
        )
        return
    if not edge.returns:
        yield from _params(edge, {p.name: p for p in spec.params}, variables)
    yield from _target(edge, variables, needed=spec.target == "needed")
    yield from _reading(edge, variables)
    effect = effect_of(replace(edge, effect_class=_declared(edge)))
    if (
        effect is EffectClass.OPAQUE and not (edge.expect or edge.proof) and edge.action_type != "type_text"
    ):  # what is typed is seen
        yield of_edge(
            "nothing_expected",
            _("%(edge)s: nothing says what must be seen after it, so it is never repeated without a person. "
              "Add a text that it makes appear.")
            % {"edge": sentence(edge)},
            where=edge.edge_id,
            field="expect_texts",
            warn=True,
        )  # fmt: skip


def _waiting(edge: EdgeSpec, graph: GraphSpec) -> Iterator[Problem]:
    """A screen to wait for that is there, and a time that makes sense."""
    spec = ACTIONS.get(edge.action_type)
    taken = {param.name for param in spec.params} if spec else set()
    node = edge.params.get("node")
    if "node" in taken and isinstance(node, str) and node and graph.node(node) is None:
        yield of_edge(
            "unknown_wait_node",
            _("%(edge)s: there is no screen with the id “%(node)s”. There are: %(known)s.")
            % {"edge": sentence(edge), "node": node, "known": ", ".join(n.node_id for n in graph.nodes)},
            where=edge.edge_id,
            field="param_node",
        )
    seconds = edge.params.get("timeout_s")
    whole = isinstance(seconds, int) and not isinstance(seconds, bool)
    if "timeout_s" in taken and whole and not 1 <= edge.params["timeout_s"] <= LONGEST_WAIT_S:
        yield of_edge(
            "bad_timeout",
            _("%(edge)s: the longest time to wait is %(value)d s. Write 1 to %(most)d seconds.")
            % {"edge": sentence(edge), "value": seconds, "most": LONGEST_WAIT_S},
            where=edge.edge_id,
            field="param_timeout_s",
        )


def _reading(edge: EdgeSpec, variables: Mapping[str, VariableSpec]) -> Iterator[Problem]:
    """A value has a place, and a name of its own."""
    if edge.action_type != "read_value":
        return
    if edge.target is None and not str(edge.params.get("label") or "").strip():
        yield of_edge(
            "nowhere_to_read",
            _("%(edge)s: nothing says where the value stands. Give a label, or a target.") % {"edge": sentence(edge)},
            where=edge.edge_id,
            field="target",
        )
    name = edge.params.get("name")
    if isinstance(name, str) and name and (name in variables or not VARIABLE_NAME.fullmatch(name)):
        yield of_edge(
            "bad_output_name",
            _("%(edge)s: “%(name)s” is a variable already, or no name. Write letters, digits and “_”, and a new one.")
            % {"edge": sentence(edge), "name": name},
            where=edge.edge_id,
            field="param_name",
        )


def _pasting(edge: EdgeSpec, graph: GraphSpec) -> Iterator[Problem]:
    """What somebody had copied when it was taught is not what a robot finds."""
    if _chord(edge) in PASTES and not any(_chord(other) in COPIES for other in graph.edges):
        yield of_edge(
            "pastes_unknown",
            _("%(edge)s: a run pastes what it finds, and nothing is copied before. Type a {{variable}} instead.")
            % {"edge": sentence(edge)},
            where=edge.edge_id,
            field="param_keys",
            warn=True,
        )


def _chord(edge: EdgeSpec) -> str:
    keys = edge.params.get("keys", "") if edge.action_type == "press_keys" else ""
    return ("+".join(map(str, keys)) if isinstance(keys, list | tuple) else str(keys)).lower().replace(" ", "")


def _identity(edge: EdgeSpec) -> Iterator[Problem]:
    """Whose record it must be is a run's own data: without a variable every run would ask for the same."""
    for identity in edge.identity:
        if not identity.value.strip():
            yield of_edge(
                "empty_identity",
                _("%(edge)s: the record at “%(label)s” has no value. Write “%(label)s: {{variable}}”.")
                % {"edge": sentence(edge), "label": identity.label},
                where=edge.edge_id,
                field="identity_lines",
            )
        elif not names(identity.value):
            yield of_edge(
                "identity_without_variable",
                _("%(edge)s: every run would ask for the same record, “%(value)s”. Write a {{variable}} in its place.")
                % {"edge": sentence(edge), "value": identity.value},
                where=edge.edge_id,
                field="identity_lines",
                warn=True,
            )


def _declared(edge: EdgeSpec) -> str:
    return edge.effect_class if edge.effect_class in EffectClass.values else EffectClass.OPAQUE


def _params(edge: EdgeSpec, known: Mapping[str, Param], variables: Mapping[str, VariableSpec]) -> Iterator[Problem]:
    for name in (str(n) for n in edge.params if n not in known and not (edge.enters and n == "name")):
        yield of_edge(
            "unknown_parameter",
            _("%(edge)s: the action does not know the parameter “%(name)s”. It takes: %(known)s.")
            % {"edge": sentence(edge), "name": name, "known": ", ".join(known) or _("none")},
            where=edge.edge_id,
            field="params",
        )
    for param in known.values():
        value = edge.params.get(param.name)
        if value in (None, "", [], (), {}):
            if param.required:
                yield of_edge(
                    "missing_parameter",
                    _("%(edge)s: %(what)s is missing. Fill it in.")
                    % {"edge": sentence(edge), "what": PARAM_LABELS[param.name]()},
                    where=edge.edge_id,
                    field=f"param_{param.name}",
                )
        elif not _says(param, value, variables) and (expected := mistyped(param, value)):
            yield of_edge(
                "bad_parameter",
                _("%(edge)s: %(what)s must be %(expected)s, it is %(value)s.")
                % {
                    "edge": sentence(edge),
                    "what": PARAM_LABELS[param.name](),
                    "expected": expected,
                    "value": repr(value)[:80],
                },
                where=edge.edge_id,
                field=f"param_{param.name}",
            )


def _says(param: Param, value: Any, variables: Mapping[str, VariableSpec]) -> bool:
    """Whether a variable, of which each allowed value is one of the parameter's, says which of them it is."""
    variable = variables.get(sole_name(value)) if param.kind == "choice" and isinstance(value, str) else None
    return variable is not None and bool(variable.choices) and set(variable.choices) <= set(param.choices)


PARAM_LABELS: Mapping[str, Callable[[], str]] = {
    "text": lambda: _("the text"),
    "clear": lambda: _("“empty the field first”"),
    "enter": lambda: _("“Enter after”"),
    "keys": lambda: _("the keys to press"),
    "dx": lambda: _("the way across"),
    "dy": lambda: _("the way down"),
    "timeout_s": lambda: _("the longest time to wait"),
    "node": lambda: _("the screen to wait for"),
    "place": lambda: _("where to go"),
    "credential": lambda: _("whose credentials"),
    "name": lambda: _("the name"),
    "label": lambda: _("the label"),
    "box": lambda: _("the box"),
    "kind": lambda: _("the kind"),
    "format": lambda: _("the format"),
    "option": lambda: _("the option"),
    "state": lambda: _("the state"),
    "date": lambda: _("the date"),
    "workflow": lambda: _("the workflow"),
    "version": lambda: _("the version"),
    "values": lambda: _("what its variables are"),
    "outputs": lambda: _("what its values are called"),
}


def mistyped(param: Param, value: Any) -> str:
    """What the value should be, in words; empty when it is."""
    if param.kind in ("text", "name"):
        return "" if isinstance(value, str) else _("a text")
    if param.kind == "int":
        return "" if isinstance(value, int) and not isinstance(value, bool) else _("a whole number")
    if param.kind == "bool":
        return "" if isinstance(value, bool) else _("yes or no")
    if param.kind == "keys":
        names = value.split("+") if isinstance(value, str) else value
        good = isinstance(names, list | tuple) and all(isinstance(n, str) and n for n in names)
        return "" if good else _("keys such as ctrl+s")
    if param.kind == "choice":
        return (
            ""
            if value in param.choices
            else _("one of %(choices)s") % {"choices": ", ".join(filter(None, param.choices))}
        )
    if param.kind == "texts":
        good = isinstance(value, Mapping) and all(isinstance(one, str) for pair in value.items() for one in pair)
        return "" if good else _("texts, each by a name")
    if param.kind == "box":
        whole = isinstance(value, list | tuple) and len(value) == len(BOX)
        good = whole and all(isinstance(n, int) and not isinstance(n, bool) for n in value) and min(value[2:]) > 0
        return "" if good else _("left, top, width and height in pixels")
    return ""


def wrong_parameter(action_type: str, params: Mapping[str, Any]) -> str:
    """What keeps an action from being done with these, in a sentence; empty if nothing does.

    A text may be empty where a variable is, and a number or a text may be given as the other.
    """
    spec = ACTIONS.get(action_type)
    for param in spec.params if spec else ():
        value = params.get(param.name)
        if value is None:
            expected = _("given") if param.required else ""
        elif param.kind == "int":
            expected = "" if _is_whole(value) else mistyped(param, value)
        else:
            expected = mistyped(param, value) if param.kind in ("keys", "choice") else ""
        if expected:
            words = {"action": spec.label if spec else "", "what": PARAM_LABELS[param.name](), "expected": expected}
            return _("“%(action)s”: %(what)s must be %(expected)s.") % words
    return ""


def _is_whole(value: Any) -> bool:
    try:
        return int(value) == float(value)
    except (TypeError, ValueError, OverflowError):
        return False


def _target(edge: EdgeSpec, variables: Mapping[str, VariableSpec], *, needed: bool) -> Iterator[Problem]:
    if edge.target is None:
        if needed:
            yield of_edge(
                "no_target",
                _("%(edge)s: it does not say what to act on. Choose a target, or show it in a coached run.")
                % {"edge": sentence(edge)},
                where=edge.edge_id,
                field="target",
            )
    elif not (edge.target.picture or edge.target.text.strip() or edge.target.named_by):
        yield of_target(
            "no_evidence",
            _("Nothing says what “%(name)s” looks like. Give it a picture, or the text that stands on it.")
            % {"name": edge.target.label},
            where=edge.target.target_id,
            field="text",
        )
    if edge.target and edge.target.number_wanted:
        yield from _number(edge.target, variables)


def _number(target: TargetSpec, variables: Mapping[str, VariableSpec]) -> Iterator[Problem]:
    """A run says by one variable which of its group it wants: a whole number from 1."""
    name = sole_name(target.number_wanted)
    if not name:
        yield of_target(
            "bad_number",
            _("“%(name)s”: “%(number)s” is no number. Write which of its like it is, or one variable such as {{n}}.")
            % {"name": target.label, "number": target.number_wanted},
            where=target.target_id,
            field="number",
        )
    default = variables[name].default if name in variables else ""
    if default and not is_ordinal(default):
        yield of_variable(
            "bad_number_default",
            _("The variable “%(name)s” says which of several is meant, and its default “%(default)s” is no whole "
              "number from 1 on. Write one, or take it away.")
            % {"name": name, "default": default},
            where=name,
            field="default",
        )  # fmt: skip
