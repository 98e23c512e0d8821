"""What a coach's correction teaches: of the screen only what may be kept, of the run's data nothing (S1.10, S10.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from execution.language.fuzzy import SEEN
from execution.language.screen_texts import ScreenWords
from execution.learning.conditions import Conditions, conditions_of
from execution.learning.rules import is_of_one_run
from execution.record.hidden import HIDDEN
from execution.record.journal import Journal
from execution.record.redaction import Shown
from execution.record.reference_store import taught_texts
from execution.record.values_of_runs import RunValues, values_of
from execution.teaching.corrections import Learned, learned, without_data
from execution.teaching.keeping import Taught, neutral
from execution.types import ScreenState, Suggestion
from workflows.exceptions import PictureError
from workflows.graph import EdgeSpec, NodeSpec
from workflows.pictures import PictureStore
from workflows.text import names


@dataclass(frozen=True, slots=True)
class Lesson:
    """A correction as it may be kept: `correction` without the run's data, `look` what the place teaches of the target,
    `params` what is done instead in every run, `taught` what it stands in the place of."""

    correction: Mapping[str, Any]
    feedback: str = ""
    look: Learned | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    taught: Mapping[str, Any] = field(default_factory=dict)


def lesson_of(
    suggestion: Suggestion,
    correction: Mapping[str, Any],
    state: ScreenState,
    *,
    journal: Journal,
    variables: Mapping[str, str],
    feedback: str = "",
) -> Lesson:
    """What a correction teaches; `suggestion` is what is done by it."""
    values = values_of(journal.execution, journal.graph, variables=variables, hidden=journal.hidden)
    written = values.kept(feedback, prose=True)
    kept = {**correction, "target": values.kept(dict(correction.get("target") or {}))}
    edge = journal.graph.edge(suggestion.edge.edge_id)
    if edge is None:
        return Lesson({**kept, "params": {}}, written)
    values = values.naming(names([dict(edge.params), asdict(edge.target) if edge.target else None]))
    rule = _rule(edge, correction.get("params") or {}, values)
    same_act = suggestion.edge.action_type == edge.action_type
    return Lesson(
        correction={**kept, "params": rule},
        feedback=written,
        look=_look(edge, suggestion, state, journal, values) if correction.get("target") and same_act else None,
        params=rule if same_act else {},
        taught={name: edge.params.get(name) for name in rule},
    )


@dataclass(frozen=True, slots=True)
class ScreenLook:
    """A screen that a person picked: its picture without the run's data, and what it is known by that is not on it."""

    picture: str
    gone: tuple[str, ...]
    conditions: Conditions


def look_of(node: NodeSpec, state: ScreenState, *, journal: Journal, variables: Mapping[str, str]) -> ScreenLook | None:
    """What a picked screen teaches of its node; None where nothing of it may be kept or was read."""
    values = values_of(journal.execution, journal.graph, variables=variables, hidden=journal.hidden)

    def learn(screen: Shown, store: PictureStore) -> ScreenLook | None:
        if not screen.state.text_method:
            return None
        bare = without_data(screen.state, values.every)
        known = Taught.of(taught_texts(node))
        said = ScreenWords(screen.state.texts)
        gone = tuple(text for text in node.texts if not names(text) and said.seen(text) < SEEN)
        try:
            return ScreenLook(store.put(neutral(bare, known)), gone, conditions_of(state))
        except (PictureError, OSError):
            return None

    return journal.pictures.teach(state, learn)


def _rule(edge: EdgeSpec, params: Mapping[str, Any], values: RunValues) -> dict[str, Any]:
    """What of corrected parameters holds in every run.

    Where a variable was taught, a text without that variable is this run's data, and what is typed where a secret goes
    is one: of neither anything is kept.
    """
    rules = values.rules(params)
    return {name: said for name, said in rules.items() if not is_of_one_run(edge, name, said)}


def _look(
    edge: EdgeSpec,
    suggestion: Suggestion,
    state: ScreenState,
    journal: Journal,
    values: RunValues,
) -> Learned | None:
    """What the place teaches of the target; None where it lies over something hidden, and where that is nothing."""
    target = edge.target
    if target is None:
        return None

    def learn(screen: Shown, store: PictureStore) -> Learned | None:
        box = suggestion.resolution.box
        if box is not None and any(hidden.intersection(box).area for hidden in screen.hidden):
            return None
        shown = replace(screen.state, texts=tuple(t for t in screen.state.texts if HIDDEN not in t.text))
        taught = taught_texts(journal.graph.node(edge.source))
        return learned(
            target, suggestion.resolution, shown, store=store, values=values.told, secret=values.never, taught=taught
        )

    return journal.pictures.teach(state, learn)
