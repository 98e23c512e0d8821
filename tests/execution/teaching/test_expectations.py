"""S5.2, S6.1: what teaching declares by itself, and what it must leave alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.teaching.expectations import expectation_of
from execution.teaching.values import put_back
from execution.types import Answer, Box, Element, ElementRole, Recognition, ScreenState, TextLine, Window
from execution.verification.verifier import verify_after
from tests.execution.perception.drawing import Canvas
from workflows.graph import EdgeSpec, ExpectSpec

FIELD = ElementRole.FIELD
NOTHING = (ExpectSpec(), ExpectSpec())
FORM = ("Patient record", "Save", "Cancel")


def screen(*texts: str, title: str = "Clinic", elements: tuple[Element, ...] = ()) -> ScreenState:
    canvas = Canvas(900, 700)
    for index, text in enumerate(texts):
        canvas.text(text, 40 + 17 * (index % 3), 30 + 47 * index + 11 * (index % 2))  # no list
    return canvas.state(window=Window(title=title), elements=elements)


def learnt(before: ScreenState, after: ScreenState, *, typed: str = "", action: str = "click", **variables: str):
    return expectation_of(before, after, action_type=action, typed=typed, variables=variables)


def test_a_message_that_came_is_declared_and_nothing_before():
    before, expect = learnt(screen(*FORM), screen(*FORM, "Record saved"))
    assert before == ExpectSpec()
    assert expect == ExpectSpec(texts=("Record saved",))


@pytest.mark.parametrize(("x", "declared"), [(700, ("Modifie",)), (833, ())], ids=["whole", "cut by the edge"])
def test_a_caption_that_its_window_cuts_off_is_not_declared(x: int, declared: tuple[str, ...]) -> None:
    """A file dialog's last column: in the next run another part of it is in sight."""
    canvas = Canvas(900, 700)
    for index, text in enumerate(FORM):
        canvas.text(text, 40 + 17 * (index % 3), 30 + 47 * index + 11 * (index % 2))
    box = canvas.text("Modifie", x, 400)
    window = Window(title="Clinic", box=Box(0, 0, box.right + (0 if x == 833 else 60), 700))
    after = canvas.state(window=window)
    assert learnt(replace(screen(*FORM), window=window), after)[1].texts == declared


def test_what_is_left_in_sight_of_a_covered_line_is_not_declared():
    """A dialog's edge cuts a line of the page behind it: "Sign" of "Signed on paper" is nothing that came."""
    texts = ("Notes", "Signed on paper at the front desk", "Remark")
    before, canvas = screen(*texts), Canvas(900, 700)
    for index, text in enumerate(texts):
        canvas.text(text, 40 + 17 * (index % 3), 30 + 47 * index + 11 * (index % 2))
    note = canvas.lines[1].box
    cut = note.x + 30
    canvas.draw.rectangle((cut, 60, 700, 400), fill=(228, 228, 228), outline=(90, 90, 90))
    left = canvas.text("Sign", 1, 500)
    canvas.draw.rectangle((0, 495, 60, 530), fill=(245, 245, 245))
    canvas.text("File name:", cut + 40, 200)
    after = canvas.state(window=Window(title="Clinic"))
    lines = [line for line in after.texts if line.text not in ("Sign", texts[1])]
    remnant = TextLine(text="Sign", box=Box(note.x, note.y, left.w, note.h))
    _, expect = learnt(before, replace(after, texts=(*lines, remnant)))
    assert expect.texts == ("File name",)


def test_a_message_that_it_is_done_is_declared_first_and_no_more_than_three():
    came = ("Overview", "Letters", "Admissions", "Documents", "Record saved")
    _, expect = learnt(screen(*FORM), screen(*FORM, *came))
    assert expect.texts[0] == "Record saved"
    assert len(expect.texts) == 3


@pytest.mark.parametrize(
    ("high", "declared"),
    [("New referral", ("New referral",)), ("", ("Save and add another",))],
    ids=["the heading alone", "nothing else tells"],
)
def test_what_a_smaller_window_leaves_below_its_edge_is_declared_only_alone(
    high: str, declared: tuple[str, ...]
) -> None:
    """S6.13: a form was open, and its buttons were below the edge."""
    canvas = Canvas(900, 700)
    if high:
        canvas.text(high, 40, 60)
    names, elements = ("Save", "Save and add another"), []
    for n, name in enumerate(names):
        box = canvas.button(name, Box(40 + 240 * n, 640, 200, 32))
        elements.append(Element(box=box, role=ElementRole.BUTTON, text=name))
    _, expect = learnt(screen(*FORM), canvas.state(window=Window(title="Clinic"), elements=elements))
    assert expect.texts == declared


