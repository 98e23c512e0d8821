"""What a click is meant for. S6.11: the thing there, the words of a run's value, or what stands beside a label."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.lesson.screens import Known
from execution.lesson.understanding import ALWAYS, RUNS_VALUE, opened, taught, understand
from execution.types import Box, Element, ElementRole, Point, ScreenState
from tests.execution.perception.drawing import LIGHT, Canvas, Pictures

PATIENT = "Marie Durand"


def page(*texts: tuple[str, int, int]) -> tuple[ScreenState, dict[str, Box]]:
    canvas = Canvas(900, 500, background=LIGHT)
    boxes = {text: canvas.text(text, x, y) for text, x, y in texts}
    return canvas.state(), boxes


def test_a_click_on_a_value_in_a_line_takes_the_words_of_it_alone() -> None:
    sentence = f"Record of {PATIENT} in ward 4"
    state, boxes = page((sentence, 60, 80), ("Discharge", 60, 160))
    middle = boxes[sentence].center
    found = understand(state, middle, known=Known(values={"patient": PATIENT}))
    assert found.says == "{{patient}}"
    assert found.box.w < 0.6 * boxes[sentence].w
    assert found.box.contains(middle)


def test_a_click_elsewhere_in_the_line_is_none_on_the_value() -> None:
    sentence = f"Record of {PATIENT} in ward 4"
    state, boxes = page((sentence, 60, 80))
    at = Point(boxes[sentence].x + 8, boxes[sentence].center.y)
    assert understand(state, at, known=Known(values={"patient": PATIENT})).box.w > 0.9 * boxes[sentence].w


@pytest.mark.parametrize(("value", "is_taken"), [("4", True), ("5", False)])
def test_a_short_value_is_taken_where_it_is_clicked_itself(value: str, is_taken: bool) -> None:
    state, boxes = page(("Ward 4 of 7", 60, 80))
    line = boxes["Ward 4 of 7"]
    found = understand(state, Point(line.x + round(0.52 * line.w), line.center.y), known=Known(values={"ward": value}))
    assert (found.says == "{{ward}}") is is_taken


def test_a_click_right_behind_a_text_is_meant_for_it() -> None:
    state, boxes = page(("Open record", 60, 80), ("Discharge", 60, 160))
    line = boxes["Open record"]
    assert understand(state, Point(line.right + 8, line.center.y), known=Known()).text == "Open record"


def test_an_arrow_behind_a_page_number_is_a_thing_of_its_own() -> None:
    state, boxes = page(("12 >", 60, 80))
    at = Point(boxes["12 >"].right - 3, boxes["12 >"].center.y)
    assert understand(state, at, known=Known()).box.w < 0.6 * boxes["12 >"].w


def phone_book() -> tuple[ScreenState, Box]:
    state, boxes = page(("Born:", 60, 80), ("12/03/1950", 200, 80), ("Admitted:", 60, 120), ("28/11/2026", 200, 120))
    return state, boxes["12/03/1950"]


def test_data_beside_a_label_may_be_said_to_be_what_stands_beside_it() -> None:
    state, value = phone_book()
    found = understand(state, value.center, known=Known())
    codes = [answer.code for answer in found.answers]
    assert codes[:2] == [RUNS_VALUE, ALWAYS]
    assert "label:Born:" in codes
    answer = next(one for one in found.answers if one.code == "label:Born:")
    target = taught(found, state, store=Pictures(), known=Known(), answer=answer)
    assert target.row == ("Born:",)
    assert (target.text, target.picture) == ("", "")


def test_what_stands_beside_a_label_is_found_whatever_it_says() -> None:
    from execution.targeting.resolver import TargetResolver

    state, value = phone_book()
    store, found = Pictures(), understand(state, value.center, known=Known())
    answer = next(one for one in found.answers if one.code == "label:Born:")
    target = taught(found, state, store=store, known=Known(), answer=answer)
    now, boxes = page(("Born:", 60, 80), ("01/01/1999", 200, 80), ("Admitted:", 60, 120), ("12/03/1950", 200, 120))
    there = TargetResolver(pictures=store).resolve(target, replace(now), variables={})
    assert there.point is not None, there.message
    assert boxes["01/01/1999"].contains(there.point), there.message


@pytest.mark.parametrize(("second", "is_found"), [("NGUYEN Paul", True), ("MARTIN Paul", False)])
def test_a_name_that_stands_in_two_rows_is_a_rival_of_itself(second: str, is_found: bool) -> None:
    """S9.6: what tells the row is no rival in it, but where another row is told by the same."""
    from execution.targeting.resolver import TargetResolver

    store, known = Pictures(), Known(values={"patient": "MARTIN Paul"})
    lesson, boxes = page(("MARTIN Paul", 60, 80), ("Open", 400, 80), ("DIALLO Ines", 60, 120), ("Open ", 400, 120))
    found = understand(lesson, boxes["MARTIN Paul"].center, known=known)
    target = taught(found, lesson, store=store, known=known, answer=None)
    target = replace(target, row=("{{patient}}",))
    now, there = page(("MARTIN Paul", 60, 80), ("Open", 400, 80), (second, 60, 160), ("Open ", 400, 160))
    answer = TargetResolver(pictures=store).resolve(target, now, variables={"patient": "MARTIN Paul"})
    assert (answer.point is not None) is is_found, answer.message
    if answer.point is not None:
        assert there["MARTIN Paul"].contains(answer.point)


@pytest.mark.parametrize(
    ("role", "codes"),
    [("text", ["runs_value", "always"]), ("button", [])],
    ids=["an entry", "a control of the program"],
)
def test_what_a_double_click_opens_may_be_another_one_in_the_next_run(role: str, codes: list[str]) -> None:
    """S6.1: an account that was opened from a list stayed the one that was shown, and nobody was asked."""
    canvas = Canvas(500, 200)
    box = canvas.text("Lab results", 40, 40) if role == "text" else canvas.button("Lab results", Box(40, 40, 130, 30))
    elements = [] if role == "text" else [Element(box=box, role=ElementRole.BUTTON, text="Lab results")]
    state = canvas.state(elements=elements)
    found = understand(state, box.center, known=Known())
    assert not found.is_asked, "a click alone is no sign of a list"
    assert [answer.code for answer in opened(found, state, Known()).answers] == codes
