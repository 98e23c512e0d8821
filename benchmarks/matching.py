"""Which node is it: `python -m benchmarks.matching` measures the matching on the parts of the corpus together.

What is compared is what the product's own reader, detector and embedder made of the pictures, never their truth.
`--fit` fits the model anew, to all of them and to the screens of others; the figures are of models fitted to other
programs than those measured, among all nodes, with and without the window being known.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import django
import numpy as np

from benchmarks import fitting
from benchmarks.readings import Read
from benchmarks.screens.applications import STRANGERS
from benchmarks.screens.corpus import ROOT
from benchmarks.worlds import ANOTHER_LANGUAGE, COVERED, FOLDS, Sight, World, reference, third, world
from execution.matching import Gallery, Matcher, Reference
from execution.matching.same import Compared, SameScreen
from execution.types import Embedding, ScreenState
from workflows.graph import GraphSpec, NodeSpec

THRESHOLD = 0.75  # as the product has it by default
MANY = 10_000
FOREIGN = ROOT.parent / "shared" / "foreign"
_BINS = (0.0, 0.1, 0.25, 0.5, 0.75, 0.85, 0.95, 1.001)
_WINDOWS = {True: "", False: ", no window known"}
_STRANGE = {app.name for app in STRANGERS}
Row = dict[str, Any]


class Outcome(NamedTuple):
    """What was said of one screen; `best` and `confidence` are of the likeliest node, `said` is what was matched."""

    sight: Sight
    learned: bool
    best: str
    confidence: float
    said: str

    @property
    def right(self) -> bool:
        return self.said == self.sight.node

    @property
    def same_program(self) -> bool:
        """Whether other screens of its program were learned."""
        return self.sight.program not in _STRANGE


class Hiding(Gallery):
    """The product's gallery, from which nodes can be hidden: as if they had not been taught."""

    hidden: Collection[str] = ()

    def compared(
        self, state: ScreenState, *, among: Collection[str], declared: Mapping[str, float] | None = None
    ) -> list[Compared]:
        found = super().compared(state, among=among, declared=declared)
        return [one for one in found if one.node_id not in self.hidden]


def measure(*, kept: bool = False) -> list[Row]:
    """All figures of the matching; `kept` takes the readings that there are, whatever code made them."""
    whole = world(kept=kept)
    asked = [trial for part in [*fitting.own(whole), *fitting.foreign(FOREIGN)] for trial in fitting.trials(part)]
    outcomes: dict[bool, list[Outcome]] = {True: [], False: []}
    for number in range(FOLDS):
        model = SameScreen(fitting.fit([one for one in asked if third(one.family) != number]))
        for window in _WINDOWS:
            outcomes[window] += recognise_all(whole, number, model, window=window)
    rows = list[Row]()
    for window, how in _WINDOWS.items():
        rows += [*_figures(outcomes[window], len(whole.taught), how), *_reliability(outcomes[window], how)]
    for window in _WINDOWS:
        rows += _speed(whole, window=window)
    return rows


def recognise_all(world: World, number: int, model: SameScreen, *, window: bool) -> list[Outcome]:
    """Every screen of that third among the nodes of all taught ones: as it is, and as if it had not been taught."""
    references = {name: reference(read, window=window) for name, read in world.taught.items()}
    matcher, gallery = matcher_of(references, model), Hiding(references)
    matcher.gallery = gallery
    outcomes = []
    for sight in (sight for sight in world.seen if third(sight.program) == number):
        state, mates = sight.read.state(window=window), fitting.mates(world, sight)
        for learned in (True, False) if sight.node and sight.kind != COVERED else (False,):
            gallery.hidden = mates if learned or sight.kind == COVERED else mates | {sight.node}
            found = matcher.recognise(state, variables={})
            said = found.match.node_id if found.match else ""
            outcomes.append(Outcome(sight, learned, found.candidates[0].node_id, found.candidates[0].confidence, said))
    return outcomes


def matcher_of(references: Mapping[str, Reference], model: SameScreen | None = None) -> Matcher:
    nodes = tuple(
        NodeSpec(node_id=name, name=name, picture=one.picture, app_name=one.window.app_name if one.window else "")
        for name, one in references.items()
    )
    graph = GraphSpec(workflow_id="bench", name="bench", learning_state="COACHING", nodes=nodes)
    return Matcher(graph, pictures=None, embedder=None, references=references, threshold=THRESHOLD, model=model)


