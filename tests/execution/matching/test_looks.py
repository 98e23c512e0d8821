"""A screen taught with several pictures is any one of them (S6.14: one more look)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.matching import Gallery, Matcher, Reference
from tests.execution.matching.screens import (
    LABELS,
    PEOPLE,
    Drawn,
    frame,
    graph,
    line,
    listing,
    misread,
    node_of,
    record,
    reference,
    references,
)

NEWS = "Consent Language Insurer Referral Round Allergy Diet Transport Isolation Valuables Contact Remark Consultation"
COLUMNS = ("Name", "Number", "Bed", "Priority")


def empty_list() -> Drawn:
    """What the list of patients shows where there is none: no table, other words."""
    drawn = frame("Patients - Ward", "Patients", person="Dr HOUSE")
    for number, text in enumerate(("Nobody is waiting", "The ward is empty tonight", "Show those who left", "Refresh")):
        drawn.text(text, 480, 300 + 60 * number)
    return drawn


def with_looks(*further: Drawn, window: bool = True) -> dict[str, Reference]:
    """The ward, its list of patients taught with further pictures."""
    known = references(window=window)
    looks = tuple(reference(drawn, window=window) for drawn in further)
    return {**known, "patients": replace(known["patients"], looks=looks)}


def matcher(known: dict[str, Reference]) -> Matcher:
    return Matcher(graph(list(known)), pictures=None, embedder=None, references=known)


@pytest.mark.parametrize("window", [True, False])
def test_a_screen_is_known_by_any_of_its_pictures(window):
    state = empty_list().state(window=window)
    full = listing("Patients", COLUMNS, seed=4, rows=11).state(window=window)
    assert matcher(references(window=window)).recognise(state, variables={}).match is None
    taught = matcher(with_looks(empty_list(), window=window))
    for shown in (state, full):
        match = taught.recognise(shown, variables={}).match
        assert match is not None
        assert match.node_id == "patients"


def test_the_reasons_are_of_the_picture_that_the_screen_is_most_like():
    match = matcher(with_looks(empty_list())).recognise(empty_list().state(), variables={}).match
    said = next(reason.note for reason in match.reasons if reason.sign == "reference")
    assert "missing" not in said
    assert next(reason.score for reason in match.reasons if reason.sign == "look") == pytest.approx(1.0)


def test_the_looks_of_one_screen_are_no_rivals_of_each_other():
    """Two pictures that are nearly the same do not make it less certain."""
    state = listing("Patients", COLUMNS, seed=3, rows=6).state()
    alone = matcher(references()).recognise(state, variables={}).match
    twice = matcher(with_looks(listing("Patients", COLUMNS, seed=2, rows=7))).recognise(state, variables={}).match
    assert (alone.node_id, twice.node_id) == ("patients", "patients")
    assert twice.confidence >= alone.confidence - 0.02


def test_the_looks_of_one_screen_make_its_texts_no_commoner():
    """What stands on three pictures of one screen stands on one screen."""
    three = Gallery(with_looks(*(listing("Patients", COLUMNS, seed=seed) for seed in (1, 2))))
    assert three.known["bed"] == Gallery(references()).known["bed"] == 1


def test_a_look_does_not_make_another_record_the_node():
    found = matcher(with_looks(empty_list())).recognise(record("Results", person=PEOPLE[2]).state(), variables={})
    assert found.match is None


def test_of_all_its_looks_the_nearest_says_how_the_screen_should_look():
    taught = with_looks(empty_list())["patients"]
    assert taught.nearest(empty_list().state()) is taught.looks[0]
    assert taught.nearest(listing("Patients", COLUMNS, seed=5).state()) is taught
    unread = replace(taught, looks=(replace(taught.looks[0], reading=None),))
    assert unread.nearest(empty_list().state()) is unread


def test_a_look_that_a_coach_picked_is_known_by_what_was_kept_of_it():
    """Another release: of the picked screen only what the taught one says too was kept, the rest is painted over."""
    renamed = {label: f"New {label.lower()[:4]} of it" for label in LABELS["Summary"][:4]}
    drifted = misread(record("Summary", person=PEOPLE[3], number=900).seen, renamed)
    news = [line(f"{word} of the patient", 700, 180 + 24 * i) for i, word in enumerate(NEWS.split())]
    drifted = replace(drifted, texts=(*drifted.texts, *news))
    taught = reference(record("Summary"))
    kept = tuple(t for t in drifted.texts if any(t.text == o.text for o in taught.reading.texts))
    for texts, known_as in ((kept, "summary"), ((*kept, line("Painted over", 30, 700)), "")):
        look = replace(taught, picture="look", reading=replace(taught.reading, picture="look", texts=texts), looks=())
        node = {"texts": ("Patient record", "Save", "Cancel"), "looks": ("look",)}
        known = {"summary": replace(taught, looks=(look,))}
        one = Matcher(graph(["summary"], summary=node), pictures=None, embedder=None, references=known)
        assert node_of(one.recognise(drifted, variables={})) == known_as
