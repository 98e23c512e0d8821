"""S5.2, S1.5: yes, no, cannot tell."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.language.doubts import doubt_word
from execution.matching import Matcher
from execution.types import (
    Answer,
    Box,
    Element,
    ElementRole,
    ElementState,
    Match,
    Reason,
    Recognition,
    ScreenState,
    Size,
    Verification,
    Window,
)
from execution.verification.verifier import something_changed, verify_after, verify_before
from sentences.said import worded
from tests.execution.perception.drawing import Canvas
from workflows.graph import EdgeSpec, ExpectSpec, GraphSpec, IdentitySpec, NodeSpec

NOWHERE = Recognition(match=None, why_not="ambiguous: A or B")


def screen(*texts: str, title: str = "Editor", unread: bool = False) -> ScreenState:
    canvas = Canvas(800, 500)
    for index, text in enumerate(texts):
        canvas.text(text, 40, 40 + 50 * index)
    state = canvas.state(window=Window(title=title))
    return replace(state, texts=(), text_method="", degraded=True) if unread else state


def edge(*, expect: ExpectSpec = ExpectSpec(), source: str = "a", destination: str = "b") -> EdgeSpec:  # noqa: B008
    return EdgeSpec(edge_id="e", source=source, destination=destination, action_type="click", expect=expect)


def at(node: str, *reasons: Reason) -> Recognition:
    return Recognition(match=Match(node_id=node, confidence=0.95, reasons=reasons))


def after(
    step: EdgeSpec, before: ScreenState, now: ScreenState, recognition: Recognition = NOWHERE, **more: object
) -> Verification:
    more.setdefault("variables", {})
    return verify_after(step, before=before, after=now, recognition=recognition, **more)


def test_before_the_action_the_screen_must_be_its_source():
    assert verify_before(edge(), screen(), recognition=at("a")).answer is Answer.YES
    wrong = verify_before(edge(), screen(), recognition=at("c"))
    assert (wrong.answer, wrong.message) == (Answer.NO, "the screen is another one than this action starts at")
    unsure = verify_before(edge(), screen(), recognition=NOWHERE)
    assert unsure.answer is Answer.CANNOT_TELL
    assert "ambiguous: A or B" in unsure.message


def test_a_declared_text_that_is_seen_is_a_yes_whatever_the_node():
    result = after(edge(expect=ExpectSpec(texts=("Saved",))), screen("Editor"), screen("Editor", "File saved"))
    assert result.answer is Answer.YES
    assert result.message == "'Saved' is seen"
    assert result.verify_ms > 0


def test_a_declared_text_is_read_with_accents_and_confusions_forgiven():
    step = edge(expect=ExpectSpec(texts=("Enregistré à 10 %",)))
    assert after(step, screen(), screen("Enregistre a 1O %")).answer is Answer.YES


def test_declared_and_not_seen_on_an_unchanged_screen_is_a_no():
    result = after(edge(expect=ExpectSpec(texts=("Saved",))), screen("Editor"), screen("Editor"), at("b"))
    assert result.answer is Answer.NO
    assert result.message == "'Saved' is not seen; the screen did not change"


def test_declared_and_not_seen_while_still_at_the_source_is_a_no():
    result = after(edge(expect=ExpectSpec(texts=("Saved",))), screen("Editor"), screen("Editor", "12:31"), at("a"))
    assert result.answer is Answer.NO
    assert "still where the action started" in result.message


def test_declared_and_not_seen_on_another_screen_cannot_be_told():
    result = after(edge(expect=ExpectSpec(texts=("Saved",))), screen("Editor"), screen("Please wait"))
    assert result.answer is Answer.CANNOT_TELL


def test_everything_declared_must_hold():
    step = edge(expect=ExpectSpec(texts=("Done",), gone=("Confirm",), window_title="* - Editor"))
    good = screen("Done", title="notes.txt - Editor")
    assert after(step, screen("Confirm"), good).answer is Answer.YES
    still = screen("Done", "Confirm", title="notes.txt - Editor")
    left = after(step, screen("Confirm"), still)
    assert left.answer is Answer.CANNOT_TELL
    assert "'Confirm' is seen but should be gone" in left.message
    other = after(step, screen("Confirm"), screen("Done", title="Error"))
    assert other.answer is Answer.CANNOT_TELL
    assert "the window is another than '* - Editor'" in other.message


def test_declared_texts_have_their_variables_put_in_and_must_then_be_exact():
    step = edge(expect=ExpectSpec(texts=("Saved for {{patient}}",)))
    who = {"patient": "Marie Dupont"}
    assert after(step, screen(), screen("Saved for Marie Dupont"), variables=who).answer is Answer.YES
    assert after(step, screen(), screen("Saved for Marie Dupond"), variables=who).answer is not Answer.YES
    missing = after(step, screen(), screen("Saved for Marie Dupont"))
    assert missing.answer is Answer.CANNOT_TELL
    assert "patient has no value" in missing.message


def test_what_was_declared_cannot_be_told_from_a_screen_that_was_not_read():
    step = edge(expect=ExpectSpec(texts=("Saved",)))
    result = after(step, screen("Editor"), screen("Saved", unread=True), at("b"))
    assert result.answer is Answer.CANNOT_TELL
    assert "the screen was not read" in result.message


def test_with_nothing_declared_the_destination_speaks_for_the_action():
    result = after(edge(), screen("Editor"), screen("Dialog"), at("b"))
    assert (result.answer, result.message) == (Answer.YES, "the screen is where this action leads")


def test_a_destination_that_only_the_run_told_apart_from_the_source_proves_nothing():
    graph = GraphSpec(
        workflow_id="w", name="w", learning_state="COACHING",
        nodes=(NodeSpec(node_id="a", name="A", texts=("Editor",)), NodeSpec(node_id="b", name="B", texts=("Editor",))),
    )  # fmt: skip
    now = screen("Editor", "12:31")
    recognition = Matcher(graph, pictures=None, embedder=None).recognise(now, variables={}, last_node="a", expected="b")
    assert recognition.match.node_id == "b"
    result = after(edge(), screen("Editor"), now, recognition)
    assert result.answer is Answer.CANNOT_TELL


def test_an_edge_back_to_its_own_node_is_not_proved_by_being_there():
    loop = edge(source="a", destination="a")
    assert after(loop, screen("Editor"), screen("Editor", "x y z"), at("a")).answer is Answer.CANNOT_TELL
    assert after(loop, screen("Editor"), screen("Editor"), at("a")).answer is Answer.NO


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        ("ctrl+end", Answer.CANNOT_TELL),
        ("Home", Answer.CANNOT_TELL),
        ("ctrl+c", Answer.CANNOT_TELL),
        (["ctrl", "insert"], Answer.CANNOT_TELL),
        ("down", Answer.NO),  # what is chosen now is what was chosen before
        ("ctrl+a", Answer.NO),
        ("ctrl+x", Answer.NO),
        ("ctrl+v", Answer.NO),
        ("shift+end", Answer.NO),
        ("no such key", Answer.NO),
    ],
)
def test_keys_that_need_not_show_are_not_said_to_have_done_nothing(keys, answer):
    """Where one is at the end already, or came there, nothing but the caret says so."""
    step = replace(edge(source="a", destination="a"), action_type="press_keys", params={"keys": keys})
    assert after(step, screen("Editor"), screen("Editor"), at("a")).answer is answer


def test_keys_that_need_not_show_do_what_is_declared_of_them():
    step = replace(edge(expect=ExpectSpec(texts=("Saved",))), action_type="press_keys", params={"keys": "ctrl+end"})
    assert after(step, screen("Editor"), screen("Editor")).answer is Answer.NO


def test_a_destination_seen_on_an_unchanged_screen_proves_nothing():
    assert after(edge(), screen("Dialog"), screen("Dialog"), at("b")).answer is Answer.NO


def test_typed_text_that_is_newly_seen_is_a_yes_and_is_never_quoted():
    """S10.3: what was typed may be a secret."""
    loop = edge(source="a", destination="a")
    result = after(loop, screen("Editor"), screen("Editor", "Bonjour à tous"), at("a"), typed="Bonjour à tous")
    assert (result.answer, result.message) == (Answer.YES, "the typed text is seen")
    assert all("Bonjour" not in r.note for r in result.evidence)


@pytest.mark.parametrize(
    ("typed", "before", "now", "answer"),
    [
        ("Facture 10452", ("Editor",), ("Editor", "Facture 10453"), Answer.CANNOT_TELL),
        ("Facture 10452", ("Facture 10452",), ("Facture 10452", "Facture 10452"), Answer.CANNOT_TELL),
        ("s3cret!", ("Password",), ("Password", "*******"), Answer.CANNOT_TELL),
        ("s3cret!", ("Password",), ("Password",), Answer.NO),
        ("a\n", ("Editor",), ("Editor", "b"), Answer.CANNOT_TELL),
        ("first line\nsecond line", ("Editor",), ("first line", "second line"), Answer.YES),
        ("first line\nsecond line", ("Editor",), ("first line", "other"), Answer.CANNOT_TELL),
    ],
)
def test_typed_text_that_is_not_newly_seen_proves_nothing(typed, before, now, answer):
    assert (
        after(edge(source="a", destination="a"), screen(*before), screen(*now), at("a"), typed=typed).answer is answer
    )


def test_a_change_that_nobody_knows_cannot_be_told():
    result = after(edge(), screen("Editor"), screen("Something"))
    assert (result.answer, result.evidence[0].note) == (Answer.CANNOT_TELL, "the screen changed")


def test_a_blinking_caret_is_no_change_and_a_letter_or_a_new_title_is():
    before, caret, letter = Canvas(400, 200), Canvas(400, 200), Canvas(400, 200)
    caret.draw.line((100, 50, 100, 66), fill=(0, 0, 0))
    letter.text("m", 100, 50)
    assert not something_changed(before.state(), before.state())
    assert not something_changed(before.state(), caret.state())
    assert something_changed(before.state(), letter.state())
    assert something_changed(before.state(), before.state(window=Window(title="Saved")))
    assert something_changed(before.state(), Canvas(500, 200).state())


# What was there before the action proves nothing ------------------------------------------------------------------

SAVED = ExpectSpec(texts=("Saved",))


def test_a_message_left_over_from_before_is_no_proof_however_the_screen_changes():
    step = edge(expect=SAVED)
    still = after(step, screen("Saved", "Editor"), screen("Saved", "Editor"))
    assert (still.answer, still.message) == (
        Answer.CANNOT_TELL, "'Saved' is seen, as it was before; the screen did not change"
    )  # fmt: skip
    assert after(step, screen("Saved", "Editor"), screen("Saved", "Other")).answer is Answer.CANNOT_TELL


def test_a_message_left_over_beside_an_error_is_a_no():
    result = after(
        edge(expect=SAVED), screen("Saved", "Editor"), screen("Saved", "Editor", "The file could not be saved")
    )
    assert result.answer is Answer.NO


def test_a_second_message_or_one_that_went_and_came_back_is_a_proof():
    step = edge(expect=SAVED)
    assert after(step, screen("Saved", "Editor"), screen("Saved", "Editor", "Saved")).answer is Answer.YES
    seen = {"between": (screen("Editor"),)}
    assert after(step, screen("Saved", "Editor"), screen("Saved", "Editor"), **seen).answer is Answer.YES


def test_what_was_there_before_is_enough_where_the_screen_is_now_the_destination():
    assert after(edge(expect=SAVED), screen("Saved", "List"), screen("Saved", "Form"), at("b")).answer is Answer.YES


@pytest.mark.parametrize("action", ["wait_text", "scroll", "navigate"])
def test_of_an_action_that_only_looks_it_is_enough_that_it_is_so(action):
    step = replace(edge(expect=SAVED), action_type=action)
    assert after(step, screen("Saved", "Editor"), screen("Saved", "Editor")).answer is Answer.YES
    assert after(step, screen("Editor"), screen("Editor")).answer is Answer.NO


def test_something_gone_that_was_never_there_proves_nothing():
    """At the first look after a click nothing has happened yet, "Saving…" neither."""
    step = edge(expect=ExpectSpec(gone=("Saving",)))
    assert after(step, screen("Editor"), screen("Editor", "x")).answer is Answer.CANNOT_TELL


def test_something_gone_because_something_lies_over_it_proves_nothing():
    step = edge(expect=ExpectSpec(gone=("Confirm",)))
    page = ("Editor", "File", "View")
    assert after(step, screen(*page, "Confirm"), screen(*page)).answer is Answer.YES
    assert (
        after(step, screen(*page, "Confirm"), screen(*page, "Update available", "Later")).answer is Answer.CANNOT_TELL
    )
    assert after(step, screen(*page, "Confirm"), screen("Another", "Screen", "Altogether")).answer is Answer.CANNOT_TELL


def test_a_title_that_fitted_before_proves_nothing():
    step = edge(expect=ExpectSpec(window_title="* - Editor"))
    assert after(step, screen(title="a - Editor"), screen("x y z", title="a - Editor")).answer is Answer.CANNOT_TELL
    assert after(step, screen(title="Files"), screen(title="a - Editor")).answer is Answer.YES


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ("budget - Sheet", "*budget - Sheet", "the window is"),
        ("*budget - Sheet", "*budget - Sheet", "the window is another than"),
        ("budget - Sheet", "*orders - Sheet", "the window is another than"),
    ],
    ids=["changed by the act", "not saved", "another file"],
)
def test_the_mark_of_what_is_not_saved_is_no_other_window_where_the_act_put_it_there(before, now, said):
    """A key changes a file that was saved; an act that saves it would have taken the mark away."""
    step = edge(expect=ExpectSpec(window_title="budget - Sheet"))
    result = after(step, screen("a", title=before), screen("b", title=now))
    notes = [str(one.note) for one in result.evidence]
    assert any(note.startswith(f"{said} '") for note in notes), notes


# Denials, questions, waiting ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("declared", "shown"),
    [
        ("Saved", ("Not saved",)),
        ("Saved", ("The file could not be saved",)),
        ("saved", ("The file could not be", "saved.")),
        ("Saved", ("Saved?",)),
        ("saved", ("It will be saved later",)),
        ("Enregistré", ("Le dossier n'a pas pu être enregistré",)),
        ("Enregistrement", ("Enregistrement impossible",)),
        ("Enregistré", ("Non enregistré",)),
        ("Enregistré", ("Enregistrer",)),
        ("Validé", ("Valider",)),
        ("Payment successful", ("Payment unsuccessful",)),
        ("Connected", ("Disconnected",)),
        ("Envoyé", ("Envoi échoué",)),
        ("record saved", ("couldnot record saved",)),
    ],
)
def test_a_text_that_says_the_contrary_or_something_else_is_no_yes(declared, shown):
    lines = Canvas(800, 500)
    for index, text in enumerate(("Editor", *shown)):
        lines.text(text, 40, 40 + 20 * index)
    result = after(
        edge(expect=ExpectSpec(texts=(declared,))), screen("Editor"), lines.state(window=Window(title="Editor"))
    )
    assert result.answer is not Answer.YES


@pytest.mark.parametrize(
    ("declared", "shown"),
    [
        ("Saved", "Saved without errors"), ("Enregistré", "Enregistré, aucune erreur"), ("saved", "No. 12 saved"),
        ("File not found", "File not found"), ("Échec", "Échec de la connexion"), ("saved", "Your file was saved."),
        ("Filetype", "Filetype: None"), ("Motif", "Motif : aucun"),
    ],
)  # fmt: skip
def test_a_text_that_says_it_is_a_yes(declared, shown):
    assert (
        after(edge(expect=ExpectSpec(texts=(declared,))), screen("Editor"), screen("Editor", shown)).answer
        is Answer.YES
    )


def test_a_text_that_wraps_over_two_lines_is_seen():
    canvas = Canvas(800, 500)
    canvas.text("Your changes have been", 40, 40)
    canvas.text("saved successfully", 40, 58)
    step = edge(expect=ExpectSpec(texts=("Your changes have been saved successfully",)))
    assert after(step, screen("Editor"), canvas.state(window=Window(title="Editor"))).answer is Answer.YES


def test_while_something_is_under_way_nothing_can_be_told():
    """S1.5: the dialog is gone, but the error may still come."""
    step = edge(expect=ExpectSpec(gone=("Edit patient",)))
    page = ("List", "Menu", "Search")
    result = after(step, screen(*page, "Edit patient"), screen(*page, "Saving…"))
    assert result.answer is Answer.CANNOT_TELL
    assert "under way" in result.message
    busy = after(edge(), screen("Form"), screen("Chargement en cours…"), at("b"))
    assert busy.answer is Answer.CANNOT_TELL


@pytest.mark.parametrize("heading", ["Traitement en cours", "Prescriptions en cours", "Recherche…", "Connexion…"])
def test_a_heading_a_hint_or_an_item_that_only_sounds_like_waiting_is_none(heading):
    assert after(edge(expect=SAVED), screen("Editor"), screen("Editor", "Saved", heading)).answer is Answer.YES


def test_an_error_that_came_with_what_was_declared_leaves_it_open():
    result = after(edge(expect=SAVED), screen("Editor"), screen("Editor", "Saved", "Error: printer not found"))
    assert result.answer is Answer.CANNOT_TELL


def test_an_error_message_is_a_no_and_only_its_word_is_quoted():
    """S10.3: the message may name somebody."""
    for step in (edge(), edge(expect=SAVED)):
        result = after(step, screen("Editor"), screen("Editor", "Failed to save the record of Marie Dupont"))
        assert result.answer is Answer.NO
        assert "Dupont" not in result.message
        assert "failed" in result.message


def test_an_error_that_was_there_before_or_is_declared_is_none():
    assert after(edge(expect=SAVED), screen("Error log"), screen("Error log", "Saved")).answer is Answer.YES
    wrong = ExpectSpec(texts=("Wrong password: access denied",))
    assert (
        after(edge(expect=wrong), screen("Login"), screen("Login", "Wrong password: access denied")).answer
        is Answer.YES
    )


def test_a_complaint_of_the_form_is_a_no_only_where_something_else_was_declared():
    asked = screen("Form", "Date of birth is required")
    assert after(edge(expect=SAVED), screen("Form"), asked).answer is Answer.NO
    assert after(edge(), screen("Form"), asked).answer is Answer.CANNOT_TELL


def test_a_blank_screen_tells_nothing():
    black = replace(Canvas(800, 500, background=(0, 0, 0)).state(window=Window(title="Editor")))
    for step in (edge(), edge(expect=SAVED), edge(expect=ExpectSpec(gone=("Editor",)))):
        result = after(step, screen("Editor"), black, at("b"))
        assert (result.answer, result.message) == (Answer.CANNOT_TELL, "the screen is blank")


# What was acted on --------------------------------------------------------------------------------------------------


def control(role: ElementRole, *states: ElementState, box: Box = Box(40, 90, 20, 20)) -> Element:  # noqa: B008
    return Element(box=box, role=role, states=frozenset(states))


@pytest.mark.parametrize(
    ("role", "was", "is_now", "answer"),
    [
        (ElementRole.CHECKBOX, (), (ElementState.CHECKED,), Answer.YES),
        (ElementRole.CHECKBOX, (ElementState.CHECKED,), (), Answer.YES),
        (ElementRole.RADIO, (), (ElementState.CHECKED,), Answer.YES),
        (ElementRole.RADIO, (ElementState.CHECKED,), (), Answer.CANNOT_TELL),
        (ElementRole.TAB, (), (ElementState.CHECKED,), Answer.YES),
        (ElementRole.TAB, (), (), Answer.CANNOT_TELL),
        (ElementRole.FIELD, (), (ElementState.FOCUSED,), Answer.YES),
    ],
)
def test_a_box_ticked_a_tab_chosen_and_a_field_entered_are_effects(role, was, is_now, answer):
    before = replace(screen("Options"), elements=(control(role, *was),))
    now = replace(screen("Options", "x"), elements=(control(role, *is_now),))
    assert after(edge(), before, now, acted_at=Box(40, 90, 20, 20)).answer is answer


def test_another_box_ticked_is_no_effect():
    place = Box(40, 190, 20, 20)
    before = replace(
        screen("Options"), elements=(control(ElementRole.CHECKBOX), control(ElementRole.CHECKBOX, box=place))
    )
    ticked = control(ElementRole.CHECKBOX, ElementState.CHECKED, box=place)
    now = replace(screen("Options", "x"), elements=(control(ElementRole.CHECKBOX), ticked))
    assert after(edge(), before, now, acted_at=Box(40, 90, 20, 20)).answer is Answer.CANNOT_TELL


def test_a_menu_that_opened_at_the_place_is_an_effect_and_one_elsewhere_is_not():
    def opened(x: int) -> ScreenState:
        canvas = Canvas(800, 500)
        canvas.text("Actions", 40, 40)
        boxes = [canvas.text(text, x, 70 + 24 * i) for i, text in enumerate(("Copy", "Archive", "Merge"))]
        items = tuple(Element(box=b.grown(6, Size(800, 500)), role=ElementRole.MENU_ITEM) for b in boxes)
        return canvas.state(window=Window(title="Editor"), elements=items)

    plain = Canvas(800, 500)
    at_place = plain.text("Actions", 40, 40)
    before = plain.state(window=Window(title="Editor"))
    assert after(edge(), before, opened(44), acted_at=at_place).message == "a menu opened there"
    assert after(edge(), before, opened(500), acted_at=at_place).answer is Answer.CANNOT_TELL


# Typed text ---------------------------------------------------------------------------------------------------------


def field_with(text: str, *, width: int = 300, dots: int = 0) -> ScreenState:
    canvas = Canvas(800, 300)
    canvas.text("Value", 40, 20)
    box = canvas.field(Box(40, 60, width, 30), text)
    for i in range(dots):
        canvas.draw.ellipse((50 + 9 * i, 72, 55 + 9 * i, 77), fill=(0, 0, 0))
    return canvas.state(window=Window(title="Editor"), elements=(Element(box=box, role=ElementRole.FIELD),))


@pytest.mark.parametrize(
    ("typed", "shown", "answer"),
    [
        ("21/11/2026", "21 Nov 2026", Answer.YES),
        ("21/11/2026", "21 novembre 2026", Answer.YES),
        ("21/11/2026", "2026-11-21", Answer.YES),
        ("21/11/2026", "November 21, 2026", Answer.YES),
        ("21/11/2026", "22 Nov 2026", Answer.CANNOT_TELL),
        ("21/11/2026", "21 Dec 2026", Answer.CANNOT_TELL),
        ("05/11/2026", "05.11.26", Answer.YES),
        ("05/11/2026", "11/05/2026", Answer.CANNOT_TELL),
        ("05/11/2026", "May 11, 2026", Answer.CANNOT_TELL),
        ("1250", "1\u202f250,00", Answer.YES),
        ("1250", "$1,250.00", Answer.YES),
        ("1250", "12 500", Answer.CANNOT_TELL),
        ("1250", "125", Answer.CANNOT_TELL),
        ("1234.5", "1,234.50", Answer.YES),
        ("0612345678", "06 12 34 56 78", Answer.YES),
        ("0612345678", "06.12.34.56.78", Answer.YES),
        ("0612345678", "06 12 34 56 79", Answer.CANNOT_TELL),
        ("Marie", "MARIE", Answer.YES),
        ("Marie Dupont", "Marie", Answer.CANNOT_TELL),
        ("Eleanor Nightingale", "Eleqnor Nightingale", Answer.CANNOT_TELL),  # another layout of the keyboard
        ("7", "7", Answer.YES),
        ("7", "8", Answer.CANNOT_TELL),
    ],
)
def test_typed_text_counts_as_its_field_writes_it_and_nothing_else_does(typed, shown, answer):
    assert after(edge(source="a", destination="a"), field_with(""), field_with(shown), typed=typed).answer is answer


@pytest.mark.parametrize("expect", [ExpectSpec(), ExpectSpec(texts=("{{name}}",))])
@pytest.mark.parametrize(
    ("typed", "was", "shown", "answer"),
    [
        ("McDonald", "", "McDonald", Answer.YES),
        ("McDonald", "", "mcdonald", Answer.CANNOT_TELL),
        ("McDonald", "", "mCdONALD", Answer.CANNOT_TELL),  # a lock that is on
        ("McDonald", "", "MCDONALD", Answer.YES),  # its field writes capitals
        ("macdonald", "", "MACDONALD", Answer.CANNOT_TELL),
        ("aB7x", "", "AB7X", Answer.CANNOT_TELL),
        ("Lefèvre", "", "Lefèvre", Answer.YES),
        ("Lefèvre", "", "Lefevre", Answer.CANNOT_TELL),
        ("garçon", "", "garcon", Answer.CANNOT_TELL),
        ("L’Hôte", "", "L'Hôte", Answer.YES),  # no reader tells them apart
        ("Alain", "", "AIain", Answer.YES),
        ("Lee", "", "Lee Wong", Answer.CANNOT_TELL),  # completed
        ("Lee", "", "Leeds", Answer.CANNOT_TELL),
        ("Wong", "Lee ", "Lee Wong", Answer.YES),  # what stood there was not to go
        ("400", "mg", "400 mg", Answer.YES),
        ("170", "mg/dl", "170 mg/dl", Answer.YES),
        ("Dupont", "", "Dupont I", Answer.YES),  # the caret, read as a letter
        ("Ward 1", "", "Ward 10", Answer.CANNOT_TELL),
        ("Lee", "", "Lee W", Answer.CANNOT_TELL),  # an initial is another person's
    ],
)  # fmt: skip
def test_what_was_typed_stands_there_to_the_letter(typed, was, shown, answer, expect):
    """S9.8: "mcdonald" and "Lee Wong" are other people."""
    before, now = field_with(was), field_with(shown)
    values = {"name": typed}
    step = replace(edge(source="a", destination="a", expect=expect), action_type="type_text")
    said = after(step, before, now, typed=typed, acted_at=before.elements[0].box, variables=values)
    assert said.answer is answer, said


@pytest.mark.parametrize(("typed", "shown"), [("12.5", "12.50"), ("5/12/2026", "05/12/2026"), ("1250", "1 250,00")])
def test_a_number_or_a_date_that_its_field_writes_otherwise_is_no_other_text(typed: str, shown: str) -> None:
    before, now = field_with(""), field_with(shown)
    step = replace(edge(source="a", destination="a"), action_type="type_text")
    said = after(step, before, now, typed=typed, acted_at=before.elements[0].box)
    assert said.answer is Answer.YES, said


@pytest.mark.parametrize("expect", [ExpectSpec(), ExpectSpec(texts=("{{name}}",))])
@pytest.mark.parametrize("shown", ["Paul Marie", "Marie Paul", "PaulMarie"])
def test_a_field_that_was_not_emptied_is_not_the_value_alone(shown: str, expect: ExpectSpec) -> None:
    before, now = field_with("Paul"), field_with(shown)
    entry = replace(edge(destination="a", expect=expect), action_type="type_text")
    got = verify_after(
        entry, before=before, after=now, recognition=at("a"), typed="Marie", cleared=True,
        variables={"name": "Marie"}, acted_at=before.elements[0].box,
    )  # fmt: skip
    assert got.answer is Answer.CANNOT_TELL, got


def test_what_stands_where_it_was_typed_on_the_next_screen_is_no_more_of_it() -> None:
    """A search that was sent with Enter has led to a list: its first row stands where the field was."""
    canvas = Canvas(800, 300)
    for row, text in enumerate(("DUPONT Marie, 3/4/1980", "DUPONT Paul, 1/2/1971", "Results", "Back to the search")):
        canvas.text(text, 46, 64 + 50 * row)
    before, box = field_with(""), Box(40, 60, 300, 30)
    found = canvas.state(window=Window(title="Editor"), elements=(Element(box=box, role=ElementRole.BUTTON),))
    step = replace(edge(), action_type="type_text")
    said = after(step, before, found, at("b"), typed="Dupont", acted_at=box)
    assert said.answer is Answer.YES, said


def test_what_completes_a_text_is_more_than_it_though_it_stood_there_before():
    before, now = field_with("Lee Wong"), field_with("Lee Wong")
    entry = replace(edge(destination="a"), action_type="type_text")
    got = verify_after(
        entry, before=before, after=now, recognition=at("a"), typed="Lee", cleared=True, variables={},
        acted_at=before.elements[0].box,
    )  # fmt: skip
    assert got.answer is Answer.CANNOT_TELL


@pytest.mark.parametrize("expect", [ExpectSpec(), ExpectSpec(texts=("{{phone}}",))])
def test_what_was_typed_elsewhere_than_in_its_field_is_a_no(expect):
    """S5.2: the focus was stolen; the text can be read, and in another field, or in a list."""
    places = {"remark": Box(40, 60, 300, 30), "phone": Box(40, 120, 300, 30)}

    def form(**texts: str) -> ScreenState:
        canvas = Canvas(800, 300)
        fields = [canvas.field(box, texts.get(name, "")) for name, box in places.items()]
        if listed := texts.get("list"):
            canvas.text(listed, 500, 200)
        elements = tuple(Element(box=box, role=ElementRole.FIELD) for box in fields)
        return canvas.state(window=Window(title="Editor"), elements=elements)

    step, typed = edge(source="a", destination="a", expect=expect), "0612345678"
    for texts, answer in (({"phone": typed}, Answer.YES), ({"remark": typed}, Answer.NO), ({"list": typed}, Answer.NO)):
        said = after(step, form(), form(**texts), typed=typed, acted_at=places["phone"], variables={"phone": typed})
        assert said.answer is answer, texts
    unseen = after(step, form(), form(phone="06123"), typed=typed, acted_at=places["phone"], variables={"phone": typed})
    assert unseen.answer is Answer.CANNOT_TELL


def test_of_a_text_that_is_cut_by_its_field_the_end_counts_and_the_beginning_does_not():
    long = "the quick brown fox jumps over the lazy dog"
    step = edge(source="a", destination="a")
    assert after(step, field_with("", width=96), field_with("the lazy dog", width=96), typed=long).answer is Answer.YES
    for shown, width in (("the quick brown", 110), ("the lazy dog", 300)):
        result = after(step, field_with("", width=width), field_with(shown, width=width), typed=long)
        assert result.answer is Answer.CANNOT_TELL


def test_a_masked_text_is_as_many_dots_as_it_has_letters():
    step = edge(source="a", destination="a")
    assert after(step, field_with(""), field_with("", dots=8), typed="s3cret!!").answer is Answer.YES
    assert after(step, field_with(""), field_with("", dots=5), typed="s3cret!!").answer is Answer.CANNOT_TELL
    assert after(step, field_with("", dots=8), field_with("", dots=8), typed="s3cret!!").answer is Answer.NO


# Before the action ----------------------------------------------------------------------------------------------------


def test_before_the_action_what_is_declared_must_be_there():
    step = replace(edge(), before=ExpectSpec(texts=("Confirm",), gone=("Locked",), window_title="* - Editor"))
    good = screen("Confirm", title="a - Editor")
    assert verify_before(step, good, recognition=at("a")).answer is Answer.YES
    missing = verify_before(step, screen("Other", title="a - Editor"), recognition=at("a"))
    assert (missing.answer, missing.message) == (Answer.NO, "'Confirm' is not seen")
    locked = verify_before(step, screen("Confirm", "Locked", title="a - Editor"), recognition=at("a"))
    assert (locked.answer, locked.message) == (Answer.NO, "'Locked' is seen but should not be there")
    assert verify_before(step, screen("Confirm", title="b"), recognition=at("a")).answer is Answer.NO
    unread = screen("Confirm", title="a - Editor", unread=True)
    assert verify_before(step, unread, recognition=at("a")).answer is Answer.CANNOT_TELL


def test_before_the_action_it_must_be_the_right_record():
    """S9.6: another patient's is no, an unseen label cannot be told, whatever the screen is."""
    step = replace(edge(), identity=(IdentitySpec(value="{{patient}}", label="Patient"),))
    who = {"patient": "Marie Dupont"}
    right = verify_before(step, screen("Patient: Dupont Marie"), recognition=at("a"), variables=who)
    assert right.answer is Answer.YES
    other = verify_before(step, screen("Patient: Dupond Marie"), recognition=at("a"), variables=who)
    assert (other.answer, other.message) == (Answer.NO, "another value than {{patient}} stands at 'Patient'")
    assert verify_before(step, screen("Menu"), recognition=at("a"), variables=who).answer is Answer.CANNOT_TELL
    assert (
        verify_before(step, screen("Patient: Dupont Marie"), recognition=NOWHERE, variables=who).answer
        is not Answer.YES
    )