def test_a_known_value_is_put_back_as_its_variable():
    _, expect = learnt(screen(*FORM), screen(*FORM, "Saved for DUPONT Marie"), patient="Dupont Marie")
    assert expect.texts == ("Saved for {{patient}}",)


@pytest.mark.parametrize(
    ("first", "declared"),
    [("Ventilator Oxylog", ()), ("Ventilator", ("{{kind}}",)), ("Kind: Ventilator", ("Kind: {{kind}}",))],
)
def test_of_a_row_of_a_list_a_value_alone_is_declared_or_with_its_label(first: str, declared: tuple[str, ...]) -> None:
    """S6.13: another row says the value among words of its own, and is not there another day."""
    canvas = Canvas(900, 700)
    for index, text in enumerate((first, "Defibrillator Lifepak", "Syringe pump Alaris", "Infusion warmer Ranger")):
        canvas.text(text, 40, 60 + 20 * index)
    _, expect = learnt(screen(*FORM), canvas.state(window=Window(title="Clinic")), kind="Ventilator")
    assert expect.texts == declared


@pytest.mark.parametrize(
    "came",
    [
        "12 new messages", "21/11/2026", "Record 104522", "MARTIN Paul", "Martin, Paul", "Sophie Blanc", "Saving…",
        "The record could not be saved", "Date of birth is required", "ok", "1 250,00 €",
        "A long sentence of more words than any label or heading of a screen ever has",
    ],
)  # fmt: skip
def test_data_what_changes_by_itself_errors_and_waiting_are_not_declared(came):
    assert learnt(screen(*FORM), screen(*FORM, came)) == NOTHING


@pytest.mark.parametrize(
    ("came", "declared"),
    [
        ("Commande envoyée, n° 5521", "Commande envoyée"),
        ("Saved at 14:32", "Saved at"),
        ("Order CMD-2291-B sent", "sent"),
        ("3 documents imprimés", "documents imprimés"),
        ("Dossier de DUPONT Léa enregistré", "enregistré"),
        ("Discharge is done for Paul Durand", "Discharge is done for"),
        (
            "Votre commande de biologie a bien été transmise au laboratoire du service, sous le n° 5521",
            "Votre commande de biologie a bien été transmise",
        ),
    ],
)
def test_the_message_of_the_act_is_declared_without_its_number_and_whose_it_is(came, declared):
    """S6.1: the next run has another number, and is about somebody else; without the message nothing tells."""
    _, expect = learnt(screen(*FORM), screen(*FORM, came))
    assert expect.texts == (declared,)
    edge = EdgeSpec(edge_id="e", source="a", destination="b", action_type="click", expect=expect)
    asked = {"before": screen(*FORM), "recognition": Recognition(match=None), "variables": {}}
    other = screen(
        *FORM,
        came.replace("5521", "5522")
        .replace("2291", "2292")
        .replace("14:32", "9:05")
        .replace("Paul Durand", "Sophie Blanc"),
    )
    assert verify_after(edge, after=other, **asked).answer is Answer.YES
    assert verify_after(edge, after=screen(*FORM), **asked).answer is not Answer.YES


@pytest.mark.parametrize(
    "came",
    ["Commande n° 5521 non envoyée", "Order 5521 could not be sent", "Enregistrement en cours…", "5521"],
)
def test_a_message_that_it_is_not_done_is_never_declared(came):
    assert learnt(screen(*FORM), screen(*FORM, came)) == NOTHING


@pytest.mark.parametrize(
    "came", [("Résultats", "Aucun résultat"), ("Results", "No results"), ("Allergies", "Aucune allergie connue")]
)
def test_what_is_declared_does_not_contradict_itself(came):
    """S6.1: "no results" is what there is today; a heading that it denies would never be verified."""
    _, expect = learnt(screen(*FORM), screen(*FORM, *came))
    assert came[1] not in expect.texts
    edge = EdgeSpec(edge_id="e", source="a", destination="b", action_type="click", expect=expect)
    asked = {"before": screen(*FORM), "recognition": Recognition(match=None), "variables": {}}
    if expect.texts:
        assert verify_after(edge, after=screen(*FORM, *came), **asked).answer is Answer.YES


