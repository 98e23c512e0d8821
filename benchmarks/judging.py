"""Fitting the judge of targets, and what it says of programs and themes that it was not fitted on.

`python -m benchmarks.judging` measures the pairs of the drift corpus once (build/bench/judging) and prints, for
folds by program and for folds by theme, what a judge fitted on the other folds does; `--fit` writes `fitted.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.drift.pairs import Pair, Truth, load_all
from benchmarks.screens.corpus import ROOT
from benchmarks.targeting_methods import Pictures, Scene, read_screens, scene, taught
from execution.language.screen_texts import ScreenWords
from execution.targeting.context import Context
from execution.targeting.features import ALL, NAMES, PLACES, SCREEN, SUMS, completed
from execution.targeting.judge import FITTED, Judge
from execution.targeting.vetoes import veto
from execution.targeting.weighing import measure

KEPT = ROOT / "build" / "bench" / "judging"
FOLDS = 5
LEVELS = (0.5, 0.8, 0.9, 0.95)
_TREES, _LEAVES, _RATE, _LEAST_IN_LEAF, _RIDGE, _FEATURES = 500, 31, 0.05, 20, 2.0, 0.3
_BLINDED = 0.5  # of the pairs that are learned from once more with something unseen
_BLINDED_WEIGHT = 0.5
_NEWTON, _STEADY = 25, 1e-3  # steps to the calibration, and what keeps them short
_UNSEEN = (("picture",), ("text",), ("around",), ("kind",), ("place",), ("picture", "place"), ("around", "kind"))
SAME, _SAME_EVERY = "same", 5
_SEED = 5


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One pair measured: `features` (places, features), `right` and `vetoed` (places,)."""

    pair: Pair
    features: np.ndarray
    right: np.ndarray
    vetoed: np.ndarray
    ms: float


def sample(on: Scene) -> Sample:
    pair, pictures = on.pair, Pictures()
    target = taught(on, pictures)
    started = time.perf_counter()
    context = Context(
        target=target, state=on.seen, variables=pair.variables, pictures=pictures,
        words=ScreenWords(on.seen.texts),
    )  # fmt: skip
    found = measure(context)
    ms = (time.perf_counter() - started) * 1000
    here = pair.truth is Truth.HERE
    right = [here and any(box.contains(p.box.center) for box in pair.boxes) for p in found.proposed]
    vetoed = [bool(veto(signs, context)) for signs in found.signs]
    return Sample(pair, found.features, np.array(right, bool), np.array(vetoed, bool), ms)


def collect(pairs: Sequence[Pair], screens: dict[str, Any], file: Path, *, keep_readings: bool = False) -> list[Sample]:
    """All pairs measured; what a broken-off run measured is kept."""
    kept: dict[str, Sample] = pickle.loads(file.read_bytes()) if file.is_file() else {}
    left = [pair for pair in pairs if _key(pair) not in kept]
    reads = read_screens(left, screens, kept=keep_readings)
    started = time.monotonic()
    for number, pair in enumerate(left, 1):
        try:
            kept[_key(pair)] = sample(
                scene(pair, reads[f"{pair.part}/{pair.taught}"], reads[f"{pair.part}/{pair.seen}"])
            )
        except ValueError as refusal:  # nothing that could be taught there
            print(f"{pair.name}: {refusal}", flush=True)
        if number % 200 == 0 or number == len(left):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(pickle.dumps(kept))
            print(f"{number} of {len(left)} pairs after {time.monotonic() - started:.0f} s", flush=True)
    return [kept[_key(pair)] for pair in pairs if _key(pair) in kept]


def unchanged(pairs: Sequence[Pair]) -> list[Pair]:
    """Every so-many-th target on the very screen that it was taught on: what a run sees most often."""
    targets = {(p.part, p.taught, p.box): p for p in pairs if not p.variables}
    return [
        replace(p, name=f"{p.name}-same", kind=SAME, seen=p.taught, truth=Truth.HERE, boxes=(p.box,), why="")
        for p in list(targets.values())[::_SAME_EVERY]
    ]


def _key(pair: Pair) -> str:
    return f"{pair.part}/{pair.kind}/{pair.name}"


