"""What a correction may do, and under which conditions: from how its uses came out (S6.4).

Nothing is trusted before some runs in a row proved it right, and only where they did: what held on a dark screen says
nothing of a light one. What proved wrong once is off at once, everywhere.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from execution.choices import CorrectionState, UseOutcome

IN_FORCE = frozenset({CorrectionState.ON_TRIAL, CorrectionState.TRUSTED})
C = TypeVar("C", bound=Hashable)
MOST_CONDITIONS = 12  # kept of one correction; under those it was used under longest ago it is on trial again


@dataclass(frozen=True, slots=True)
class Standing:
    """`streak` is how many runs in a row proved it right."""

    state: CorrectionState = CorrectionState.ON_TRIAL
    streak: int = 0


def after(standing: Standing, outcome: UseOutcome, *, proved_after: int) -> Standing:
    """The standing once a use came out so. What nobody knows changes nothing, nor does any use what is not in force."""
    if standing.state not in IN_FORCE or outcome is UseOutcome.UNKNOWN:
        return standing
    if outcome is UseOutcome.WRONG:
        return Standing(CorrectionState.OFF, 0)
    streak = standing.streak + 1
    state = CorrectionState.TRUSTED if streak >= proved_after else standing.state
    return replace(standing, state=state, streak=streak)


def standing_of(first: CorrectionState, outcomes: Iterable[UseOutcome], *, proved_after: int) -> Standing:
    """The standing by all uses since it was `first`, in their order."""
    standing = Standing(first)
    for outcome in outcomes:
        standing = after(standing, outcome, proved_after=proved_after)
    return standing


def standing_under(
    first: CorrectionState, own: C, outcomes: Iterable[tuple[C, UseOutcome]], *, proved_after: int
) -> Mapping[C, Standing]:
    """The standing under each of the conditions that it was used under, by all uses in their order; the last used last.

    `own` are those that it was learned under: what it was `first` it was there, and elsewhere it begins on trial. Of
    more than can be kept those used last are, and its own. Nothing where it is not in force.
    """
    found = {own: Standing(first)}
    for under, outcome in outcomes:
        if outcome is UseOutcome.WRONG:
            return {}
        if outcome is UseOutcome.RIGHT:
            found[under] = after(found.pop(under, Standing()), outcome, proved_after=proved_after)
    if first not in IN_FORCE:
        return {}
    others = [under for under in found if under != own][1 - MOST_CONDITIONS :]
    return {under: standing for under, standing in found.items() if under == own or under in others}
