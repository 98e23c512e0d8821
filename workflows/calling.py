"""Doing another workflow inside one (S6.12): a published version of it is taken in, so that what is run stays frozen.

Where a workflow is only drawn, an edge says which version of which other one it does, with which values. `expanded`
puts that version's graph beside the drawn one: its screens in a scope of their own, the edge entering them, and from
each of its ends an action that returns. The same screen may so be there twice: a run knows in which scope it is, by
the steps that are behind it, and looks for screens of that one alone.

A proof (S5.9) is taken in the same way, behind the act that it proves: the act does what it does, and the screens of
its proof come next.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from workflows.calls import call_of
from workflows.choices import EffectClass
from workflows.graph import CALL, RETURN, EdgeSpec, ExpectSpec, GraphSpec, NodeSpec
from workflows.renaming import BETWEEN, Names, renamed
from workflows.text import fill, names

MOST_DEEP = 4  # workflows within each other
MOST_SCREENS = 1_000
LONGEST_NAME = 50  # of a value, as it is kept
LONGEST_ID = 100  # of a screen or an action, likewise
RETURNED = "end"  # of the ids of what returns
MASKS = ("masks", "mask_patterns")

Versions = Callable[[str, int], GraphSpec | None]


def called(edge: EdgeSpec, versions: Versions) -> GraphSpec | None:
    """The version that the edge does; None where it names none, or one that is not there."""
    call = call_of(edge)
    return versions(call.workflow_id, call.number) if call else None


def published(workflow_id: str, number: int) -> GraphSpec | None:
    """A published version."""
    from workflows.models import WorkflowVersion  # models know the graph, and this is part of it

    version = WorkflowVersion.objects.filter(workflow__workflow_id=workflow_id, number=number).first()
    return version.spec() if version else None


def expanded(graph: GraphSpec, versions: Versions) -> GraphSpec:
    """The graph with the workflows that its own edges do; an edge that cannot be followed stays as it is drawn."""
    taken = set(graph.kinds) | {name for edge in graph.calls for name in edge.brings}
    whole, size = graph, len(graph.nodes)
    for edge in graph.calls:
        inner = None if edge.enters else called(edge, versions)
        if inner is None or depth(inner) >= MOST_DEEP or size + len(inner.nodes) > MOST_SCREENS:
            continue
        part = _part(edge, inner, taken)
        taken |= set(part.kinds)
        size += len(part.nodes)
        whole = _joined(whole, edge, inner, part)
    return whole


def drawn(graph: GraphSpec) -> GraphSpec:
    """The way back: the graph as it was drawn, without what its calls brought."""
    own = {node.node_id for node in graph.nodes if not node.scope}
    return replace(
        graph,
        nodes=tuple(node for node in graph.nodes if node.node_id in own),
        edges=tuple(_drawn(edge, graph) for edge in graph.edges if edge.source in own),
        variables=graph.asked,
        popups=tuple(popup for popup in graph.popups if not popup.scope),
    )


def depth(graph: GraphSpec) -> int:
    """How many workflows lie within each other, the graph's own among them."""
    scopes = [node.scope for node in graph.nodes if node.scope]
    return 1 + max((scope.count(BETWEEN) + 1 for scope in scopes), default=0)


