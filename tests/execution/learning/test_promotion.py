"""What the last runs prove, and what is concluded of it (S6.8)."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.learning.promotion import (
    LATEST,
    RUNGS,
    WINDOW,
    Evidence,
    Tally,
    Trial,
    above,
    asks_at,
    below,
    fallen,
    least,
    most,
    proposed,
)
from workflows.choices import LearningState

S = LearningState
NAMES = {"ab": "Click New", "bc": "Type the name", "cd": "Click Save", "de": "Close"}


def runs(count: int, *, bad: dict[int, set[str]] | None = None, edges: tuple[str, ...] = tuple(NAMES)) -> list[Trial]:
    return [Trial(run, edge, edge not in (bad or {}).get(run, ())) for run in range(count) for edge in edges]


@given(st.integers(1, 300), st.data())
def test_bounds_are_those_of_clopper_and_pearson(of: int, data: st.DataObject) -> None:
    """So many good ones or more would be seen once in twenty, if no more were good than the least that is said."""
    good = data.draw(st.integers(0, of))
    share = least(good, of)
    as_many = sum(comb(of, n) * share**n * (1 - share) ** (of - n) for n in range(good, of + 1))
    assert as_many == pytest.approx(0.05 if good else 1.0, abs=1e-4)
    assert least(good, of) <= good / of <= most(good, of)
    assert least(good, of) <= least(min(of, good + 1), of) + 1e-9


def test_the_evidence_is_a_sentence() -> None:
    trials = [*runs(9), *[Trial(9, edge, True) for edge in ("ab", "bc")]]
    assert Evidence.of(trials, NAMES).sentence() == (
        "38 of 38 acts verified over the last 10 runs: at least 92% succeed (95% confidence)."
    )
    one = Evidence.of(runs(1), NAMES).sentence()
    assert one == "4 of 4 acts verified in its one run: at least 47% succeed (95% confidence)."
    assert Evidence.of([], NAMES).sentence() == "Nothing was tried yet in its runs."


def test_only_the_last_runs_count_and_only_steps_that_still_are() -> None:
    old = [Trial(0, "ab", False) for _ in range(9)]
    evidence = Evidence.of([*old, *[Trial(n + 1, "ab", True) for n in range(WINDOW)], Trial(60, "gone", False)], NAMES)
    assert (evidence.whole, evidence.runs) == (Tally(good=WINDOW, of=WINDOW), WINDOW)
    assert evidence.latest == Tally(good=LATEST, of=LATEST)
    assert evidence.untried == ("bc", "cd", "de")


@pytest.mark.parametrize(
    ("state", "count", "due"),
    [
        (S.OBSERVATION, 1, False),
        (S.OBSERVATION, 2, True),
        (S.COACHING, 4, False),
        (S.COACHING, 5, True),
        (S.AUTO_CANDIDATE, 9, False),
        (S.AUTO_CANDIDATE, 10, True),
    ],
)
def test_it_is_due_when_it_is_proved(state: LearningState, count: int, due: bool) -> None:
    proposal = proposed(state, Evidence.of(runs(count), NAMES), corrections=0, drifting=[])
    assert proposal is not None
    assert proposal.is_due is due
    assert proposal.to == above(state)


def test_nothing_is_above_the_highest() -> None:
    assert proposed(S.AUTO_CONFIRMED, Evidence.of(runs(50), NAMES), corrections=0, drifting=[]) is None


def test_what_is_lacking_is_said() -> None:
    evidence = Evidence.of(runs(12, bad={11: {"cd"}, 10: {"cd"}}), NAMES)
    proposal = proposed(S.AUTO_CANDIDATE, evidence, corrections=2, drifting=["Letter", "Notes"])
    assert proposal is not None
    assert [str(one) for one in proposal.lacks] == [
        "At least 87% is proved, 90% is needed.",
        "1 step is not proved to 70% by itself: Click Save (10 of 12 times).",
        "2 corrections have not proved right yet.",
        "Something has changed: “Letter”, “Notes”.",
    ]


def test_a_step_that_was_never_done_keeps_it_from_running_by_itself_unless_it_asks_there() -> None:
    evidence = Evidence.of(runs(20, edges=("ab", "bc", "cd")), NAMES)
    proposal = proposed(S.AUTO_CANDIDATE, evidence, corrections=0, drifting=[])
    assert proposal is not None
    assert "Close (0 of 0 times)" in proposal.lacks[0]
    asking = proposed(S.AUTO_CANDIDATE, evidence, corrections=0, drifting=[], ask_below=0.7)
    assert asking is not None
    assert asking.is_due
    assert not proposed(S.AUTO_CANDIDATE, evidence, corrections=0, drifting=[], ask_below=0.5).is_due  # type: ignore[union-attr]


@given(st.lists(st.tuples(st.integers(0, 60), st.sampled_from(list(NAMES)), st.booleans()), max_size=120))
def test_one_more_failure_never_makes_anything_due(rows: list[tuple[int, str, bool]]) -> None:
    trials = [Trial(*row) for row in rows]
    worse = [*trials, Trial(max([t.run for t in trials], default=0), "ab", False)]
    for state in (S.COACHING, S.AUTO_CANDIDATE):
        after = proposed(state, Evidence.of(worse, NAMES), corrections=0, drifting=[])
        before = proposed(state, Evidence.of(trials, NAMES), corrections=0, drifting=[])
        assert after is not None
        assert before is not None
        if after.is_due:
            assert before.is_due or not trials


def test_two_failures_at_the_beginning_and_a_bad_week_after_a_good_year_both_take_it_back() -> None:
    assert "2 of 2 acts failed in its last run: at most " in fallen(
        S.AUTO_CONFIRMED, Evidence.of(runs(1, bad={0: {"ab", "bc"}}, edges=("ab", "bc")), NAMES)
    )
    good = runs(40)
    assert fallen(S.AUTO_CONFIRMED, Evidence.of(good, NAMES)) == ""
    bad = [Trial(t.run + 40, t.edge_id, t.edge_id != "cd") for t in runs(10)]
    said = fallen(S.AUTO_CONFIRMED, Evidence.of([*good, *bad], NAMES))
    assert (
        said == "10 of 40 acts failed over the last 10 runs: at most 86% succeed (95% confidence), and 90% is needed."
    )
    assert fallen(S.COACHING, Evidence.of(bad, NAMES)) == ""


def test_one_failure_takes_nothing_back() -> None:
    assert fallen(S.AUTO_CONFIRMED, Evidence.of(runs(10, bad={9: {"cd"}}), NAMES)) == ""
    assert fallen(S.AUTO_CONFIRMED, Evidence.of([Trial(0, "ab", False)], NAMES)) == ""


def test_no_state_is_put_back_to_watching() -> None:
    assert [below(state) for state in S] == [None, None, S.COACHING, S.AUTO_CANDIDATE]
    assert all(RUNGS[state].stays <= RUNGS[state].whole for state in RUNGS)


def test_why_it_asks_is_a_sentence() -> None:
    assert asks_at(Tally(good=3, of=4), 0.7) == (
        "It asks here because this step was verified 3 of 4 times: at least 24%, and 70% is needed."
    )
    assert asks_at(Tally(), 0.7) == "It asks here because this step was never tried before."
    assert asks_at(Tally(good=9, of=9), 0.7) == ""
    assert asks_at(Tally(), 0.0) == ""