def test_no_message_quotes_what_was_put_in_for_a_variable():
    """S10.3: names of people are no part of a log."""
    step = edge(expect=ExpectSpec(texts=("Saved for {{patient}}",), window_title="{{patient}} - Clinic"))
    for now in (
        screen("Saved for Marie Dupont", title="Marie Dupont - Clinic"),
        screen("Marie Dupond", title="Dupont"),
    ):
        result = after(step, screen(), now, variables={"patient": "Marie Dupont"})
        assert "Dupon" not in result.message + "".join(r.note for r in result.evidence)


# Doubt, and what the program says ----------------------------------------------------------------------------------

DOUBTS = [
    "The request timed out.",
    "We do not know whether your record was saved",
    "Result unknown",
    "Connection lost",
    "The server did not respond",
    "Your changes may not have been saved",
    "Your order may already have been placed",
    "We could not confirm your booking",
    "504 Gateway Time-out",
    "Délai d'attente dépassé",
    "Le délai de réponse a expiré",
    "Résultat inconnu",
    "Impossible de confirmer l'enregistrement",
    "Nous ne savons pas si la fiche a été enregistrée",
    "Votre demande a peut-être été enregistrée",
    "Le serveur ne répond pas",
]
NO_DOUBTS = [
    "Session timeout: 30 min",
    "Time-out (s)",
    "État : inconnu",
    "Please check your entries",
    "Délai : 3 jours",
    "Êtes-vous sûr ?",
    "Check in",
    "Saved",
    "Enregistré",
]


