"""The cases of the verification bench are many, of both kinds, and their truth does not contradict itself (S5.2)."""

from __future__ import annotations

from benchmarks.acts.scenes import SCENES
from benchmarks.verification import cases


def test_there_are_at_least_two_hundred_cases_and_a_sample_is_spread_over_all_scenes():
    every = cases()
    assert len(every) >= 200
    assert sum(case.done for case in every) >= 100
    assert sum(not case.done for case in every) >= 100
    assert {case.scene.name for case in cases(90)} == {scene.name for scene in SCENES}


def test_what_is_done_ends_in_its_goal_and_what_is_not_never_reaches_it():
    for case in cases():
        assert case.scene.is_goal(case.after[-1]) is case.done, case.name
        assert not any(case.scene.is_goal(state) for state in case.after[:-1]), case.name
        assert not case.scene.is_goal(case.before), case.name
