"""Which screen is it: screens of the needles taught as nodes of one workflow, then seen in other releases."""

from __future__ import annotations

import csv
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import django

from benchmarks.foreign.scoring import Outcome, of_node
from benchmarks.foreign.seen import Seen, sampled
from execution.matching import Matcher, Reading, Reference
from execution.types import ScreenState
from sentences.said import then
from workflows.graph import GraphSpec, NodeSpec

django.setup()  # what lessons make are rows

from execution.lesson.screens import Known, Look, forbidden, proposed_texts  # noqa: E402

Row = Mapping[str, str]


class Taught(NamedTuple):
    """A node, and its picture as it was seen."""

    node: NodeSpec
    look: Look


def answers(folder: Path, seen: Seen, sample: int | None) -> Mapping[str, Iterator[Outcome]]:
    with (folder / "screens" / "screens.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    views = sampled([row for row in rows if row["role"] != "node"], sample)
    nodes = [row for row in rows if row["role"] == "node"]
    return {
        "nodes as a lesson makes them": _all(views, nodes, seen, of_picture_alone=False),
        "nodes of the picture alone": _all(views, nodes, seen, of_picture_alone=True),
    }


def _all(views: Sequence[Row], nodes: Sequence[Row], seen: Seen, *, of_picture_alone: bool) -> Iterator[Outcome]:
    taught = lesson({row["node"]: seen.state(picture_of(row, seen)) for row in nodes})
    if of_picture_alone:
        taught = [one._replace(node=replace(one.node, texts=(), absent=())) for one in taught]
    matcher = matcher_of(taught)
    for view in views:
        yield _answered(view, seen.state(picture_of(view, seen)), matcher)


def picture_of(row: Row, seen: Seen) -> str:
    """Most of them are pictures of the needles."""
    own = f"screens/pictures/{row['picture']}"
    return own if seen.has(own) else f"needles/pictures/{row['picture']}"


def lesson(states: Mapping[str, ScreenState]) -> list[Taught]:
    """The nodes that a lesson makes of these screens, one after the other, by what tells each."""
    taught = list[Taught]()
    for name, state in states.items():
        look = Look.of_state(state, state.frame.digest)
        texts = proposed_texts(state, Known(), [one.look for one in taught])
        taught.append(Taught(NodeSpec(node_id=name, name=name, picture=look.picture, texts=texts), look))
    absent: dict[str, list[str]] = {name: [] for name in states}
    for one, other in permutations(taught, 2):
        absent[one.node.node_id].append(forbidden(one.look, one.node.texts, other.look, other.node.texts))
    return [
        one._replace(node=replace(one.node, absent=tuple(dict.fromkeys(filter(None, absent[one.node.node_id])))))
        for one in taught
    ]


def matcher_of(taught: Sequence[Taught]) -> Matcher:
    graph = GraphSpec(
        workflow_id="foreign", name="foreign", learning_state="COACHING", nodes=tuple(one.node for one in taught)
    )
    references = {one.node.node_id: reference_of(one.look.state) for one in taught}
    return Matcher(graph, pictures=None, embedder=None, references=references)


def reference_of(state: ScreenState) -> Reference:
    picture = state.frame.digest
    reading = Reading(
        picture=picture, maker=state.text_method, size=state.frame.size, texts=state.texts, elements=state.elements
    )
    return Reference(picture=picture, reading=reading, embedding=state.embedding)


def _answered(view: Row, state: ScreenState, matcher: Matcher) -> Outcome:
    began = time.perf_counter()
    found = matcher.recognise(state, variables={})
    ms = (time.perf_counter() - began) * 1000
    node = found.match.node_id if found.match else None
    right = {view["node"], view["also"]} - {""}
    best = found.candidates[0].confidence if found.candidates else 0.0
    said = then(reason.note for reason in found.match.reasons) if found.match else found.why_not
    return Outcome(
        groups=(view["role"], *([f"known, {view['kind']}"] if right and view["kind"] else [])),
        verdicts={f"P {matcher.threshold:.2f}": of_node(node, right)},
        answer={"id": view["id"], "node": node, "p": best, "said": str(said)},
        ms=ms,
    )
