"""S6.4: how a use came out, by its step: only what was done on its word proves it, and silence proves nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.choices import Outcome, UseOutcome, Verified
from execution.learning.judging import PARAMS, PLACE, SCREEN, Closed, Use, judged
from execution.types import Choice

RIGHT, WRONG, UNKNOWN = UseOutcome.RIGHT, UseOutcome.WRONG, UseOutcome.UNKNOWN
ACTED = Use(part=PLACE, acted=True)
NOT_ACTED = Use(part=PLACE, acted=False)
ORDERED = Use(part=PLACE, acted=True, ordered=True)
AGAINST = Use(part=PLACE, acted=False, against=True)

uses = st.builds(
    Use,
    part=st.sampled_from([PLACE, PARAMS, SCREEN]),
    acted=st.booleans(),
    ordered=st.booleans(),
    against=st.booleans(),
)
closings = st.builds(
    Closed,
    outcome=st.sampled_from(list(Outcome)),
    verified=st.sampled_from(list(Verified)),
    choice=st.none() | st.sampled_from(list(Choice)),
    person=st.booleans(),
    touched=st.booleans(),
    doubted=st.booleans(),
    corrected=st.frozensets(st.sampled_from([PLACE, PARAMS])),
    agrees=st.booleans(),
    elsewhere=st.booleans(),
)


def closed(outcome: Outcome = Outcome.SUCCEEDED, verified: Verified = Verified.YES, **fields: Any) -> Closed:
    return Closed(outcome=outcome, verified=verified, **{"choice": Choice.ACCEPT, "touched": True, **fields})


@pytest.mark.parametrize(("use", "how", "came_out"), [
    (ACTED, closed(), RIGHT),
    (ACTED, closed(verified=Verified.CANNOT_TELL), UNKNOWN),
    (ACTED, closed(verified=Verified.CANNOT_TELL, person=True), RIGHT),
    (ACTED, closed(Outcome.FAILED, Verified.NO), WRONG),
    (ACTED, closed(Outcome.FAILED, Verified.NONE, touched=False), UNKNOWN),
    (ACTED, closed(Outcome.FAILED, Verified.CANNOT_TELL), WRONG),
    (ACTED, closed(doubted=True), UNKNOWN),
    (NOT_ACTED, closed(), UNKNOWN),
    (NOT_ACTED, closed(Outcome.REJECTED, Verified.NONE, choice=Choice.REJECT, person=True), WRONG),
    (NOT_ACTED, closed(Outcome.REJECTED, Verified.NONE, choice=Choice.REJECT), UNKNOWN),
    (NOT_ACTED, closed(Outcome.REJECTED, Verified.NONE, choice=Choice.REJECT, person=True, elsewhere=True), UNKNOWN),
    (NOT_ACTED, closed(Outcome.SKIPPED, Verified.NONE, choice=Choice.SKIP, person=True), UNKNOWN),
    (NOT_ACTED, closed(Outcome.MANUAL, choice=Choice.MANUAL, person=True), UNKNOWN),
    (NOT_ACTED, closed(choice=Choice.CORRECT, person=True, corrected=frozenset({PLACE})), WRONG),
    (NOT_ACTED, closed(choice=Choice.CORRECT, person=True, corrected=frozenset({PLACE}), agrees=True), RIGHT),
    (ACTED, closed(choice=Choice.CORRECT, person=True, corrected=frozenset({PARAMS})), RIGHT),
    (ACTED, closed(Outcome.FAILED, Verified.NO, choice=Choice.CORRECT, person=True), UNKNOWN),  # his own word is
    (Use(part=SCREEN, acted=True), closed(Outcome.FAILED, Verified.NO, person=True), WRONG),
    (Use(part=SCREEN, acted=False), closed(choice=Choice.REJECT, person=True, elsewhere=True), WRONG),
    (ORDERED, closed(choice=Choice.CORRECT, person=True), RIGHT),
    (ORDERED, closed(Outcome.FAILED, Verified.NO, choice=Choice.CORRECT, person=True), WRONG),
    (AGAINST, closed(person=True), WRONG),
    (AGAINST, closed(), UNKNOWN),
    (AGAINST, closed(Outcome.REJECTED, Verified.NONE, choice=Choice.REJECT, person=True), UNKNOWN),
])  # fmt: skip
def test_how_a_use_came_out(use: Use, how: Closed, came_out: UseOutcome) -> None:
    assert judged(use, how) is came_out


@given(uses, closings)
def test_nothing_is_right_that_was_neither_seen_nor_said_by_a_person(use: Use, how: Closed) -> None:
    if judged(use, how) is RIGHT:
        assert how.verified == Verified.YES or how.person
        assert not how.doubted


@given(uses, closings)
def test_a_loop_that_died_in_it_leaves_it_unknown(use: Use, how: Closed) -> None:
    if how.doubted:
        assert judged(use, how) is UNKNOWN
