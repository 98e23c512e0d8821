"""The elements that carry marks, compared with the target. S5.3: unique, or ambiguous, or not found; never a guess."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from execution.targeting.resolver import TargetResolver
from execution.types import Box, Element, ElementRole, Resolution, ResolveStatus, ScreenState, TextLine
from tests.execution.perception.drawing import Pictures, frame
from tests.execution.targeting.forms import CANCEL, DELETE, FIELDS, PRINT, SAVE, Form, taught
from workflows.choices import EffectClass
from workflows.graph import NeighbourSpec, TargetSpec

FOUND, AMBIGUOUS, NOT_FOUND = ResolveStatus.FOUND, ResolveStatus.AMBIGUOUS, ResolveStatus.NOT_FOUND
NOT_NEEDED = ResolveStatus.NOT_NEEDED


@pytest.fixture
def store() -> Pictures:
    return Pictures()


@pytest.fixture
def save(store: Pictures) -> TargetSpec:
    return taught(SAVE, store, label="Save")


@pytest.fixture
def icon(store: Pictures) -> TargetSpec:
    return taught(PRINT, store, label="Print")


def find(
    target: TargetSpec,
    state: ScreenState,
    store: Pictures,
    effect: EffectClass = EffectClass.OPAQUE,
    **variables: str,
) -> Resolution:
    return TargetResolver(pictures=store).resolve(target, state, variables=variables, effect=effect)


def moved(box: Box, dx: int, dy: int) -> Box:
    return Box(box.x + dx, box.y + dy, box.w, box.h)


CHANGES: dict[str, dict[str, Any]] = {
    "moved": {"dx": 90, "dy": -50},
    "another theme": {"dark": True},
    "renamed with the same word": {"words": {"save": "Save changes"}},
    "in French": {"words": {"save": "Enregistrer", "cancel": "Annuler", "First name": "Prénom", "Street": "Rue"}},
    "order of the buttons changed": {"boxes": {"save": CANCEL, "cancel": SAVE}},
    "a longer button": {"boxes": {"save": Box(880, 640, 160, 32)}},
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_target_is_found_at_its_own_place(save: TargetSpec, store: Pictures, change: str) -> None:
    form = Form(**CHANGES[change])
    found = find(save, form.state(), store)
    place = moved(form.boxes.get("save", SAVE), form.dx, form.dy)
    assert (found.status, found.box) == (FOUND, place), found.message


@pytest.mark.parametrize(("taught_as", "now"), [("Delete", "Del."), ("Delete", "Delete record")])
def test_an_abbreviated_or_longer_label_is_still_the_target(store: Pictures, taught_as: str, now: str) -> None:
    """Where the effect of pressing it is seen."""
    target = taught(DELETE, store, label=taught_as)
    found = find(target, Form(words={"delete": now}).state(), store, EffectClass.OBSERVABLE)
    assert (found.status, found.box) == (FOUND, DELETE), found.message


OTHERS = ("Erase", "Delete", "Save as...", "Don't save", "Safe", "Löschen", "Save 2", "Unsaved", "Do not save", "Store")


@pytest.mark.parametrize("text", OTHERS)
def test_what_was_painted_over_in_its_place_is_not_the_target(save: TargetSpec, store: Pictures, text: str) -> None:
    """The trap for those who trust place and surroundings: all else is unchanged."""
    found = find(save, Form(words={"save": text}, gone=("delete",)).state(), store)
    assert found.status is NOT_FOUND, found.message


@pytest.mark.parametrize("seed", range(5, 10))
def test_another_icon_in_its_place_is_not_the_target(icon: TargetSpec, store: Pictures, seed: int) -> None:
    assert find(icon, Form(icons=(seed, 4)).state(), store).status is NOT_FOUND


@pytest.mark.parametrize("form", [Form(), Form(dark=True), Form(dx=60, dy=40), Form(icons=(4, 3))])
def test_an_icon_is_found_by_its_picture_in_any_theme_and_place(icon: TargetSpec, store: Pictures, form: Form) -> None:
    found = find(icon, form.state(), store)
    there = Box(940, 96, 24, 24) if form.icons == (4, 3) else moved(PRINT, form.dx, form.dy)
    assert (found.status, found.box) == (FOUND, there), found.message


def test_a_field_is_found_by_the_label_that_names_it_whatever_it_holds(store: Pictures) -> None:
    target = taught(FIELDS["Street"], store, label="Street")
    state = Form(dx=40, dy=20).state()
    filled = [replace(e, text="Grand-Rue 5") if e.role is ElementRole.FIELD else e for e in state.elements]
    found = find(target, replace(state, elements=tuple(filled)), store)
    assert (found.status, found.box) == (FOUND, moved(FIELDS["Street"], 40, 20)), found.message


def test_a_field_whose_label_now_names_another_is_not_taken(store: Pictures) -> None:
    target = replace(taught(FIELDS["Street"], store, label="Street"), neighbours=())
    state = Form(words={"Street": "Country"}).state()
    assert find(target, state, store).status is NOT_FOUND


def test_twins_are_ambiguous(save: TargetSpec, store: Pictures) -> None:
    """S5.3: two equal candidates are not a guess."""
    target = replace(save, neighbours=(), shapes=())
    state = Form(more=(("Save", Box(900, 560, 120, 32)),)).state()
    found = find(target, state, store)
    assert found.status is AMBIGUOUS, found.message


def test_twins_are_told_apart_by_what_stands_around_them(save: TargetSpec, store: Pictures) -> None:
    state = Form(more=(("Save", Box(900, 440, 120, 32)),)).state()
    found = find(save, state, store)
    assert (found.status, found.box) == (FOUND, SAVE), found.message


def test_a_heading_that_reads_the_same_is_no_rival_of_the_button(save: TargetSpec, store: Pictures) -> None:
    found = find(save, Form(words={"title": "Save"}).state(), store)
    assert (found.status, found.box) == (FOUND, SAVE), found.message


def test_a_twin_that_no_detector_framed_makes_it_ambiguous(save: TargetSpec, store: Pictures) -> None:
    target = replace(save, picture="", neighbours=(), shapes=(), role="", box=None, window_box=None, screen_size=(0, 0))
    state = Form(words={"title": "Save"}).state()
    assert find(target, state, store).status is AMBIGUOUS


def test_a_control_that_is_drawn_fainter_is_not_found(icon: TargetSpec, save: TargetSpec, store: Pictures) -> None:
    """Greyed out, or behind a dialog's veil, though no detector says so."""
    for target, box in ((icon, PRINT), (save, SAVE)):
        state = Form().state()
        pixels = state.frame.pixels.copy()
        inside = pixels[box.y : box.bottom, box.x : box.right]
        inside[:] = 228 - (228 - inside.astype(np.int16)) // 2
        found = find(target, replace(state, frame=frame(pixels)), store)
        assert found.status is NOT_FOUND, found.message


