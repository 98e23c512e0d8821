"""What a run has put into fields is looked at again before what saves it (S9.8)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from execution.turn.put_values import PutValues
from execution.types import Box, Element, ElementRole, Resolution, ResolveStatus, ScreenState, Suggestion
from tests.execution.perception.drawing import Canvas
from workflows.graph import EdgeSpec, TargetSpec

NAME, COMPLAINT = Box(200, 100, 300, 32), Box(200, 160, 300, 32)
ONE_ROW = COMPLAINT.y - NAME.y
FIELD = TargetSpec(target_id="f", label="Name", role="field")
SAVE = EdgeSpec(edge_id="save", source="form", destination="done", action_type="click")


def form(
    name: str = "", complaint: str = "", *, moved: int = 0, labels: tuple[str, str] = ("Name:", "Complaint:")
) -> ScreenState:
    canvas = Canvas(900, 500)
    boxes = [box._replace(y=box.y + moved) for box in (NAME, COMPLAINT)]
    for box, text, label in zip(boxes, (name, complaint), labels, strict=True):
        canvas.field(box, text)
        canvas.text(label, 60, box.y + 8)
    return canvas.state(elements=[Element(role=ElementRole.FIELD, box=box) for box in boxes])


def typing(text: str, box: Box = NAME, **params: Any) -> Suggestion:
    edge = EdgeSpec(
        edge_id="type", source="form", destination="form", action_type="type_text", target=FIELD,
        params={"text": "{{name}}", "clear": True, **params},
    )  # fmt: skip
    found = Resolution(status=ResolveStatus.FOUND, box=box, point=box.center)
    return Suggestion(edge=edge, node_id="form", params={**edge.params, "text": text}, sentence="", resolution=found)


def saving() -> Suggestion:
    return Suggestion(
        edge=SAVE, node_id="form", params={}, sentence="", resolution=Resolution(status=ResolveStatus.FOUND)
    )


@pytest.fixture
def put() -> PutValues:
    """The name was typed, and then the complaint."""
    values = PutValues({"code"})
    values.verified(typing("Anna Rossi"), form("Anna Rossi"))
    values.verified(typing("Cough", COMPLAINT), form("Anna Rossi", "Cough"))
    return values


@pytest.mark.parametrize(
    ("now", "code"),
    [
        (form("Anna Rossi", "Cough"), ""),
        (form("Anna Rossi ", "Cough"), ""),
        (form("", "Cough"), "is gone: the field is empty"),
        (form("Anna Ross", "Cough"), " was put stands "),
        (form("Anna Rossi", "Fever"), " was put stands "),
        (form("anna rossi", "Cough"), " was put stands "),
        (form("Anna Rossi-Bianchi", "Cough"), " was put stands "),
        (form("", "", moved=200), "is gone: the field is empty"),
        (form("", "", moved=200, labels=("Ward:", "Bed:")), ""),  # out of sight: nobody can say
    ],
    ids=["as it was", "a blank", "gone", "shorter", "another", "small letters", "more", "gone elsewhere", "others"],
)
def test_what_is_gone_or_another_is_told_before_it_is_saved(put: PutValues, now: ScreenState, code: str) -> None:
    problem = put.problem(SAVE, now)
    assert (code in problem) if code else problem == ""


def read_as(state: ScreenState, text: str, instead: str) -> ScreenState:
    return replace(state, texts=tuple(replace(t, text=instead) if t.text == text else t for t in state.texts))


@pytest.mark.parametrize(
    ("now", "code"),
    [
        (read_as(form("Anna Rossi", "Cough", moved=ONE_ROW), "Anna Rossi", "Anna Rossl"), ""),
        (read_as(form("Anna Rossl", "Cough"), "Anna Rossl", "Anna Rossl"), " was put stands "),
        (read_as(form("Anna Rossi-Berg", "Cough"), "Anna Rossi-Berg", "Anna Rossi-Berg"), " was put stands "),
        (read_as(form("DAnna Rossi", "Cough"), "DAnna Rossi", "DAnna Rossi"), " was put stands "),
    ],
    ids=["the same letters", "another letter", "more behind", "more before"],
)
def test_letters_that_are_drawn_as_they_were_are_the_same_whatever_they_are_read_as(
    put: PutValues, now: ScreenState, code: str
) -> None:
    """S9.8: “Ivo” was read as “lvo” the second time."""
    told = put.problem(SAVE, now)
    assert (code in str(told)) if code else not told


@pytest.mark.parametrize("is_above", [True, False], ids=["an accent", "a hook"])
def test_what_stands_above_or_below_the_letters_makes_another_value_of_them(put: PutValues, is_above: bool) -> None:
    now = read_as(form("Anna Rossi", "Cough"), "Anna Rossi", "Anna Rossl")
    line = next(t for t in now.texts if t.text == "Anna Rossl").box
    shown = now.frame.pixels[NAME.y + 6 : NAME.bottom - 6, line.x : line.right].min(axis=2)
    rows = NAME.y + 6 + np.flatnonzero((shown < shown.max()).any(axis=1))
    assert not put.problem(SAVE, now)
    now.frame.pixels.setflags(write=True)
    at = int(rows[0]) - 2 if is_above else int(rows[-1]) + 2
    now.frame.pixels[at, line.x + 4 : line.x + 8] = 0
    assert " was put stands " in put.problem(SAVE, now)


def with_caret(state: ScreenState, text: str, *, higher: int, gap: int) -> ScreenState:
    """Right behind it, and in the line as it was read."""
    pixels, line = state.frame.pixels.copy(), next(t for t in state.texts if t.text == text)
    box = line.box
    wider = replace(line, box=Box(box.x, box.y - higher, box.w + 3, box.h + 2 * higher))
    shown = pixels[box.y : box.bottom, box.x : box.right].min(axis=2)
    at = box.x + int(np.flatnonzero((shown < shown.max()).any(axis=0))[-1]) + 1 + gap
    pixels[wider.box.y : wider.box.bottom, at] = 0
    texts = tuple(wider if t is line else t for t in state.texts)
    return replace(state, frame=replace(state.frame, pixels=pixels), texts=texts)


@pytest.mark.parametrize(("higher", "gap"), [(0, 1), (3, 0)], ids=["apart", "higher, and at the last letter"])
def test_the_caret_that_stood_behind_a_value_is_none_of_its_letters(higher: int, gap: int) -> None:
    values = PutValues(())
    values.verified(typing("Anna Rossi"), with_caret(form("Anna Rossi"), "Anna Rossi", higher=higher, gap=gap))
    now = form("Anna Rossi", moved=ONE_ROW)
    assert not values.problem(SAVE, read_as(now, "Anna Rossi", "Anna Rossl"))


@pytest.mark.parametrize(
    ("now", "code"),
    [
        (form("Anna Rossi", "Cough", moved=ONE_ROW), ""),
        (form("Anna Rossi", "Cough", moved=-ONE_ROW), ""),
        (form("Cough", "Anna Rossi", moved=ONE_ROW), " was put stands "),
        (form("Cough", "", labels=("Complaint:", "Remark:")), " was put stands "),  # or its label was not read
        (form("Cough", "Anna Rossi"), " was put stands "),
        (form("Cough", "Anna Rossi", labels=("Nane:", "Complaint:")), " was put stands "),
    ],
    ids=["down", "up", "and interchanged", "and one gone", "interchanged", "a label misread"],
)
def test_where_a_page_was_scrolled_a_value_is_looked_for_beside_its_label(
    put: PutValues, now: ScreenState, code: str
) -> None:
    """S9.8: by the next field's row, which was read instead."""
    told = put.problem(SAVE, now)
    assert (code in str(told)) if code else not told


