"""Where a taught target is. S5.3: unique, or ambiguous; never a guess, nor a place that contradicts the evidence."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import cv2
import pytest

from execution.desktop.acts import to_input
from execution.targeting.context import ANCHOR, TEXT
from execution.targeting.resolver import TargetResolver
from execution.teaching.evidence import teach_target
from execution.types import Box, Element, ElementRole, Point, Resolution, ResolveStatus, ScreenState, Window
from tests.execution.perception.drawing import Canvas, Pictures, frame
from workflows.choices import EffectClass
from workflows.graph import NeighbourSpec, TargetSpec

FOUND, AMBIGUOUS, NOT_FOUND = ResolveStatus.FOUND, ResolveStatus.AMBIGUOUS, ResolveStatus.NOT_FOUND
SAVE = Box(900, 640, 120, 32)
WINDOW = Box(100, 80, 1000, 640)


def form(*, dx: int = 0, dy: int = 0, save: str = "Save", at: Box = SAVE, **canvas_options: object) -> Canvas:
    """A form in a window with Save and Cancel at its bottom; everything moved by dx, dy."""
    canvas = Canvas(1280, 800, **canvas_options)
    canvas.draw.rectangle((100 + dx, 80 + dy, 1100 + dx, 720 + dy), fill=(250, 250, 250), outline=(120, 120, 120))
    canvas.text("Customer record", 130 + dx, 100 + dy, size=16, ink=(20, 20, 20))
    for row, label in enumerate(("First name", "Last name", "Street", "Town")):
        canvas.text(label, 130 + dx, 180 + 60 * row + dy, ink=(20, 20, 20))
        canvas.field(Box(300 + dx, 174 + 60 * row + dy, 400, 28))
    canvas.button("Cancel", Box(740 + dx, 640 + dy, 120, 32))
    if save:
        canvas.button(save, Box(at.x + dx, at.y + dy, at.w, at.h))
    return canvas


def seen(canvas: Canvas, *, dx: int = 0, dy: int = 0) -> ScreenState:
    window = Window(title="Customer", box=Box(WINDOW.x + dx, WINDOW.y + dy, WINDOW.w, WINDOW.h))
    return canvas.state(window=window)


@pytest.fixture
def store() -> Pictures:
    return Pictures()


@pytest.fixture
def target(store) -> TargetSpec:
    state = seen(form())
    return teach_target(state.frame, SAVE, label="Save", state=state, click=None, store=store)


def resolve(target: TargetSpec, state: ScreenState, store: Pictures, **variables: str) -> Resolution:
    return TargetResolver(pictures=store).resolve(target, state, variables=variables)


def rung(resolution: Resolution, name: str):
    return next(r for r in resolution.evidence if r.rung == name)


def test_an_unmoved_target_is_found_by_its_picture_with_all_the_evidence(target, store):
    found = resolve(target, seen(form()), store)
    assert (found.status, found.box) == (FOUND, SAVE)
    assert found.rung in (ANCHOR, TEXT)
    assert found.point == SAVE.center
    assert found.score > 0.95
    assert [(r.rung, r.status) for r in found.evidence][1:3] == [(ANCHOR, FOUND), (TEXT, FOUND)]
    assert "neighbours in place" in found.message


def test_how_long_it_took_is_told_in_milliseconds(target, store, monkeypatch):
    clock = iter((1.0, 1.25))
    monkeypatch.setattr("execution.targeting.resolver.time", SimpleNamespace(perf_counter=lambda: next(clock)))
    assert resolve(target, seen(form()), store).resolve_ms == 250.0


def test_the_click_falls_where_it_was_taught_inside_the_box(store):
    state = seen(form())
    target = teach_target(
        state.frame, SAVE, label="Save", state=state, click=SAVE.center._replace(x=SAVE.x + 10), store=store
    )
    found = resolve(target, seen(form(dx=50)), store)
    assert found.point == (SAVE.x + 60, SAVE.center.y)
    assert found.box.contains(found.point)


def test_another_theme_is_found_by_its_edges_and_its_text(target, store):
    """S5.3: dark on light or light on dark, the edges stay."""
    canvas = form()
    dark = frame(255 - canvas.pixels)
    found = resolve(target, replace(seen(canvas), frame=dark), store)
    assert found.status is FOUND
    assert SAVE.contains(found.point)
    assert "its edges" in found.message


def test_a_button_drawn_anew_in_another_size_is_found_by_its_text(target, store):
    """S5.3: the next rung, where the picture is not there any more."""
    canvas = form(save="")
    canvas.draw.rectangle((890, 630, 1029, 680), fill=(20, 110, 60))
    canvas.text("Save", 940, 646, size=16, ink=(255, 255, 255))
    found = TargetResolver(pictures=store).resolve(target, seen(canvas), variables={}, effect=EffectClass.READ)
    assert (found.status, found.rung) == (FOUND, TEXT)
    assert SAVE.contains(found.point)


def test_a_target_that_is_not_there_is_not_found_and_says_what_was_looked_for(target, store):
    found = resolve(target, seen(form(save="")), store)
    assert (found.status, found.box, found.point) == (NOT_FOUND, None, None)
    assert "reads 'Cancel', not 'Save'" in found.message


def test_a_picture_that_matches_where_the_text_reads_otherwise_is_a_refusal(target, store):
    state = seen(form())
    relabelled = [replace(t, text="Erase") if t.text == "Save" else t for t in state.texts]
    found = resolve(target, replace(state, texts=tuple(relabelled)), store)
    assert found.status is NOT_FOUND
    assert "the place that looks like the target reads 'Erase', not 'Save'" in found.message


def test_the_picture_at_one_place_and_the_text_at_another_is_neither(target, store):
    state = seen(form())
    moved = [replace(t, box=Box(200, 500, 32, 13)) if t.text == "Save" else t for t in state.texts]
    found = resolve(target, replace(state, texts=tuple(moved)), store)
    assert (found.status, found.point) == (NOT_FOUND, None)
    assert "shows no text that could be read" in found.message


def test_one_misread_letter_does_not_hide_what_the_picture_shows(target, store):
    state = seen(form())
    misread = [replace(t, text="Saye") if t.text == "Save" else t for t in state.texts]
    found = resolve(target, replace(state, texts=tuple(misread)), store)
    assert (found.status, found.box) == (FOUND, SAVE)


def test_without_any_reading_the_very_picture_serves_and_says_so(target, store):
    """S2.3: a degraded screen has pixels alone."""
    stub = replace(seen(form()), texts=(), text_method="", degraded=True)
    found = resolve(target, stub, store)
    assert (found.status, found.rung) == (FOUND, ANCHOR)
    assert "not confirmed by its text" in found.message


def two_rows(*names: str) -> Canvas:
    canvas = Canvas(1280, 800)
    canvas.text("Patients", 60, 40, size=16)
    for row, name in enumerate(names):
        canvas.text(name, 80, 124 + 40 * row)
        canvas.button("Delete", Box(600, 118 + 40 * row, 90, 28))
    return canvas


NAMES = ("Alice Martin", "Bruno Petit", "Chloe Garnier", "Denis Fabre", "Emma Leroy")


def about(*box: int) -> object:
    """That box, to a pixel or two: where it is told by what stands around it."""
    return pytest.approx(box, abs=2)


def delete_target(store: Pictures, row: int = 2) -> TargetSpec:
    state = two_rows(*NAMES).state()
    return teach_target(
        state.frame, Box(600, 118 + 40 * row, 90, 28), label="Delete", state=state, click=None, store=store
    )


def test_of_twins_the_one_between_its_neighbours_is_found(store):
    found = resolve(delete_target(store), two_rows(*NAMES).state(), store)
    assert (found.status, found.box) == (FOUND, about(600, 198, 90, 28))
    assert "neighbours in place" in found.message


def test_the_row_is_followed_when_the_list_moves_by_a_row(store):
    """The same place now holds another person: the neighbours tell, the place does not."""
    found = resolve(delete_target(store), two_rows("Zoe New", *NAMES).state(), store)
    assert (found.status, found.box) == (FOUND, about(600, 238, 90, 28))


def test_twins_in_a_list_of_others_are_ambiguous_or_not_found(store):
    found = resolve(delete_target(store), two_rows("Xavier", "Yann Roux", "Zoe New", "Hugo").state(), store)
    assert found.status is not FOUND
    assert found.point is None


def test_a_target_whose_text_is_a_variable_must_read_exactly_so(store):
    state = two_rows(*NAMES).state()
    taught = replace(
        teach_target(state.frame, state.texts[5].box, label="row", state=state, click=None, store=store),
        text="{{patient}}",
        picture="",
        neighbours=(),
    )
    assert resolve(taught, state, store, patient="Bruno Petit").status is FOUND
    assert resolve(taught, state, store, patient="Bruno Petis").status is NOT_FOUND
    missing = resolve(taught, state, store)
    assert missing.status is NOT_FOUND
    assert "patient has no value" in missing.message


def icons(*places: tuple[int, int, int]) -> Canvas:
    canvas = Canvas(1280, 800)
    for x, y, seed in places:
        canvas.icon(x, y, seed=seed)
    return canvas


def test_an_icon_without_text_is_found_by_its_picture_alone(store):
    state = icons((100, 20, 1), (140, 20, 2), (180, 20, 3)).state()
    taught = teach_target(state.frame, Box(138, 18, 28, 28), label="icon", state=state, click=None, store=store)
    assert taught.text == ""
    found = resolve(taught, icons((500, 300, 1), (540, 300, 2), (580, 300, 3)).state(), store)
    assert (found.status, found.box) == (FOUND, Box(538, 298, 28, 28))
    assert (rung(found, TEXT).status, rung(found, TEXT).note) == (ResolveStatus.NOT_NEEDED, "no text was taught")


def test_two_equal_icons_are_ambiguous_wherever_they_are(store):
    """S5.3: two equal candidates are not a guess, not even when one is where it was taught."""
    state = icons((100, 20, 1)).state()
    taught = teach_target(state.frame, Box(98, 18, 28, 28), label="icon", state=state, click=None, store=store)
    found = resolve(replace(taught, context=""), icons((100, 20, 1), (900, 600, 1)).state(), store)
    assert (found.status, found.point) == (AMBIGUOUS, None)
    assert len(rung(found, ANCHOR).candidates) == 2
    assert found.runner_up is not None


def test_equal_icons_that_only_other_icons_tell_apart_are_never_mistaken(store):
    """As many as when it was taught: the one beside the same icon, or a person says."""
    canvas = icons((100, 100, 1), (100, 300, 1), (140, 100, 5), (140, 300, 6))
    state = canvas.state()
    taught = teach_target(state.frame, Box(98, 298, 28, 28), label="icon", state=state, click=None, store=store)
    moved = icons((400, 150, 1), (400, 350, 1), (440, 150, 5), (440, 350, 6)).state()
    found = resolve(taught, moved, store)
    assert found.status in (FOUND, AMBIGUOUS)
    assert (found.box or found.runner_up.box) == Box(398, 348, 28, 28)


def test_a_part_of_a_longer_text_counts_only_where_the_neighbours_vouch_for_it(store):
    """ "Save" is not "Save As..."."""
    canvas = Canvas(900, 500)
    canvas.text("Save As...", 100, 200)
    bare = TargetSpec(target_id="t", label="Save", text="Save")
    found = resolve(bare, canvas.state(), store)
    assert found.status is NOT_FOUND
    assert found.message == "'Save' is only part of a longer text: 'Save As...'"
    line = Canvas(900, 500)
    box = line.text("Click here to continue", 100, 200)
    line.text("Terms of use", 100, 240)
    link = TargetSpec(
        target_id="t", label="here", text="here",
        neighbours=(NeighbourSpec(text="Terms of use", dx=-10, dy=40),),
    )  # fmt: skip
    found = resolve(link, line.state(), store)
    assert found.status is FOUND
    assert box.contains(found.point)
    assert box.x + 25 < found.point.x < box.x + 75


def test_a_text_alone_in_other_surroundings_is_not_the_target(target, store):
    """The same word in another dialog."""
    other = Canvas(1280, 800, background=(30, 30, 40))
    other.text("Save", 300, 300, size=15)
    other.text("Something else entirely", 300, 360)
    found = resolve(target, other.state(), store)
    assert found.status is NOT_FOUND
    assert "nothing that stood around it is there" in found.message


@pytest.mark.parametrize("scale", [0.9, 1.25, 1.5])
def test_a_screen_drawn_larger_or_smaller_is_found_at_that_size(store, scale):
    state = icons((100, 100, 1), (160, 100, 2), (220, 100, 3)).state()
    taught = teach_target(state.frame, Box(156, 96, 34, 34), label="icon", state=state, click=None, store=store)
    pixels = cv2.resize(state.frame.pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    strict = TargetResolver(pictures=store, similarity_threshold=0.5)
    found = strict.resolve(taught, replace(state, frame=frame(pixels)), variables={})
    assert found.status is FOUND
    assert abs(found.point.x - 173 * scale) < 5
    assert abs(found.point.y - 113 * scale) < 5


def test_a_picture_of_one_colour_or_too_small_says_that_it_cannot_be_used(store):
    canvas = Canvas(640, 400)
    flat = TargetSpec(target_id="t", label="x", picture=store.put(canvas.pixels[0:40, 0:40].copy()))
    assert "of one colour" in resolve(flat, canvas.state(), store).message
    tiny = TargetSpec(target_id="t", label="x", picture=store.put(canvas.pixels[0:5, 0:40].copy()))
    assert "too small" in resolve(tiny, canvas.state(), store).message


def test_a_missing_picture_and_nothing_taught_are_said(store):
    state = Canvas(640, 400).state()
    lost = resolve(TargetSpec(target_id="t", label="x", picture="gone"), state, store)
    assert (lost.status, "no picture gone" in lost.message) == (NOT_FOUND, True)
    nothing = resolve(TargetSpec(target_id="t", label="x"), state, store)
    assert (nothing.status, nothing.message) == (NOT_FOUND, "neither a picture nor a text was taught")


def test_text_alone_does_not_tell_where_beside_it_to_click(store):
    """A target clicked far from its text, such as the arrow of a list: its words alone do not give the place."""
    state = form().state()
    taught = teach_target(state.frame, Box(120, 174, 580, 28), label="name", state=state, click=None, store=store)
    beside = replace(taught, picture="", neighbours=(), click=(0.95, 0.5), text="First name")
    found = resolve(beside, seen(form(dx=90, dy=40), dx=0, dy=0), store)
    assert found.status is NOT_FOUND


@pytest.mark.timing
def test_it_is_found_among_many_texts(store):
    canvas = Canvas(1920, 1080)
    for index in range(100):
        canvas.text(f"Entry number {index}", 20 + 380 * (index % 5), 20 + 50 * (index // 5))
    canvas.button("Apply changes", Box(1700, 1020, 150, 32))
    state = canvas.state()
    taught = teach_target(state.frame, Box(1700, 1020, 150, 32), label="x", state=state, click=None, store=store)
    assert resolve(taught, state, store).status is FOUND


@pytest.mark.parametrize(("origin", "scale"), [(Point(0, 0), 1.0), (Point(1920, 0), 2.0), (Point(-1280, 200), 1.5)])
def test_the_place_is_in_pixels_of_the_frame_whatever_monitor_it_shows(target, store, origin, scale):
    """S5.3, S4: targeting knows nothing of monitors; acting maps the point to where the mouse goes."""
    state = seen(form(dx=40), dx=40)
    other = replace(state, frame=replace(state.frame, monitor=1, origin=origin, scale=scale))
    found = resolve(target, other, store)
    assert found.point == (SAVE.center.x + 40, SAVE.center.y)
    sent = to_input(found.point, origin=origin, scale=scale)
    assert sent == (origin.x + int((found.point.x + 0.5) / scale), origin.y + int((found.point.y + 0.5) / scale))
    assert origin.x <= sent.x < origin.x + other.frame.size.width / scale


def test_the_button_of_a_row_that_shares_all_but_the_name_is_not_taken(store):
    """S5.3: its own row is still there, its button is not; the next row has the same doctor and the same reason."""

    def list_of(*names: str, without: str = "") -> ScreenState:
        canvas, elements = Canvas(1280, 800), []
        for row, name in enumerate(names):
            others = ("Allergic reaction", "Dr Hargreaves") if row < 2 else ("Migraine", "Dr Whitaker")
            for text, x in zip((name, *others), (80, 330, 560), strict=True):
                canvas.text(text, x, 106 + 40 * row)
            if name != without:
                box = canvas.button("Refuse", Box(800, 100 + 40 * row, 90, 28))
                elements.append(Element(box=box, role=ElementRole.BUTTON, text="Refuse"))
        return canvas.state(elements=elements, window=Window(title="Visits", box=Box(40, 40, 1200, 700)))

    names = ("Thackeray, Rosalind", "Vaughan, Victor", "Quigley, Fred")
    state = list_of(*names)
    taught = teach_target(state.frame, Box(800, 100, 90, 28), label="x", state=state, click=None, store=store)
    assert resolve(taught, state, store).status is FOUND
    gone = resolve(taught, list_of(*names, without=names[0]), store)
    assert gone.status is not FOUND, gone.message
    assert "its row was that of 'Thackeray, Rosalind', which stands in another now" in gone.message
