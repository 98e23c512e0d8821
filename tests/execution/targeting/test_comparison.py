"""What is told of a candidate beside the others follows from what is told of each; what must hold leaves out (S5.3)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from execution.perception.scene import PlacedWord, Source, Thing
from execution.targeting.candidates import By, Candidate, candidates_of, one_place
from execution.targeting.comparison import NAMES, OWN, Compared, _ahead, compared
from execution.targeting.context import Context
from execution.targeting.pointing import votes_of
from execution.types import Box, Element, ElementRole, Point
from tests.execution.perception.drawing import Canvas, Pictures
from tests.execution.targeting.forms import CANCEL, FIELDS, SAVE, Form, context, taught
from workflows.graph import TargetSpec

ALONE = np.eye(3, dtype=bool)


def measured(on: Context) -> Compared:
    votes = votes_of(on)
    return compared(candidates_of(on, votes), votes, on)


def at(found: Compared, box: Box, name: str) -> float:
    """What is told of the thing in that box."""
    [row] = [n for n, one in enumerate(found.candidates) if one.box == box]
    return round(float(found.features[row, NAMES.index(name)]), 3)


def test_the_best_is_ahead_of_the_second_and_the_others_are_behind_the_best() -> None:
    assert _ahead(np.array([0.5, 1.0, 0.75]), 1, ALONE).tolist() == [-0.5, 0.25, -0.25]


def test_less_is_better_where_it_speaks_against() -> None:
    assert _ahead(np.array([0.0, 0.6, 0.9]), -1, ALONE).tolist() == pytest.approx([0.6, -0.6, -0.9])


def test_what_is_not_told_of_a_place_is_not_told_beside_the_others() -> None:
    ahead = _ahead(np.array([0.9, np.nan, 0.4]), 1, ALONE)
    assert np.isnan(ahead).tolist() == [False, True, False]
    assert round(float(ahead[0]), 3) == 0.5


def test_what_is_the_same_place_is_no_rival() -> None:
    same = np.array([[True, True, False], [True, True, False], [False, False, True]])
    assert _ahead(np.array([0.9, 0.8, 0.2]), 1, same).tolist() == pytest.approx([0.7, 0.6, -0.7])


def candidate(box: Box, kind: str = "button") -> Candidate:
    word = PlacedWord("Save", box)
    return Candidate(Thing(box, kind, Source.ELEMENT, (word,)), {By.THING}, box.center)


def test_what_lies_within_a_control_is_no_rival_of_it() -> None:
    button, caption, other = (
        candidate(Box(10, 10, 120, 32)),
        candidate(Box(40, 18, 60, 14), "text"),
        Box(10, 60, 120, 32),
    )
    found = [button, caption, candidate(other)]
    assert one_place(found, np.array([True, False, True])).tolist() == [[True, True, False]] * 2 + [
        [False, False, True]
    ]


def test_every_feature_has_a_name_and_what_nobody_can_tell_is_not_nothing() -> None:
    store = Pictures()
    found = measured(context(taught(SAVE, store, label="Save"), Form().state(), store))
    assert found.features.shape == (len(found.candidates), len(NAMES))
    assert len(set(NAMES)) == len(NAMES)
    assert not np.isinf(found.features[:, : len(OWN)]).any()
    assert (at(found, SAVE, "said"), at(found, CANCEL, "said")) == (3.0, 0.0)
    assert at(found, SAVE, "look") > 0.99 > at(found, CANCEL, "look")
    unread = measured(context(taught(SAVE, store, label="Save"), Form().state(read=False), store))
    assert np.isnan(at(unread, SAVE, "said"))


def test_the_order_in_which_things_are_seen_does_not_matter() -> None:
    store = Pictures()
    on = context(taught(SAVE, store, label="Save"), Form(dx=20).state(), store)
    votes = votes_of(on)
    found = candidates_of(on, votes)
    order = np.random.default_rng(2).permutation(len(found)).tolist()
    first, again = compared(found, votes, on), compared([found[n] for n in order], votes, on)
    np.testing.assert_allclose(again.features, first.features[order], rtol=1e-5, atol=1e-5)
    assert (again.one_place == first.one_place[np.ix_(order, order)]).all()


def test_a_value_of_the_run_leaves_out_what_reads_otherwise() -> None:
    """S9.6: of two lines that differ in a digit only the one that is asked for is left."""
    canvas, links = Canvas(700, 400), list[Element]()
    for number, text in enumerate(("A-1001", "A-1007", "A-1010")):
        links.append(Element(box=canvas.text(text, 60, 80 + 40 * number), role=ElementRole.LINK, text=text))
    target = TargetSpec(target_id="t", label="the order", text="{{order}}", role="link")
    found = measured(context(target, canvas.state(elements=links), Pictures(), {"order": "A-1007"}))
    assert {one.thing.text for one in found.candidates} == {"A-1007"}
    assert at(found, links[1].box, "alone_must") == 1.0


def test_a_field_beside_another_label_is_left_out() -> None:
    store = Pictures()
    target = taught(FIELDS["Street"], store, label="Street")
    there = measured(context(target, Form().state(), store))
    assert at(there, FIELDS["Street"], "label") == 1.0
    assert FIELDS["Town"] not in [one.box for one in there.candidates]
    renamed = measured(context(target, Form(words={"Street": "Phone"}).state(), store))
    assert FIELDS["Street"] not in [one.box for one in renamed.candidates]


def test_the_same_part_of_a_thing_is_clicked_as_when_it_was_taught() -> None:
    store = Pictures()
    target = replace(taught(SAVE, store, label="Save"), click=(0.1, 0.5))
    on = context(target, Form(boxes={"save": Box(880, 600, 160, 32)}).state(), store)
    [found] = [one for one in candidates_of(on, votes_of(on)) if one.box == Box(880, 600, 160, 32)]
    assert found.point == Point(880 + 16, 616)
