"""S5.10, S6.10: where the text that tells two pages of a kind apart is hidden, nobody knows which of them it is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.matching import Matcher
from execution.types import ElementRole, Recognition, ScreenState
from tests.execution.matching.screens import LABELS, PEOPLE, Drawn, frame, graph, node_of, record, reference, without
from tests.execution.matching.test_cut_off import in_window, matcher

LABORATORY = {"texts": ("Patient record", "Send to the laboratory")}
RADIOLOGY = {"texts": ("Patient record", "Send to radiology")}
DECLARED = {"laboratory": LABORATORY, "radiology": RADIOLOGY}
NOTES = ("Contrast agent", "Creatinine clearance", "Pregnancy", "Metal implants", "Weight")
CUT = 500  # pixels, above the buttons


def letter(button: str, *, who: int = 0, number: int = 4711, rows: int = 0, notes: tuple[str, ...] = ()) -> Drawn:
    drawn = record("Letters", person=PEOPLE[who], number=number)
    for row in range(rows):
        drawn.text(f"{PEOPLE[(row + 1) % 6]} wrote on {row + 1:02}/03/2026 to ward {row}", 640, 200 + 40 * row)
    for row, note in enumerate(notes):
        drawn.text(note, 640, 200 + 40 * row)
    drawn.element(ElementRole.BUTTON, 40, 620, 170, 34, button)
    return drawn


def seen(
    now: ScreenState, other: Drawn, *, mine: int = 0, expected: str | None = None, **declared: object
) -> Recognition:
    screens = {"laboratory": letter("Send to the laboratory", rows=mine), "radiology": other}
    return matcher(screens, **{**DECLARED, **declared}).recognise(now, variables={}, expected=expected)


@pytest.mark.parametrize("expected", [None, "laboratory"])
@pytest.mark.parametrize(("mine", "its", "now"), [(0, 0, 0), (0, 5, 0), (5, 9, 5), (9, 0, 9), (3, 0, 6)])
def test_the_record_that_a_page_was_taught_on_does_not_tell_which_page_it_is(
    mine: int, its: int, now: int, expected: str | None
) -> None:
    """The page of radiology, taught on another record, shows the one that the page of the laboratory was taught on."""
    other = letter("Send to radiology", who=3, number=99, rows=its)
    screen = letter("Send to radiology", rows=now).state()
    found = seen(in_window(screen, CUT), other, mine=mine, expected=expected)
    assert found.match is None
    assert "Laboratory" in str(found.why_not)
    assert "Radiology" in str(found.why_not)


def test_with_its_button_in_sight_it_is_known() -> None:
    other = letter("Send to radiology", who=3, number=99)
    assert node_of(seen(letter("Send to radiology", who=3, number=5).state(), other)) == "radiology"


def test_what_was_noted_of_that_record_does_not_tell_either() -> None:
    other = letter("Send to radiology", who=3, number=99, notes=NOTES)
    for notes in ((), ("Allergy: none", "Weight 62 kg")):
        cut = in_window(letter("Send to radiology", notes=notes).state(), CUT)
        assert seen(cut, other).match is None


def test_a_page_all_of_whose_texts_are_hidden_may_be_it() -> None:
    other = letter("Send to radiology", who=3, number=99)
    cut = in_window(letter("Send to radiology").state(), CUT)
    assert seen(cut, other, radiology={"texts": ("Send to radiology",)}).match is None


def test_a_page_without_a_picture_may_be_it_where_something_is_hidden() -> None:
    """Nobody knows where its text would stand."""
    screens = {"laboratory": letter("Send to the laboratory")}
    declared = {"laboratory": LABORATORY, "radiology": {**RADIOLOGY, "picture": ""}}
    known = {name: reference(drawn) for name, drawn in screens.items()}
    one = Matcher(graph(list(declared), **declared), pictures=None, embedder=None, references=known)
    whole = letter("Send to the laboratory").state()
    assert node_of(one.recognise(whole, variables={})) == "laboratory"
    assert one.recognise(in_window(whole, CUT), variables={}).match is None


def test_a_value_that_nobody_knows_the_place_of_may_be_hidden() -> None:
    """The name of the record of a run is on no taught picture."""
    other = letter("Send to radiology", who=3, number=99)
    declared = {"texts": ("Patient record", "{{patient}}")}
    screens = {"laboratory": letter("Send to the laboratory"), "radiology": other}
    one = matcher(screens, laboratory=LABORATORY, radiology=declared)
    cut = in_window(letter("Send to radiology").state(), CUT)
    assert one.recognise(cut, variables={"patient": "OKAFOR Chidi"}).match is None


def test_one_of_its_pictures_suffices() -> None:
    """On the other one its text stands where it is in sight."""
    head = letter("Save and close")
    head.text("Send to radiology", 640, 100)
    looks = replace(reference(head), looks=(reference(letter("Send to radiology", who=3, number=99)),))
    known = {"laboratory": reference(letter("Send to the laboratory")), "radiology": looks}
    one = Matcher(graph(list(known), **DECLARED), pictures=None, embedder=None, references=known)
    assert one.recognise(in_window(letter("Send to radiology").state(), CUT), variables={}).match is None


def test_a_text_in_sight_that_only_one_of_them_shows_tells() -> None:
    """No more is asked than must be: the page says what it is."""
    banner = letter("Send to the laboratory")
    banner.text("Blood samples", 640, 100)
    screens = {"laboratory": banner, "radiology": letter("Send to radiology", who=3, number=99)}
    declared = {"texts": ("Patient record", "Blood samples", "Send to the laboratory")}
    one = matcher(screens, laboratory=declared, radiology=RADIOLOGY)
    assert node_of(one.recognise(in_window(banner.state(), CUT), variables={})) == "laboratory"
    assert one.recognise(without(in_window(banner.state(), CUT), "Blood samples"), variables={}).match is None


def test_a_text_that_should_be_in_sight_and_is_not_tells() -> None:
    banner = letter("Send to radiology", who=3, number=99)
    banner.text("Contrast agent", 640, 100)
    cut = in_window(letter("Send to the laboratory").state(), CUT)
    declared = {"texts": ("Patient record", "Contrast agent", "Send to radiology")}
    assert node_of(seen(cut, banner, radiology=declared)) == "laboratory"


def page(*labels: str) -> Drawn:
    """Of the same program, with a button at the same place."""
    drawn = frame("Beds - Ward", "Beds", person="Dr HOUSE")
    for index, label in enumerate(labels):
        drawn.text(label, 40, 200 + 40 * index)
    drawn.element(ElementRole.BUTTON, 40, 620, 170, 34, "Send to radiology")
    return drawn


def fuller() -> Drawn:
    drawn = letter("Send to radiology")
    for index, label in enumerate((*LABELS["Results"], *LABELS["Prescriptions"], *LABELS["Summary"], *NOTES)):
        drawn.text(label, 640 + 300 * (index % 2), 150 + 24 * index)
    return drawn


@pytest.mark.parametrize("other", [page(), fuller()], ids=["of another kind", "with more in sight"])
@pytest.mark.parametrize("texts", [("Dr HOUSE", "Send to radiology"), ("Send to radiology",)])
def test_a_page_that_has_little_in_common_with_the_screen_is_none_of_them(texts: tuple[str, ...], other: Drawn) -> None:
    """In sight is what every page of the program says, or nothing; the rest of them is another page."""
    cut = in_window(letter("Send to the laboratory").state(), CUT)
    declared = {"laboratory": {"texts": ("Dr HOUSE", "Send to the laboratory")}, "radiology": {"texts": texts}}
    assert node_of(seen(cut, other, **declared)) == "laboratory"


def test_another_window_is_none_of_them() -> None:
    other = letter("Send to radiology", who=3, number=99)
    cut = in_window(letter("Send to the laboratory").state(), CUT)
    assert node_of(seen(cut, other, radiology={**RADIOLOGY, "window_title": "* - Radiology"})) == "laboratory"


def test_a_text_that_is_on_no_picture_makes_no_rival_where_nothing_is_hidden() -> None:
    other = letter("Send to radiology", who=3, number=99)
    whole = letter("Send to the laboratory").state()
    declared = {
        "laboratory": {"texts": ("Patient record", "Addressee")},
        "radiology": {"texts": ("Patient record", "Urgent")},
    }
    assert node_of(seen(whole, other, **declared)) == "laboratory"


def test_a_page_known_by_its_picture_alone_may_be_it() -> None:
    cut = in_window(letter("Send to radiology").state(), CUT)
    assert seen(cut, letter("Send to radiology"), expected="laboratory", radiology={}).match is None


def test_the_bar_of_a_window_is_in_sight() -> None:
    """What it says on the picture of the other page would be there to see."""
    radiology = Drawn("Radiology - Ward")
    laboratory = Drawn("Laboratory - Ward")
    for drawn in (radiology, laboratory):
        for index, label in enumerate((*LABELS["Letters"], *LABELS["Results"])):
            drawn.text(label, 40, 120 + 40 * index)
    one = matcher(
        {"laboratory": laboratory, "radiology": radiology},
        laboratory={"texts": ("Addressee", "Laboratory - Ward")},
        radiology={"texts": ("Addressee", "Radiology - Ward")},
    )
    assert node_of(one.recognise(in_window(laboratory.state(), 480), variables={})) == "laboratory"


@pytest.mark.parametrize("window", [True, False])
def test_what_stands_beside_a_window_is_not_hidden_by_its_edge(window: bool) -> None:
    """With nothing hidden, a page that lacks its value is none of them."""
    empty = letter("Send to the laboratory")
    assert empty.window.box is not None
    empty.text("Notes on the desktop", empty.window.box.right + 20, 900)
    declared = {"laboratory": LABORATORY, "radiology": {"texts": ("Patient record", "{{patient}}")}}
    known = {name: reference(one, window=window) for name, one in
             {"laboratory": empty, "radiology": letter("Send to the laboratory")}.items()}  # fmt: skip
    one = Matcher(graph(list(known), **declared), pictures=None, embedder=None, references=known)
    assert node_of(one.recognise(empty.state(), variables={"patient": "OKAFOR Chidi"})) == "laboratory"


def test_a_page_is_not_the_one_without_its_value_where_both_show_the_same() -> None:
    """The value was typed: the run came to the page that has it."""
    empty, filled = letter("Send to the laboratory"), letter("Send to the laboratory")
    filled.text("OKAFOR Chidi", 640, 300)
    one = matcher({"laboratory": empty, "radiology": filled}, laboratory=LABORATORY,
                  radiology={"texts": ("{{patient}}",)})  # fmt: skip
    found = one.recognise(filled.state(), variables={"patient": "OKAFOR Chidi"}, last_node="laboratory",
                          expected="radiology")  # fmt: skip
    assert node_of(found) == "radiology"


def test_a_page_with_more_values_of_the_run_is_not_the_one_with_fewer() -> None:
    """Both are in sight; the page of fewer values looks more like it."""
    named, dated = letter("Send to the laboratory"), letter("Send to the laboratory", notes=NOTES)
    named.text("OKAFOR Chidi", 640, 500)
    for row, value in enumerate(("OKAFOR Chidi", "2026-11-21")):
        dated.text(value, 640, 500 + 40 * row)
    screen = letter("Send to the laboratory")
    for row, value in enumerate(("OKAFOR Chidi", "2026-11-21")):
        screen.text(value, 640, 500 + 40 * row)
    one = matcher({"laboratory": named, "radiology": dated}, laboratory={"texts": ("Patient record", "{{patient}}")},
                  radiology={"texts": ("Patient record", "{{patient}}", "{{day}}")})  # fmt: skip
    values = {"patient": "OKAFOR Chidi", "day": "2026-11-21"}
    assert node_of(one.recognise(screen.state(), variables=values)) == "radiology"
    assert node_of(one.recognise(named.state(), variables=values)) == "laboratory"


def test_a_line_at_the_edge_of_a_window_is_not_hidden_by_it() -> None:
    """A status bar that is switched off stood just above the edge, and hides nothing."""
    bar = letter("Send to the laboratory")
    window = bar.window.box
    assert window is not None
    bar.text("Insert mode", 40, window.bottom - 16)
    one = matcher({"laboratory": bar, "radiology": letter("Send to the laboratory")}, laboratory=LABORATORY,
                  radiology={"texts": ("Patient record", "{{patient}}")})  # fmt: skip
    screen = letter("Send to the laboratory").state()
    assert node_of(one.recognise(screen, variables={"patient": "OKAFOR Chidi"})) == "laboratory"
