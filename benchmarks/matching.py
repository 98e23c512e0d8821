"""Which node is it: `python -m benchmarks.matching` measures the matching on two parts of the corpus together.

What is compared is what the product's own reader, detector and embedder made of the pictures, never their truth.
`--fit` fits the coefficients anew, to all of them; the figures are of coefficients fitted to other programs and other
style sheets than those measured, among all nodes, with and without the window being known.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import django
import numpy as np

from benchmarks import fitting
from benchmarks.look_alikes import LookAlikes
from benchmarks.readings import Read, read_all
from benchmarks.screens.applications import STRANGERS
from benchmarks.screens.corpus import FOLDER, load
from benchmarks.worlds import ANOTHER_LANGUAGE, Fold, Sight, World, reference, world
from execution.matching import Matcher, Reference
from execution.matching.calibration import Calibration
from execution.types import Embedding
from workflows.graph import GraphSpec, NodeSpec

THRESHOLD = 0.75  # as the product has it by default
MANY = 10_000
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


def applications(*, kept: bool = False) -> list[Read]:
    """The `apps` part: real GTK and Qt programs, which nothing was fitted to."""
    folder = FOLDER / "apps"
    return [read for read in read_all(load(folder), folder, kept=kept) if _role_of(read)]


def _role_of(read: Read) -> str:
    """Taught at 100 %, seen again at 150 % in the other theme on another screen; `typed` differs by its data alone."""
    if read.screen.family.endswith("-typed"):
        return ""
    return {"1": "taught", "1.5": "seen"}.get(str(read.screen.variant["scale"]), "")


def measure(*, kept: bool = False) -> list[Row]:
    """All figures of the matching; `kept` takes the readings that there are, whatever code made them."""
    whole = world(kept=kept)
    outcomes: dict[bool, list[Outcome]] = {True: [], False: []}
    alike: dict[bool, LookAlikes] = {window: LookAlikes(whole, window=window) for window in _WINDOWS}
    for fold, calibration in fitting.crossed(whole):
        for window in _WINDOWS:
            outcomes[window] += recognise_all(whole, fold, calibration, window=window)
            alike[window].ask(fold, calibration)
    rows = _applications(applications(kept=kept)) if (FOLDER / "apps").is_dir() else []
    for window, how in _WINDOWS.items():
        rows += [*_figures(outcomes[window], len(whole.taught), how), *_reliability(outcomes[window], how)]
        rows += [share(*figure, goal=goal, most=most) for figure, goal, most in alike[window].figures(how)]
    for window in _WINDOWS:
        rows += _speed(whole, window=window)
    return rows


def recognise_all(world: World, fold: Fold, fitted: Calibration, *, window: bool) -> list[Outcome]:
    """Every screen of that fold among the nodes of all taught ones: as it is, and as if it had not been taught."""
    references = {name: reference(read, window=window) for name, read in world.taught.items()}
    matcher, judge = matcher_of(references), fitting.Judge(references, fitted=fitted)
    matcher.fusion = judge
    outcomes = []
    for sight in filter(fold.holds, world.seen):
        state, mates = sight.read.state(window=window), fitting.mates(world, sight)
        for learned in (True, False) if sight.node else (False,):
            judge.hidden = mates if learned else mates | {sight.node}
            found = matcher.recognise(state, variables={})
            best = found.candidates[0]
            said = found.match.node_id if found.match else ""
            outcomes.append(Outcome(sight, learned, best.node_id, best.confidence, said))
    return outcomes


def _applications(reads: Sequence[Read]) -> list[Row]:
    """Real programs: each as taught in one theme and size, then seen in the other; and as if it were not taught."""
    nodes = {_name(read): reference(read) for read in reads if _role_of(read) == "taught"}
    matcher, right, wrong, unknown = matcher_of(nodes), 0, 0, 0
    seen = [read for read in reads if _role_of(read) == "seen"]
    for read in seen:
        match = matcher.recognise(read.state(), variables={}).match
        right += match is not None and match.node_id == _name(read)
        wrong += match is not None and match.node_id != _name(read)
        others = {name: one for name, one in nodes.items() if name != _name(read)}
        unknown += matcher_of(others).recognise(read.state(), variables={}).match is None
    how = f"real programs, theme, scale and screen changed, {len(nodes)} nodes"
    return [
        share(f"{how}: right node", right, len(seen), goal=None),
        share(f"{how}: wrong and confident", wrong, len(seen), goal=None),
        share(f"{how}: unknown where not learned", unknown, len(seen), goal=None),
    ]


def _name(read: Read) -> str:
    return f"{read.screen.family}/{read.screen.variant['language']}"


def matcher_of(references: Mapping[str, Reference]) -> Matcher:
    nodes = tuple(
        NodeSpec(node_id=name, name=name, picture=one.picture, app_name=one.window.app_name if one.window else "")
        for name, one in references.items()
    )
    graph = GraphSpec(workflow_id="bench", name="bench", learning_state="COACHING", nodes=nodes)
    return Matcher(graph, pictures=None, embedder=None, references=references, threshold=THRESHOLD)


def _figures(outcomes: Sequence[Outcome], nodes: int, how: str) -> list[Row]:
    """Of both parts, of each, and of each change of the pages; what nobody learned is not of a part."""
    learned = [one for one in outcomes if one.learned and one.sight.kind != ANOTHER_LANGUAGE]
    other_language = [one for one in outcomes if one.learned and one.sight.kind == ANOTHER_LANGUAGE]
    unlearned = [one for one in outcomes if not one.learned]
    strangers = [one for one in unlearned if not one.same_program]
    near = [one for one in unlearned if one.same_program]
    parts: dict[str, Callable[[Outcome], bool]] = {
        "": lambda one: True,
        ", other data": lambda one: one.sight.part == "nodes",
        ", other dress": lambda one: one.sight.part == "drift",
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


def fit(whole: World) -> None:
    """Fit, and put the result into the product; the next process uses it."""
    fitting.write(fitting.fit(whole), note=f"fitted to {len(whole.seen)} screens")


def show(rows: Iterable[Row]) -> None:
    for row in rows:
        goal = "" if row["goal"] is None else f"goal {row['goal']:g}, {'met' if row['met'] else 'NOT met'}"
        print(f"{row['figure']:<74}{row['value']:>8} {row['unit']:<3} {row['peers']:<12} {goal}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.matching", description=__doc__)
    parser.add_argument("--fit", action="store_true", help="fit the coefficients and stop")
    parser.add_argument("--kept", action="store_true", help="take the readings that there are, of whatever code")
    options = parser.parse_args()
    django.setup()
    if options.fit:
        fit(world(kept=options.kept))
        print(f"written to {fitting.TABLES}; run again without --fit for the figures")
        return
    show(measure(kept=options.kept))


if __name__ == "__main__":
    main()