@pytest.mark.parametrize("text", DOUBTS)
@pytest.mark.parametrize("declares", [True, False])
def test_a_text_of_doubt_is_cannot_tell_whatever_else_is_seen(text: str, declares: bool) -> None:
    """S9.3: never a no, never a yes; it is told as it stands there."""
    step = edge(expect=SAVED) if declares else edge()
    for now in (screen("Editor", text), screen("Editor", "Saved", text)):
        result = after(step, screen("Editor"), now, at("b"))
        assert (result.answer, result.said) == (Answer.CANNOT_TELL, text)


def test_a_doubt_is_told_by_the_words_that_say_so() -> None:
    notes = [worded(one.note) for one in after(edge(), screen(), screen("Result unknown, call us")).evidence]
    assert "a text came that says it is not known: 'result unknown'" in notes


@pytest.mark.parametrize("text", NO_DOUBTS)
def test_a_label_or_a_value_is_no_doubt(text: str) -> None:
    """S9.3"""
    assert not doubt_word(text)


def test_a_message_is_told_without_what_was_typed_and_a_complaint_with_all_its_words() -> None:
    """S9.3, S10.3"""
    form, told = screen("Form"), screen("Form", "The field Date of birth is required")
    for step in (edge(expect=SAVED), edge()):
        assert after(step, form, told).said == "The field Date of birth is required"
        notes = [worded(reason.note) for reason in after(step, form, told).evidence]
        assert "the form says “The field Date of birth is required”" in notes
    result = after(edge(expect=SAVED), form, screen("Form", "Dupont could not be saved"), variables={"who": "Dupont"})
    assert "Dupont" not in result.said


