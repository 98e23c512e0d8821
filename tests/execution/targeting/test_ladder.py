"""The ladder's rules beyond picture and text: the cache, rows, fields, other languages, further rungs (S5.3, S5.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from execution.targeting.boxes import same_thing
from execution.targeting.context import CACHE, MARKS, Context
from execution.targeting.looks import ground_change
from execution.targeting.memory import key_of
from execution.targeting.opinions import Opinion
from execution.targeting.places import place_key
from execution.targeting.resolver import TargetResolver
from execution.targeting.weighing import Weighed
from execution.teaching.evidence import teach_target
from execution.types import (
    Box,
    Candidate,
    Element,
    ElementRole,
    ElementState,
    Resolution,
    ResolveStatus,
    RungResult,
    ScreenState,
    Window,
)
from tests.doubles.places import MemoryPlaces
from tests.execution.perception.drawing import Canvas, Pictures, frame
from tests.execution.targeting.forms import context
from workflows.choices import EffectClass
from workflows.graph import NeighbourSpec, TargetSpec

FOUND, AMBIGUOUS, NOT_FOUND = ResolveStatus.FOUND, ResolveStatus.AMBIGUOUS, ResolveStatus.NOT_FOUND
WINDOW = Box(100, 80, 900, 600)
SAVE = Box(760, 600, 120, 32)
NAMES = ("Alice Martin", "Bruno Petit", "Chloe Garnier", "Denis Fabre")


def form(
    labels: Sequence[str] = ("First name", "Last name", "Street"), *, save: str = "Save", title: str = "Record"
) -> Canvas:
    canvas = Canvas(1280, 800)
    canvas.text(title, 130, 100, size=16)
    for row, label in enumerate(labels):
        canvas.text(label, 130, 180 + 60 * row)
        canvas.field(Box(300, 174 + 60 * row, 400, 28))
    if save:
        canvas.button(save, SAVE)
    return canvas


def elements(canvas: Canvas, *, save: str = "Save", states: frozenset[ElementState] = frozenset()) -> list[Element]:
    found = [Element(box=Box(300, 174 + 60 * row, 400, 28), role=ElementRole.FIELD) for row in range(3)]
    if save:
        found.append(Element(box=SAVE, role=ElementRole.BUTTON, text=save, states=states))
    return found


def seen(canvas: Canvas, *, title: str = "Record - Clinic", **options) -> ScreenState:
    return canvas.state(window=Window(title=title, box=WINDOW), elements=elements(canvas, **options))


@pytest.fixture
def store() -> Pictures:
    return Pictures()


def taught(store: Pictures, box: Box = SAVE, state: ScreenState | None = None) -> TargetSpec:
    state = state or seen(form())
    return teach_target(state.frame, box, label="it", state=state, click=None, store=store)


def resolve(target: TargetSpec, state: ScreenState, store: Pictures, **variables: str) -> Resolution:
    return TargetResolver(pictures=store).resolve(target, state, variables=variables)


# --- the coordinates cache ---
def test_a_place_that_was_found_once_is_believed_after_a_look(store):
    """S5.3, S5.4: keyed by workflow, target, resolution and window size."""
    places, target, state = MemoryPlaces(), taught(store), seen(form())
    resolver = TargetResolver(pictures=store, places=places)
    first = resolver.resolve(target, state, variables={}, workflow_id="w")
    assert first.rung != CACHE
    kept = places.get(place_key("w", target.target_id, state))
    assert kept is not None
    assert (kept.x, kept.y) == (SAVE.x - WINDOW.x, SAVE.y - WINDOW.y)
    again = resolver.resolve(target, state, variables={}, workflow_id="w")
    assert (again.status, again.rung, again.box) == (FOUND, CACHE, SAVE)
    assert again.evidence[0].status is FOUND


def test_a_remembered_place_that_shows_something_else_is_forgotten(store):
    """S5.4: a failed check removes the entry."""
    places, target = MemoryPlaces(), taught(store)
    resolver = TargetResolver(pictures=store, places=places)
    resolver.resolve(target, seen(form()), variables={}, workflow_id="w")
    changed = seen(form(save="Delete"), save="Delete")
    found = resolver.resolve(target, changed, variables={}, workflow_id="w")
    assert found.status is NOT_FOUND
    assert "at the remembered place" in found.evidence[0].note
    assert places.get(place_key("w", target.target_id, changed)) is None


def test_nobody_remembers_the_place_of_what_another_run_finds_elsewhere(store):
    """The n-th of a list, the button beside {{patient}}: its place is that of one run."""

    def key(workflow: str = "w", **fields):
        target = TargetSpec(target_id="t", label="x", **{"text": "Open", **fields})
        asked = context(target, seen(form()), store, {"patient": "Ada"})
        return key_of(replace(asked, workflow_id=workflow, places=MemoryPlaces()))

    beside = (NeighbourSpec(text="{{patient}}", dx=-90, dy=0),)
    assert key() is not None and key(neighbours=beside) is not None
    assert key(workflow="") is None
    for fields in ({"row": ("{{patient}}",)}, {"text": "{{patient}}"}, {"number": "{{n}}"}):
        assert key(**fields) is None, fields
    assert key(alike=2, neighbours=beside) is None


# --- rows ---
def rows(*names: str, drop: str = "") -> ScreenState:
    canvas = Canvas(1280, 800)
    canvas.text("Patients", 60, 40, size=16)
    buttons = []
    for row, name in enumerate(names):
        canvas.text(name, 80, 124 + 40 * row)
        box = Box(600, 118 + 40 * row, 90, 28)
        if name != drop:
            canvas.button("Open", box)
            buttons.append(Element(box=box, role=ElementRole.BUTTON, text="Open"))
    return canvas.state(elements=buttons)


def by_row(store: Pictures, state: ScreenState, row: int = 2) -> TargetSpec:
    target = teach_target(
        state.frame, Box(600, 118 + 40 * row, 90, 28), label="Open", state=state, click=None, store=store
    )
    return replace(target, row=("{{patient}}",))


def test_the_row_is_followed_to_where_the_record_is_now(store):
    target = by_row(store, rows(*NAMES))
    found = resolve(target, rows("Zoe New", *reversed(NAMES)), store, patient=NAMES[0])
    assert found.status is FOUND
    assert Box(600, 118 + 40 * 4, 90, 28).contains(found.point)


def test_a_record_that_is_not_in_the_list_is_not_found(store):
    found = resolve(by_row(store, rows(*NAMES)), rows(*NAMES), store, patient="Emma Leroy")
    assert (found.status, found.point) == (NOT_FOUND, None)
    assert "'Emma Leroy' is not read anywhere" in found.message


def test_two_lines_of_one_record_are_ambiguous(store):
    twice = rows(NAMES[0], NAMES[1], NAMES[0])
    found = resolve(by_row(store, rows(*NAMES)), twice, store, patient=NAMES[0])
    assert (found.status, found.point) == (AMBIGUOUS, None)


def test_a_row_without_the_button_does_not_lend_the_next_ones(store):
    found = resolve(by_row(store, rows(*NAMES)), rows(*NAMES, drop=NAMES[1]), store, patient=NAMES[1])
    assert (found.status, found.point) == (NOT_FOUND, None)


# --- what is there but must not be clicked ---
def test_a_button_that_is_greyed_out_is_not_found(store):
    canvas = form(save="")
    canvas.button("Save", SAVE, ink=(190, 190, 190))
    found = resolve(taught(store), seen(canvas, states=frozenset({ElementState.DISABLED})), store)
    assert found.status is NOT_FOUND
    assert "greyed out" in found.message


def test_a_field_that_is_grey_now_is_not_found(store):
    """What stands in a field is no evidence, but its ground tells whether it can be used."""
    box = Box(300, 234, 400, 28)
    target = taught(store, box)
    canvas = form()
    canvas.draw.rectangle((300, 234, 699, 261), fill=(225, 225, 225), outline=(150, 150, 150))
    assert resolve(target, seen(canvas), store).status is NOT_FOUND
    assert resolve(target, seen(form()), store).status is FOUND


def test_whether_a_control_without_a_picture_of_its_own_can_be_used_is_seen_by_what_was_around_it(store):
    """What a combo box shows is another value in each run. A detector may take one for grey whose ground shades."""
    box = Box(300, 234, 400, 28)
    target = replace(taught(store, box), picture="")
    assert ground_change(box, context(target, seen(form()), store)) is False
    canvas = form()
    canvas.draw.rectangle((300, 234, 699, 261), fill=(225, 225, 225), outline=(150, 150, 150))
    assert ground_change(box, context(target, seen(canvas), store)) is True
    assert ground_change(box, context(replace(target, context=""), seen(form()), store)) is None


def test_where_the_ground_is_another_one_by_a_little_it_is_another_theme_whose_fields_may_be_grey(store):
    """Of GTK's Adwaita the ground is 245 and a field 255, of Materia 249 and 239."""
    box, canvas = Box(300, 234, 400, 28), form()
    target, themed = taught(store, box), seen(canvas)
    ground = int(themed.frame.pixels[box.y - 4, box.x, 0])
    pixels = themed.frame.pixels.copy()
    pixels[pixels == ground] = ground - 4
    pixels[box.y + 1 : box.bottom - 1, box.x + 1 : box.right - 1] = 239
    assert ground_change(box, context(target, replace(themed, frame=frame(pixels)), store)) is None


