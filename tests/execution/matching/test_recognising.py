"""Nodes known by their taught picture alone. S2.10, S1.5; S1.6: a screen never learned is none of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import pytest

from execution.matching import CONTEXT, Matcher, gallery
from execution.matching.comparison import compare
from execution.matching.same import KINDS, Compared, Judged, SameScreen
from execution.types import Embedding, ScreenState, Window
from tests.execution.matching.screens import (
    LABELS,
    PEOPLE,
    frame,
    graph,
    listing,
    misread,
    node_of,
    record,
    reference,
    references,
    ward,
    without,
)


def matcher(taught=None, *, window: bool = True, edges=(), **declared) -> Matcher:
    known = references(taught, window=window)
    return Matcher(graph(list(known), edges=edges, **declared), pictures=None, embedder=None, references=known)


def recognise(state: ScreenState, **options):
    where = {name: options.pop(name) for name in ("last_node", "expected", "variables") if name in options}
    return matcher(**options).recognise(state, **{"variables": {}, **where})


def signs(match) -> dict[str, str]:
    return {reason.sign: reason.note for reason in match.reasons}


MOVED = {"at": (180, 90)}


@pytest.mark.parametrize(
    ("drawn", "node"),
    [
        (record("Summary"), "summary"),
        (record("Summary", person=PEOPLE[3], number=981), "summary"),
        (record("Prescriptions", person=PEOPLE[4], number=55, **MOVED), "prescriptions"),
        (listing("Patients", ("Name", "Number", "Bed", "Priority"), seed=4, rows=11), "patients"),
        (listing("Examinations", ("Patient", "Order", "Device", "Hour"), seed=3, rows=5, **MOVED), "examinations"),
    ],
)
@pytest.mark.parametrize("window", [True, False])
def test_a_taught_screen_is_known_with_another_record_and_in_another_place(drawn, node, window):
    found = recognise(drawn.state(window=window), window=window)
    assert found.match.node_id == node
    assert found.match.confidence >= 0.75


@pytest.mark.parametrize(
    "drawn",
    [
        record("Results", person=PEOPLE[0]),
        record("Letters", person=PEOPLE[2], number=17),
        listing("Beds", ("Room", "Floor", "Occupied", "Nurse"), seed=2),
        listing("Deliveries", ("Article", "Supplier", "Amount", "Store"), seed=2, **MOVED),
    ],
    ids=["another tab", "another tab, another person", "another list", "a list of another place"],
)
@pytest.mark.parametrize("window", [True, False])
def test_a_screen_never_learned_is_unknown_however_alike_its_twins(drawn, window):
    found = recognise(drawn.state(window=window), window=window)
    assert found.match is None
    assert found.candidates[0].confidence < 0.75


def test_why_a_twin_is_not_the_node_is_said():
    """What the taught tab has and this one has not, and the other way round."""
    found = recognise(record("Results").state())
    assert found.match is None
    summary = next(c for c in found.candidates if c.node_id in ("summary", "prescriptions"))
    assert signs(summary)["chosen"] == "another tab or entry is chosen"
    best = signs(summary)["reference"]
    assert "missing: " in best
    assert "not on it: " in best
    assert sum(label in best for label in LABELS["Results"]) >= 2


def test_what_spoke_for_a_node_is_said_in_numbers():
    match = recognise(record("Summary", person=PEOPLE[3], number=81).state()).match
    said = signs(match)
    assert "19 of the 27 texts of its picture seen, 90% of those without data" in said["reference"]
    assert said["chosen"] == "the same tab or entry is chosen"
    assert "of the elements are where they were" in said["layout"]
    assert said["window"] == "the same application"
    assert said["look"].startswith("looks ")
    assert match.margin > 0.3


def test_the_chosen_tab_tells_two_tabs_apart_where_little_else_does():
    bare = {"one": record("Summary"), "two": record("Letters")}
    state = record("Letters", person=PEOPLE[1]).state()
    assert recognise(state, taught=bare).match.node_id == "two"


def test_a_reader_s_slips_do_not_hide_a_screen():
    slips = {"Insurance": "lnsurence", "Telephone": "Te1ephone", "Save": "Sa ve", "Seen by": "Seen bv"}
    state = misread(record("Summary", person=PEOPLE[5], number=12).state(), slips)
    assert recognise(state).match.node_id == "summary"


def test_fewer_signs_are_less_certain_and_never_an_error():
    whole = record("Summary", person=PEOPLE[3], number=81)
    full = recognise(whole.state()).match.confidence
    for state in (
        whole.state(window=False),
        whole.state(look=False),
        replace(whole.state(), elements=()),
        whole.state(read=False),
        whole.state(read=False, window=False),
        whole.state(read=False, look=False, window=False),
        without(whole.state(), *(t.text for t in whole.canvas.lines)),
        replace(whole.state(), embedding=Embedding(model="another", vector=np.ones(3, np.float32))),
    ):
        found = recognise(state)
        assert found.candidates == () or found.candidates[0].confidence <= full + 0.02


def test_an_empty_screen_is_nothing():
    assert recognise(replace(record("Summary").state(look=False), texts=(), elements=(), window=None)).match is None


def test_a_node_whose_picture_could_not_be_read_says_so_and_is_known_by_its_look():
    known = references()
    known["summary"] = replace(
        known["summary"], reading=None, problem="its reference picture was not read: reader gone"
    )
    one = Matcher(graph(list(known)), pictures=None, embedder=None, references=known)
    found = one.recognise(record("Summary").state(), variables={})
    candidate = next(c for c in found.candidates if c.node_id == "summary")
    assert signs(candidate)["reference"] == "its reference picture was not read: reader gone"
    assert signs(candidate)["look"] == "looks 100% alike"


# --- together with what is declared -----------------------------------------------------------------------------------
def test_a_variable_that_is_not_seen_contradicts_the_picture():
    """The record of another person is another screen, if the teacher said so."""
    declared = {"summary": {"texts": ("{{person}}", "Insurance")}}
    right = recognise(record("Summary").state(), variables={"person": PEOPLE[0]}, **declared)
    wrong = recognise(record("Summary").state(), variables={"person": PEOPLE[1]}, **declared)
    assert right.match.node_id == "summary"
    assert wrong.match is None


def test_another_window_contradicts_the_picture():
    state = replace(record("Summary").state(), window=Window(title="Something else", app_name="ward"))
    assert recognise(state, summary={"window_title": "* - Ward"}).match is None


def test_a_few_common_texts_declared_do_not_make_a_screen_that_the_picture_denies():
    """Save and Cancel stand on many screens: on their word alone another tab would be the summary."""
    declared = {"summary": {"texts": ("Save", "Cancel")}}
    assert recognise(record("Results").state(), **declared).match is None
    assert recognise(record("Summary", person=PEOPLE[2]).state(), **declared).match.node_id == "summary"


# --- the run ----------------------------------------------------------------------------------------------------------
SAME = {"one": record("Summary"), "two": record("Summary"), "three": record("Letters")}


def test_two_nodes_taught_on_the_same_screen_are_ambiguous_unless_the_run_tells():
    state = record("Summary", person=PEOPLE[4], number=3).state()
    assert recognise(state, taught=SAME).why_not == "ambiguous: One or Two"
    told = recognise(state, taught=SAME, expected="two")
    assert told.match.node_id == "two"
    assert any(r.sign == CONTEXT for r in told.match.reasons)
    follows = recognise(state, taught=SAME, last_node="three", edges=(("three", "one"),))
    assert follows.match.node_id == "one"


def test_the_run_never_overrules_the_picture():
    found = recognise(record("Summary").state(), expected="patients", last_node="patients")
    assert found.match.node_id == "summary"


def test_a_new_embedder_is_taken_without_a_new_matcher():
    """S2.10: the engine takes its embedder anew; vectors of another model are not compared."""

    class Other:
        model_id = "other"

        def embed(self, pixels):
            return Embedding(model="other", vector=np.ones(2, np.float32))

    one = matcher()
    one.embedder = Other()
    match = one.recognise(record("Summary").state(), variables={}).match
    assert match.node_id == "summary"
    assert signs(match)["look"] == "its picture and the screen have no model in common"


def test_references_of_nodes_that_are_gone_are_no_harm():
    known = references() | {"gone": reference(ward()["summary"])}
    one = Matcher(graph(["summary", "patients"]), pictures=None, embedder=None, references=known)
    assert one.recognise(record("Summary").state(), variables={}).match.node_id == "summary"


@pytest.mark.parametrize(
    ("taught", "shown", "texts"),
    [("Patients", "Beds", ()), ("Waiting room", "Archive", ("Waiting room",))],
    ids=["an entry of the menu", "declared"],
)
def test_a_page_that_is_the_same_but_for_its_heading_is_another_one(taught, shown, texts):
    """S2.10: a list of one thing beside a list of another, both with the same columns and the same rows."""
    columns = ("Name", "Number", "Bed", "Priority")
    page = matcher({"page": listing(taught, columns)}, window=False, page={"texts": texts})
    known = page.recognise(listing(taught, columns, seed=2).state(window=False), variables={})
    other = page.recognise(listing(shown, columns).state(window=False), variables={})
    assert known.match.node_id == "page"
    assert other.match is None
    assert f"the heading is “{shown}”, not “{taught}”" in other.why_not
    alike = page.recognise(misread(listing(shown, columns).state(window=False), {shown: taught}), variables={})
    assert alike.match.node_id == "page"


def test_another_record_by_its_name_written_large_is_the_same_screen():
    taught = record("Summary")
    taught.text(PEOPLE[0], 600, 90, size=20)
    seen = record("Summary", person=PEOPLE[2], number=77)
    seen.text(PEOPLE[2], 600, 90, size=20)
    found = matcher({"summary": taught}, window=False).recognise(seen.state(window=False), variables={})
    assert found.match.node_id == "summary"


@pytest.mark.parametrize(("at", "tells"), [((0, 0), True), ((180, 90), False)])
def test_a_look_of_the_whole_screen_tells_nothing_of_a_window_that_was_moved(at, tells):
    """S2.10: it shows the desktop around it, whatever the window shows."""
    seen = record("Summary", at=at).state()
    unlike = replace(seen, embedding=Embedding(model=seen.embedding.model, vector=-seen.embedding.vector))
    like, other = (recognise(state, taught={"summary": record("Summary")}) for state in (seen, unlike))
    assert (like.candidates[0].confidence == other.candidates[0].confidence) is not tells
    assert ("look" in signs(other.candidates[0])) is tells


def test_a_screen_that_shows_none_of_what_a_node_is_known_by_is_another_one() -> None:
    """However alike the rest is. What hides one or two of them may lie over it."""
    known_by = LABELS["Summary"][:3]
    state = record("Summary").state()
    assert node_of(recognise(without(state, *known_by))) == "summary"
    none = recognise(without(state, *known_by), summary={"texts": known_by})
    assert node_of(none) == ""
    said = [reason.note for reason in none.candidates[0].reasons]
    assert [note.startswith("0 of 3 texts seen") for note in said] == [True, *[False] * (len(said) - 1)], "told once"
    assert node_of(recognise(without(state, *known_by[1:]), summary={"texts": known_by})) == "summary"
    assert node_of(recognise(without(state, *known_by[:2]), summary={"texts": known_by[:2]})) == "summary"


class Said(SameScreen):
    """What a model said of each node."""

    def __init__(self, **chances: float) -> None:
        self.chances = chances
        self.none_of: set[str] = set()

    def judge(self, found: Sequence[Compared], *, none_of: Collection[str] = ()) -> dict[str, Judged]:
        self.none_of, nothing = set(none_of), np.zeros(len(KINDS))
        chances = {one.node_id: (one, self.chances.get(one.node_id, 0.0)) for one in found}
        return {name: Judged(compared=one, probability=p, shares=nothing) for name, (one, p) in chances.items()}


@pytest.mark.parametrize(
    ("shown", "chances", "node"),
    [
        ("Results", {"summary": 0.96, "plain": 0.9}, ""),
        ("Results", {"summary": 0.8, "plain": 0.9}, "plain"),
        ("Prescriptions", {"summary": 0.96, "prescriptions": 0.9}, "prescriptions"),
    ],
)
def test_another_page_of_one_program_is_no_screen_that_is_less_like_it(
    shown: str, chances: dict[str, float], node: str
) -> None:
    """Another tab of the record is chosen: it is not the page without tabs either, unless that is more like it."""
    plain = frame("Record - Ward", "Patient record", person="Dr HOUSE")
    known = references({**ward(), "plain": plain}, window=False)
    told = Matcher(graph(list(known)), pictures=None, embedder=None, references=known, model=Said(**chances))
    assert node_of(told.recognise(record(shown).state(window=False), variables={})) == node


def test_a_node_that_a_text_of_it_rules_out_is_told_to_the_model_as_none() -> None:
    """An empty form that must not say what the filled one says takes no lead from it (S2.10)."""
    model, state = Said(summary=0.9), record("Summary").state()
    nodes = graph(list(references()), patients={"absent": [state.texts[0].text]})
    Matcher(nodes, pictures=None, embedder=None, references=references(), model=model).recognise(state, variables={})
    assert model.none_of == {"patients"}


def test_a_screen_is_compared_once_however_often_a_step_asks_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    monkeypatch.setattr(gallery, "compare", lambda *args: compared.append(args[0]) or compare(*args))
    known = matcher()
    state = record("Summary").state()
    later = replace(state, frame=record("Results").state().frame, cache_hit=True)
    found = [known.recognise(one, variables={}, **of).match for one, of in (
        (state, {}), (later, {"expected": "summary"}), (state, {"last_node": "patients"}),
    )]  # fmt: skip
    assert [one.node_id for one in found] == ["summary"] * 3
    assert len(compared) == len(ward())
    gone = without(state, *LABELS["Summary"])
    assert found[0].confidence > known.recognise(gone, variables={}).match.confidence
    moved = replace(state, window=replace(state.window, title="Reports - Ward"))
    assert signs(known.recognise(moved, variables={}).match) != signs(found[0])
    assert len(compared) == 3 * len(ward())
