"""Which node is it: `python -m tests.benchmarks.matching` measures the matching on the `nodes` part of the corpus.

What is compared is what the product's own reader, detector and embedder made of the pictures, never their truth.
`--fit` fits the coefficients anew, to one half of the families; all figures are of the other half, among all nodes.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from execution.matching import Matcher, Reference
from execution.matching.calibration import Calibration
from execution.types import Embedding, Recognition
from tests.benchmarks import fitting
from tests.benchmarks.readings import Read, read_all
from tests.benchmarks.screens.corpus import FOLDER, load
from workflows.graph import GraphSpec, NodeSpec

THRESHOLD = 0.75  # as the product has it by default
MANY = 10_000
_BINS = (0.0, 0.1, 0.25, 0.5, 0.75, 0.85, 0.95, 1.001)
_WINDOWS = {True: "", False: ", no window known"}
Row = dict[str, Any]


class Outcome(NamedTuple):
    """What was said of one screen; `best` and `confidence` are of the likeliest node, `said` is what was matched."""

    read: Read
    best: str
    confidence: float
    said: str

    @property
    def learned(self) -> bool:
        return str(self.read.screen.variant["set"]) == "learned"

    @property
    def right(self) -> bool:
        return self.said == self.read.screen.family


def corpus(*, kept: bool = False) -> list[Read]:
    """The `nodes` part as it was read; reading what was not read yet, or by other code, takes a second a picture."""
    return read_all(load(FOLDER / "nodes"), FOLDER / "nodes", kept=kept)


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
    reads = corpus(kept=kept)
    rows = _applications(applications(kept=kept))
    for window in (True, False):
        outcomes = recognise_all(reads, window=window)
        rows += _figures(outcomes, _WINDOWS[window])
        rows += _reliability(outcomes, _WINDOWS[window])
    for window in (True, False):
        rows += _speed(reads, window=window)
    return rows


def recognise_all(reads: Sequence[Read], *, window: bool) -> list[Outcome]:
    """Every seen screen of the half that was not fitted to, among the nodes of all taught ones."""
    taught = fitting.taught(reads)
    matcher = matcher_of({read.screen.family: fitting.reference(read, window=window) for read in taught})
    mine = [read for read in fitting.seen(reads) if not fitting.fitted_half(read)]
    return [_outcome(read, matcher.recognise(read.state(window=window), variables={})) for read in mine]


def _applications(reads: Sequence[Read]) -> list[Row]:
    """Real programs: each as taught in one theme and size, then seen in the other; and as if it were not taught."""
    nodes = {_name(read): fitting.reference(read) for read in reads if _role_of(read) == "taught"}
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
        _share(f"{how}: right node", right, len(seen), goal=None),
        _share(f"{how}: wrong and confident", wrong, len(seen), goal=None),
        _share(f"{how}: unknown where not learned", unknown, len(seen), goal=None),
    ]


def _name(read: Read) -> str:
    return f"{read.screen.family}/{read.screen.variant['language']}"


def matcher_of(references: dict[str, Reference]) -> Matcher:
    nodes = tuple(NodeSpec(node_id=name, name=name, picture=one.picture) for name, one in references.items())
    graph = GraphSpec(workflow_id="bench", name="bench", learning_state="COACHING", nodes=nodes)
    return Matcher(graph, pictures=None, embedder=None, references=references, threshold=THRESHOLD)


def _outcome(read: Read, found: Recognition) -> Outcome:
    best = found.candidates[0]
    return Outcome(read, best.node_id, best.confidence, found.match.node_id if found.match else "")


def _figures(outcomes: Sequence[Outcome], how: str) -> list[Row]:
    learned = [one for one in outcomes if one.learned]
    unlearned = [one for one in outcomes if not one.learned]
    right = sum(one.right for one in learned)
    wrong = sum(bool(one.said) and not one.right for one in learned)
    unknown = sum(not one.said for one in unlearned)
    return [
        _share(f"right node among 200 learned{how}", right, len(learned), goal=98.0),
        _share(f"wrong and confident{how}", wrong, len(learned), goal=0.2, most=True),
        _share(f"screens never learned, called unknown{how}", unknown, len(unlearned), goal=95.0),
    ]


def _share(figure: str, count: int, of: int, *, goal: float | None, most: bool = False) -> Row:
    value = 100 * count / of if of else 0.0
    met = None if goal is None or not of else value <= goal if most else value >= goal
    peers = f"{count} of {of}"
    return {"figure": figure, "value": round(value, 2), "unit": "%", "goal": goal, "met": met, "peers": peers}


def _reliability(outcomes: Sequence[Outcome], how: str) -> list[Row]:
    """Of what was said with some confidence, how much was right."""
    said = np.array([one.confidence for one in outcomes])
    was = np.array([one.best == one.read.screen.family for one in outcomes], float)
    rows = []
    for low, high in pairwise(_BINS):
        inside = (said >= low) & (said < high)
        if inside.any():
            figure = f"said {said[inside].mean():.2f} ({low:.2f} to {min(high, 1):.2f}){how}: was right"
            rows.append(_share(figure, int(was[inside].sum()), int(inside.sum()), goal=None))
    return rows


def _speed(reads: Sequence[Read], *, window: bool, count: int = MANY) -> list[Row]:
    """The time of one match among very many nodes, most of them made of pieces of the real ones."""
    taught = fitting.taught(reads)
    real = {read.screen.family: fitting.reference(read, window=window) for read in taught}
    matcher = matcher_of(real | recombined(taught, count - len(real), window=window))
    lines = sorted(fitting.seen(reads), key=lambda read: abs(len(read.texts) - 60))[:60]
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
        read, share = rng.choice(reads), rng.uniform(0.2, 0.7)
        texts = tuple(
            replace(line, text=rng.choice(lines).text) if rng.random() < share else line for line in read.texts
        )
        one = fitting.reference(replace(read, texts=texts), window=window)
        size = len(read.embedding.vector)
        vector = read.embedding.vector + noise.normal(0, 0.3 / size**0.5, size)
        vector = (vector / np.linalg.norm(vector)).astype(np.float32)
        made[f"made-{number}"] = replace(one, embedding=Embedding(model=read.embedding.model, vector=vector))
    return made


def fit(reads: Sequence[Read]) -> Calibration:
    """Fit, and put the result into the product; the next process uses it."""
    calibration = fitting.fit(reads)
    count = sum(fitting.fitted_half(read) for read in fitting.seen(reads))
    fitting.write(calibration, note=f"fitted to {count} screens")
    return calibration


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.matching", description=__doc__)
    parser.add_argument("--fit", action="store_true", help="fit the coefficients and stop")
    parser.add_argument("--kept", action="store_true", help="take the readings that there are, of whatever code")
    options = parser.parse_args()
    if options.fit:
        fit(corpus(kept=options.kept))
        print(f"written to {fitting.TABLES}; run again without --fit for the figures")
        return
    for row in measure(kept=options.kept):
        goal = "" if row["goal"] is None else f"goal {row['goal']:g}, {'met' if row['met'] else 'NOT met'}"
        print(f"{row['figure']:<74}{row['value']:>8} {row['unit']:<3} {row['peers']:<12} {goal}")


if __name__ == "__main__":
    main()
