"""Is there a way from an entry to an end, through every screen?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from django.utils.translation import gettext as _

from workflows.graph import GraphSpec
from workflows.validation.problem import Problem, of_edge, of_node, of_variable, of_workflow


def shape(graph: GraphSpec) -> Iterator[Problem]:
    if not graph.nodes:
        yield of_workflow("no_node", _("There is no screen yet. Teach the workflow, or add its first screen."))
        return
    if not graph.entry_nodes:
        yield of_workflow("no_entry", _("No screen is marked as entry. Mark the screen on which a run begins."))
    if not graph.end_nodes:
        yield of_workflow("no_end", _("No screen is marked as the end. Mark the screen on which a run is finished."))


def ids(graph: GraphSpec) -> Iterator[Problem]:
    makers = (
        (of_node, [n.node_id for n in graph.nodes]),
        (of_edge, [e.edge_id for e in graph.edges]),
        (of_variable, [v.name for v in graph.variables]),
    )
    for make, ids in makers:
        for name in (i for i, times in Counter(ids).items() if times > 1):
            yield make(
                "duplicate_id", _("The id “%(id)s” is used twice. Give one of them another.") % {"id": name}, where=name
            )


def reach(graph: GraphSpec) -> Iterator[Problem]:
    ends, named = frozenset(graph.end_nodes), {n.node_id: n.name for n in graph.nodes}
    for entry in graph.entry_nodes if ends else ():
        if not ends & graph.reachable([entry]):
            yield of_node(
                "end_not_reachable",
                _("From “%(name)s” no way leads to an end. Add the missing action, or mark another screen as end.")
                % {"name": named[entry]},
                where=entry,
            )
    common = [n.node_id for n in graph.nodes if n.is_common]
    reached = graph.reachable([*graph.entry_nodes, *common]) if graph.entry_nodes else frozenset()
    for node in graph.nodes:
        if reached and node.node_id not in reached:
            yield of_node(
                "unreachable",
                _("No way leads from an entry to “%(name)s”. Add an action that leads there, or remove the screen.")
                % {"name": node.name},
                where=node.node_id,
            )
        if not node.is_end and not graph.outgoing(node.node_id):
            yield of_node(
                "terminal_not_end",
                _("No action leads on from “%(name)s”, so a run ends there. Mark it as end if that is meant.")
                % {"name": node.name},
                where=node.node_id,
                field="is_end",
                warn=True,
            )
