"""Is every workflow that is done inside there, given all that it needs, and none that leads back to this one?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from django.utils.translation import gettext as _

from workflows.calling import (
    LONGEST_ID,
    MOST_DEEP,
    MOST_SCREENS,
    RETURNED,
    Versions,
    called,
    depth,
)
from workflows.calls import Call, call_of
from workflows.choices import VariableKind
from workflows.conditions import date_of, number_of
from workflows.graph import EdgeSpec, GraphSpec, VariableSpec
from workflows.renaming import BETWEEN
from workflows.secret_names import holds_secret
from workflows.text import VARIABLE_NAME, is_ordinal, names, sole_name
from workflows.validation.problem import Problem, of_edge
from workflows.validation.proofs import proofs
from workflows.words import sentence

SEEING = ("enable_ocr", "enable_ui_detection")  # with which its screens were taught


def calls(graph: GraphSpec, versions: Versions) -> Iterator[Problem]:
    screens = len(graph.nodes)
    for edge in graph.calls:
        call, inner = call_of(edge), called(edge, versions)
        if call is None:
            continue  # what is missing or of another form is told of its parameters
        problem, said = partial(of_edge, where=edge.edge_id, field=_field(edge, "workflow")), {"edge": sentence(edge)}
        if inner is None:
            yield problem(
                "unknown_call",
                _("%(edge)s: there is no such version here. Publish it, or choose another one.") % said,
            )
            continue
        said["name"] = inner.name or inner.workflow_id
        if path := _path_back(graph, inner, call):
            yield problem(
                "call_in_a_ring",
                _("%(edge)s: it leads back to this workflow: %(path)s. A workflow cannot be done inside itself.")
                % {**said, "path": " → ".join(path)},
            )
        if depth(inner) >= MOST_DEEP:
            yield problem(
                "call_too_deep",
                _("%(edge)s: more than %(most)d workflows would lie within each other. Call what it does from here.")
                % {**said, "most": MOST_DEEP},
            )
        screens += len(inner.nodes)
        if screens > MOST_SCREENS:
            yield problem(
                "calls_too_large",
                _("%(edge)s: with all that is done inside, the workflow has more than %(most)d screens.")
                % {**said, "most": MOST_SCREENS},
            )
        longest = max((len(i) for i in _ids(inner)), default=0)
        if len(edge.edge_id) + len(BETWEEN) + longest > LONGEST_ID:
            yield problem(
                "call_ids_too_long",
                _("%(edge)s: with the id “%(id)s” of this action the ids inside would be too long. Give it a shorter "
                  "one.") % {**said, "id": edge.edge_id},
            )  # fmt: skip
        if any(graph.flags.get(flag) != inner.flags.get(flag) for flag in SEEING):
            yield problem(
                "call_sees_otherwise",
                _("%(edge)s: “%(name)s” was taught with other settings for reading and for finding elements. Set both "
                  "workflows alike.") % said,
            )  # fmt: skip
        yield from proofs(edge, inner)
        yield from _values(edge, call, graph, inner)
        yield from _outputs(edge, call, graph, inner)


def _field(edge: EdgeSpec, name: str) -> str:
    """Where it is said: a proof has one place for all of it."""
    return "proof" if edge.proof else f"param_{name}"


def _ids(inner: GraphSpec) -> Iterator[str]:
    yield from (node.node_id for node in inner.nodes)
    yield from (f"{edge.edge_id}{BETWEEN}{RETURNED}{BETWEEN}00" for edge in inner.edges)


def of_own(problem: Problem, graph: GraphSpec) -> Problem | None:
    """A problem of the workflow itself as it is; an error inside another one as its call's; None for a mere warning."""
    inside = {v.name: v.scope for v in graph.variables if v.scope}
    scope = inside.get(problem.where, "") if problem.kind == "variable" else problem.where
    if scope not in inside.values() and BETWEEN not in scope:
        return problem
    if not problem.is_error:
        return None
    edge = next((e for e in graph.edges if e.edge_id == scope.partition(BETWEEN)[0]), None)
    words = {"edge": sentence(edge) if edge else scope, "problem": problem.message}
    return replace(
        problem,
        kind="edge",
        where=edge.edge_id if edge else problem.where,
        message=_("%(edge)s: %(problem)s") % words,
        field=_field(edge, "workflow") if edge else "param_workflow",
    )