def with_given(graph: GraphSpec, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a run with those that its calls give: what lacks a value that it is made of has none either."""
    known = dict(values)
    for variable in graph.variables:  # what a call inside a call is given comes behind it
        if variable.given is None:
            continue
        known.pop(variable.name, None)
        if names(variable.given) <= known.keys():
            known[variable.name] = fill(variable.given, known)
    return known


def within(scope: str, call: str) -> bool:
    """Whether a screen of that scope is done inside that call, in whatever it does itself as well."""
    return scope == call or scope.startswith(call + BETWEEN)


def done_in(graph: GraphSpec, call: str) -> tuple[EdgeSpec, ...]:
    """All that is done inside that call, in whatever it does itself as well."""
    inside = {node.node_id for node in graph.nodes if within(node.scope, call)}
    return tuple(edge for edge in graph.edges if edge.source in inside)


def read_in(graph: GraphSpec, scope: str) -> frozenset[str]:
    """The names of all that is read while that call is done, in whatever it does itself as well."""
    found = (edge.params.get("name") for edge in done_in(graph, scope))
    return frozenset(name for name in found if isinstance(name, str) and name)


def _part(edge: EdgeSpec, inner: GraphSpec, taken: Iterable[str]) -> GraphSpec:
    """The other workflow under names of this one, its variables as the edge gives them."""
    call = call_of(edge)
    assert call is not None
    known, used = dict[str, str](), set(taken)
    for name in sorted(inner.kinds):
        brought = call.outputs.get(name, "") if name in inner.results else ""
        known[name] = brought or _free(edge.edge_id, name, used)
        used.add(known[name])
    part = renamed(inner, Names(scope=edge.edge_id, values=known))
    given = {v.name: call.values.get(v.name) for v in inner.asked}
    label = inner.name or inner.workflow_id
    handed = (
        replace(new, label=f"{label}: {old.label or old.name}", given=given.get(old.name, new.given), example="")
        for old, new in zip(inner.variables, part.variables, strict=True)
    )
    return replace(part, variables=tuple(handed))


def _free(edge_id: str, name: str, taken: set[str]) -> str:
    """A name for a value that nothing else has."""
    stem = re.sub(r"^(?=\d)|\W", "_", edge_id, flags=re.ASCII)
    wanted = f"{stem[: max(1, LONGEST_NAME - len(name) - 6)]}__{name}"[: LONGEST_NAME - 4]
    number, found = 1, wanted
    while found in taken:
        number += 1
        found = f"{wanted}_{number}"
    return found


def _joined(graph: GraphSpec, edge: EdgeSpec, inner: GraphSpec, part: GraphSpec) -> GraphSpec:
    entries = tuple(node.node_id for node in part.nodes if node.is_entry)
    ends = [node.node_id for node in part.nodes if node.scope == edge.edge_id and _is_last(node, part)]
    name = inner.name or inner.workflow_id
    entering = _entering(edge, entries, name)
    last = {end: part.done_at_end(end) or _way_out(edge, end, part) for end in ends}
    returning = [_return(edge, end, number, name, behind=last[end]) for number, end in enumerate(ends, 1)]
    inside = (other for other in part.edges if other.source not in ends or other in last[other.source])
    flags = dict(graph.flags)
    for flag in MASKS:
        if hidden := [
            *flags.get(flag, ()),
            *(one for one in inner.flags.get(flag, ()) if one not in flags.get(flag, ())),
        ]:
            flags[flag] = hidden
    return replace(
        graph,
        nodes=(*graph.nodes, *(replace(node, is_entry=False, is_end=False) for node in part.nodes)),
        edges=(*(entering if one is edge else one for one in graph.edges), *inside, *returning),
        variables=(*graph.variables, *part.variables),
        popups=(*graph.popups, *part.popups),
        flags=flags,
    )


def _entering(edge: EdgeSpec, entries: tuple[str, ...], name: str) -> EdgeSpec:
    """The edge that leads into the other workflow; one that is proved by it stays the act that it is."""
    if edge.proof and edge.action_type != CALL:
        return replace(edge, enters=entries, proof=replace(edge.proof, name=name))
    return replace(
        edge,
        enters=entries,
        params={**edge.params, "name": name},
        effect_class=EffectClass.READ,  # to enter is to look whether it begins here; what it does says its own
        expect=ExpectSpec(),
    )


def _way_out(edge: EdgeSpec, end: str, part: GraphSpec) -> tuple[EdgeSpec, ...]:
    """What leads on from an end that is a beginning as well: a proof comes back to the screen that it began on."""
    node = part.node(end)
    return part.outgoing(end) if edge.proof and node is not None and node.is_entry else ()


def _is_last(node: NodeSpec, part: GraphSpec) -> bool:
    """Whether the other workflow is done there."""
    return node.is_end or not part.outgoing(node.node_id)


def _return(edge: EdgeSpec, end: str, number: int, name: str, *, behind: Sequence[EdgeSpec]) -> EdgeSpec:
    """What follows the end of the other workflow: what the edge expects is looked for, and the run is back."""
    return EdgeSpec(
        edge_id=f"{edge.edge_id}{BETWEEN}{RETURNED}{BETWEEN}{number}",
        source=end,
        destination=edge.destination,
        action_type=RETURN,
        params={"name": name},
        expect=ExpectSpec() if edge.proof else edge.expect,
        effect_class=EffectClass.READ,
        retries=edge.retries,
        retry_backoff_ms=edge.retry_backoff_ms,
        settle_ms=edge.settle_ms,
        settle_timeout_ms=edge.settle_timeout_ms,
        order=1 + max((one.order for one in behind), default=-1),
    )


def _drawn(edge: EdgeSpec, graph: GraphSpec) -> EdgeSpec:
    if not edge.enters:
        return edge
    if edge.proof:
        return replace(edge, enters=(), proof=replace(edge.proof, name=""))
    params = {name: value for name, value in edge.params.items() if name != "name"}
    back = next((one for one in graph.edges if one.returns and graph.scope_of(one.source) == edge.edge_id), edge)
    return replace(edge, enters=(), params=params, expect=back.expect, effect_class=EffectClass.UNDECLARED)