def test_a_target_painted_over_in_place_is_not_found_though_all_else_is_the_same(store):
    """The trap for those who trust place or surroundings."""
    for box in (SAVE, Box(300, 234, 400, 28)):
        target, canvas = taught(store, box), form()
        canvas.draw.rectangle((box.x - 1, box.y - 1, box.right, box.bottom), fill=(245, 245, 245))
        state = seen(canvas)
        there = tuple(e for e in state.elements if e.box != box)
        texts = tuple(t for t in state.texts if not box.contains(t.box.center))
        found = resolve(target, replace(state, elements=there, texts=texts), store)
        assert (found.status, found.point) == (NOT_FOUND, None), box


# --- another language, another size ---
def test_a_form_in_another_language_is_found_by_what_its_words_mean(store):
    """S5.3: all texts changed, the structure and the place did not; surely enough to be read, and shown to a coach."""
    french = form(("Prénom", "Nom", "Rue"), save="Enregistrer", title="Fiche")
    target, now = taught(store), seen(french, save="Enregistrer", title="Fiche - Clinic")
    found = TargetResolver(pictures=store).resolve(target, now, variables={}, effect=EffectClass.READ)
    assert found.status is FOUND
    assert SAVE.contains(found.point)


def test_a_button_that_means_something_else_in_that_language_is_refused(store):
    french = form(("Prénom", "Nom", "Rue"), save="Supprimer", title="Fiche")
    found = resolve(taught(store), seen(french, save="Supprimer", title="Fiche - Clinic"), store)
    assert (found.status, found.point) == (NOT_FOUND, None)