def test_the_twin_that_is_left_of_two_is_not_taken_for_the_target(save: TargetSpec, store: Pictures) -> None:
    """Its text, picture and kind are the same; only what stands around it is not."""
    state = Form(gone=("save",), more=(("Save", Box(500, 480, 120, 32)),)).state()
    found = find(replace(save, number=2, alike=2), state, store)
    assert found.status is NOT_FOUND, found.message
    assert "had a twin" in found.message


def test_a_control_of_the_same_name_in_another_program_is_not_the_target(save: TargetSpec, store: Pictures) -> None:
    words = {"title": "Notes", "First name": "Milk", "Last name": "Bread", "Street": "Eggs", "Town": "Salt"}
    elsewhere = {"save": SAVE, "cancel": Box(140, 300, 80, 24), "delete": Box(140, 340, 80, 24)}
    form = Form(words={**words, "cancel": "Exit", "delete": "Wrap"}, boxes=elsewhere, icons=(0, 0))
    state = form.state()
    assert state.window is not None
    other = replace(state, window=replace(state.window, title="notes.txt"))
    found = find(save, other, store)
    assert found.status is NOT_FOUND, found.message
    assert "notes.txt" in found.message


def test_a_box_to_tick_whose_label_now_says_something_else_is_not_the_target(store: Pictures) -> None:
    box = Box(300, 440, 16, 16)
    label = NeighbourSpec(text="Send a copy", dx=60, dy=0)
    target = TargetSpec(target_id="t", label="Send a copy", role="checkbox", named_by=label)
    state = Form().state()
    for said, status in (("Send a copy", FOUND), ("Delete the record", NOT_FOUND)):
        ticked = Element(box=box, role=ElementRole.CHECKBOX, text=said)
        line = TextLine(text=said, box=Box(322, 441, 92, 14))
        seen = replace(state, elements=(*state.elements, ticked), texts=(*state.texts, line))
        assert find(target, seen, store).status is status


def test_an_element_of_another_window_is_no_candidate(save: TargetSpec, store: Pictures) -> None:
    state = Form(gone=("save",)).state()
    outside = Element(box=Box(1150, 640, 100, 32), role=ElementRole.BUTTON, text="Save")
    line = TextLine(text="Save", box=Box(1180, 648, 40, 14))
    state = replace(state, elements=(*state.elements, outside), texts=(*state.texts, line))
    assert find(save, state, store).status is NOT_FOUND


@pytest.mark.parametrize(
    "wide", [{"row": ("{{record}}",)}, {"neighbours": (NeighbourSpec(text="{{record}}", dx=-700, dy=0),)}]
)
def test_the_button_of_the_line_of_a_record_follows_the_variable(store: Pictures, wide: dict[str, Any]) -> None:
    records = {"A-1017": 300, "A-1071": 360, "A-7011": 420}
    opens = tuple(("Open", Box(900, y, 100, 28)) for y in records.values())
    state = Form(more=opens).state()
    lines = [TextLine(text=r, box=Box(220, y + 7, 60, 14)) for r, y in records.items()]
    state = replace(state, texts=(*state.texts, *lines))
    target = TargetSpec(target_id="t", label="Open", text="Open", role="button", **wide)
    for record, y in records.items():
        found = find(target, state, store, record=record)
        assert (found.status, found.box) == (FOUND, Box(900, y, 100, 28)), found.message
    assert find(target, state, store, record="A-1011").status is NOT_FOUND
    assert find(target, state, store).status is NOT_FOUND


def test_a_screen_without_elements_says_so(save: TargetSpec, store: Pictures) -> None:
    """S2.2: the detector is switched off."""
    found = find(save, replace(Form().state(), elements=()), store)
    marks = found.evidence[-1]
    assert (marks.rung, marks.status, marks.note) == ("som_text_match", NOT_NEEDED, "no elements were detected")


def test_a_text_that_stands_there_two_hundred_times_is_ambiguous(store: Pictures) -> None:
    boxes = [Box(120 + 90 * (n % 10), 120 + 25 * (n // 10), 80, 20) for n in range(200)]
    elements = tuple(Element(box=b, role=ElementRole.LINK, text="Open") for b in boxes)
    lines = tuple(TextLine(text="Open", box=b) for b in boxes)
    state = replace(Form().state(), elements=elements, texts=lines)
    found = find(TargetSpec(target_id="t", label="Open", text="Open", role="link"), state, store)
    assert found.status is AMBIGUOUS
    assert all(len(rung.candidates) <= 8 for rung in found.evidence)
