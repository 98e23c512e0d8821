"""Fits the coefficients of the matching to what was read on the corpus and writes them into the product.

`python -m tests.benchmarks.matching --fit`. One half of the families is fitted to, the other half is for the figures.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from execution.language.fuzzy import SEEN
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
from execution.matching.references import Reading, Reference
from execution.matching.sheet import Sheet
from execution.types import ScreenState
from tests.benchmarks.readings import Read
from tests.benchmarks.screens.corpus import ROOT

TABLES = ROOT / "execution" / "matching" / "fitted.py"
MASKS = ("nothing", "window", "elements", "look")  # what a screen is fitted without
UNREAD = ("texts", "texts and window")
_FEW = 5  # nodes of a small workflow
_LEAST_LEAD = 0.15  # a lead counts at least so much: two screens that fit alike cannot both be it
_TRAITS_RIDGE, _SIGNS_RIDGE, _SURE_RIDGE = 2.0, 0.5, 0.05


class Trial(NamedTuple):
    """One screen seen, weighed against its candidates: their names and signs (n, SIGNS), the best first."""

    read: Read
    names: tuple[str, ...]
    signs: np.ndarray

    @property
    def right(self) -> np.ndarray:
        return np.array([name == self.read.screen.family for name in self.names])

    @property
    def learned(self) -> bool:
        return self.read.screen.variant["set"] == "learned"


def fitted_half(read: Read) -> bool:
    """Whether the coefficients are fitted to this screen's family."""
    return zlib.crc32(read.screen.family.encode()) % 2 == 0


def taught(reads: Iterable[Read]) -> list[Read]:
    return [read for read in reads if read.screen.variant["role"] == "taught"]


def seen(reads: Iterable[Read]) -> list[Read]:
    return [read for read in reads if read.screen.variant["role"] == "seen"]


def reference(read: Read, *, window: bool = True) -> Reference:
    """What the product would keep of a taught picture; without the window where none is ever known (Citrix)."""
    reading = Reading(picture=read.digest, maker="corpus", size=read.size, texts=read.texts, elements=read.elements)
    taught_in = read.window if window else None
    return Reference(picture=read.digest, reading=reading, embedding=read.embedding, window=taught_in)


def masked(state: ScreenState, mask: str) -> ScreenState:
    """The screen without one of its signs."""
    if mask.startswith("texts"):
        window = None if mask.endswith("window") else state.window
        return replace(state, texts=(), elements=(), text_method="", degraded=True, window=window)
    changes = {"nothing": {}, "window": {"window": None}, "elements": {"elements": ()}, "look": {"embedding": None}}
    return replace(state, **changes[mask])


def fit(reads: Sequence[Read]) -> Calibration:
    """The coefficients by the half that is for fitting; all taught screens are nodes."""
    zero = np.zeros(len(SIGNS))
    lasts = _fit_lasting(reads)
    bare = Calibration(lasts=lasts, read=zero, unread=zero, sure=np.zeros(3), sure_unread=np.zeros(3))
    mine = [read for read in seen(reads) if fitted_half(read)]
    nodes = taught(reads)
    trials = {mask: _trials(nodes, mine, mask, bare) for mask in (*MASKS, *UNREAD)}
    read_ = _fit_signs([one for mask in MASKS for one in trials[mask]])
    unread = _fit_signs([one for mask in UNREAD for one in trials[mask]])
    few = [one for some in _small_workflows(nodes) for mask in MASKS[:2] for one in _among_few(some, mine, mask, bare)]
    sure = _fit_sureness([one for mask in MASKS for one in trials[mask]] + few, read_)
    sure_unread = _fit_sureness([one for mask in UNREAD for one in trials[mask]], unread)
    return Calibration(lasts=lasts, read=read_, unread=unread, sure=sure, sure_unread=sure_unread)


def _small_workflows(nodes: Sequence[Read]) -> list[list[Read]]:
    """Workflows of a few screens of one application each, as most are."""
    apps = sorted({str(read.screen.variant["app"]) for read in nodes})
    found = []
    for app in apps:
        own = [read for read in nodes if read.screen.variant["app"] == app]
        found += [own[start : start + _FEW] for start in range(0, len(own), _FEW)]
    return found


def _among_few(nodes: Sequence[Read], mine: Sequence[Read], mask: str, fitted: Calibration) -> list[Trial]:
    """The application's own screens among those few nodes; most of them were never learned there."""
    app = nodes[0].screen.variant["app"]
    return _trials(nodes, [read for read in mine if read.screen.variant["app"] == app], mask, fitted)


def _trials(nodes: Sequence[Read], mine: Sequence[Read], mask: str, fitted: Calibration) -> list[Trial]:
    """The screens of `mine` among the nodes."""
    window = "window" not in mask
    engine = FusionEngine({r.screen.family: reference(r, window=window) for r in nodes}, fitted=fitted)
    made = []
    for read in mine:
        weighed = engine.weigh(masked(read.state(), mask))
        if weighed:
            made.append(Trial(read, tuple(w.node_id for w in weighed), np.stack([w.signs for w in weighed])))
    return made


def _fit_lasting(reads: Sequence[Read]) -> np.ndarray:
    """By whether each line of a taught screen is there again on the same screen with other data."""
    sheets = {read.screen.family: sheet(read) for read in taught(reads)}
    vocabulary = Vocabulary(sheets.values())
    traits, again = [], []
    for read in seen(reads):
        ours = sheets.get(read.screen.family)
        if ours is None or not fitted_half(read):
            continue
        scores = process.cdist(
            ours.keys, sheet(read).keys, scorer=Levenshtein.normalized_similarity, score_cutoff=SEEN
        )  # fmt: skip
        traits.append(lasting_traits(ours, vocabulary, counted=True))
        again.append((scores.max(axis=1) > 0).astype(float))
    return logistic_regression(np.concatenate(traits), np.concatenate(again), ridge=_TRAITS_RIDGE)


def sheet(read: Read) -> Sheet:
    return Sheet(texts=read.texts, elements=read.elements, window=read.window)


def _fit_signs(trials: Sequence[Trial]) -> np.ndarray:
    """The weights of the signs."""
    signs, right = np.concatenate([one.signs for one in trials]), np.concatenate([one.right for one in trials])
    return logistic_regression(signs, right, ridge=_SIGNS_RIDGE)


def _fit_sureness(trials: Sequence[Trial], weights: np.ndarray) -> np.ndarray:
    """What makes a probability of a score and its lead; screens that are a node weigh as much as all others."""
    rows, right = zip(*(row for one in trials for row in _best_rows(one, weights)), strict=True)
    table, truth = np.array(rows), np.array(right, float)
    share = truth.mean()
    worth = np.where(truth > 0, 0.5 / share, 0.5 / (1 - share))
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
    text += "Written by `python -m tests.benchmarks.matching --fit`; `calibration` says how they are applied.\n"
    text += '"""\n\nfrom __future__ import annotations\n'
    for name, columns, values in tables:
        named = {c: round(float(v), 4) for c, v in zip(columns, values, strict=True) if abs(v) > 5e-5}
        text += f"\n{name} = {{\n" + "".join(f'    "{c}": {v},\n' for c, v in named.items()) + "}\n"
    TABLES.write_text(text)
