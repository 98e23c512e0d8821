"""What a teacher would say of a step becomes the answer that the teach page asks for (S6.11)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from benchmarks.foreign.lesson import Demonstration, Hints, Told, answer_of, target_of
from benchmarks.foreign.miniwob import hints
from execution.lesson.screens import Known
from execution.lesson.understanding import understand
from execution.types import Box, Element, ElementRole, Point, ScreenState
from tests.execution.perception.drawing import Canvas, Pictures
from workflows.graph import TargetSpec

NAMES = ("Anna Rossi", "Bernard Petit", "Carla Mendes")


def listed() -> tuple[ScreenState, dict[str, Box]]:
    """Names with the same icon beside each."""
    canvas, boxes = Canvas(500, 300), dict[str, Box]()
    for number, name in enumerate(NAMES):
        canvas.text(name, 40, 60 + 50 * number)
        boxes[name] = canvas.icon(300, 56 + 50 * number, seed=7)
    elements = [Element(role=ElementRole.ICON, box=box) for box in boxes.values()]
    return canvas.state(elements=elements), boxes


def buttons(*captions: str) -> tuple[ScreenState, dict[str, Box]]:
    canvas = Canvas(500, 300)
    canvas.text("Choose one", 40, 20)
    boxes = {text: canvas.button(text, Box(40 + 120 * n, 80, 90, 30)) for n, text in enumerate(captions)}
    elements = [Element(role=ElementRole.BUTTON, box=box, text=text) for text, box in boxes.items()]
    return canvas.state(elements=elements), boxes


def answered(
    said: Hints, of: str = NAMES[1], values: dict[str, str] | None = None
) -> tuple[tuple[str, ...], bool, str]:
    state, boxes = listed()
    found = understand(state, boxes[of].center, known=Known(values=values or {}))
    answer, variable = answer_of(found, said)
    return (answer.row, answer.number, variable) if answer else ((), False, variable)


def kept(shown: Sequence[Demonstration], store: Pictures) -> TargetSpec:
    target = target_of(shown, store)
    assert isinstance(target, TargetSpec)
    return target


@pytest.mark.parametrize(
    ("said", "told", "variables"),
    [
        ({"template": "Submit"}, Told.CONSTANT, set()),
        ({"template": "Tab #{n}"}, Told.VARIABLE, {"n"}),
        ({"beside": {"text": "Date:", "template": "Date:"}}, Told.ROW, set()),
        ({"beside": {"text": "Anna", "template": "{by}"}}, Told.ROW, {"by"}),
        ({"template": "{name}", "nth": "{row}"}, Told.VARIABLE, {"name", "row"}),
        ({"nth": "{row}"}, Told.NUMBER, {"row"}),
        ({}, Told.NOTHING, set()),
    ],
)
def test_what_is_told_of_a_step(said: dict[str, Any], told: Told, variables: set[str]) -> None:
    found = hints({"template": None, "beside": None, "nth": None, **said})
    assert (found.told, found.variables) == (told, variables)


def test_a_text_beside_it_is_the_answer_by_its_row() -> None:
    assert answered(Hints(beside=NAMES[1], beside_reads=NAMES[1])) == ((NAMES[1],), False, "")


def test_a_variable_beside_it_stands_in_the_row_whether_its_value_is_known_or_not() -> None:
    said = Hints(beside=NAMES[1], beside_reads="{by}")
    assert answered(said) == (("{{by}}",), False, "")
    assert answered(said, values={"by": NAMES[1]}) == (("{{by}}",), False, "")


def test_a_colon_is_no_part_of_what_stands_beside_it() -> None:
    assert answered(Hints(beside=f"{NAMES[1]}:", beside_reads=f"{NAMES[1]}:")) == ((NAMES[1],), False, "")


def test_a_number_is_the_answer_that_counts_by_its_variable() -> None:
    assert answered(Hints(number="{nth}")) == ((), True, "nth")
    assert answered(Hints(beside="Nobody", beside_reads="Nobody", number="{nth}")) == ((), True, "nth")


def test_without_a_hint_nothing_is_answered() -> None:
    assert answered(Hints()) == ((), False, "")
    assert answered(Hints(beside="Nobody", beside_reads="Nobody")) == ((), False, "")


def test_what_differs_between_demonstrations_is_the_variable_that_was_told() -> None:
    shown, store = [], Pictures()
    for text in ("Cancel", "Agree"):
        state, boxes = buttons("Later", text)
        said = Hints(reads="{label}")
        shown.append(Demonstration(state=state, click=boxes[text].center, hints=said, values={"label": text, "n": "1"}))
    assert kept(shown, store).text == "{{label}}"


def test_of_demonstrations_of_two_things_the_first_counts_and_the_other_is_a_further_look() -> None:
    state, boxes = buttons("Cancel", "Agree")
    shown = [Demonstration(state=state, click=boxes[text].center) for text in ("Cancel", "Agree", "Cancel", "Agree")]
    target = kept(shown, Pictures())
    assert (target.text, target.demonstrations) == ("Cancel", 2)
    assert [(look.text, look.demonstrations) for look in target.also] == [("Agree", 2)]


def test_what_was_never_shown_is_no_target() -> None:
    assert "not shown" in str(target_of([], Pictures()))


def test_a_drawn_box_is_what_is_taught() -> None:
    canvas = Canvas(500, 300)
    canvas.text("Total", 40, 80)
    drawn = canvas.icon(200, 76, seed=3)
    shown = Demonstration(state=canvas.state(), click=Point(202, 78), box=drawn)
    size = canvas.state().frame.size
    assert kept([shown], Pictures()).box == pytest.approx(drawn.normalised(size))