# --- fitting ---
def fit(samples: Sequence[Sample]) -> dict[str, Any]:
    """Trees over the places of all samples, as `fitted.json` has them, not yet calibrated."""
    trees = learned(samples).dump_model()["tree_info"]
    return {
        "features": list(NAMES),
        "pairs": len(samples),
        "base": 0.0,
        "calibration": [1.0, 0.0],
        "trees": [_tree(tree["tree_structure"]) for tree in trees],
    }


def learned(samples: Sequence[Sample]) -> Any:
    """The trees as LightGBM has them.

    Each screen is one choice among its places and "none of these", so the trees learn by the likelihood of the right
    choice (McFadden 1974) and not place by place: the many that are surely not it take nothing from the one that is.
    """
    import lightgbm

    rng = random.Random(_SEED)
    seen = [s for s in samples if len(s.features)]
    extra = [blinded(s, rng) for s in seen if rng.random() < _BLINDED]
    every = [*seen, *extra]
    features, right = np.concatenate([s.features for s in every]), np.concatenate([s.right for s in every])
    weights = np.repeat([1.0] * len(seen) + [_BLINDED_WEIGHT] * len(extra), [len(s.right) for s in every])
    options = {
        "objective": _choice([len(s.right) for s in every], weights),
        "learning_rate": _RATE,
        "num_leaves": _LEAVES,
        "min_data_in_leaf": _LEAST_IN_LEAF,
        "lambda_l2": _RIDGE,
        "feature_fraction": _FEATURES,
        "monotone_constraints": [f.sign for f in ALL],
        "boost_from_average": False,
        "seed": _SEED,
        "deterministic": True,
        "num_threads": 1,
        "verbose": -1,
    }
    return lightgbm.train(options, lightgbm.Dataset(features, right.astype(float)), _TREES)


def _choice(sizes: Sequence[int], weights: np.ndarray) -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    """The gradient and the curvature of the choice among the places of each screen and none of them."""
    screen = np.repeat(np.arange(len(sizes)), sizes)

    def slopes(log_odds: np.ndarray, data: Any) -> tuple[np.ndarray, np.ndarray]:
        odds = np.exp(np.clip(log_odds, -20, 20))
        chance = odds / (1.0 + np.bincount(screen, odds, len(sizes)))[screen]
        right = chance * data.get_label()
        share = right / np.maximum(np.bincount(screen, right, len(sizes))[screen], 1e-12)
        return weights * (chance - share), weights * np.maximum(chance * (1.0 - chance), 1e-4)

    return slopes


def blinded(one: Sample, rng: random.Random) -> Sample:
    """The same pair with kinds of evidence unseen on all places, as where nothing was read, or no element was found.

    Where there are several of its like and nothing around tells them apart, the place does not either (S5.3).
    """
    kinds = set(rng.choice(_UNSEEN))
    several = len(one.features) and max(one.features[0, NAMES.index("peers")], 1) > 1
    kinds |= {"place"} if several and "around" in kinds else set()
    extra = {"kind": ("shapes", "sequence"), "picture": ("tells",), "text": ("sightings",)}
    named = {name for kind in kinds for name in extra.get(kind, ())}
    table, given = one.features[:, : len(PLACES)].copy(), one.features[0, -len(SCREEN) :].copy()
    table[:, [i for i, f in enumerate(PLACES) if f.of in kinds or f.name in named]] = np.nan
    given[[i for i, name in enumerate(SCREEN) if name in named]] = np.nan
    if "text" in kinds:
        given[SCREEN.index("was_read")] = 0.0
    return replace(one, features=completed(table, given))


def without(one: Sample, names: Sequence[str]) -> Sample:
    """The same with some features not told: what is lost shows what they are worth."""
    relative = {*(f.name for f in SUMS), *(name for name in NAMES if name.endswith("_ahead")), "places"}
    gone = {*names, *(f"{name}_ahead" for name in names), *(relative if "relative" in names else ())}
    features = one.features.copy()
    features[:, [i for i, name in enumerate(NAMES) if name in gone]] = np.nan
    return replace(one, features=features)


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
        rows["mean"][number] = round(float(node["leaf_value"] if leaf else node["internal_value"]), 5)
        return number

    add(root)
    return rows


def _short(value: float) -> float:
    return float(f"{max(-1e9, min(1e9, float(value))):.7g}")


