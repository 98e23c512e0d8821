"""What is right in a drawn case is what was said of it."""

from __future__ import annotations

from benchmarks.twins import CHANGES, cases, judged, right_of


def test_the_same_seed_draws_the_same_cases_of_all_kinds() -> None:
    drawn = list(cases(len(CHANGES), 3))
    assert drawn == list(cases(len(CHANGES), 3))
    assert [case.change for case in drawn] == list(CHANGES)


def test_nothing_is_right_where_the_thing_cannot_be_seen() -> None:
    for case in cases(45, 1):
        right = right_of(case, case.today.draw()[1])
        if case.change in ("covered", "erased"):
            assert right is None
        if case.change in ("same", "larger", "moved"):
            assert right is not None


def test_a_case_is_judged_at_each_chance_that_acts_need() -> None:
    same = next(case for case in cases(9, 3) if case.change == "same")
    assert set(judged(same)) == {"0.75", "0.90", "0.95"}
    assert "WRONG" not in judged(same).values()
