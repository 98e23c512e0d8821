"""Fits the coefficients of the matching to what was read on the corpus and writes them into the product.

`python -m benchmarks.matching --fit`. The product is fitted to all there is; figures are of coefficients fitted
to other programs and other style sheets than those measured (`crossed`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from benchmarks.readings import Read
from benchmarks.screens.corpus import ROOT
from benchmarks.worlds import ANOTHER_LANGUAGE, FOLDS, Fold, Sight, World, masked, reference, third
from execution.language.fuzzy import SEEN
from execution.matching import Reference
from execution.matching.calibration import (
    LASTING_TRAITS,
    SIGNS,
    SURENESS,
    Calibration,
    lasting_traits,
    lead,
    logistic,
)
from execution.matching.fusion import FusionEngine
from execution.matching.profile import Vocabulary
from execution.matching.sheet import Sheet
from execution.matching.weighed import Weighed

TABLES = ROOT / "execution" / "matching" / "fitted.py"
MASKS = ("nothing", "window", "elements", "look")  # what a screen is fitted without
UNREAD = ("texts", "texts and window")
_SOME = 4  # every so many screens are fitted without elements, without their look, and among few
_OTHER_DATA = ("nodes",)  # the pages of `drift` show the same record again, which tells nothing of what lasts
_FEW = 5  # nodes of a small workflow
_LEAST_LEAD = 0.15  # a lead counts at least so much: two screens that fit alike cannot both be it
_TRAITS_RIDGE, _SIGNS_RIDGE, _SURE_RIDGE = 2.0, 0.5, 0.05


class Trial(NamedTuple):
    """One screen seen, weighed against its candidates: their names and signs (n, SIGNS), the best first."""

    sight: Sight
    names: tuple[str, ...]
    signs: np.ndarray

    @property
    def right(self) -> np.ndarray:
        return np.array([name == self.sight.node for name in self.names])


class Judge(FusionEngine):
    """The product's engine, from which nodes can be hidden: as if they had not been taught."""

    hidden: Collection[str] = ()

    def _best_looks(self, found: list[Weighed]) -> list[Weighed]:
        return [one for one in super()._best_looks(found) if one.node_id not in self.hidden]


def mates(world: World, sight: Sight) -> set[str]:
    """The other nodes taught on what is the same screen, in another dress: neither right nor wrong."""
    return {name for name, same in world.same.items() if same == sight.same and name != sight.node}


def crossed(world: World) -> Iterator[tuple[Fold, Calibration]]:
    """Of each third of the programs and of the style sheets, what is fitted to the others of both."""
    for program in range(FOLDS):
        others = [sight for sight in world.seen if third(sight.program) != program]
        fitting = _Fitting(world, others)
        for kit in range(FOLDS):
            fold = Fold(program, kit)
            yield fold, fitting.calibration(fold)


def fit(world: World) -> Calibration:
    """The coefficients by all there is."""
    return _Fitting(world, world.seen).calibration(None)


class _Fitting:
    """Screens weighed once, to fit to all of them or to a part."""

    def __init__(self, world: World, seen: Iterable[Sight]) -> None:
        self.world = world
        self.seen = [sight for sight in seen if sight.kind != ANOTHER_LANGUAGE]
        self.lasts = _fit_lasting(world, self.seen)
        zero = np.zeros(len(SIGNS))
        bare = Calibration(lasts=self.lasts, read=zero, unread=zero, sure=np.zeros(3), sure_unread=np.zeros(3))
        some = self.seen[::_SOME]
        of = {"elements": some, "look": some}
        self.trials = {mask: _trials(world, world.taught, of.get(mask, self.seen), mask, bare) for mask in MASKS}
        self.trials |= {mask: _trials(world, world.taught, some, mask, bare) for mask in UNREAD}
        self.few = [
            one
            for nodes in _small_workflows(world.taught)
            for mask in MASKS[:2]
            for one in _trials(world, nodes, _of_program(nodes, some), mask, bare)
        ]

    def calibration(self, fold: Fold | None) -> Calibration:
        """Fitted to what the fold leaves to be fitted to."""

        def mine(trials: Iterable[Trial]) -> list[Trial]:
            return [one for one in trials if fold is None or fold.fits(one.sight)]

        with_texts = [one for mask in MASKS for one in mine(self.trials[mask])]
        without = [one for mask in UNREAD for one in mine(self.trials[mask])]
        read, unread = _fit_signs(with_texts), _fit_signs(without)
        return Calibration(
            lasts=self.lasts,
            read=read,
            unread=unread,
            sure=_fit_sureness(with_texts + mine(self.few), read),
            sure_unread=_fit_sureness(without, unread),
        )


def _small_workflows(taught: Mapping[str, Read]) -> Iterator[Mapping[str, Read]]:
    """Workflows of a few screens of one program each, as most are."""
    for program in sorted({_program(read) for read in taught.values()}):
        own = [(name, read) for name, read in taught.items() if _program(read) == program]
        for start in range(0, len(own), _FEW):
            yield dict(own[start : start + _FEW])


def _program(read: Read) -> str:
    return read.window.app_name if read.window else ""


def _of_program(nodes: Mapping[str, Read], seen: Iterable[Sight]) -> list[Sight]:
    """The program's own screens; most of them were never taught in that small workflow."""
    program = _program(next(iter(nodes.values())))
    return [sight for sight in seen if _program(sight.read) == program]


