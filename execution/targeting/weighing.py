"""All places that may be the target on one screen, with what is seen there and how probable each is (S5.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from execution.targeting import described
from execution.targeting.boxes import same_thing
from execution.targeting.context import Context
from execution.targeting.covering import is_whole, seen_in_part
from execution.targeting.examination import examined
from execution.targeting.features import measured
from execution.targeting.judge import Judge, Judgement, fitted_judge
from execution.targeting.proposals import Proposal, Proposer, proposals
from execution.targeting.signs import Signs
from execution.types import Box, Candidate

_SUREST = 0.99
_LOOKED_AT = 4  # of the most probable places, and of those where it was taught: whether something lies over them
_NEAR = 4  # pixels: looked at from one place is looked at from both
_LIKELY = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """The places of one screen with their signs, and their features: shape (places, features)."""

    proposed: tuple[Proposal, ...]
    signs: tuple[Signs, ...]
    features: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Weighed(Measured):
    """The same, judged."""

    judgement: Judgement

    def chance(self, number: int) -> float:
        return round(float(self.judgement.chances[number]), 4)

    def candidate(self, number: int) -> Candidate:
        """The place as people are shown it."""
        signs = self.signs[number]
        return Candidate(box=signs.box, score=self.chance(number), text=signs.read)


def measure(context: Context, remembered: Box | None = None) -> Measured:
    """Every place that is proposed, looked at; of a wanted record only what is of it, if anything is."""
    proposed = proposals(context, remembered)
    signs = [examined(proposal.box, context) for proposal in proposed]
    of_record = [one.in_row is not False and not one.around.required_missing for one in signs]
    if any(of_record):  # other records are no rivals: they are told apart by more than signs
        proposed = [proposal for proposal, its in zip(proposed, of_record, strict=True) if its]
        signs = [one for one, its in zip(signs, of_record, strict=True) if its]
    return Measured(tuple(proposed), tuple(signs), measured(proposed, signs, context))


def weigh(context: Context, remembered: Box | None = None, *, judge: Judge | None = None) -> Weighed:
    """Every place that is proposed, looked at and judged, by the product's judge if no other is given."""
    judge = judge or fitted_judge()
    found = measure(context, remembered)
    judgement = judge.judge(found.features)
    covered = _with_covered(found, judgement, context)
    if covered is not None:
        found, judgement = covered, judge.judge(covered.features)
    if described.is_described(context):
        judgement = described.judged(found.signs, context, judgement)
    if context.wanted_number.number is not None:
        judgement = replace(judgement, chances=_of_number(found, judgement.chances, context))
    return Weighed(found.proposed, found.signs, found.features, judgement)


def _with_covered(found: Measured, judgement: Judgement, context: Context) -> Measured | None:
    """The same with the places that something lies over as what is in sight of them; None where it lies over none."""
    if context.around is None or context.is_variable or not found.signs:
        return None
    if is_whole(found.signs[judgement.order[0]], context):
        return None
    boxes = [found.proposed[number].box for number in judgement.order[:_LOOKED_AT]]
    boxes += context.taught_places()[:_LOOKED_AT]
    apart = [box for n, box in enumerate(boxes) if all(math.dist(box.center, b.center) > _NEAR for b in boxes[:n])]
    covered = dict[Box, Signs]()
    for box in apart:
        signs = seen_in_part(box, context)
        if signs is not None and not any(same_thing(signs.box, other) for other in covered):
            covered[signs.box] = signs
    if not covered:
        return None
    by: dict[Box, set[Proposer]] = {box: {Proposer.PLACE} for box in covered}
    others = list[int]()
    for number, proposal in enumerate(found.proposed):
        of = next((b for b in covered if same_thing(proposal.box, b) or b.contains(proposal.box.center)), None)
        if of is None:
            others.append(number)
        else:
            by[of] |= proposal.by
    proposed = (*(found.proposed[n] for n in others), *(Proposal(box, of) for box, of in by.items()))
    seen = (*(found.signs[n] for n in others), *covered.values())
    return Measured(proposed, seen, measured(proposed, seen, context))


def _of_number(found: Measured, chances: np.ndarray, context: Context) -> np.ndarray:
    """The signs tell which list it is, the number which one of it: that one has the chances of all of the list.

    Of a list that was begun more is known than the signs of its first line, which said something of its own: who asks
    for the next line holds all that follow against what they were. Then it is enough that it is likely.
    """
    wanted, counted = context.wanted_number, np.zeros(len(chances))
    if wanted.group is None:
        return counted
    of_list = [wanted.group.number_of(proposal.box) > 0 for proposal in found.proposed]
    place = next((number for number, proposal in enumerate(found.proposed) if wanted.holds(proposal.box)), None)
    if place is not None:
        chance = float(chances[of_list].sum())
        counted[place] = _SUREST if context.goes_on and chance >= _LIKELY else min(_SUREST, chance)
    return counted
