"""Can each screen be recognised, and told from the others?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.utils.translation import gettext as _

from workflows.graph import GraphSpec, NodeSpec
from workflows.validation.problem import Problem, of_node


def recognition(graph: GraphSpec) -> Iterator[Problem]:
    first: dict[Any, NodeSpec] = {}
    for node in graph.nodes:
        if not (node.texts or node.window_title.strip() or node.picture or node.looks):
            yield of_node(
                "nothing_to_recognise",
                _("“%(name)s” has nothing to recognise it by. Give it a text, a window title or a picture.")
                % {"name": node.name},
                where=node.node_id,
                field="texts",
            )
            continue
        if _matches_anything(node):
            yield of_node(
                "matches_anything",
                _("“%(name)s” would match nearly any screen. Add a text that only this screen shows.")
                % {"name": node.name},
                where=node.node_id,
                field="texts",
                warn=True,
            )
        twin = first.setdefault((node.scope, _evidence(node)), node)
        if twin is not node:
            yield of_node(
                "same_evidence",
                _("“%(name)s” and “%(other)s” are recognised by the same. Add a text that only one of them shows.")
                % {"name": node.name, "other": twin.name},
                where=node.node_id,
                field="texts",
            )


def _evidence(node: NodeSpec) -> Any:
    def folded(texts: Iterable[str]) -> frozenset[str]:
        return frozenset(" ".join(t.split()).casefold() for t in texts)

    pictures = frozenset((node.picture, *node.looks)) - {""}
    return folded(node.texts), folded(node.absent), node.window_title.strip(), node.app_name.strip(), pictures


def _matches_anything(node: NodeSpec) -> bool:
    """No picture, a title of nothing but `*`, and no text of two letters or digits."""
    says_something = any(sum(c.isalnum() for c in t) > 1 for t in node.texts)
    return not (node.picture or node.looks) and not says_something and not node.window_title.strip(" *")
