"""Fitting the judge of targets, and what it says of programs that it was not fitted on.

`python -m benchmarks.judging` measures the pairs of the drift corpus and the foreign sets once (build/bench/judging)
and prints what judges that were fitted on the other families say of each; `--fit` writes `fitted.json`. A family is a
program of the corpus, a picture that needles were taught on, or a task of MiniWoB++.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pickle
import random
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.drift.pairs import Pair, Truth, load_all
from benchmarks.screens.corpus import ROOT
from execution.matching.trees import Trees
from execution.targeting.comparison import FEATURES, NAMES, Compared
from execution.targeting.judge import FITTED, HERE_NAMES, HERE_SIGNS, STANDING, Judge, standing

KEPT = ROOT / "build" / "bench" / "judging"
FOREIGN = ROOT.parent / "shared" / "foreign"
FOLDS = 5
LEVELS = (0.75, 0.90, 0.95)
DRIFT, NEEDLES, MINIWOB = "drift", "needles", "miniwob"
SAME, _SAME_EVERY = "same", 5
_PAINTED = frozenset({"erased", "painted"})  # they teach which it is, and hardly how often it is nowhere
_THERE = frozenset({"covered", "ambiguous"})  # it is there, and is refused for what is seen beside that
_PAINTED_WEIGHT = 0.1
_OTHERS = 3.0  # how much all that are not it weigh beside the one that is
_SEEDS = 2
_SEED = 5
_PLAIN = {"objective": "binary", "verbose": -1, "deterministic": True, "num_threads": 2, "max_bin": 63,
          "bagging_fraction": 0.8, "bagging_freq": 1}  # fmt: skip
WHICH = {**_PLAIN, "num_leaves": 12, "learning_rate": 0.06, "min_data_in_leaf": 25, "feature_fraction": 0.45,
         "lambda_l2": 5.0, "seed": 1}  # fmt: skip
HERE = {**_PLAIN, "num_leaves": 8, "learning_rate": 0.05, "min_data_in_leaf": 12, "feature_fraction": 0.5,
        "lambda_l2": 8.0}  # fmt: skip
_WHICH_TREES, _HERE_TREES = 300, 400


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A target looked for on one screen: its candidates compared, and which of them are right (candidates,)."""

    name: str
    part: str
    family: str
    kind: str
    is_there: bool
    found: Compared
    right: np.ndarray

    @property
    def fold(self) -> int:
        return int(hashlib.blake2b(f"{self.part}/{self.family}".encode(), digest_size=4).hexdigest(), 16) % FOLDS


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What a judge that does not know its family says of a sample: P of its best place, and whether that is right."""

    sample: Sample
    chance: float
    is_right: bool


# --- measuring ---
def samples_of(folder: Path, every: int, *, keep_readings: bool) -> Iterator[Sample]:
    """The drift corpus and, where they lie there, the foreign sets."""
    from benchmarks.foreign import miniwob, needles
    from benchmarks.foreign.seen import Seen
    from benchmarks.targeting_methods import question, read_screens

    screens, pairs = load_all()
    pairs = [*pairs, *unchanged(pairs)]
    random.Random(_SEED).shuffle(pairs)
    pairs = sorted(pairs[::every], key=lambda pair: (pair.part, pair.taught, pair.seen))
    reads = read_screens(pairs, screens, kept=keep_readings)
    asked = (question(pair, reads) for pair in pairs if reads.keys() >= {pair.taught_on, pair.seen_on})
    yield from measured(DRIFT, (one for one in asked if one is not None))
    if (folder / "needles").is_dir():
        yield from measured(NEEDLES, needles.questions(folder, Seen(folder)))
    if (folder / "miniwob").is_dir():
        yield from measured(MINIWOB, miniwob.questions(folder, Seen(folder)))


def measured(part: str, questions: Iterable[Any]) -> Iterator[Sample]:
    """Each question's candidates; of what could not be taught there are none to learn from."""
    from execution.language.screen_texts import ScreenWords
    from execution.targeting.context import Context
    from execution.targeting.weighing import measure

    for one in questions:
        if isinstance(one.target, ValueError):
            continue
        context = Context(
            target=one.target, state=one.state, variables=one.variables, pictures=one.pictures,
            words=ScreenWords(one.state.texts),
        )  # fmt: skip
        found = measure(context)
        right = [any(area.holds(candidate.point) for area in one.right) for candidate in found.candidates]
        plain = replace(found, candidates=())  # which are large
        yield Sample(one.name, part, one.family, one.groups[0], bool(one.right), plain, np.array(right, bool))


