"""S6.10: what a new screen is called and known by."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.lesson.screens import Known, Look, Placed, place, proposed_name, proposed_texts
from execution.types import Box, Element, ElementRole, ScreenState, TextLine, Window
from tests.execution.matching.test_forms_over import a_form as admission
from tests.execution.matching.test_forms_over import asked, saved
from tests.execution.perception.drawing import Canvas
from workflows.models import Node


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("/srv/notes/of a ward/note.txt - Mousepad", "note.txt - Mousepad"),
        (r"D:\notes\of a ward\note.txt - Notepad", "note.txt - Notepad"),
        ("~/note.txt - Geany", "note.txt - Geany"),
        ("Queue / Triage", "Queue / Triage"),
        ("Input/Output", "Input/Output"),
        ("Save As", "Save As"),
    ],
)
def test_a_screen_is_called_by_its_title_without_the_folders_of_its_document(title: str, name: str) -> None:
    canvas = Canvas(400, 200)
    state = canvas.state(window=Window(title=title, box=Box(0, 0, 400, 200)))
    assert proposed_name(state, Placed(node=None, why=""), Known(), ()) == name


@pytest.mark.parametrize(
    ("heading", "taken", "name"),
    [
        ("Vital signs", (), "Vital signs"),
        ("Vital signs", ("Vital signs",), "Clinic"),
        ("Marie Durand", (), "Clinic"),
    ],
    ids=["its heading", "a heading that another screen has", "somebody's name"],
)
def test_a_page_is_called_by_its_heading_and_by_nobody(heading: str, taken: tuple[str, ...], name: str) -> None:
    """One title is that of every page of a program."""
    canvas = Canvas(700, 400)
    canvas.text(heading, 40, 30, size=26)
    for row, text in enumerate(("Temperature", "Pulse", "Blood pressure", "Weight")):
        canvas.text(text, 40 + 90 * (row % 2), 110 + 37 * row + 5 * (row % 3))
    state = canvas.state(window=Window(title="Clinic", box=Box(0, 0, 700, 400)))
    assert proposed_name(state, Placed(node=None, why=""), Known(), taken) == name


def test_a_screen_is_not_known_by_the_words_in_the_bar_of_its_window() -> None:
    """They are small, and the title is asked for itself."""
    canvas = Canvas(700, 400)
    canvas.text("Request sent", 300, 4)
    canvas.text("Thank you. It is answered soon.", 40, 90)
    texts = proposed_texts(canvas.state(window=Window(title="Request sent", box=Box(0, 0, 700, 400))), Known(), ())
    assert texts == ("Thank you. It is answered soon",)
    assert "Request sent" in proposed_texts(canvas.state(), Known(), ())


def test_a_window_is_known_by_what_stands_in_it_and_not_by_the_one_behind_it() -> None:
    """Another day it lies elsewhere, and covers that."""
    canvas = Canvas(900, 600)
    canvas.text("Inspections", 200, 40, size=18)
    for at, text in enumerate(("Close", "Show the repairs")):
        canvas.text(text, 140, 160 + 60 * at)
    inside = canvas.state(window=Window(title="Device card", box=Box(100, 100, 400, 300)))
    assert set(proposed_texts(inside, Known(), ())) == {"Close", "Show the repairs"}
    beside = canvas.state(window=Window(title="Device card", box=Box(100, 400, 400, 190)))
    assert "Inspections" in proposed_texts(beside, Known(), ()), "nothing in it tells"


LABELS = ("Patient", "Telephone", "Examination", "Wanted on", "Remark")


def a_form(*, fields: int = 1, hints: bool = False) -> ScreenState:
    """A form with its title in the bar and as its heading, so many fields in each row, and its button below."""
    canvas, window = Canvas(900, 700), Box(0, 0, 900, 700)
    canvas.text("Request for an examination", 350, 4)
    canvas.text("Request for an examination", 40, 40, size=24)
    elements = []
    for number, label in enumerate(LABELS):
        canvas.text(label, 40, 118 + 36 * number, size=16)
        for column in range(fields):
            box = Box(220 + 170 * column, 114 + 36 * number, 150, 28)
            elements.append(Element(box=canvas.field(box), role=ElementRole.FIELD))
    button = canvas.button("Send the request", Box(40, 620, 160, 34))
    if hints:
        canvas.text("Fill in all of it", 500, 50)
        canvas.text("Needed for the answer by post", 40, 670)
    elements.append(Element(box=button, role=ElementRole.BUTTON, text="Send the request"))
    return canvas.state(window=Window(title="Request for an examination", box=window), elements=elements)


def test_a_form_is_known_by_its_heading_first_and_by_what_stands_high() -> None:
    """S6.10: its button is below the edge of a smaller window; its heading may be in the bar of the window as well."""
    texts = proposed_texts(a_form(), Known(), ())
    assert texts[0] == "Request for an examination"
    assert texts[1] == "Send the request"
    assert texts[2] in LABELS[:2], "of labels that tell as much the higher one"
    with_hints = proposed_texts(a_form(hints=True), Known(), ())
    assert "Fill in all of it" in with_hints
    assert "Needed for the answer by post" not in with_hints, "it is longer, and stands at the bottom"


def test_the_labels_of_fields_are_no_list() -> None:
    assert set(proposed_texts(a_form(), Known(), ())) & set(LABELS)


def test_what_stands_before_several_fields_is_the_row_of_a_table() -> None:
    """Another day there are other rows."""
    assert not set(proposed_texts(a_form(fields=3), Known(), ())) & set(LABELS)


@pytest.mark.parametrize(
    ("said", "taken", "name"),
    [
        ("Search the archive", ("Clinic",), "Search the archive"),
        ("Search the archive", ("Clinic", "Search the archive"), "Clinic: Search the archive"),
        ("Search the archive", (), "Clinic"),
        ("Marie Durand", ("Clinic",), "Clinic: Marie Durand"),
    ],
    ids=["another of its program", "the third of its program", "the first of its program", "somebody's name"],
)
def test_a_second_screen_of_a_program_is_called_by_what_it_says(said: str, taken: tuple[str, ...], name: str) -> None:
    """S6.10: two screens that both begin with the title of their window are told apart by nobody."""
    state = Canvas(700, 400).state(window=Window(title="Clinic", box=Box(0, 0, 700, 400)))
    assert proposed_name(state, Placed(node=None, why="", came=(said,)), Known(), taken) == name


def placed(
    state: ScreenState, before: ScreenState, *known: tuple[str, ScreenState], typed: tuple[str, ...] = ()
) -> str:
    """The name of the screen that it is, "" for a new one, "over" for one that came over another."""
    nodes = [(Node(name=name), [Look.of_state(look, name)]) for name, look in known]
    found = place(state, nodes, before=before, known=Known(typed=typed))
    return "over" if found.dialog else found.node.name if found.node else ""


def test_a_form_is_one_screen_whatever_is_filled_in_and_when_it_comes_back() -> None:
    """S6.10: taught in a program of Tk it was three, and the last was said to be a dialog."""
    empty, full, page = admission().shown(), admission("004711", "Anna Berger", ring=1).shown(), saved().shown()
    assert placed(full, empty, ("form", empty), typed=("004711", "Anna Berger")) == "form"
    assert placed(page, full, ("form", empty)) == ""
    assert placed(empty, page, ("saved", page), ("form", empty)) == "form"
    assert placed(page, full, ("form", empty), ("saved", page)) == "saved"


def test_what_comes_over_a_form_is_known_when_it_comes_again_and_when_it_goes() -> None:
    """S6.10: else a question that comes twice is two screens, and so is the form behind it."""
    form, over = admission("004711").shown(), asked().shown()
    assert placed(over, form, ("form", form), typed=("004711",)) == "over"
    assert placed(over, form, ("form", form), ("asked", over), typed=("004711",)) == "asked"
    assert placed(form, over, ("asked", over), ("form", form), typed=("004711",)) == "form"


def test_pictures_that_are_read_as_letters_once_are_no_column_that_went() -> None:
    """S6.13: the list that a line was saved in was another screen, as its red signs were not read this time."""

    def referrals(*signs: str) -> ScreenState:
        canvas = Canvas(900, 500)
        canvas.text("Select referral to change", 40, 30, size=22)
        for row, text in enumerate(("Patient", "Case number", "Ward", "Urgency", "Wanted on", "Filter")):
            canvas.text(text, 40, 90 + 34 * row)
        for row, sign in enumerate(signs):
            canvas.text(sign, 700, 90 + 34 * row)
        return canvas.state(window=Window(title="Desk", box=Box(0, 0, 900, 500)))

    form, known = saved().shown(), referrals("X", "X", "X")
    assert placed(referrals(), form, ("list", known)) == "list"
    assert placed(referrals("Yes", "No", "Open"), form, ("list", referrals())) == ""


@pytest.mark.parametrize(("opened_by", "found"), [("Mousepad", ""), ("pcmanfm", "over"), ("", "over")])
def test_the_window_of_another_program_is_no_dialog_of_this_one(opened_by: str, found: str) -> None:
    """S6.10: a letter that was opened from a file manager was asked about as a notice."""
    canvas = Canvas(900, 600)
    for at, text in enumerate(("Adams.txt", "Brown.txt", "Carter.txt", "Documents")):
        canvas.text(text, 40, 60 + 40 * at)
    folder = canvas.state(window=Window(title="Letters", app_name="pcmanfm", box=Box(0, 0, 600, 500)))
    canvas.text("Dear Adams", 420, 260)
    button = Element(box=canvas.button("File", Box(420, 220, 60, 24)), role=ElementRole.BUTTON, text="File")
    opened = Window(title="Adams.txt - Mousepad", app_name=opened_by, box=Box(400, 200, 400, 300))
    assert placed(canvas.state(window=opened, elements=[button]), folder) == found


def test_a_mark_of_the_window_that_is_read_as_a_letter_makes_no_other_screen_of_what_came_back() -> None:
    form, over = admission("004711").shown(), asked().shown()
    inside = over.texts[-1].box
    misread = replace(over, texts=(*over.texts, TextLine(text="O", box=inside._replace(x=inside.x - 30, w=9))))
    assert placed(misread, form, ("form", form), ("asked", over), typed=("004711",)) == "asked"
