"""Two screens compared: which lines of each are on the other and where, and what lies over one of them alone.

Everything is seen both ways. Shares are of the lines that were read; what cannot be told is nan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from execution.matching.pairing import Pairing, in_place
from execution.matching.sheet import Sheet
from execution.types import Box


class Feature(NamedTuple):
    """`sign`: 1 where more of it makes the same screen likelier, -1 less likely, 0 where it depends."""

    name: str
    of: str
    sign: int


TEXTS, OWN, PLACES, HEADING, LAYOUT, CHOSEN, OVER, LOOK, WINDOW, DECLARED, LEAD = (
    "texts", "own", "places", "heading", "layout", "chosen", "over", "look", "window", "declared", "lead",
)  # fmt: skip
OF_TEXTS = (
    Feature("recall", TEXTS, 1), Feature("precision", TEXTS, 1),
    Feature("fixed_recall", TEXTS, 1), Feature("fixed_precision", TEXTS, 1),
    Feature("lost", TEXTS, -1), Feature("more", TEXTS, -1), Feature("seen", TEXTS, 1),
    Feature("fewest", TEXTS, 0), Feature("uneven", TEXTS, 0),
    Feature("own_recall", OWN, 1), Feature("own_precision", OWN, 1), Feature("own_seen", OWN, 1),
    Feature("elsewhere", OWN, -1),
    Feature("placed_recall", PLACES, 1), Feature("placed_precision", PLACES, 1),
    Feature("across", PLACES, 1), Feature("down", PLACES, 1),
    Feature("heading_recall", HEADING, 1), Feature("heading_precision", HEADING, 1),
    Feature("shapes", LAYOUT, 1), Feature("chosen", CHOSEN, 1),
    Feature("framed_taught", OVER, -1), Feature("framed_seen", OVER, -1),
    Feature("over_taught", OVER, -1), Feature("over_seen", OVER, -1),
    Feature("hides_taught", OVER, -1), Feature("hides_seen", OVER, -1),
)  # fmt: skip
FEATURES = (
    *OF_TEXTS, Feature("declared", DECLARED, 1), Feature("cosine", LOOK, 1), Feature("title", WINDOW, 1),
    Feature("app", WINDOW, 1), Feature("texts_lead", LEAD, 1), Feature("own_lead", LEAD, 1),
    Feature("look_lead", LEAD, 1),
)  # fmt: skip
NAMES = tuple(f.name for f in FEATURES)
SEEN = 0.6  # of a line's letters: less is another line that begins alike
_BESIDE = 1.0  # heights of a line, between what stands there now and what stood there
_NEAR = (3.0, 3.2)  # the same, across and down, between lines that stand together
_SAME_FRAME, _ALONE = 0.6, 0.8
_IN_PLACE, _STAYS = 0.9, 0.7  # so well, and of the pairs so many: what came did not push them aside
_FEW_SHAPES = 4
_TOLD = 3


class OtherHeading(NamedTuple):
    """A heading of the reference and what stands in its place. `is_entry`: the screen says it elsewhere, as a menu of
    pages does; what a record is called is said nowhere on the screen of another."""

    taught: str
    now: str
    is_entry: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison:
    """How a screen compares with a reference. `row` is in the order of OF_TEXTS; `missing` and `extra` are a few lines
    of either side alone. `over` is what surely lies over the screen and not over the reference, `under` the reverse."""

    row: np.ndarray
    seen: int
    of: int
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    over: tuple[str, ...]
    under: tuple[str, ...]
    headings: tuple[OtherHeading, ...] = ()

    def __getitem__(self, name: str) -> float:
        return float(self.row[NAMES.index(name)])

    @property
    def alike(self) -> float:
        """The shares of what holds no data, both ways."""
        return _both(self["fixed_recall"], self["fixed_precision"])

    @property
    def alike_in_own(self) -> float:
        """The same of what few screens show."""
        return _both(self["own_recall"], self["own_precision"])


def compare(reference: Sheet, screen: Sheet, known: Mapping[str, int]) -> Comparison:
    """`known` is on how many of the workflow's screens each line stands that holds no data."""
    pairing = Pairing(reference, screen)
    ours, theirs = (np.where(credit < SEEN, 0.0, credit) for credit in pairing.credit())
    across, down, place = pairing.placed()
    placed, at = np.zeros(len(reference)), np.zeros(len(screen))
    for (i, j), share in zip(pairing.pairs, place, strict=True):
        placed[i] = at[j] = share
    told = pairing.tells_places
    there, back = pairing.expected(reference.edges), pairing.back(screen.edges)
    one, other = reference.fixed, screen.fixed
    if told:
        one, other = one & _within(there, screen), other & _within(back, reference)
    ours_own = np.array([1 / max(1, known.get(key, 0)) for key in reference.keys])
    theirs_own = np.array([1 / (1 + known.get(key, 0)) for key in screen.keys])
    familiar = np.array([key in known for key in screen.keys], bool)
    lost, more = one & (ours == 0), other & (theirs == 0)
    gone, came = _unreplaced(pairing, ours == 0, theirs == 0)
    stays = told and float(np.mean(place > _IN_PLACE)) > _STAYS
    under = _Layer(reference, ours, lost, gone, screen, theirs, came, back, pairing.expected if stays else None)
    over = _Layer(screen, theirs, more, came, reference, ours, gone, there, pairing.back if stays else None)
    values = (
        _mean(reference.sure, ours), _mean(screen.sure, theirs), _mean(one, ours), _mean(other, theirs),
        np.log1p(lost.sum()), np.log1p(more.sum()), np.log1p((one * ours).sum()),
        np.log1p(min(one.sum(), other.sum())), abs(np.log((1 + one.sum()) / (1 + other.sum()))),
        _mean(one * ours_own, ours), _mean(other * theirs_own, theirs), np.log1p((one * ours_own * ours).sum()),
        np.log1p((more & familiar).sum()),
        _mean(one, ours * placed), _mean(other, theirs * at),
        across.mean() if told else np.nan, down.mean() if told else np.nan,
        _mean(one * reference.heading, ours, of_none=np.nan),
        _mean(other * screen.heading, theirs, of_none=np.nan),
        _shapes_alike(reference, screen, pairing), _chosen_alike(reference, screen),
        under.framed, over.framed, under.together, over.together, under.hides, over.hides,
    )  # fmt: skip
    return Comparison(
        row=np.array(values, float),
        seen=int((ours > 0).sum()),
        of=len(reference),
        missing=_most(reference, lost, ours_own),
        extra=_most(screen, more, theirs_own),
        over=over.surely,
        under=under.surely,
        headings=_other_headings(pairing, reference.fixed & (ours == 0), screen.fixed & (theirs == 0)),
    )


