"""The cases of the verification bench are many, of both kinds, and their truth does not contradict itself (S5.2)."""

from __future__ import annotations

from benchmarks.verification import cases


def test_what_is_done_ends_in_its_goal_and_what_is_not_never_reaches_it():
    for case in cases():
        assert case.scene.is_goal(case.after[-1]) is case.done, case.name
        assert not any(case.scene.is_goal(state) for state in case.after[:-1]), case.name
        assert not case.scene.is_goal(case.before), case.name
