"""A coach who shows where a target is teaches it: of the screen only what may be kept (S1.10, S10.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from execution.record.hidden import HIDDEN
from execution.record.journal import Journal
from execution.record.redaction import Shown
from execution.teaching.corrections import Learned, learned
from execution.types import ScreenState, Suggestion
from workflows.graph import GraphSpec
from workflows.pictures import PictureStore
from workflows.secret_names import holds_secret


def lesson_of(
    suggestion: Suggestion, state: ScreenState, *, journal: Journal, variables: Mapping[str, str]
) -> Learned | None:
    """What the place of a corrected suggestion teaches of its target; None where it lies over something hidden, and
    where there is nothing to learn."""
    edge = journal.graph.edge(suggestion.edge.edge_id)
    target = edge.target if edge else None
    if edge is None or target is None:
        return None
    target = journal.learned_before(edge.edge_id) or target

    def learn(screen: Shown, store: PictureStore) -> Learned | None:
        box = suggestion.resolution.box
        if box is not None and any(hidden.intersection(box).area for hidden in screen.hidden):
            return None
        shown = replace(screen.state, texts=tuple(t for t in screen.state.texts if HIDDEN not in t.text))
        # What a variable offers is what it mostly had when the workflow was taught.
        offered = {v.name: v.default or v.example for v in journal.graph.variables}
        return learned(
            target,
            suggestion.resolution,
            shown,
            store=store,
            taught_with=_told(journal.graph, offered),
            values=_told(journal.graph, variables),
        )

    return journal.pictures.teach(state, learn)


def _told(graph: GraphSpec, values: Mapping[str, str]) -> dict[str, str]:
    """The values of the workflow's variables that are not secret."""
    return {v.name: str(values[v.name]) for v in graph.variables if v.name in values and not holds_secret(v)}
