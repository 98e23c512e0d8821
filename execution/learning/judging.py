"""How one use of a correction came out, from how its step did (S6.4).

Only what was done on its word proves it, and only what a person or the screen says counts: silence proves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from execution.choices import Outcome, UseOutcome, Verified
from execution.types import Choice

RIGHT, WRONG, UNKNOWN = UseOutcome.RIGHT, UseOutcome.WRONG, UseOutcome.UNKNOWN
PLACE, PARAMS, SCREEN = "place", "params", "screen"  # what a correction says of a step


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """`acted`: what was done was done on its word. `ordered`: it is the very act that the coach ordered with it.
    `against`: it said another place than the taught one, which was suggested."""

    part: str
    acted: bool
    ordered: bool = False
    against: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """How the step was closed. `choice` is None where nobody was asked, `person`: a person or a program answered.

    `touched`: input was sent. `doubted`: a loop died in it. `corrected` are the parts that a coach put others in the
    place of, `agrees`: the place that he showed is the use's own. `elsewhere`: he said it is another screen.
    """

    outcome: Outcome
    verified: Verified
    choice: Choice | None = None
    person: bool = False
    touched: bool = False
    doubted: bool = False
    corrected: frozenset[str] = frozenset()
    agrees: bool = False
    elsewhere: bool = False


def judged(use: Use, closed: Closed) -> UseOutcome:
    if closed.doubted:
        return UNKNOWN
    if use.ordered:
        return _done(closed)
    if closed.person and closed.choice is Choice.REJECT:
        blamed = use.part == SCREEN if closed.elsewhere else not use.against
        return WRONG if blamed else UNKNOWN
    if closed.person and closed.choice is Choice.CORRECT and use.part in closed.corrected:
        return RIGHT if closed.agrees and use.part == PLACE else WRONG
    if closed.choice not in (None, Choice.ACCEPT, Choice.CORRECT):
        return UNKNOWN
    if use.against:  # the taught place was acted on instead, by a person's word
        return WRONG if closed.person and _done(closed) is RIGHT else UNKNOWN
    if not use.acted:
        return UNKNOWN
    done = _done(closed)
    if done is WRONG and closed.person and closed.choice is Choice.CORRECT:
        return UNKNOWN  # what the person ordered instead is to blame
    accepted = closed.person and closed.outcome == Outcome.SUCCEEDED
    return RIGHT if done is UNKNOWN and accepted else done


def _done(closed: Closed) -> UseOutcome:
    if closed.outcome == Outcome.SUCCEEDED and closed.verified == Verified.YES:
        return RIGHT
    failed = closed.outcome == Outcome.FAILED and closed.touched
    return WRONG if failed or closed.verified == Verified.NO else UNKNOWN
