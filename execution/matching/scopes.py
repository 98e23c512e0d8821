"""One matcher for each workflow that a graph holds: its own, and those that are done inside it.

A screen may belong to several of them, such as a list that all begin on. A run knows which one it is in, by the steps
that are behind it (`turn.ways`); it looks for screens of that one alone, and each knows its screens from each other as
if it were run by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from execution.matching.matcher import Matcher
from execution.matching.references import Reference
from execution.perception.embedding import Embedder
from execution.perception.pictures import PictureSource
from execution.types import Recognition, ScreenState
from workflows.graph import GraphSpec


class ScopedMatcher:
    """`Matcher` with the same options, of the screens of one scope at a time."""

    def __init__(
        self,
        graph: GraphSpec,
        *,
        pictures: PictureSource | None,
        embedder: Embedder | None,
        references: Mapping[str, Reference] | None = None,
        **options: Any,
    ) -> None:
        self.pictures = pictures
        self._options = {"embedder": embedder, **options}
        self._scopes = {node.node_id: node.scope for node in graph.nodes}
        known = references or {}
        self._matchers = {
            scope: Matcher(
                _part(graph, scope),
                pictures=pictures,
                embedder=embedder,
                references={name: one for name, one in known.items() if self._scopes.get(name) == scope},
                **options,
            )
            for scope in dict.fromkeys(["", *self._scopes.values()])
        }

    def of(self, graph: GraphSpec, references: Mapping[str, Reference]) -> ScopedMatcher:
        """One for another graph, with the same options."""
        return ScopedMatcher(graph, pictures=self.pictures, references=references, **self._options)

    @property
    def embedder(self) -> Embedder | None:
        """Whose vectors are compared; give it anew after the model was moved or changed (S2.10)."""
        return self._matchers[""].embedder

    @embedder.setter
    def embedder(self, embedder: Embedder | None) -> None:
        for matcher in self._matchers.values():
            matcher.embedder = embedder

    def scope(self, *, last_node: str | None, expected: str | None) -> str:
        """Where a run is that is on its way to `expected`, or was last on `last_node`."""
        known = (self._scopes[name] for name in (expected, last_node) if name in self._scopes)
        return next(known, "")

    def reference(self, node_id: str) -> Reference | None:
        """The taught pictures of a screen; None where it has none."""
        return self._of(self._scopes.get(node_id, "")).gallery.references.get(node_id)

    def recognise(
        self,
        state: ScreenState,
        *,
        variables: Mapping[str, str],
        last_node: str | None = None,
        expected: str | None = None,
    ) -> Recognition:
        """The node that the screen is, of those of the scope that the run is in."""
        matcher = self._of(self.scope(last_node=last_node, expected=expected))
        return matcher.recognise(state, variables=variables, last_node=last_node, expected=expected)

    def _of(self, scope: str) -> Matcher:
        return self._matchers[scope]


def _part(graph: GraphSpec, scope: str) -> GraphSpec:
    nodes = tuple(node for node in graph.nodes if node.scope == scope)
    own = {node.node_id for node in nodes}
    return replace(graph, nodes=nodes, edges=tuple(edge for edge in graph.edges if edge.source in own))