def test_the_rows_of_a_table_are_no_declaration_whatever_they_are_taken_for():
    """S6.1: nor a name among them, nor the first cells, taken for entries of a menu."""
    canvas = Canvas(900, 700)
    for index, text in enumerate(FORM):
        canvas.text(text, 40 + 17 * index, 30 + 47 * index)
    before = canvas.state(window=Window(title="Clinic"))
    elements = []
    for row, (drug, form) in enumerate((("Aspirin", "tablet"), ("Codeine", "syrup"), ("Morphine", "ampoule"))):
        box = canvas.text(drug, 60, 300 + 30 * row)
        canvas.text(form, 300, 300 + 30 * row)
        elements.append(Element(box=box.grown(4, before.frame.size), role=ElementRole.MENU_ITEM, text=drug))
    canvas.text("DUPONT Léa 53 ans", 500, 500)
    canvas.text("Prescription", 500, 560)
    after = canvas.state(window=Window(title="Clinic"), elements=elements)
    assert learnt(before, after)[1].texts == ("Prescription",)


def test_a_row_is_data_though_the_picture_before_its_words_was_read_in_others_alone():
    after = Canvas(900, 700)
    for row, (words, left) in enumerate((("S Blood bank", 40), ("Lab results", 64), ("S Night roster", 40))):
        after.text(words, left, 300 + 30 * row)
        after.text(f"https://{'abc'[row]}.example", 300, 300 + 30 * row)
        after.text("ext 310", 560, 300 + 30 * row)
    assert learnt(screen(*FORM), after.state(window=Window(title="Clinic")))[1].texts == ()


def test_what_was_typed_is_declared_only_as_a_variable():
    """S10.3: it may be a secret."""
    after = screen(*FORM, "Bonjour tout le monde", "Suggestions")
    assert learnt(screen(*FORM), after, typed="Bonjour tout le monde", action="type_text") == NOTHING
    _, expect = learnt(
        screen(*FORM), after, typed="Bonjour tout le monde", action="type_text", note="Bonjour tout le monde"
    )
    assert expect == ExpectSpec(texts=("{{note}}",))


def test_the_content_of_a_field_and_the_rows_of_a_list_are_data():
    field = Element(box=Box(30, 160, 500, 60), role=ElementRole.FIELD)
    with_field = screen(*FORM, elements=(field,))
    assert learnt(with_field, screen(*FORM, "Remark", elements=(field,))) == NOTHING
    rows = Canvas(900, 700)
    for index, text in enumerate((*FORM, "Aspirin", "Ibuprofen", "Codeine", "Morphine")):
        rows.text(text, 40, 30 + 30 * index)
    only = Canvas(900, 700)
    for index, text in enumerate(FORM):
        only.text(text, 40, 30 + 30 * index)
    state = only.state(window=Window(title="Clinic")), rows.state(window=Window(title="Clinic"))
    assert learnt(*state)[1].texts == ()


def test_a_value_right_of_its_name_is_data():
    canvas = Canvas(900, 700)
    for index, text in enumerate(FORM):
        canvas.text(text, 40 + 17 * index, 30 + 47 * index)
    before = canvas.state(window=Window(title="Clinic"))
    canvas.text("Allergies", 40, 300)
    canvas.text("Penicillin", 300, 300)
    assert learnt(before, canvas.state(window=Window(title="Clinic")))[1].texts == ("Allergies",)
    canvas.text("Allergies saved", 500, 30)  # right of the heading, but no value of it
    assert learnt(before, canvas.state(window=Window(title="Clinic")))[1].texts == ("Allergies saved", "Allergies")


def test_a_dialog_that_closed_is_declared_gone_and_was_there_before():
    button = Element(box=Box(40, 200, 120, 60), role=ElementRole.BUTTON)
    before, expect = learnt(screen(*FORM, "Appearance", "Close", elements=(button,)), screen(*FORM))
    assert "Appearance" in before.texts
    assert "Appearance" in expect.gone
    assert expect.texts == ()


def test_a_new_title_is_declared_with_its_data_as_stars_and_variables():
    old = screen(*FORM, title="Patients - Clinic")
    _, expect = learnt(old, screen("Medical record", title="DUPONT Marie - Clinic"), patient="DUPONT Marie")
    assert expect.window_title == "{{patient}} - Clinic"
    _, expect = learnt(old, screen("Medical record", title="Record 104522 - Clinic"))
    assert expect.window_title == "* - Clinic"


def test_the_star_of_unsaved_changes_is_not_declared_and_its_loss_proves_the_saving():
    dirty, clean = screen("Text", title="*notes.txt - Mousepad"), screen("Text", title="notes.txt - Mousepad")
    _, expect = learnt(dirty, clean)
    assert expect.window_title == "notes.txt - Mousepad"
    edge = EdgeSpec(edge_id="e", source="a", destination="b", action_type="press_keys", expect=expect)
    lost = Recognition(match=None)
    assert verify_after(edge, before=dirty, after=clean, recognition=lost, variables={}).answer is Answer.YES
    assert verify_after(edge, before=dirty, after=dirty, recognition=lost, variables={}).answer is Answer.NO


