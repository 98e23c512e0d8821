"""All places that may be the target on one screen, with what is seen there and how probable each is (S5.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from execution.perception.scene import Source, Thing
from execution.targeting import described
from execution.targeting.boxes import point_in, same_thing
from execution.targeting.candidates import By, Candidate, candidates_of
from execution.targeting.comparison import Compared, compared
from execution.targeting.context import Context
from execution.targeting.covering import is_whole, seen_in_part
from execution.targeting.examination import examined
from execution.targeting.judge import Judge, Judgement, fitted_judge
from execution.targeting.pointing import votes_of
from execution.targeting.signs import Signs
from execution.types import Box
from execution.types import Candidate as Shown

_SUREST = 0.99
_LOOKED_AT = 4  # of the most probable places, and of those where it was taught: whether something lies over them
_NEAR = 4  # pixels: looked at from one place is looked at from both
_LIKELY = 0.5
_MOST_TOLD = 12  # of the places, the most probable first: all others are less than nothing


@dataclass(frozen=True, slots=True, eq=False)
class Weighed:
    """All that was `found` on one screen, and which of it are the most probable places, each once: their numbers in it,
    what is seen there, and how probable it is."""

    found: Compared
    numbers: tuple[int, ...]
    signs: tuple[Signs, ...]
    judgement: Judgement

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        return tuple(self.found.candidates[number] for number in self.numbers)

    @property
    def features(self) -> np.ndarray:
        """Of each place: (places, len(NAMES))."""
        return self.found.features[list(self.numbers)]

    def chance(self, number: int) -> float:
        return round(float(self.judgement.chances[number]), 4)

    def shown(self, number: int) -> Shown:
        """The place as people are shown it."""
        signs = self.signs[number]
        return Shown(box=signs.box, score=self.chance(number), text=signs.read)


def measure(context: Context, remembered: Box | None = None) -> Compared:
    """Every candidate, compared with what was taught."""
    votes = votes_of(context)
    return compared(candidates_of(context, votes, remembered), votes, context)


def weigh(context: Context, remembered: Box | None = None, *, judge: Judge | None = None) -> Weighed:
    """Every place that may be it, judged by the product's judge if no other is given."""
    judge = judge or fitted_judge()
    weighed = _told(measure(context, remembered), judge, context)
    if (covered := _with_covered(weighed, context)) is not None:
        votes = votes_of(context)
        weighed = _told(compared(covered, votes, context), judge, context)
    judgement = weighed.judgement
    if described.is_described(context):
        judgement = described.judged(weighed.signs, context, judgement)
    sure = np.array([signs.in_sight is not None for signs in weighed.signs], bool)
    wanted = context.wanted_number
    if wanted.number is not None and (context.goes_on or wanted.is_whole):
        # Of a list that is seen whole, or was begun, more is known than the signs of the line that was shown, which
        # said something of its own: who asks for the next line holds all that follow against what they were.
        sure |= np.array([wanted.holds(one.box) for one in weighed.candidates], bool) & (judgement.chances >= _LIKELY)
    return replace(weighed, judgement=_proven(judgement, sure))


def _proven(judgement: Judgement, sure: np.ndarray) -> Judgement:
    """The same where one place alone is known without the judge: counted in a list, or drawn pixel by pixel as it was
    but for a rectangle that lies over it. Of two that are, neither is known."""
    if sure.sum() != 1:
        return judgement
    others = np.where(sure, 0.0, judgement.chances)
    left = (1.0 - _SUREST) / max(1.0 - _SUREST, float(others.sum()))
    return replace(judgement, chances=np.where(sure, _SUREST, others * left))


def _told(found: Compared, judge: Judge, context: Context) -> Weighed:
    """The most probable places, one candidate for each, with their signs."""
    judgement = judge.judge(found)
    kept = list[int]()
    for number in judgement.order:
        if len(kept) == _MOST_TOLD:
            break
        if not any(found.one_place[number, other] for other in kept):
            kept.append(number)
    chosen = tuple(found.candidates[n] for n in kept)
    signs = tuple(
        (one.in_sight is not None and seen_in_part(one.box, context)) or examined(one.box, context) for one in chosen
    )
    judged = Judgement(judgement.log_odds[kept], judgement.chances[kept], judgement.weights[kept], judgement.kinds)
    return Weighed(found, tuple(kept), signs, judged)


def _with_covered(weighed: Weighed, context: Context) -> list[Candidate] | None:
    """The candidates with those that something lies over as what is in sight of them; None where it lies over none."""
    if context.around is None or context.is_variable or not weighed.candidates:
        return None
    order = weighed.judgement.order
    if is_whole(weighed.signs[order[0]], context):
        return None
    boxes = [weighed.candidates[number].box for number in order[:_LOOKED_AT]]
    boxes += context.taught_places()[:_LOOKED_AT]
    apart = [box for n, box in enumerate(boxes) if all(math.dist(box.center, b.center) > _NEAR for b in boxes[:n])]
    covered = dict[Box, Signs]()
    for box in apart:
        signs = seen_in_part(box, context)
        if signs is not None and not any(same_thing(signs.box, other) for other in covered):
            covered[signs.box] = signs
    if not covered:
        return None
    others = [
        one
        for one in weighed.found.candidates
        if not any(same_thing(one.box, box) or box.contains(one.box.center) for box in covered)
    ]
    return others + [_covered(box, signs, context) for box, signs in covered.items()]


def _covered(box: Box, signs: Signs, context: Context) -> Candidate:
    thing = Thing(box, context.target.role or "picture", Source.PLACE, sure=0.3)
    return Candidate(thing, {By.PLACE}, point_in(box, context.target.click), in_sight=signs.in_sight)