def test_a_picture_larger_than_the_screen_is_not_found_and_nothing_breaks(store):
    large = Canvas(1600, 900)
    large.icon(800, 400, seed=3)
    target = TargetSpec(target_id="t", label="x", picture=store.put(large.pixels))
    assert resolve(target, Canvas(640, 400).state(), store).status is NOT_FOUND


# --- further rungs ---
def says(box: Box, asked: list[str] | None = None):
    """An adviser that is quite sure of one place."""

    def advise(context: Context, weighed: Weighed) -> Opinion:
        if asked is not None:
            asked.append(context.target.target_id)
        result = RungResult(
            rung=MARKS, status=FOUND, score=0.9, candidates=(Candidate(box=box, score=0.9),), note="mark 7"
        )
        factors = [math.log(16) if same_thing(s.box, box) else -math.log(4) for s in weighed.signs]
        return Opinion(result=result, log_factors=np.array(factors))

    return advise


def test_further_rungs_are_asked_only_where_picture_and_text_do_not_settle_it(store):
    asked: list[str] = []
    resolver = TargetResolver(pictures=store, advisers=[says(SAVE, asked)])
    assert resolver.resolve(taught(store), seen(form()), variables={}).status is FOUND
    assert asked == []


def test_what_a_further_rung_finds_is_refused_where_the_screen_contradicts_it(store):
    """S5.3: a model is never trusted alone."""
    resolver = TargetResolver(pictures=store, advisers=[says(SAVE)])
    changed = seen(form(save="Delete"), save="Delete")
    found = resolver.resolve(taught(store), changed, variables={})
    assert (found.status, found.point) == (NOT_FOUND, None)
    assert found.evidence[-1].rung == MARKS


def test_a_further_rung_does_not_choose_among_twins_that_nothing_tells_apart(store):
    canvas = Canvas(1280, 800)
    canvas.icon(100, 20, seed=1)
    state = canvas.state()
    target = teach_target(state.frame, Box(98, 18, 28, 28), label="icon", state=state, click=None, store=store)
    canvas.icon(900, 600, seed=1)
    resolver = TargetResolver(pictures=store, advisers=[says(Box(898, 598, 28, 28))])
    found = resolver.resolve(replace(target, context=""), canvas.state(), variables={})
    assert (found.status, found.point) == (AMBIGUOUS, None)