def test_a_record_that_opens_must_name_whose_it_is():
    listed = screen("MARTIN Paul", "DUPONT Marie", "New patient", title="Patients")
    opened = screen("Medical record", "History", "Allergies", "DUPONT Marie", title="Record")
    _, expect = learnt(listed, opened, patient="DUPONT Marie")
    assert "{{patient}}" in expect.texts
    edge = EdgeSpec(edge_id="e", source="a", destination="b", action_type="click", expect=expect)
    wrong = screen("Medical record", "History", "Allergies", "MARTIN Paul", title="Record")
    asked = {"before": listed, "recognition": Recognition(match=None), "variables": {"patient": "DUPONT Marie"}}
    assert verify_after(edge, after=opened, **asked).answer is Answer.YES
    assert verify_after(edge, after=wrong, **asked).answer is not Answer.YES


def test_nothing_is_learnt_from_scrolling_waiting_or_a_screen_that_stayed():
    assert learnt(screen(*FORM), screen("Other", "Texts", "Altogether"), action="scroll") == NOTHING
    assert learnt(screen(*FORM), screen("Other", "Texts", "Altogether"), action="wait_stable") == NOTHING
    assert learnt(screen(*FORM), screen(*FORM)) == NOTHING


@pytest.mark.parametrize(
    ("text", "variables", "expected"),
    [
        ("Dossier de HELENE PETIT", {"who": "Hélène Petit"}, "Dossier de {{who}}"),
        ("Anna and Annabel", {"who": "Anna"}, "{{who}} and Annabel"),
        ("Jean Petit, Jean", {"first": "Jean", "whole": "Jean Petit"}, "{{whole}}, {{first}}"),
        ("nothing of it", {"who": "Anna"}, "nothing of it"),
        ("12,50 € paid", {"amount": "12,50"}, "{{amount}} € paid"),
    ],
)
def test_values_are_put_back_as_whole_words_the_longest_first(text, variables, expected):
    assert put_back(text, variables) == expected


def test_where_the_title_tells_no_text_must_be_gone() -> None:
    """“Delivery” is a word of “No delivery is waiting”, which the list says once the last one was confirmed."""
    button = Element(box=Box(50, 208, 120, 34), role=ElementRole.BUTTON, text="Confirm")
    opened = screen(*FORM, "Delivery", "Confirm", title="Delivery", elements=(button,))
    assert learnt(opened, screen(*FORM, title="Deliveries"))[1].gone == ()


def order_form(*, down: int, product: str) -> ScreenState:
    canvas, fields = Canvas(700, 500), []
    canvas.text("New order", 40, 30, size=20)
    if down:
        canvas.draw.rectangle((40, 70, 600, 70 + down - 12), outline=(120, 180, 120))
        canvas.text("Order stored", 60, 78)
    for row, (label, value) in enumerate((("Recipient", ""), ("Product", product), ("Needed on", "mm/dd/yyyy"))):
        canvas.text(label, 40, 90 + down + 70 * row)
        fields.append(Element(box=canvas.field(Box(40, 112 + down + 70 * row, 200 + 30 * row, 28), value), role=FIELD))
    return canvas.state(window=Window(title="Orders", box=Box(0, 0, 700, 500)), elements=tuple(fields))


def test_what_stands_in_fields_that_a_message_moved_is_not_declared() -> None:
    """S6.13: the form is empty again, and what it begins with may be what the next run chooses."""
    _, expect = learnt(order_form(down=0, product="Platelets"), order_form(down=40, product="Red cells"))
    assert expect.texts == ("Order stored",)


@pytest.mark.parametrize(("above", "declared"), [("", ()), ("Clinic", ("Visit kept",))], ids=["tab", "heading"])
def test_the_title_on_a_windows_tab_is_asked_for_as_the_title_alone(above: str, declared: tuple[str, ...]) -> None:
    """It is small, and read in one run and not in the next."""
    before, canvas = screen("", *FORM, title="New visit"), Canvas(900, 700)
    if above:
        canvas.text(above, 40, 4)
    canvas.text("Visit kept", 40, 30)
    for index, text in enumerate(FORM):
        canvas.text(text, 40 + 17 * (index % 3), 100 + 47 * index + 11 * (index % 2))
    expect = learnt(before, canvas.state(window=Window(title="Visit kept - Web")))[1]
    assert expect.window_title == "Visit kept - Web"
    assert tuple(text for text in expect.texts if text != above) == declared