class _Layer:
    """What one side shows and the other does not, as far as it lies over what the other shows.

    `framed`, `together` and `hides` are logarithms of counts: lines alone in a frame that the other has not, the
    largest group of lines with nothing of the other among them, and the other's lines that would stand under it.
    """

    def __init__(
        self, side: Sheet, found: np.ndarray, alone: np.ndarray, apart: np.ndarray, other: Sheet, others: np.ndarray,
        others_gone: np.ndarray, others_at: np.ndarray, onto: Callable[[np.ndarray], np.ndarray] | None,
    ) -> None:  # fmt: skip
        """`onto` is where edges would be on the other, None where too little is in its place to say."""
        self._side = side
        framed = _framed_alone(side, found, other, onto) if onto else np.zeros(len(side), bool)
        group, box = _largest_group(side, alone & apart & side.saying)
        inside = _held(box, side.edges) if box else np.zeros(len(side), bool)
        pure = 1 - found[inside].mean() if inside.any() else 0.0
        under = _held(box, others_at, around=side.unit) if box else np.zeros(len(other), bool)
        hidden = under & (others == 0) & others_gone
        self.framed = float(np.log1p(framed.sum()))
        self.together = float(pure * np.log1p(group.sum()))
        self.hides = float(np.log1p(hidden.sum()) * hidden.sum() / max(1, under.sum()))
        self._lines = np.flatnonzero(group | framed)
        self._is_sure = framed.any() or (self.hides > 0.6 and pure > 0.9)

    @property
    def surely(self) -> tuple[str, ...]:
        return tuple(self._side.texts[i] for i in self._lines) if self._is_sure else ()


