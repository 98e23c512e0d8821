"""S9.6: whose record is on the screen. Yes is never said of another, of more, or of half."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.types import Answer, Box, Element, ElementRole, TextLine, Window
from execution.verification.identity import check, cut_off
from execution.verification.reading import ScreenReading
from tests.execution.perception.drawing import Canvas
from workflows.graph import IdentitySpec

YES, NO, CANNOT = Answer.YES, Answer.NO, Answer.CANNOT_TELL
WHO = {"patient": "DUPONT Marie"}
AT_PATIENT = IdentitySpec(value="{{patient}}", label="Patient")
ANYWHERE = IdentitySpec(value="{{patient}}")


def asked(*texts: tuple[str, int, int], spec: IdentitySpec = AT_PATIENT, variables=WHO, **more):
    canvas = Canvas(900, 600)
    for text, x, y in texts:
        canvas.text(text, x, y)
    state = replace(canvas.state(), **more)
    return check(spec, ScreenReading(state), variables)


@pytest.mark.parametrize(
    "texts",
    [
        (("Patient: DUPONT Marie", 40, 40),),
        (("Patient :", 40, 40), ("DUPONT Marie", 200, 40)),
        (("Patient", 40, 40), ("DUPONT Marie", 40, 62)),
        (("Patient:", 40, 40), ("DUPONT", 200, 40), ("Marie", 260, 40)),
        (("Patient: Marie DUPONT", 40, 40),),
        (("Patient: Mme Dupont Marie", 40, 40),),
        (("Patient : DUPONT Marie (née MARTIN)", 40, 40),),
        (("Patient : DUPONT Marie 12/03/1956 F", 40, 40),),
        (("Patient: DUPONT, Marie", 40, 40),),
    ],
)
def test_the_value_may_stand_in_the_line_of_its_label_right_of_it_or_below_it(texts):
    fact = asked(*texts)
    assert (fact.answer, fact.note) == (YES, "{{patient}} stands at 'Patient'")


@pytest.mark.parametrize(
    "shown",
    ["DUPOND Marie", "DUPONT Marie-Claire", "DUPONT-MARTIN Marie", "DUPONT Marc", "DUPONT", "Marie", "MARTIN Paul"],
)
def test_another_name_a_longer_one_or_a_part_of_it_is_no(shown):
    for texts in ((("Patient: " + shown, 40, 40),), (("Patient:", 40, 40), (shown, 200, 40))):
        assert asked(*texts).answer is NO


def test_another_digit_is_another_record():
    number = {"patient": "10452"}
    assert asked(("Patient: 10452", 40, 40), variables=number).answer is YES
    assert asked(("Patient: 1O452", 40, 40), variables=number).answer is CANNOT  # O for 0: the reader's, or another
    for shown in ("10453", "104520", "1045", "010452"):
        assert asked((f"Patient: {shown}", 40, 40), variables=number).answer is NO


def test_without_its_label_nothing_can_be_told():
    fact = asked(("Name", 40, 40), ("DUPONT Marie", 200, 40))
    assert (fact.answer, fact.note) == (CANNOT, "'Patient' is not seen with anything at it")


def test_of_two_patients_on_the_screen_the_one_at_the_label_counts():
    """The value in a list and another at the label: no; the other way round: yes."""
    rows = [("Patient", 40, 200), ("Born", 300, 200), ("Ward", 500, 200)]
    rows += [("MARTIN Paul", 40, 230), ("DUPONT Marie", 40, 260), ("PETIT Jean", 40, 290)]
    assert asked(("Patient: MARTIN Paul", 40, 40), *rows).answer is NO
    assert asked(("Patient: DUPONT Marie", 40, 40), *rows).answer is YES


def test_the_head_of_a_list_is_no_label_of_its_first_row():
    rows = [("Patient", 40, 200), ("Born", 300, 200), ("Ward", 500, 200)]
    rows += [("DUPONT Marie", 40, 230), ("MARTIN Paul", 40, 260), ("PETIT Jean", 40, 290)]
    assert asked(*rows).answer is CANNOT


def test_two_labels_with_two_values_cannot_be_told():
    assert asked(("Patient: DUPONT Marie", 40, 40), ("Patient: MARTIN Paul", 40, 200)).answer is CANNOT


def test_half_a_text_is_no_yes():
    """Cut by an ellipsis, by its field, by the edge of the window, or hardly read."""
    assert asked(("Patient: DUPONT Marie...", 40, 40)).answer is CANNOT
    assert asked(("Patient: DUPONT Mar…", 40, 40)).answer is CANNOT
    full = Element(box=Box(195, 34, 93, 26), role=ElementRole.FIELD)
    roomy = Element(box=Box(195, 34, 300, 26), role=ElementRole.FIELD)
    texts = (("Patient:", 40, 40), ("DUPONT Marie", 200, 40))
    assert asked(*texts, elements=(full,)).answer is CANNOT
    assert asked(*texts, elements=(roomy,)).answer is YES
    window = Window(title="Record", box=Box(0, 0, 289, 600))
    assert asked(*texts, window=window).answer is CANNOT
    unsure = TextLine(text="Patient: DUPONT Marie", box=Box(40, 40, 150, 14), confidence=0.4)
    assert asked(texts=(unsure,)).answer is CANNOT


def test_only_the_focused_window_counts():
    window = Window(title="Record", box=Box(0, 100, 900, 500))
    fact = asked(("Patient: DUPONT Marie", 40, 40), ("Patient: MARTIN Paul", 40, 200), window=window)
    assert fact.answer is NO


def test_without_a_label_the_value_stands_in_a_line_as_a_whole():
    assert asked(("DUPONT Marie", 40, 40), ("MARTIN Paul", 40, 90), spec=ANYWHERE).answer is YES
    assert asked(("DUPONT Marie-Claire", 40, 40), spec=ANYWHERE).answer is NO
    assert asked(("MARTIN Paul", 40, 40), spec=ANYWHERE).answer is NO
    line = "DUPONT Marie – IPP 8812 – née le 3/4/71"
    assert asked((line, 40, 40), spec=ANYWHERE).answer is YES
    assert asked((line, 40, 40), spec=ANYWHERE, variables={"patient": "8812"}).answer is YES
    assert asked((line, 40, 40), spec=ANYWHERE, variables={"patient": "812"}).answer is NO


def test_a_text_that_the_reader_split_is_one_text():
    """A piece that stands as near as words do belongs to it: "DUPONT Marie Louise" is somebody else."""
    pieces = (TextLine(text="DUPONT Marie", box=Box(40, 40, 90, 14)), TextLine(text="Louise", box=Box(134, 40, 40, 14)))
    assert asked(spec=ANYWHERE, texts=pieces).answer is NO
    assert asked(spec=ANYWHERE, texts=pieces[:1]).answer is YES


@pytest.mark.parametrize(
    ("label", "value"), [("Patient", "DUPONT Marie"), ("IPP", "8812"), ("née le", "3/4/71"), ("Nom", "DUPONT Marie")]
)
def test_a_label_may_stand_within_the_line(label, value):
    line = "Dossier : 17 – Patient : DUPONT Marie – IPP 8812, née le : 3/4/71 | Nom : DUPONT Marie"
    asks = IdentitySpec(value="{{patient}}", label=label)
    assert asked((line, 40, 40), spec=asks, variables={"patient": value}).answer is YES
    for other in ("MARTIN Paul", "812", "3/4/72"):
        assert asked((line, 40, 40), spec=asks, variables={"patient": other}).answer is NO


def test_a_longer_label_is_another_label():
    assert asked(("Patient list: DUPONT Marie", 40, 40)).answer is CANNOT
    assert asked(("Patients", 40, 40), ("DUPONT Marie", 40, 62)).answer is CANNOT


def test_what_cannot_be_asked_cannot_be_told():
    assert asked(("Patient: DUPONT Marie", 40, 40), variables={}).answer is CANNOT
    assert asked(("Patient: DUPONT Marie", 40, 40), variables={"patient": " "}).answer is CANNOT
    assert asked(("Patient: DUPONT Marie", 40, 40), text_method="").answer is CANNOT
    assert asked().answer is CANNOT


def test_no_note_names_anybody():
    """S10.3: notes go to logs."""
    for shown in ("DUPONT Marie", "MARTIN Paul", "DUPONT Mar…"):
        fact = asked((f"Patient: {shown}", 40, 40))
        assert "DUPONT" not in fact.note
        assert "MARTIN" not in fact.note


def test_a_word_within_a_text_is_no_label_and_one_behind_it_is():
    assert asked(("The Patient | Patient: DUPONT Marie", 40, 40)).answer is YES


def test_what_stands_below_may_begin_a_little_left_of_its_label():
    assert asked(("Patient", 46, 40), ("DUPONT Marie", 40, 62)).answer is YES


@pytest.mark.parametrize(("right", "cut"), [(898, True), (897, False)])
def test_a_text_that_goes_to_the_edge_of_the_screen_may_be_cut_off(right: int, cut: bool):
    line = TextLine(text="DUPONT Marie", box=Box(right - 80, 40, 80, 16))
    assert cut_off((line,), ScreenReading(Canvas(900, 600).state())) is cut


@pytest.mark.parametrize("beside", [("A", ""), ("", "B")])
def test_a_name_beside_which_a_letter_may_stand_is_not_surely_it(beside):
    """Of "A DUPONT Marie" the reader took the letter for a picture; another patient may be meant."""
    canvas = Canvas(900, 600)
    canvas.text("Patient:", 40, 40)
    canvas.text("DUPONT Marie", 200, 40)
    state = canvas.state()
    state = replace(state, texts=(state.texts[0], replace(state.texts[1], beside=beside)))
    assert check(AT_PATIENT, ScreenReading(state), WHO).answer is CANNOT


@pytest.mark.parametrize(("right", "cut"), [(295, True), (294, False)])
def test_a_text_that_goes_to_the_edge_of_its_field_may_be_cut_off(right: int, cut: bool):
    """A third of its height is left free by a field that shows all of it."""
    line = TextLine(text="DUPONT Marie", box=Box(right - 80, 40, 80, 16))
    field = Element(box=Box(195, 36, 105, 24), role=ElementRole.FIELD)
    assert cut_off((line,), ScreenReading(Canvas(900, 600).state(elements=(field,)))) is cut


@pytest.mark.parametrize(("gap", "answer"), [(400, YES), (401, CANNOT)])
def test_what_stands_too_far_right_of_a_label_is_not_at_it(gap: int, answer: Answer):
    label = TextLine(text="Patient:", box=Box(40, 40, 60, 16))
    value = TextLine(text="DUPONT Marie", box=Box(100 + gap, 40, 90, 16))
    assert asked(texts=(label, value)).answer is answer