def _path_back(graph: GraphSpec, inner: GraphSpec, call: Call) -> list[str]:
    """From this workflow over others to itself, in words; empty where none leads back."""
    ours, own = graph.workflow_id, graph.name or graph.workflow_id
    way = [own, _("“%(name)s” (version %(version)d)") % {"name": inner.name, "version": call.number}]
    way[0] = _("“%(name)s”") % {"name": own}
    if call.workflow_id == ours:
        return way
    edges = {edge.edge_id: edge for edge in inner.edges}
    for edge in inner.calls:
        other = call_of(edge)
        if other is None or other.workflow_id != ours:
            continue
        ids = edge.edge_id.split(BETWEEN)
        chain = [edges.get(BETWEEN.join(ids[: n + 1])) for n in range(len(ids))]
        return [*way, *(_told(one) for one in chain if one is not None)]
    return []


def _told(edge: EdgeSpec) -> str:
    call = call_of(edge)
    words = {"name": edge.inner_name or (call.workflow_id if call else ""), "version": call.number if call else 0}
    return _("“%(name)s” (version %(version)s)") % words


def _values(edge: EdgeSpec, call: Call, graph: GraphSpec, inner: GraphSpec) -> Iterator[Problem]:
    """Each of its variables has a value that it takes, and no secret goes where everybody could read it."""
    problem = partial(of_edge, where=edge.edge_id, field=_field(edge, "values"))
    asked = {v.name: v for v in inner.asked}
    for name in sorted(set(call.values) - set(asked)):
        yield problem(
            "call_unknown_variable",
            _("%(edge)s: it has no variable “%(name)s”. It has: %(known)s.")
            % {"edge": sentence(edge), "name": name, "known": ", ".join(asked) or _("none")},
        )
    ours = {v.name: v for v in graph.variables}
    for name, variable in asked.items():
        said = {"edge": sentence(edge), "name": variable.label or name}
        given = call.values.get(name, variable.default)
        if variable.required and not given.strip():
            yield problem("call_without_value", _("%(edge)s: its “%(name)s” has no value. Say what it is.") % said)
            continue
        if name not in call.values or not given:
            continue
        secret = {one for one in names(given) if one in ours and holds_secret(ours[one])}
        if holds_secret(variable) and sole_name(given) not in secret:
            yield problem(
                "call_secret_open",
                _("%(edge)s: its “%(name)s” is secret. Give it one of the secret variables of this workflow, and "
                  "nothing else.") % said,
            )  # fmt: skip
        elif secret and not holds_secret(variable):
            yield problem(
                "call_secret_shown",
                _("%(edge)s: its “%(name)s” is not secret, and {{%(secret)s}} is. Make it secret there first.")
                % {**said, "secret": min(secret)},
            )
        elif not names(given) and (why := _not_taken(variable, given, inner)):
            yield problem(
                "call_value_not_taken",
                _("%(edge)s: its “%(name)s” cannot be “%(value)s”: %(why)s.") % {**said, "value": given, "why": why},
            )


def _not_taken(variable: VariableSpec, text: str, inner: GraphSpec) -> str:
    """Why it takes no such value; "" if it does."""
    if variable.choices and text not in variable.choices:
        return _("allowed are %(known)s") % {"known": ", ".join(f"“{one}”" for one in variable.choices)}
    if variable.name in inner.counting_variables and not is_ordinal(text):
        return _("which of several is meant is a whole number from 1 on")
    if variable.kind == VariableKind.NUMBER and number_of(text) is None:
        return _("that is no number")
    if variable.kind == VariableKind.DATE and date_of(text) is None:
        return _("that is no date such as 2026-11-21")
    return ""


def _outputs(edge: EdgeSpec, call: Call, graph: GraphSpec, inner: GraphSpec) -> Iterator[Problem]:
    """What it brings gets names of their own, none of which it is given at the same time."""
    problem = partial(of_edge, where=edge.edge_id, field="param_outputs")
    results, taken = inner.results, {v.name for v in graph.variables} | graph.counters
    used = names(list(call.values.values()))
    seen: set[str] = set()
    for name, ours in call.outputs.items():
        said = {"edge": sentence(edge), "name": name, "ours": ours}
        if name not in results:
            yield problem(
                "call_unknown_output",
                _("%(edge)s: it reads no value “%(name)s”. It reads: %(known)s.")
                % {**said, "known": ", ".join(results) or _("none")},
            )
        elif ours in taken or ours in seen or not VARIABLE_NAME.fullmatch(ours):
            yield problem(
                "call_output_name",
                _("%(edge)s: “%(ours)s” is a variable already, or no name. Write letters, digits and “_”, and a new "
                  "one.") % said,
            )  # fmt: skip
        elif ours in used:
            yield problem(
                "call_output_given",
                _("%(edge)s: {{%(ours)s}} is given to it and read by it. Call what it reads otherwise.") % said,
            )
        seen.add(ours)
