"""What the matching is measured by: no screen by a model that was fitted to its program."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from benchmarks.fitting import Part, View, mates, trials, view_of
from benchmarks.matching import Hiding
from benchmarks.worlds import ANOTHER_LANGUAGE, COVERED, FOLDS, Sight, World, joined, third
from execution.matching.comparison import NAMES as NAMES_OF
from tests.execution.matching.screens import record, references

NAMES = ("UrgaCare", "Triago", "MedLine", "Comptaris", "LedgerPro", "orders", "calendar", "bulma", "pico", "water")


def sight(*, node: str = "a", same: str = "a", program: str = "p") -> Sight:
    return Sight(read=cast(Any, None), part="drift", kind="data", node=node, same=same, program=program)


def test_the_thirds_leave_enough_to_fit_to() -> None:
    assert {third(name) for name in NAMES} == set(range(FOLDS))


def test_the_same_page_in_another_dress_is_neither_right_nor_wrong() -> None:
    whole = World({}, {"orders-1": "orders", "orders-2": "orders", "calendar-3": "calendar"}, ())
    assert mates(whole, sight(node="orders-1", same="orders")) == {"orders-2"}
    assert mates(whole, sight(node="", same="orders")) == {"orders-1", "orders-2"}
    assert joined((whole, whole)).same == whole.same


def test_a_hidden_node_is_as_if_it_had_not_been_taught() -> None:
    gallery = Hiding(references())
    state = record("Summary").state()
    assert "summary" in [one.node_id for one in gallery.compared(state, among=["summary"])]
    gallery.hidden = {"summary"}
    assert "summary" not in [one.node_id for one in gallery.compared(state, among=["summary"])]


@pytest.mark.parametrize("kind", [COVERED, ANOTHER_LANGUAGE])
def test_what_something_lies_over_is_not_the_screen_beneath_and_another_language_is_neither(kind: str) -> None:
    whole = World({}, {"orders-1": "orders"}, ())
    read = cast(Any, SimpleNamespace(state=lambda: None))
    view = view_of(whole, replace(sight(node="orders-1", same="orders"), read=read, kind=kind))
    assert view.right == frozenset()
    assert view.neither == (frozenset() if kind == COVERED else {"orders-1"})


def test_every_screen_is_asked_as_it_is_and_as_if_it_had_not_been_taught() -> None:
    known = references()
    views = [View(state=record(tab).state(), right=frozenset({tab.lower()}), family="ward") for tab in ("Summary",)]
    part = Part(
        name="drift", taught=known, texts=dict.fromkeys(known, ()), family=dict.fromkeys(known, "ward"), views=views
    )
    with_it, without = trials(part)
    assert with_it.right.sum() == 1
    assert not without.right.any()
    assert with_it.rows.shape[1] == without.rows.shape[1] == len(NAMES_OF)
