"""Two screens compared: what of each is on the other, whether it stands in the same places, what is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from execution.matching.pairing import Pairing, in_place, weighted_mean
from execution.matching.profile import Profile

MEASURES = (
    "recall", "precision", "recall_plain", "precision_plain", "missing", "extra", "seen", "head_recall",
    "head_precision", "across", "down", "replaced", "shapes", "shapes_known", "chosen",
)  # fmt: skip
_REPLACES = 0.4  # lines less likely to last than that are data, which is replaced each time
_ANOTHER = 0.6  # of a line's letters
_TELLING = 12  # lines of one side alone that are looked at, the worst
_READ = 0.97  # of the lines that are there, the reader reads so many as they were read before


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison:
    """How a screen compares with a reference; `missing` and `extra` are the most telling lines of either side alone,
    `lasting` is how likely each line of the reference is to last, by key, `shared` are those that are there again."""

    measures: np.ndarray
    seen: int
    of: int
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    lasting: Mapping[str, float]
    shared: frozenset[str]

    def __getitem__(self, name: str) -> float:
        return float(self.measures[MEASURES.index(name)])


def compare(reference: Profile, screen: Profile) -> Comparison:
    """`screen` as `reference` would have it."""
    pairing = Pairing(reference, screen)
    ours, theirs = pairing.credit()
    across, down = pairing.places()
    lost = reference.lasting * (1 - _whole(ours))
    more = screen.lasting * (1 - _whole(theirs))
    shapes, known = _shapes_alike(reference, screen, pairing)
    values = (
        weighted_mean(reference.weights, ours), weighted_mean(screen.weights, theirs),
        weighted_mean(reference.lasting, ours), weighted_mean(screen.lasting, theirs),
        _surprise(lost, reference.columns), _surprise(more, screen.columns),
        float(np.log1p((reference.weights * ours).sum())),
        weighted_mean(reference.lasting * reference.tall, ours), weighted_mean(screen.lasting * screen.tall, theirs),
        across, down, _replaced(pairing, lost, more), shapes, known, _chosen_alike(reference, screen),
    )  # fmt: skip
    return Comparison(
        measures=np.array(values),
        seen=int((ours > 0.6).sum()),
        of=len(reference.keys),
        missing=_most(reference.texts, lost * reference.weights),
        extra=_most(screen.texts, more * screen.weights),
        lasting=dict(zip(reference.keys, reference.lasting.tolist(), strict=True)),
        shared=frozenset(reference.keys[i] for i in np.flatnonzero(ours > _ANOTHER)),
    )


def _replaced(pairing: Pairing, lost: np.ndarray, more: np.ndarray) -> float:
    """How surely a line that lasts has another one in its place: another heading, the label of another field."""
    ours, theirs = np.flatnonzero(lost > _REPLACES), np.flatnonzero(more > _REPLACES)
    if not len(ours) or not len(theirs):
        return 0.0
    off = pairing.off(ours, theirs)[:, :, [0, 2]]
    there = np.where(off.max(axis=2) < 1.0, lost[ours][:, None] * more[theirs][None], 0.0)
    return float(np.log1p(-np.log1p(-_READ * np.sort(there.max(axis=1))[-3:]).sum()))


def _whole(credit: np.ndarray) -> np.ndarray:
    """A line of which a small part was found is another line that begins alike."""
    return np.where(credit < _ANOTHER, 0.0, credit)


def _surprise(unpaired: np.ndarray, columns: np.ndarray) -> float:
    """How unlikely it is that lines which last are on one side alone: a logarithm.

    Lines of one column come and go together, so each further one counts half of the one before.
    """
    unlikely = -np.log1p(-_READ * unpaired)
    counted, total = dict[int, float](), 0.0
    for index in np.argsort(-unlikely, kind="stable")[:_TELLING]:
        share = counted.get(int(columns[index]), 1.0)
        counted[int(columns[index])] = 0.5 * share
        total += share * float(unlikely[index])
    return float(np.log1p(total))


def _most(texts: tuple[str, ...], weights: np.ndarray) -> tuple[str, ...]:
    order = np.argsort(-weights, kind="stable")[:3]
    return tuple(texts[i] for i in order if weights[i] > 0.2)


def _chosen_alike(reference: Profile, screen: Profile) -> float:
    """1 where the same tab or menu item shows as chosen, -1 where another one does, 0 where nothing can tell.

    What is chosen now must have been there then, else it may be no tab.
    """
    ours, theirs = reference.shapes.chosen, screen.shapes.chosen
    if not ours or not theirs:
        return 0.0
    if ours & theirs:
        return len(ours & theirs) / len(ours | theirs)
    return -1.0 if any(key in reference.where for key in theirs) else 0.0


def _shapes_alike(reference: Profile, screen: Profile, pairing: Pairing) -> tuple[float, float]:
    """How many elements have one of their role where they should (F1), and whether there were enough to tell."""
    one, other = reference.shapes, screen.shapes
    if len(one.roles) == 0 or len(other.roles) == 0:
        return 0.0, 0.0
    expected = one.boxes * pairing.scale
    expected[:, :2] += pairing.shift
    across = np.abs(expected[:, None, :] - other.boxes[None, :, :]) / screen.unit
    apart = across[:, :, 0] + across[:, :, 1] + 0.5 * across[:, :, 3]
    apart[one.roles[:, None] != other.roles[None, :]] = np.inf
    good_one = in_place(2.0 * apart.min(axis=1))
    good_other = in_place(2.0 * apart.min(axis=0))
    total = len(one.roles) + len(other.roles)
    return float((good_one.sum() + good_other.sum()) / total), min(1.0, total / 20)