def unchanged(pairs: Sequence[Pair]) -> list[Pair]:
    """Every so-many-th target on the very screen that it was taught on: what a run sees most often."""
    targets = {(p.part, p.taught, p.box): p for p in pairs if not p.variables}
    return [
        replace(p, name=f"{p.name}-same", kind=SAME, seen=p.taught, truth=Truth.HERE, boxes=(p.box,), why="")
        for p in list(targets.values())[::_SAME_EVERY]
    ]


def collected(folder: Path, every: int, file: Path, *, keep_readings: bool) -> list[Sample]:
    """All samples, from the file if it is there."""
    if file.is_file():
        return list(pickle.loads(file.read_bytes()))
    found, began = list[Sample](), time.monotonic()
    for one in samples_of(folder, every, keep_readings=keep_readings):
        found.append(one)
        if len(found) % 500 == 0:
            print(f"  {len(found)} samples after {time.monotonic() - began:.0f} s", flush=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(pickle.dumps(found))
    return found


# --- fitting ---
def which(samples: Sequence[Sample]) -> dict[str, Any]:
    """Trees that tell the right candidate of a screen from the others."""
    seen = [s for s in samples if len(s.right) and s.kind not in _THERE]
    features = np.concatenate([s.found.features for s in seen])
    right = np.concatenate([s.right for s in seen])
    weights = np.concatenate(
        [np.where(s.right, 1 / max(1, s.right.sum()), _OTHERS / max(1, (~s.right).sum())) for s in seen]
    )
    signs = [f.sign for f in FEATURES]
    return trees_of([_learned(WHICH, features, right, 20 * weights, signs, _WHICH_TREES)], NAMES)


def here(rows: np.ndarray, right: np.ndarray, weights: np.ndarray) -> dict[str, Any]:
    """Trees that tell whether the best candidate is right; `rows` are its standing and features."""
    models = [
        _learned({**HERE, "seed": seed}, rows, right, weights, list(HERE_SIGNS), _HERE_TREES) for seed in range(_SEEDS)
    ]
    return trees_of(models, HERE_NAMES)


def _learned(
    options: dict[str, Any], rows: np.ndarray, right: np.ndarray, weights: np.ndarray, signs: list[int], trees: int
) -> Any:
    import lightgbm

    data = lightgbm.Dataset(rows, right.astype(float), weight=weights)
    return lightgbm.train({**options, "monotone_constraints": signs}, data, trees)


def trees_of(models: Sequence[Any], names: Sequence[str]) -> dict[str, Any]:
    """The mean of some models, as `fitted.json` has it."""
    trees = [_tree(tree["tree_structure"]) for model in models for tree in model.dump_model()["tree_info"]]
    for tree in trees:
        tree["mean"] = [round(value / len(models), 6) for value in tree["mean"]]
    return {"features": list(names), "base": 0.0, "trees": trees}


def _tree(root: dict[str, Any]) -> dict[str, list[Any]]:
    """One tree in rows; a row whose left is 0 is a leaf, the mean of any other is that of all that came through it."""
    rows: dict[str, list[Any]] = {n: [] for n in ("feature", "threshold", "left", "right", "missing_left", "mean")}

    def add(node: dict[str, Any]) -> int:
        number, leaf = len(rows["mean"]), "leaf_value" in node
        threshold = 0.0 if leaf else _short(node["threshold"])
        missing_left = not leaf and (node["default_left"] if node["missing_type"] == "NaN" else threshold >= 0.0)
        row = (0 if leaf else node["split_feature"], threshold, 0, 0, int(missing_left), 0.0)
        for name, value in zip(rows, row, strict=True):
            rows[name].append(value)
        if not leaf:
            rows["left"][number], rows["right"][number] = add(node["left_child"]), add(node["right_child"])
        rows["mean"][number] = float(node["leaf_value"] if leaf else node["internal_value"])
        return number

    add(root)
    return rows


def _short(value: float) -> float:
    return float(f"{max(-1e9, min(1e9, float(value))):.7g}")


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """What was fitted on the other families, and what it says of these."""

    fitted: dict[str, Any]
    answers: list[Answer]


@dataclass(frozen=True, slots=True, eq=False)
class _Best:
    """How the best candidate of a sample stands, by trees that do not know its family."""

    sample: Sample
    row: np.ndarray
    is_right: bool

    @property
    def weight(self) -> float:
        return 0.0 if self.sample.kind in _THERE else _PAINTED_WEIGHT if self.sample.kind in _PAINTED else 1.0


def fit(samples: Sequence[Sample]) -> tuple[dict[str, Any], list[Fold]]:
    """What `fitted.json` is to be, and the folds: *here* learns from what *which* says of families it does not know."""
    numbers = sorted({s.fold for s in samples})
    trees = {n: which([s for s in samples if s.fold != n]) for n in numbers}
    best = [one for n in numbers for one in _bests(trees[n], [s for s in samples if s.fold == n])]
    folds = []
    for n in numbers:
        fitted = {"which": trees[n], "here": _here_of([one for one in best if one.sample.fold != n])}
        judge = Judge({**fitted, "pairs": 0})
        folds.append(Fold(fitted, [_answer(judge, s) for s in samples if s.fold == n]))
    return {"pairs": len(samples), "which": which(samples), "here": _here_of(best)}, folds


def _bests(fitted: dict[str, Any], samples: Sequence[Sample]) -> Iterator[_Best]:
    trees = Trees(fitted, NAMES)
    for one in samples:
        if len(one.right):
            score = trees.score(trees.leaves(one.found.features))
            best = int(score.argmax())
            yield _Best(one, standing(one.found, score, best), bool(one.right[best]))


def _here_of(best: Sequence[_Best]) -> dict[str, Any]:
    rows = np.array([one.row for one in best], np.float32)
    return here(rows, np.array([one.is_right for one in best]), np.array([one.weight for one in best]))


def _answer(judge: Judge, one: Sample) -> Answer:
    if not len(one.right):
        return Answer(one, 0.0, False)
    chances = judge.judge(one.found).chances
    best = int(chances.argmax())
    return Answer(one, float(chances[best]), bool(one.right[best]))


# --- what is kept of the folds ---
def _kept_fold(number: int) -> Path:
    return KEPT / f"fold-{number}.json"


@cache
def _of_fold(number: int) -> Judge:
    return Judge(json.loads(_kept_fold(number).read_text()))


def has_folds() -> bool:
    return all(_kept_fold(number).is_file() for number in range(FOLDS))


def unseen(part: str, family: str) -> Judge:
    """The judge that was fitted without that family, by the last `python -m benchmarks.judging`."""
    nothing = Compared((), np.zeros((0, len(NAMES)), np.float32), np.zeros((0, 0), bool))
    return _of_fold(Sample("", part, family, "", True, nothing, np.zeros(0, bool)).fold)


# --- figures ---
def table(answers: Sequence[Answer]) -> str:
    """What is found and clicked wrongly at each level, by part and kind."""
    groups: dict[str, list[Answer]] = defaultdict(list)
    for one in answers:
        groups[f"{one.sample.part}{'' if one.sample.is_there else ', absent'}"].append(one)
        groups[f"{one.sample.part}: {one.sample.kind}"].append(one)
    lines = [f"{'':<40}{'n':>6}{'first':>8}" + "".join(f"{f'P {level:.2f}':>10}{'wrong':>7}" for level in LEVELS)]
    for name in sorted(groups, key=lambda name: (":" in name, name)):
        those = groups[name]
        first = 100 * np.mean([a.is_right for a in those])
        cells = ""
        for level in LEVELS:
            sure = [a for a in those if a.chance >= level]
            right = sum(a.is_right for a in sure)
            cells += f"{100 * right / len(those):>9.1f}%{len(sure) - right:>7}"
        lines.append(f"{name:<40}{len(those):>6}{first:>7.1f}%{cells}")
    return "\n".join(lines)


def reliability(answers: Sequence[Answer]) -> str:
    """How often the best place is right where it is said to be so probable."""
    edges = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 1.0)
    lines = []
    for low, high in pairwise(edges):
        those = [a for a in answers if low <= a.chance < high]
        if those:
            said, true = np.mean([a.chance for a in those]), np.mean([a.is_right for a in those])
            lines.append(f"P {low:.2f} to {high:.2f}: {len(those):>5} answers, said {said:.3f}, right {true:.3f}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judging", description=__doc__)
    parser.add_argument("--fit", action="store_true", help="write fitted.json")
    parser.add_argument("--every", type=int, default=1, help="of the pairs, every so-many-th")
    parser.add_argument("--folder", type=Path, default=FOREIGN, help="what holds needles/ and miniwob/")
    parser.add_argument("--kept", action="store_true", help="take the readings there are, whatever made them")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rpa_site.settings")
    import django

    django.setup()
    samples = collected(options.folder, options.every, KEPT / "samples.pickle", keep_readings=options.kept)
    fitted, folds = fit(samples)
    for number, fold in enumerate(folds):
        _kept_fold(number).write_text(json.dumps(fold.fitted, separators=(",", ":")))
    answers = [answer for fold in folds for answer in fold.answers]
    print(table(answers))
    for part in (DRIFT, NEEDLES, MINIWOB):
        print(f"\n{part}\n{reliability([a for a in answers if a.sample.part == part])}")
    if options.fit:
        FITTED.write_text(json.dumps(fitted, separators=(",", ":")) + "\n")
        print(f"{FITTED.name}: {FITTED.stat().st_size // 1024} KiB, {len(STANDING) + len(NAMES)} signs")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
