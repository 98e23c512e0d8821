"""How sure a match is is limited by how much there was to see."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.matching import Matcher
from execution.matching.declared import Rarity
from execution.types import ScreenState
from tests.execution.matching.screens import graph as pictured
from tests.execution.matching.screens import line, record, reference
from tests.execution.matching.test_matcher import BAR, MENU, editor, graph, node, recognise


def confidence(*texts: str) -> float:
    found = recognise(graph(node("dialog", *texts)), editor(menu=True, extra=("OK",)).state())
    return found.candidates[0].confidence


def test_the_more_declared_texts_are_seen_the_surer_it_is():
    rising = [confidence(*BAR[:count]) for count in (1, 2, 4, 6)]
    assert rising == sorted(set(rising))
    assert 0.75 <= rising[0] < 0.8
    assert rising[1] < 0.86
    assert rising[-1] == 1.0


def test_a_word_that_says_hardly_anything_makes_no_screen():
    """Every second dialog has an OK."""
    found = recognise(graph(node("dialog", "OK")), editor(extra=("OK",)).state())
    assert found.match is None
    assert "are needed" in found.why_not


def test_a_text_that_many_screens_declare_is_worth_less():
    nodes = [node("main", "File", "Edit"), node("menu", "File", "Save As..."), node("other", "File", "Elsewhere")]
    rarity = Rarity(nodes)
    assert rarity.of("File") == pytest.approx(0.5)
    assert rarity.of("file") == rarity.of("File")
    assert rarity.of("Edit") == 1.0
    assert Rarity(()).of("File") == 1.0
    state = editor().state()
    alone = recognise(graph(nodes[0]), state).candidates[0].confidence
    assert recognise(graph(*nodes), state).candidates[0].confidence < alone


def test_of_two_screens_whose_texts_are_all_seen_the_one_that_says_more_is_it():
    spec = graph(node("bar", *BAR[:2]), node("menu", *MENU))
    found = recognise(spec, editor(menu=True).state())
    assert found.match.node_id == "menu"


def shown(count: int) -> ScreenState:
    """A picture of which so many lines were read."""
    state = record("Summary").state(window=False)
    words = ("Surname", "Insurance", "Telephone", "Department", "Examination", "Prescription", "Admission", "Allergies")
    return replace(state, elements=(), texts=tuple(line(w, 40, 40 + 50 * i) for i, w in enumerate(words[:count])))


def of_picture(count: int) -> float:
    """How sure it is of a picture of so many lines that are all there."""
    state = shown(count)
    known = reference(record("Summary"), window=False)
    reading = replace(known.reading, texts=state.texts, elements=())
    one = Matcher(
        pictured(["summary"]), pictures=None, embedder=None, references={"summary": replace(known, reading=reading)}
    )
    return one.recognise(state, variables={}).candidates[0].confidence


def test_little_text_is_enough_where_all_of_it_and_the_look_are_there():
    assert of_picture(4) >= 0.75


def test_beside_a_picture_that_says_otherwise_declared_texts_make_no_screen():
    """The picture is of another tab: what is declared stands on both."""
    taught, seen = reference(record("Summary"), window=False), record("Results").state(window=False)
    for texts in (("Save",), ("Save", "Cancel"), ("Save", "Cancel", "Patients", "Reports")):
        spec = pictured(["summary"], summary={"texts": texts})
        one = Matcher(spec, pictures=None, embedder=None, references={"summary": taught})
        assert one.recognise(seen, variables={}).match is None
