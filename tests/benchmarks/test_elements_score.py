"""The scoring of elements against the truth: pure arithmetic, checked by hand."""

from __future__ import annotations

import pytest

from benchmarks.elements import Thing, pairs_of, score
from benchmarks.screens.corpus import Screen, TrueElement
from execution.types import Box, Element, ElementRole, ElementState

SAVE, NAME, HELP = Box(10, 10, 100, 30), Box(10, 60, 200, 30), Box(300, 10, 50, 20)


def screen(*elements: TrueElement, complete: bool = True) -> Screen:
    return Screen(name="s", picture="s.png", family="s", elements=elements, complete=complete)


def true(role: str, box: Box, *states: str) -> TrueElement:
    return TrueElement(role=role, box=box, states=states)


def said(role: str, box: Box, *states: ElementState) -> Element:
    return Element(box=box, role=ElementRole(role), states=frozenset(states))


def test_an_element_counts_where_role_and_box_agree():
    truth = screen(true("button", SAVE), true("field", NAME), true("link", HELP))
    found = [said("button", SAVE), said("button", NAME), said("link", Box(600, 600, 50, 20))]
    figures = score([truth], [found])
    assert figures["overall"] == {"precision": 0.3333, "recall": 0.3333, "f1": 0.3333, "truth": 3, "found": 3}
    assert figures["boxes"]["recall"] == 0.6667, "the field's box was found, its role was not"
    assert figures["roles"]["button"] == {"precision": 0.5, "recall": 1.0, "f1": 0.6667, "truth": 1, "found": 2}
    assert figures["roles"]["field"]["f1"] == 0.0


@pytest.mark.parametrize(("shift", "hit"), [(0, 1), (33, 1), (34, 0)])
def test_a_box_agrees_from_half_of_what_both_cover(shift, hit):
    """Of 100 x 30, shifted by 33: 67 of 133 columns in common, just over a half; by 34 just under."""
    moved = Box(SAVE.x + shift, *SAVE[1:])
    assert score([screen(true("button", SAVE))], [[said("button", moved)]])["overall"]["recall"] == hit


def test_texts_and_groups_are_not_counted():
    found = [said("text", SAVE), said("group", NAME), said("menu_item", HELP)]
    assert score([screen(true("menu_item", HELP))], [found])["overall"]["found"] == 0
    assert score([screen(true("menu_item", HELP))], [found], roles=["menu_item"])["overall"]["f1"] == 1.0


def test_each_element_is_used_once_the_best_pair_first():
    there = [Thing(SAVE, "button"), Thing(Box(12, 12, 100, 30), "button")]
    here = [Thing(Box(12, 12, 100, 30), "button")]
    assert pairs_of(there, here) == [(1, 0)]


def test_screens_are_counted_together_and_not_averaged():
    screens = [screen(true("button", SAVE)), screen(true("button", SAVE), true("button", NAME), true("button", HELP))]
    figures = score(screens, [[said("button", SAVE)], []])
    assert figures["overall"] == {"precision": 1.0, "recall": 0.25, "f1": 0.4, "truth": 4, "found": 1}


def test_where_the_truth_is_not_complete_nothing_found_is_wrong():
    figures = score([screen(true("button", SAVE), complete=False)], [[said("button", SAVE), said("button", HELP)]])
    assert figures["overall"]["precision"] == 1.0
    assert figures["boxes"]["precision"] == 1.0


def test_states_are_counted_among_the_elements_found():
    truth = screen(true("checkbox", SAVE, "checked"), true("field", NAME, "disabled"), true("button", HELP, "focused"))
    found = [said("checkbox", SAVE, ElementState.CHECKED), said("field", NAME, ElementState.FOCUSED)]
    states = score([truth], [found])["states"]
    assert (states["accuracy"], states["of"]) == (0.5, 2)
    assert states["checked"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0, "truth": 1, "found": 1}
    assert states["disabled"]["recall"] == 0.0
    assert states["focused"]["precision"] == 0.0
