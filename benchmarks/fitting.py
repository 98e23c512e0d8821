"""Fits the model of "same screen" to what was read on the corpus, and writes it into the product.

`python -m benchmarks.matching --fit`. What is asked are workflows of other sizes each time, of one program or many:
each screen of theirs as it is and as if it had not been taught, some without what may be missing, and strangers.
Screens of others are asked where they lie there.
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.judging import trees_of
from benchmarks.worlds import ANOTHER_LANGUAGE, COVERED, Sight, World, reference
from execution.language.fuzzy import SEEN
from execution.language.screen_texts import ScreenWords
from execution.matching import Gallery, Reference
from execution.matching.comparison import FEATURES, NAMES
from execution.matching.reasons import ruled_out
from execution.matching.same import FITTED, Compared, rows_of
from execution.types import ScreenState
from workflows.graph import NodeSpec

_SIZES = (1, 2, 4, 8, 16)  # programs in one workflow
_HARDEST = 12  # nodes that are compared, besides the right one
_STRANGERS = 4  # one to so many screens of the workflow
_BLIND = 0.1  # of what is asked: without the look; as much without the texts
_UNDECLARED, _NO_WINDOW = 0.4, 0.6
_OTHERS = 4.0  # how much all nodes that a screen is not weigh beside the one that it is
_SEEDS, _TREES = 2, 200
_OPTIONS = {"objective": "binary", "verbose": -1, "deterministic": True, "num_threads": 1, "num_leaves": 6,
            "learning_rate": 0.05, "min_data_in_leaf": 20, "feature_fraction": 0.5, "bagging_fraction": 0.8,
            "bagging_freq": 1, "lambda_l2": 5.0, "max_bin": 63}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class View:
    """A screen, the nodes that it is, and those that are neither right nor wrong; `family` keeps folds apart."""

    state: ScreenState
    right: frozenset[str]
    neither: frozenset[str] = frozenset()
    kind: str = ""
    family: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """Taught pictures by node, with what a lesson would declare of each and its family, and the screens seen."""

    name: str
    taught: Mapping[str, Reference]
    texts: Mapping[str, Collection[str]]
    family: Mapping[str, str]
    views: Sequence[View]


class Trial(NamedTuple):
    """One screen among the nodes of a workflow: the features (nodes, NAMES), and which are right."""

    part: str
    family: str
    rows: np.ndarray
    right: np.ndarray


# --- what is asked ---
def own(world: World) -> list[Part]:
    """The pages and the real programs, each known by what a lesson would declare."""
    from benchmarks.foreign.screens import lesson

    parts = []
    for name in ("nodes", "drift", "apps"):
        views = [view_of(world, sight) for sight in world.seen if sight.part == name]
        mine = {sight.node for sight in world.seen if sight.part == name and sight.node}
        taught = {node: world.taught[node] for node in sorted(mine)}
        program = {sight.node: sight.program for sight in world.seen}
        if views:
            texts = {one.node.node_id: one.node.texts for one in lesson({n: r.state() for n, r in taught.items()})}
            references = {node: reference(read) for node, read in taught.items()}
            parts.append(Part(name=name, taught=references, texts=texts, family=program, views=views))
    return parts


def view_of(world: World, sight: Sight) -> View:
    right = frozenset({sight.node} - {""}) if sight.kind not in (COVERED, ANOTHER_LANGUAGE) else frozenset[str]()
    neither = mates(world, sight) | ({sight.node} if sight.kind == ANOTHER_LANGUAGE else set())
    return View(
        state=sight.read.state(), right=right, neither=frozenset(neither), kind=sight.kind, family=sight.program
    )


def mates(world: World, sight: Sight) -> set[str]:
    """The other nodes taught on what is the same screen, in another dress: neither right nor wrong."""
    return {name for name, same in world.same.items() if same == sight.same and name != sight.node}


def foreign(folder: Path) -> list[Part]:
    """Screens that nobody here drew; none where they do not lie there."""
    from benchmarks.foreign.screens import lesson, picture_of, reference_of
    from benchmarks.foreign.seen import Seen

    if not (folder / "screens").is_dir():
        return []
    seen = Seen(folder)
    with (folder / "screens" / "screens.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    nodes = {row["node"]: row for row in rows if row["role"] == "node"}
    taught = lesson({name: seen.state(picture_of(row, seen)) for name, row in nodes.items()})
    views = [
        View(
            state=seen.state(picture_of(row, seen)), right=frozenset({row["node"], row["also"]} - {""}),
            kind=f"{row['role']} {row['kind']}", family=row["source"],
        )
        for row in rows if row["role"] != "node"
    ]  # fmt: skip
    return [
        Part(
            name="foreign",
            taught={one.node.node_id: reference_of(one.look.state) for one in taught},
            texts={one.node.node_id: one.node.texts for one in taught},
            family={name: row["source"] for name, row in nodes.items()},
            views=views,
        )
    ]


def trials(part: Part, *, seed: int = 1) -> Iterator[Trial]:
    """The part's screens in workflows of one program or many."""
    chance = random.Random(seed)
    families = sorted(set(part.family.values()))
    chance.shuffle(families)
    while families:
        count = len(families) if part.name == "foreign" else chance.choice(_SIZES)
        some, families = set(families[:count]), families[count:]
        nodes = [name for name in part.taught if part.family[name] in some]
        mine = [view for view in part.views if view.family in some]
        others = [view for view in part.views if view.family not in some]
        for view in mine + chance.sample(others, min(len(others), max(2, len(mine) // _STRANGERS))):
            known = [name for name in nodes if name not in view.neither]
            for names in _with_and_without(known, view.right):
                if names:
                    yield _trial(part, view, names, chance)


def _with_and_without(names: list[str], right: frozenset[str]) -> Iterator[list[str]]:
    yield names
    if right & set(names):
        yield [name for name in names if name not in right]


def _trial(part: Part, view: View, names: Sequence[str], chance: random.Random) -> Trial:
    keys = {line.text for line in view.state.texts}

    def shared(name: str) -> float:
        reading = part.taught[name].reading
        return len(keys & {line.text for line in reading.texts}) / (8 + len(reading.texts)) if reading else 0.0

    near = set(sorted(names, key=shared, reverse=True)[:_HARDEST]) | (view.right & set(names))
    words, declares = ScreenWords(view.state.texts), chance.random() >= _UNDECLARED
    state, taught = view.state, {name: part.taught[name] for name in names}
    if chance.random() < _NO_WINDOW:
        state = replace(state, window=None)
        taught = {name: replace(one, window=None) for name, one in taught.items()}
    gallery = Gallery(taught)
    shares = {name: _share(part.texts[name], words) for name in near} if declares else {}
    blind = chance.random()
    found = gallery.compared(state, among=sorted(near), declared=shares)
    # what a condition rules out is not asked of the model
    found = [_blinded(one, blind) for one in found if ruled_out(one, NodeSpec(node_id=one.node_id, name="")) is None]
    right = np.array([one.node_id in view.right for one in found], bool)
    return Trial(part.name, view.family, rows_of(found), right)


def _share(texts: Collection[str], words: ScreenWords) -> float:
    return float(np.mean([words.seen(text) >= SEEN for text in texts])) if texts else np.nan


def _blinded(one: Compared, chance: float) -> Compared:
    if chance < _BLIND:
        return replace(one, cosine=np.nan)
    return replace(one, comparison=None, declared=np.nan) if chance < 2 * _BLIND else one


# --- fitting ---
def fit(asked: Sequence[Trial]) -> dict[str, Any]:
    import lightgbm

    rows = np.concatenate([one.rows for one in asked])
    right = np.concatenate([one.right for one in asked])
    weights = np.concatenate([np.where(one.right, 1.0, _OTHERS / max(1, len(one.right))) for one in asked])
    options = {**_OPTIONS, "monotone_constraints": [f.sign for f in FEATURES]}
    models = [
        lightgbm.train({**options, "seed": seed}, lightgbm.Dataset(rows, right.astype(float), weight=weights), _TREES)
        for seed in range(_SEEDS)
    ]
    return trees_of(models, NAMES)


def write(fitted: dict[str, Any]) -> None:
    """Put the model where the product takes it from."""
    FITTED.write_text(json.dumps(fitted, separators=(",", ":")) + "\n")