def test_what_merely_types_is_not_held_up_and_enter_saves(put: PutValues) -> None:
    gone = form("", "Cough")
    assert put.problem(typing("x").edge, gone) == ""
    assert put.problem(typing("x", enter=True).edge, gone)


def test_what_was_typed_over_is_the_new_value(put: PutValues) -> None:
    put.verified(typing("Paul Durand"), form("Paul Durand", "Cough"))
    assert put.problem(SAVE, form("Paul Durand", "Cough")) == ""
    assert "Paul Durand" in put.problem(SAVE, form("Anna Rossi", "Cough"))


def test_what_led_to_another_screen_leaves_the_values_behind(put: PutValues) -> None:
    put.verified(saving(), form())
    assert put.problem(SAVE, form()) == ""


def test_what_was_put_there_by_a_loop_that_died_is_looked_at_too() -> None:
    """S9.8"""
    values = PutValues(())
    values.verified(typing("Anna Rossi"), None)
    assert values.problem(SAVE, form("Anna Rossi")) == ""
    assert "is gone" in values.problem(SAVE, form(""))
    values.verified(saving(), None)
    assert values.problem(SAVE, form("")) == ""


def test_nothing_is_kept_of_a_secret_or_of_what_was_not_seen() -> None:
    values = PutValues({"name"})
    values.verified(typing("Anna Rossi"), form("Anna Rossi"))
    assert values.problem(SAVE, form()) == ""
    seen = PutValues(())
    seen.verified(typing("Anna Rossi"), form(""))
    assert seen.problem(SAVE, form()) == ""
