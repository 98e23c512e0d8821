"""Is every variable that is used declared, and every declared one used? Does a secret one hold nothing?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from workflows import text
from workflows.graph import GraphSpec, VariableSpec
from workflows.secret_names import holds_secret
from workflows.validation.problem import Kind, Problem, of_variable, problem
from workflows.words import sentence


def variables(graph: GraphSpec) -> Iterator[Problem]:
    declared = set(graph.kinds)
    for kind, where, field, value in _texts(graph):
        for name in sorted(text.names(value) - declared):
            yield problem(
                kind,
                "undeclared_variable",
                _("%(where)s uses {{%(name)s}}, which is no variable here. Add the variable or mend its name.")
                % {"where": _label(graph, kind, where), "name": name},
                where=where,
                field=field,
            )
    for variable in graph.variables:
        if variable.default and holds_secret(variable):
            yield of_variable(
                "secret_default",
                _("The variable “%(name)s” is secret and has a default, which everybody could read. Take it away.")
                % {"name": variable.name},
                where=variable.name,
                field="default",
            )
        if variable.choices and variable.default and variable.default not in variable.choices:
            yield of_variable(
                "default_not_allowed",
                _("The default “%(value)s” of the variable “%(name)s” is none of its allowed values.")
                % {"name": variable.name, "value": variable.default},
                where=variable.name,
                field="default",
            )
    for variable in unused(graph):
        said = _("The variable “%(name)s” is used nowhere. Remove it, or write {{%(name)s}} where its value belongs.")
        if variable.required:  # whoever starts a run believes that it is about that value
            said = _("{{%(name)s}} is asked for and used nowhere. Write it where its value belongs, or remove it.")
        yield of_variable(
            "unused_variable", said % {"name": variable.name}, where=variable.name, warn=not variable.required
        )


def unused(graph: GraphSpec) -> list[VariableSpec]:
    """The variables whose value is written nowhere, by name."""
    used = {name for _kind, _where, _field, value in _texts(graph) for name in text.names(value)}
    return sorted((v for v in graph.variables if v.name not in used), key=lambda v: v.name)


def _texts(graph: GraphSpec) -> Iterator[tuple[Kind, str, str, Any]]:
    """Everything that may hold {{variables}}: whose it is, its id, the field."""
    for node in graph.nodes:
        for field in ("texts", "absent", "window_title"):
            yield "node", node.node_id, field, getattr(node, field)
    for edge in graph.edges:
        yield "edge", edge.edge_id, "params", edge.params
        asked = [f"{{{{{condition.value}}}}}" for condition in edge.condition if condition.value]
        yield "edge", edge.edge_id, "condition", (*asked, *(condition.to for condition in edge.condition))
        yield "edge", edge.edge_id, "repeat", edge.repeat.until if edge.repeat else ()
        yield "edge", edge.edge_id, "proof", list(edge.proof.values.values()) if edge.proof else ()
        for field in ("texts", "gone", "window_title"):
            yield "edge", edge.edge_id, f"expect_{field}", getattr(edge.expect, field)
            yield "edge", edge.edge_id, f"before_{field}", getattr(edge.before, field)
        for identity in edge.identity:
            yield "edge", edge.edge_id, "identity_lines", (identity.label, identity.value)
        if edge.target:
            yield "target", edge.target.target_id, "text", edge.target.text
            yield "target", edge.target.target_id, "row_texts", edge.target.row
            yield "target", edge.target.target_id, "number", edge.target.number_wanted
            beside = (edge.target.named_by, *edge.target.neighbours)
            yield "target", edge.target.target_id, "evidence", [n.texts for n in beside if n]
    for popup in graph.popups:
        yield "workflow", popup.name, "popups", (popup.texts, popup.window_title)


def _label(graph: GraphSpec, kind: Kind, where: str) -> str:
    if kind == "edge" and (edge := graph.edge(where)):
        return sentence(edge)
    if kind == "target":
        return next((f"“{e.target.label}”" for e in graph.edges if e.target and e.target.target_id == where), where)
    if kind == "workflow":
        return _("The dialog “%(name)s”") % {"name": where}
    return next((f"“{n.name}”" for n in graph.nodes if n.node_id == where), where)