def _figures(outcomes: Sequence[Outcome], nodes: int, how: str) -> list[Row]:
    """Of both parts, of each, and of each change of the pages; what nobody learned is not of a part."""
    learned = [one for one in outcomes if one.learned and one.sight.kind != ANOTHER_LANGUAGE]
    other_language = [one for one in outcomes if one.learned and one.sight.kind == ANOTHER_LANGUAGE]
    unlearned = [one for one in outcomes if not one.learned and one.sight.kind not in (COVERED, ANOTHER_LANGUAGE)]
    covered = [one for one in outcomes if one.sight.kind == COVERED]
    strangers = [one for one in unlearned if not one.same_program]
    near = [one for one in unlearned if one.same_program]
    parts: dict[str, Callable[[Outcome], bool]] = {
        "": lambda one: True,
        ", other data": lambda one: one.sight.part == "nodes",
        ", other dress": lambda one: one.sight.part == "drift",
        ", real programs": lambda one: one.sight.part == "apps",
    }
    rows = []
    for name, is_of in parts.items():
        some = [one for one in learned if is_of(one)]
        wrong = sum(bool(one.said) and not one.right for one in some)
        goal = 98.5 if not how else 98.0
        right = sum(one.right for one in some)
        rows.append(share(f"right node among {nodes}{name}{how}", right, len(some), goal=goal))
        rows.append(share(f"wrong and confident{name}{how}", wrong, len(some), goal=0.2, most=True))
        some = [one for one in near if is_of(one)]
        unknown = sum(not one.said for one in some)
        rows.append(
            share(f"never learned, of a learned program, called unknown{name}{how}", unknown, len(some), goal=96)
        )
    kinds = sorted({one.sight.kind for one in learned if one.sight.part == "drift"})
    for kind in kinds:
        some = [one for one in learned if one.sight.kind == kind]
        rows.append(share(f"right node: {kind}{how}", sum(one.right for one in some), len(some), goal=None))
    return [
        *rows,
        share(f"taken for the screen beneath{how}", sum(one.right for one in covered), len(covered), goal=0, most=True),
        share(f"never learned, called unknown{how}", *_unknown(unlearned), goal=98.0),
        share(f"never learned, of other programs, called unknown{how}", *_unknown(strangers), goal=98.0),
        share(f"in another language, called unknown or right{how}", *_harmless(other_language), goal=None),
    ]


def _unknown(outcomes: Sequence[Outcome]) -> tuple[int, int]:
    return sum(not one.said for one in outcomes), len(outcomes)


def _harmless(outcomes: Sequence[Outcome]) -> tuple[int, int]:
    return sum(not one.said or one.right for one in outcomes), len(outcomes)


def share(figure: str, count: int, of: int, *, goal: float | None, most: bool = False) -> Row:
    value = 100 * count / of if of else 0.0
    met = None if goal is None or not of else value <= goal if most else value >= goal
    peers = f"{count} of {of}"
    return {"figure": figure, "value": round(value, 2), "unit": "%", "goal": goal, "met": met, "peers": peers}


def _reliability(outcomes: Sequence[Outcome], how: str) -> list[Row]:
    """Of what was said with some confidence, how much was right."""
    said = np.array([one.confidence for one in outcomes])
    was = np.array([one.learned and one.best == one.sight.node for one in outcomes], float)
    rows = []
    for low, high in pairwise(_BINS):
        inside = (said >= low) & (said < high)
        if inside.any():
            figure = f"said {said[inside].mean():.2f} ({low:.2f} to {min(high, 1):.2f}){how}: was right"
            rows.append(share(figure, int(was[inside].sum()), int(inside.sum()), goal=None))
    return rows


def _speed(world: World, *, window: bool, count: int = MANY) -> list[Row]:
    """The time of one match among very many nodes, most of them made of pieces of the real ones."""
    real = {name: reference(read, window=window) for name, read in world.taught.items()}
    matcher = matcher_of(real | recombined(list(world.taught.values()), count - len(real), window=window))
    lines = sorted((sight.read for sight in world.seen), key=lambda read: abs(len(read.texts) - 60))[:60]
    taken = []
    for read in lines:
        state = read.state(window=window)
        began = time.perf_counter()
        matcher.recognise(state, variables={})
        taken.append((time.perf_counter() - began) * 1000)
    typical = round(statistics.mean(len(read.texts) for read in lines))
    median = statistics.median(taken)
    figure = f"match among {count} nodes, screens of {typical} lines{_WINDOWS[window]}, median"
    return [{"figure": figure, "value": round(median, 1), "unit": "ms", "goal": 20.0, "met": median <= 20, "peers": ""}]


def recombined(reads: Sequence[Read], count: int, *, window: bool = True, seed: int = 5) -> dict[str, Reference]:
    """Nodes that there are not: real screens with a part of their texts and of their looks from others."""
    rng, noise = random.Random(seed), np.random.default_rng(seed)
    lines = [line for read in reads for line in read.texts]
    made = {}
    for number in range(count):
        read, part = rng.choice(reads), rng.uniform(0.2, 0.7)
        texts = tuple(
            replace(line, text=rng.choice(lines).text) if rng.random() < part else line for line in read.texts
        )
        one = reference(replace(read, texts=texts), window=window)
        size = len(read.embedding.vector)
        vector = read.embedding.vector + noise.normal(0, 0.3 / size**0.5, size)
        vector = (vector / np.linalg.norm(vector)).astype(np.float32)
        made[f"made-{number}"] = replace(one, embedding=Embedding(model=read.embedding.model, vector=vector))
    return made


def fit(whole: World, folder: Path) -> None:
    """Fit, and put the result into the product; the next process uses it."""
    parts = [*fitting.own(whole), *fitting.foreign(folder)]
    asked = [trial for part in parts for seed in (1, 2) for trial in fitting.trials(part, seed=seed)]
    fitting.write(fitting.fit(asked))


def show(rows: Iterable[Row]) -> None:
    for row in rows:
        goal = "" if row["goal"] is None else f"goal {row['goal']:g}, {'met' if row['met'] else 'NOT met'}"
        print(f"{row['figure']:<74}{row['value']:>8} {row['unit']:<3} {row['peers']:<12} {goal}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.matching", description=__doc__)
    parser.add_argument("--fit", action="store_true", help="fit the model and stop")
    parser.add_argument("--kept", action="store_true", help="take the readings that there are, of whatever code")
    options = parser.parse_args()
    django.setup()
    if options.fit:
        fit(world(kept=options.kept), FOREIGN)
        print(f"written to {fitting.FITTED}; run again without --fit for the figures")
        return
    show(measure(kept=options.kept))


if __name__ == "__main__":
    main()
