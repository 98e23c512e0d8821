"""What the matching is measured by: no screen by coefficients that were fitted to its program or its dress."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from benchmarks.fitting import Judge, mates
from benchmarks.worlds import FOLDS_OF_BOTH, Sight, World, joined
from execution.matching.calibration import FITTED
from tests.execution.matching.screens import record, references

NAMES = ("UrgaCare", "Triago", "MedLine", "Comptaris", "LedgerPro", "orders", "calendar", "bulma", "pico", "water")


def sight(*, node: str = "a", same: str = "a", program: str = "p", kit: str = "k") -> Sight:
    return Sight(read=cast(Any, None), part="drift", kind="data", node=node, same=same, program=program, kit=kit)


@pytest.mark.parametrize("program", NAMES)
def test_every_screen_is_measured_once_and_by_what_was_fitted_to_neither_its_program_nor_its_dress(
    program: str,
) -> None:
    for kit in NAMES:
        seen = sight(program=program, kit=kit)
        [fold] = [fold for fold in FOLDS_OF_BOTH if fold.holds(seen)]
        fitted_to = [sight(program=p, kit=k) for p in NAMES for k in NAMES if fold.fits(sight(program=p, kit=k))]
        assert all(other.program != program and other.kit != kit for other in fitted_to)


def test_the_folds_leave_enough_to_fit_to() -> None:
    for fold in FOLDS_OF_BOTH:
        assert any(fold.fits(sight(program=p, kit=k)) for p in NAMES for k in NAMES)


def test_the_same_page_in_another_dress_is_neither_right_nor_wrong() -> None:
    whole = World({}, {"orders-1": "orders", "orders-2": "orders", "calendar-3": "calendar"}, ())
    assert mates(whole, sight(node="orders-1", same="orders")) == {"orders-2"}
    assert mates(whole, sight(node="", same="orders")) == {"orders-1", "orders-2"}
    assert joined((whole, whole)).same == whole.same


def test_a_hidden_node_is_as_if_it_had_not_been_taught() -> None:
    judge = Judge(references(), fitted=replace(FITTED))
    state = record("Summary").state()
    assert judge.weigh(state, among=["summary"])[0].node_id == "summary"
    judge.hidden = {"summary"}
    hidden = judge.weigh(state, among=["summary"])
    assert "summary" not in [one.node_id for one in hidden]
    assert hidden[0].probability < 0.75