def calibrated(fitted: dict[str, Any], answers: Sequence[Answer]) -> dict[str, Any]:
    """The same with the logistic step that makes the best place's P fair on samples that it was not fitted on."""
    chance = np.clip([a.raw for a in answers], 1e-6, 1 - 1e-6)
    inputs = np.stack([np.log(chance / (1 - chance)), np.ones(len(chance))], axis=1)
    right, step = np.array([a.is_right for a in answers], float), np.array([1.0, 0.0])
    for _ in range(_NEWTON):
        said = 1.0 / (1.0 + np.exp(-inputs @ step))
        curvature = (inputs * (said * (1.0 - said))[:, None]).T @ inputs + _STEADY * np.eye(2)
        step = step - np.linalg.solve(curvature, inputs.T @ (said - right))
    return {**fitted, "calibration": [round(float(value), 4) for value in step]}


# --- judging ---
@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What a judge said of one sample: the best place's chance, before and after calibration."""

    sample: Sample
    raw: float
    chance: float
    is_right: bool
    is_vetoed: bool


def answers(
    fitted: dict[str, Any], samples: Sequence[Sample], calibration: Sequence[float] = (1.0, 0.0)
) -> list[Answer]:
    plain, fair = Judge({**fitted, "calibration": [1.0, 0.0]}), Judge({**fitted, "calibration": list(calibration)})
    found = []
    for one in samples:
        if not len(one.features):
            found.append(Answer(one, 0.0, 0.0, False, False))
            continue
        judged = plain.judge(one.features)
        best = judged.order[0]
        chance = fair.judge(one.features).chances[best]
        found.append(
            Answer(one, float(judged.chances[best]), float(chance), bool(one.right[best]), bool(one.vetoed[best]))
        )
    return found


BY = {"program": lambda pair: f"{pair.part}/{pair.family}", "theme": lambda pair: f"{pair.part}/{pair.dress}"}


def dealt(pairs: Sequence[Pair], by: str) -> dict[str, int]:
    """Which fold each program or theme is of, so that every fold has its share of each kind of pair."""
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    for pair in pairs:
        kinds[BY[by](pair)][pair.kind] += 1
    everything = sum(kinds.values(), Counter())
    held = [Counter[str]() for _ in range(FOLDS)]

    def share(of: Counter[str]) -> float:
        return sum(count / everything[kind] for kind, count in of.items())

    def crowded(fold: int, more: Counter[str]) -> float:
        return sum(count * held[fold][kind] / everything[kind] ** 2 for kind, count in more.items())

    folds = {}
    for name in sorted(kinds, key=lambda name: (-share(kinds[name]), name)):
        folds[name] = min(range(FOLDS), key=lambda fold: (crowded(fold, kinds[name]), share(held[fold])))
        held[folds[name]].update(kinds[name])
    return folds


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """A judge that was fitted on the other folds, and what it says of this one."""

    fitted: dict[str, Any]
    answers: list[Answer]


def folds(samples: Sequence[Sample], by: str) -> list[Fold]:
    """Every fold judged by what was fitted on the others; its calibration is that of the others' answers."""
    of = dealt([s.pair for s in samples], by)
    plain = []
    for number in range(FOLDS):
        fitted = fit([s for s in samples if of[BY[by](s.pair)] != number])
        plain.append(Fold(fitted, answers(fitted, [s for s in samples if of[BY[by](s.pair)] == number])))
    found = []
    for number, fold in enumerate(plain):
        others = [a for n, other in enumerate(plain) if n != number for a in other.answers]
        fitted = calibrated(fold.fitted, others)
        found.append(Fold(fitted, answers(fitted, [a.sample for a in fold.answers], fitted["calibration"])))
    return found


def _kept_fold(number: int) -> Path:
    return KEPT / f"fold-{number}.json"


_DEALT = KEPT / "folds.json"


@cache
def _of_fold(number: int) -> Judge:
    return Judge(json.loads(_kept_fold(number).read_text()))


@cache
def _dealt() -> dict[str, int]:
    return dict(json.loads(_DEALT.read_text()))


def unseen(pair: Pair) -> Judge:
    """The judge that was fitted without the program of this pair, by the last `python -m benchmarks.judging`."""
    return _of_fold(_dealt()[BY["program"](pair)])