@pytest.mark.parametrize(("lines", "said"), [(15, "Access denied"), (16, "")])
def test_a_page_full_of_new_lines_is_no_message(lines: int, said: str) -> None:
    """S9.3: one word of another page speaks of an error."""
    canvas = Canvas(800, 500)
    for row in range(lines - 1):
        canvas.text(f"Entry number {row}", 40, 30 + 28 * row)
    canvas.text("Access denied", 400, 30)
    assert after(edge(expect=SAVED), screen(), canvas.state(window=Window(title="Editor"))).said == said


def test_nothing_at_all_is_no_proof_that_a_button_did_nothing() -> None:
    """S9.3: a program that saves without a word looks like one that did nothing; a field shows it at once."""
    for role, answer in ((ElementRole.BUTTON, False), (ElementRole.FIELD, True), (ElementRole.CHECKBOX, False)):
        box = Box(40, 200, 120, 40)
        state = replace(screen("Form"), elements=(Element(box=box, role=role),))
        result = after(edge(expect=SAVED), state, state, at("a"), acted_at=box)
        assert (result.answer, result.untouched) == (Answer.NO, answer)
        for one, other in ((replace(state, text_method=""), state), (state, replace(state, text_method=""))):
            assert not after(edge(expect=SAVED), one, other, at("a"), acted_at=box).untouched
        came = screen("Form", "Something new")
        assert not after(edge(expect=SAVED), state, state, at("a"), acted_at=box, between=(came,)).untouched


@pytest.mark.parametrize(
    ("typed", "was", "is_now", "answer"),
    [
        ("Byron", "", "Byron", Answer.YES),
        ("Byron", "Byron", "Byron", Answer.YES),
        ("Byron", "Ada", "Byron", Answer.YES),
        ("Byron", "Ada", "AdaByron", Answer.CANNOT_TELL),
        ("Byron", "Ada", "Byron Ada", Answer.CANNOT_TELL),
        ("Byron", "Ada", "Byrom", Answer.CANNOT_TELL),
        ("", "Ada", "", Answer.YES),
        ("", "Ada", "Name", Answer.CANNOT_TELL),
    ],
)
def test_a_field_that_was_emptied_first_holds_the_text_alone(typed: str, was: str, is_now: str, answer: Answer) -> None:
    """S6.12: it is enough that it is so, whatever stood there before."""
    before, now = field_with(was), field_with(is_now)
    box = before.elements[0].box
    entry = replace(edge(destination="a"), action_type="type_text")
    got = verify_after(
        entry, before=before, after=now, recognition=at("a"), typed=typed, cleared=True, variables={}, acted_at=box
    )
    assert got.answer is answer, got