def _framed_alone(side: Sheet, found: np.ndarray, other: Sheet, onto: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The lines of frames with nothing of the other screen in them, where it shows no such frame."""
    framed = np.zeros(len(side), bool)
    for one in side.frames:
        lines = one.lines & side.saying
        own = lines & (found == 0)
        if own.sum() < max(2.0, _ALONE * lines.sum()) or not (own & side.fixed).any():
            continue
        if _is_bar(side, own):
            continue
        box = one.box
        corners = onto(np.array([[box.x, box.right, box.y], [box.x, box.right, box.bottom]], float))
        (left, right, top), (_, _, bottom) = corners
        place = Box(round(left), round(top), round(right - left), round(bottom - top))
        if _within(corners, other).all() and not any(place.iou(box) > _SAME_FRAME for box in other.drawn):
            framed |= own
    return framed


def _is_bar(side: Sheet, lines: np.ndarray) -> bool:
    """Whether they stand level, as in a bar of the page itself or a tip: no layer."""
    return bool(lines.any()) and float(np.ptp(side.edges[lines, 2])) < side.unit


def _largest_group(side: Sheet, alone: np.ndarray) -> tuple[np.ndarray, tuple[float, float, float, float] | None]:
    """The most of those lines that stand together, and left, right, top and bottom of them; None for fewer than
    two, and for a bar."""
    group, index = np.zeros(len(side), bool), np.flatnonzero(alone)
    if len(index) < 2:
        return group, None
    left, right, y = side.edges[index].T
    across = np.maximum(0, np.maximum(left[:, None] - right[None], left[None] - right[:, None]))
    near = (across < _NEAR[0] * side.unit) & (np.abs(y[:, None] - y[None]) < _NEAR[1] * side.unit)
    label = np.arange(len(index))
    while not np.array_equal(label, least := np.where(near, label[None], len(index)).min(axis=1)):
        label = least
    group[index[label == np.bincount(label).argmax()]] = True
    if group.sum() < 2 or _is_bar(side, group):
        return np.zeros_like(group), None
    left, right, y = side.edges[group].T
    return group, (left.min(), right.max(), y.min(), y.max())


def _held(box: tuple[float, float, float, float], edges: np.ndarray, *, around: float = 0.0) -> np.ndarray:
    """Which lines have their middle in it, or where it is wider by `around`, any part."""
    left, right, top, bottom = box
    inside = (edges[:, 2] >= top - 1.5 * around - 1) & (edges[:, 2] <= bottom + 1.5 * around + 1)
    if around:
        return np.asarray(inside & (edges[:, 1] > left - around) & (edges[:, 0] < right + around))
    middle = (edges[:, 0] + edges[:, 1]) / 2
    return np.asarray(inside & (middle >= left) & (middle <= right))


def _within(edges: np.ndarray, other: Sheet) -> np.ndarray:
    """Which lines are in sight there."""
    left, right, y = edges.T
    return np.asarray((y >= 0) & (y < other.height) & (left >= -other.unit) & (right <= other.width + other.unit))


def _unreplaced(pairing: Pairing, lost: np.ndarray, more: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which lines of each side alone have no other one at their place: other data stands where the old one stood."""
    gone, came = lost.copy(), more.copy()
    ours, theirs = np.flatnonzero(lost), np.flatnonzero(more)
    if len(ours) and len(theirs) and len(pairing.pairs) >= 2:
        off = pairing.off(ours, theirs)
        beside = (np.minimum(off[:, :, 0], off[:, :, 1]) < _BESIDE) & (off[:, :, 2] < 0.6 * _BESIDE)
        gone[ours], came[theirs] = ~beside.any(axis=1), ~beside.any(axis=0)
    return gone, came


def _other_headings(pairing: Pairing, lost: np.ndarray, more: np.ndarray) -> tuple[OtherHeading, ...]:
    """Where another line stands, as the rest lies now or as it lay then: columns may move, and the heading not."""
    one, other = pairing.one, pairing.other
    ours, theirs = np.flatnonzero(lost & one.saying & one.may_head), np.flatnonzero(more)
    if not len(ours) or not len(theirs) or not pairing.tells_places:
        return ()
    unmoved = np.abs(one.edges[ours][:, None, :] - other.edges[theirs][None]) / other.unit
    there = np.zeros((len(ours), len(theirs)), bool)
    for off in (pairing.off(ours, theirs), unmoved):
        there |= (np.minimum(off[:, :, 0], off[:, :, 1]) < _BESIDE) & (off[:, :, 2] < 0.6 * _BESIDE)
    found = ((ours[i], theirs[j]) for i, j in np.argwhere(there))
    return tuple(OtherHeading(one.texts[i], other.texts[j], other.times[one.keys[i]] > 0) for i, j in found)


def _most(side: Sheet, alone: np.ndarray, own: np.ndarray) -> tuple[str, ...]:
    order = np.argsort(-(alone * own), kind="stable")[:_TOLD]
    return tuple(side.texts[i] for i in order if alone[i])


def _chosen_alike(reference: Sheet, screen: Sheet) -> float:
    """1 where the same tabs or menu items show as chosen, -1 where in place of one another does that was there then."""
    ours, theirs = reference.shapes.chosen, screen.shapes.chosen
    if ours - theirs and any(key in reference.where for key in theirs - ours):
        return -1.0
    return len(ours & theirs) / len(ours | theirs) if ours & theirs else np.nan


def _shapes_alike(reference: Sheet, screen: Sheet, pairing: Pairing) -> float:
    """How many elements have one of their role where they should (F1)."""
    one, other = reference.shapes, screen.shapes
    if not len(one.roles) or not len(other.roles) or len(one.roles) + len(other.roles) <= _FEW_SHAPES:
        return np.nan
    expected = one.boxes * pairing.scale
    expected[:, :2] += pairing.shift
    off = np.abs(expected[:, None, :] - other.boxes[None, :, :]) / screen.unit
    apart = off[:, :, 0] + off[:, :, 1] + 0.5 * off[:, :, 3]
    apart[one.roles[:, None] != other.roles[None, :]] = np.inf
    there = in_place(2.0 * apart.min(axis=1)).sum() + in_place(2.0 * apart.min(axis=0)).sum()
    return float(there / (len(one.roles) + len(other.roles)))


def _mean(weights: np.ndarray, credit: np.ndarray, *, of_none: float = 0.0) -> float:
    whole = float(weights.sum())
    return float((weights * credit).sum()) / whole if whole > 0 else of_none


def _both(recall: float, precision: float) -> float:
    return float(np.sqrt(recall * precision))
