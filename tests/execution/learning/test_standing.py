"""S6.4: nothing is trusted before it proved right so often in a row, and what proved wrong once is off at once."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.choices import CorrectionState, UseOutcome
from execution.learning.standing import IN_FORCE, MOST_CONDITIONS, Standing, after, standing_of, standing_under

RIGHT, WRONG, UNKNOWN = UseOutcome.RIGHT, UseOutcome.WRONG, UseOutcome.UNKNOWN
some_outcomes = st.lists(st.sampled_from(list(UseOutcome)), max_size=30)
enough = st.integers(1, 5)
themes = st.integers(0, 3)  # 0 is the one that it was learned in
some_uses = st.lists(st.tuples(themes, st.sampled_from([RIGHT, RIGHT, RIGHT, UNKNOWN, WRONG])), max_size=30)
states = st.sampled_from(list(CorrectionState))


@given(some_outcomes, enough)
def test_one_wrong_use_switches_it_off_for_good(outcomes: list[UseOutcome], proved: int) -> None:
    standing = standing_of(CorrectionState.ON_TRIAL, outcomes, proved_after=proved)
    assert (standing.state == CorrectionState.OFF) == (WRONG in outcomes)


@given(some_outcomes, enough)
def test_it_is_trusted_by_as_many_right_ones_in_a_row_and_never_by_fewer(outcomes: list[UseOutcome], n: int) -> None:
    standing = standing_of(CorrectionState.ON_TRIAL, outcomes, proved_after=n)
    trusted = WRONG not in outcomes and outcomes.count(RIGHT) >= n
    assert (standing.state == CorrectionState.TRUSTED) == trusted


@given(states, some_outcomes, enough)
def test_what_nobody_knows_counts_for_nothing(first: CorrectionState, outcomes: list[UseOutcome], n: int) -> None:
    known = [one for one in outcomes if one is not UNKNOWN]
    assert standing_of(first, outcomes, proved_after=n) == standing_of(first, known, proved_after=n)


@given(st.sampled_from([s for s in CorrectionState if s not in IN_FORCE]), some_outcomes, enough)
def test_what_is_not_in_force_stays_what_it_is(first: CorrectionState, outcomes: list[UseOutcome], n: int) -> None:
    assert standing_of(first, outcomes, proved_after=n) == Standing(first)


@given(st.sampled_from(sorted(IN_FORCE)), some_outcomes, enough)
def test_trust_is_never_lost_but_by_a_wrong_use(first: CorrectionState, outcomes: list[UseOutcome], n: int) -> None:
    standing, before = Standing(first), [Standing(first)]
    for outcome in outcomes:
        standing = after(standing, outcome, proved_after=n)
        before.append(standing)
    for (was, now), outcome in zip(pairwise(before), outcomes, strict=True):
        if was.state == CorrectionState.TRUSTED and now.state != CorrectionState.TRUSTED:
            assert (outcome, now.state) == (WRONG, CorrectionState.OFF)


@pytest.mark.parametrize(("proved", "outcomes", "state"), [
    (2, [RIGHT], "on_trial"), (2, [RIGHT, UNKNOWN, RIGHT], "trusted"), (2, [RIGHT, WRONG, RIGHT, RIGHT], "off"),
])  # fmt: skip
def test_as_the_spec_says(proved: int, outcomes: list[UseOutcome], state: str) -> None:
    assert standing_of(CorrectionState.ON_TRIAL, outcomes, proved_after=proved).state == state


# --- under which conditions ------------------------------------------------------------------------------------------
@given(some_uses, enough)
def test_it_is_trusted_where_so_many_runs_proved_it_not_elsewhere(uses: list[tuple[int, UseOutcome]], n: int) -> None:
    found = standing_under(CorrectionState.ON_TRIAL, 0, uses, proved_after=n)
    trusted = {theme for theme, one in found.items() if one.state == CorrectionState.TRUSTED}
    wrong = any(outcome is WRONG for _theme, outcome in uses)
    assert trusted == {theme for theme in range(4) if not wrong and uses.count((theme, RIGHT)) >= n}


@given(some_uses, enough)
def test_what_a_person_trusts_they_trust_as_it_was_learned(uses: list[tuple[int, UseOutcome]], n: int) -> None:
    uses = [one for one in uses if one[1] is not WRONG]
    found = standing_under(CorrectionState.TRUSTED, 0, uses, proved_after=n)
    assert found[0].state == CorrectionState.TRUSTED
    on_trial = standing_under(CorrectionState.ON_TRIAL, 0, uses, proved_after=n)
    assert {**found, 0: None} == {**on_trial, 0: None}, "elsewhere their word says nothing"


@given(some_uses, enough)
def test_nothing_is_trusted_anywhere_that_would_not_be_without_conditions(
    uses: list[tuple[int, UseOutcome]], n: int
) -> None:
    whole = standing_of(CorrectionState.ON_TRIAL, [outcome for _theme, outcome in uses], proved_after=n)
    for one in standing_under(CorrectionState.ON_TRIAL, 0, uses, proved_after=n).values():
        assert one.state == whole.state or one.state == CorrectionState.ON_TRIAL
        assert one.streak <= whole.streak


@given(st.lists(st.integers(0, 60), max_size=200))
def test_of_many_conditions_those_used_last_are_kept_and_its_own(sizes: list[int]) -> None:
    found = standing_under(CorrectionState.ON_TRIAL, 0, [(size, RIGHT) for size in sizes], proved_after=2)
    last = list(dict.fromkeys(size for size in reversed(sizes) if size))[: MOST_CONDITIONS - 1]
    assert set(found) == {0, *last}
    assert [size for size in found if size] == list(reversed(last)), "the last used last"


@given(st.sampled_from([s for s in CorrectionState if s not in IN_FORCE]), some_uses, enough)
def test_what_is_not_in_force_is_trusted_nowhere(
    first: CorrectionState, uses: list[tuple[int, UseOutcome]], n: int
) -> None:
    assert standing_under(first, 0, uses, proved_after=n) == {}