def _trials(
    world: World, taught: Mapping[str, Read], seen: Iterable[Sight], mask: str, fitted: Calibration
) -> list[Trial]:
    """The screens of `seen` among those nodes."""
    engine = Judge(_references(taught, window="window" not in mask), fitted=fitted)
    made = []
    for sight in seen:
        engine.hidden = mates(world, sight)
        weighed = engine.weigh(masked(sight.read.state(), mask), among=[sight.node])
        if weighed:
            made.append(Trial(sight, tuple(w.node_id for w in weighed), np.stack([w.signs for w in weighed])))
    return made


def _references(taught: Mapping[str, Read], *, window: bool) -> dict[str, Reference]:
    return {name: reference(read, window=window) for name, read in taught.items()}


def _fit_lasting(world: World, seen: Sequence[Sight]) -> np.ndarray:
    """By whether each line of a taught screen is there again on the same screen with other data."""
    sheets = {name: sheet(read) for name, read in world.taught.items()}
    vocabulary = Vocabulary(sheets.values(), of=[world.same[name] for name in sheets])
    traits, again = [], []
    for sight in seen:
        ours = sheets.get(sight.node)
        if ours is None or sight.part not in _OTHER_DATA:
            continue
        scores = process.cdist(
            ours.keys, sheet(sight.read).keys, scorer=Levenshtein.normalized_similarity, score_cutoff=SEEN
        )  # fmt: skip
        traits.append(lasting_traits(ours, vocabulary, counted=True))
        again.append((scores.max(axis=1) > 0).astype(float))
    return logistic_regression(np.concatenate(traits), np.concatenate(again), ridge=_TRAITS_RIDGE)


def sheet(read: Read) -> Sheet:
    return Sheet(texts=read.texts, elements=read.elements, window=read.window)


def _worth(trials: Sequence[Trial]) -> list[float]:
    """Both parts of the corpus weigh the same, however many pictures either has."""
    counts = Counter(one.sight.part for one in trials)
    return [len(trials) / (len(counts) * counts[one.sight.part]) for one in trials]


def _fit_signs(trials: Sequence[Trial]) -> np.ndarray:
    """The weights of the signs."""
    signs, right = np.concatenate([one.signs for one in trials]), np.concatenate([one.right for one in trials])
    worth = np.repeat(_worth(trials), [len(one.names) for one in trials])
    return logistic_regression(signs, right, ridge=_SIGNS_RIDGE, worth=worth)


def _fit_sureness(trials: Sequence[Trial], weights: np.ndarray) -> np.ndarray:
    """What makes a probability of a score and its lead; screens that are a node weigh as much as all others."""
    rows, right, parts = zip(
        *((row, is_right, part) for one, part in zip(trials, _worth(trials), strict=True)
          for row, is_right in _best_rows(one, weights)),
        strict=True,
    )  # fmt: skip
    table, truth, worth = np.array(rows), np.array(right, float), np.array(parts)
    share = float((worth * truth).sum() / worth.sum())
    worth *= np.where(truth > 0, 0.5 / share, 0.5 / (1 - share))
    sure = logistic_regression(table, truth, ridge=_SURE_RIDGE, worth=worth)
    if sure[1] < _LEAST_LEAD:
        offset = _LEAST_LEAD * table[:, 1]
        rest = logistic_regression(table[:, [0, 2]], truth, ridge=_SURE_RIDGE, worth=worth, offset=offset)
        sure = np.array([rest[0], _LEAST_LEAD, rest[1]])
    return sure


def _best_rows(one: Trial, weights: np.ndarray) -> Iterator[tuple[tuple[float, float, float], bool]]:
    """The best candidate's score and lead and whether it is right; and the same as if its node had not been learned."""
    scores = one.signs @ weights
    for unknown in (False, True):
        keep = ~one.right if unknown else np.ones(len(one.names), bool)
        if not keep.any() or (unknown and keep.all()):
            continue
        best = float(scores[keep].max())
        yield (best, lead(best, scores[keep]), 1.0), bool(one.right[keep][np.argmax(scores[keep])])


def logistic_regression(
    rows: np.ndarray,
    truth: np.ndarray,
    *,
    ridge: float,
    worth: np.ndarray | float = 1.0,
    offset: np.ndarray | float = 0.0,
) -> np.ndarray:
    """Coefficients by Newton's method; the last column is the constant and is not held small."""
    weights, penalty = np.zeros(rows.shape[1]), np.full(rows.shape[1], ridge)
    penalty[-1] = 1e-3
    for _ in range(100):
        chance = logistic(rows @ weights + offset)
        slope = rows.T @ (worth * (chance - truth)) + penalty * weights
        bend = (rows * (worth * chance * (1 - chance))[:, None]).T @ rows + np.diag(penalty)
        step = np.linalg.solve(bend, slope)
        weights = weights - np.clip(step, -5, 5)
        if np.abs(step).max() < 1e-7:
            break
    return weights


def write(calibration: Calibration, *, note: str) -> None:
    """Put the coefficients where the product takes them from."""
    tables = (
        ("LASTS", LASTING_TRAITS, calibration.lasts), ("READ", SIGNS, calibration.read),
        ("UNREAD", SIGNS, calibration.unread), ("SURE", SURENESS, calibration.sure),
        ("SURE_UNREAD", SURENESS, calibration.sure_unread),
    )  # fmt: skip
    text = f'"""The coefficients of the matching: logistic regressions, {note}.\n\n'
    text += "Written by `python -m benchmarks.matching --fit`; `calibration` says how they are applied.\n"
    text += '"""\n\nfrom __future__ import annotations\n'
    for name, columns, values in tables:
        named = {c: round(float(v), 4) for c, v in zip(columns, values, strict=True) if abs(v) > 5e-5}
        text += f"\n{name} = {{\n" + "".join(f'    "{c}": {v},\n' for c, v in named.items()) + "}\n"
    TABLES.write_text(text)