def told(every: Sequence[Answer], level: float) -> str:
    """A table: by kind, with and without window, by truth."""
    rows: dict[str, list[int]] = defaultdict(lambda: [0] * 6)
    for a in every:
        pair, acts = a.sample.pair, a.chance >= level and not a.is_vetoed
        names = [pair.kind, "all", "window" if pair.window else "no window", f"part {pair.part}"]
        if pair.variables:
            names.append("variable")
        if pair.kind == SAME:
            names = [pair.kind]
        for name in names:
            row = rows[name]
            if pair.truth is Truth.HERE:
                row[0] += 1
                row[1] += acts and a.is_right
                row[2] += acts and not a.is_right
                row[5] += bool(a.sample.right.any())
            else:
                row[3] += 1
                row[4] += acts
    lines = [f"act from P {level:.2f}     here   found  wrong  proposed    absent  clicked"]
    for name, (here, found, wrong, absent, clicked, proposed) in sorted(rows.items()):
        lines.append(
            f"{name:18s} {here:6d} {100 * found / max(1, here):6.1f}% {wrong:6d} {100 * proposed / max(1, here):8.1f}%"
            f" {absent:9d} {clicked:8d}"
        )
    return "\n".join(lines)


def expected_error(every: Sequence[Answer], bins: int = 15) -> float:
    """The expected calibration error of the best place's chance."""
    chance, right = np.array([a.chance for a in every]), np.array([a.is_right for a in every], float)
    which = np.minimum((chance * bins).astype(int), bins - 1)
    return float(
        sum(abs(chance[which == b].mean() - right[which == b].mean()) * (which == b).mean() for b in set(which))
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judging", description=__doc__)
    parser.add_argument("--fit", action="store_true", help="write fitted.json")
    parser.add_argument("--every", type=int, default=1, help="of the pairs, every so-many-th")
    parser.add_argument(
        "--without", default="", help="features that are not told, by comma; relative: all beside others"
    )
    parser.add_argument("--shard", default="0/1", help="measure only this part of them, and fit nothing")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rpa_site.settings")
    import django

    django.setup()
    screens, pairs = load_all()
    pairs = [*pairs, *unchanged(pairs)]
    random.Random(_SEED).shuffle(pairs)
    pairs = pairs[:: options.every]
    shard, shards = map(int, options.shard.split("/"))
    if shards > 1:
        collect(pairs[shard::shards], screens, KEPT / f"features-{shard}.pickle")
        return 0
    for file in sorted(KEPT.glob("features-*.pickle")):
        whole = KEPT / "features.pickle"
        kept = pickle.loads(whole.read_bytes()) if whole.is_file() else {}
        whole.write_bytes(pickle.dumps({**kept, **pickle.loads(file.read_bytes())}))
    samples = collect(pairs, screens, KEPT / "features.pickle")
    samples = [without(s, options.without.split(",")) for s in samples] if options.without else samples
    ms = [s.ms for s in samples]
    places = np.mean([len(s.features) for s in samples])
    print(
        f"{len(samples)} pairs, {places:.0f} places each; p50 {np.median(ms):.0f} ms, p95 {np.percentile(ms, 95):.0f}"
    )
    calibration = [1.0, 0.0]
    for by in BY:
        per_fold = folds(samples, by)
        every = [a for fold in per_fold for a in fold.answers]
        calibration = calibrated({}, every)["calibration"]
        if by == "program" and not options.without:
            _DEALT.write_text(json.dumps(dealt([s.pair for s in samples], by)))
            for number, fold in enumerate(per_fold):
                _kept_fold(number).write_text(json.dumps(fold.fitted, separators=(",", ":")))
        sure = [a for a in every if a.chance >= 0.95 and not a.is_vetoed]
        print(f"\n=== folds by {by} ===")
        for level in LEVELS:
            print(told(every, level) + "\n")
        print(f"of {len(sure)} answers at P >= 0.95 right {100 * np.mean([a.is_right for a in sure]):.2f} %; "
              f"expected calibration error {100 * expected_error(every):.2f} %")  # fmt: skip
    if options.fit:
        FITTED.write_text(json.dumps({**fit(samples), "calibration": calibration}, separators=(",", ":")) + "\n")
        print(f"{FITTED.name}: {FITTED.stat().st_size // 1024} KiB, {len(PLACES)} measures of each place")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
