"""All places that may be the target on one screen, with what is seen there and how probable each is (S5.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from execution.targeting import described
from execution.targeting.context import Context
from execution.targeting.examination import examined
from execution.targeting.features import measured
from execution.targeting.judge import Judgement, fitted_judge
from execution.targeting.proposals import Proposal, proposals
from execution.targeting.signs import Signs
from execution.types import Box


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


def measure(context: Context, remembered: Box | None = None) -> Measured:
    """Every place that is proposed, looked at."""
    proposed = tuple(proposals(context, remembered))
    signs = tuple(examined(proposal.box, context) for proposal in proposed)
    return Measured(proposed, signs, measured(proposed, signs, context))


def weigh(context: Context, remembered: Box | None = None) -> Weighed:
    """Every place that is proposed, looked at and judged."""
    found = measure(context, remembered)
    judgement = fitted_judge().judge(found.features)
    if described.is_described(context):
        judgement = described.judged(found.signs, context, judgement)
    return Weighed(found.proposed, found.signs, found.features, judgement)
