"""S5.3: what something lies over is clicked at the part that is in sight, or not at all."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from execution.targeting.covering import cover_at, seen_in_part
from execution.targeting.resolver import TargetResolver
from execution.teaching.evidence import teach_target
from execution.types import Box, Resolution, ResolveStatus, ScreenState, TextLine
from tests.execution.perception.drawing import Canvas, Pictures, frame
from tests.execution.targeting.forms import CANCEL, SAVE, Form, context
from workflows.choices import EffectClass
from workflows.graph import TargetSpec

FOUND, NOT_FOUND = ResolveStatus.FOUND, ResolveStatus.NOT_FOUND
_READ = 0.9  # of a line: what is covered more reads otherwise


def under(state: ScreenState, cover: Box, *words: str) -> ScreenState:
    """The screen with a window over a part of it, as a reader who is never wrong reads it."""
    height, width = state.frame.pixels.shape[:2]
    canvas = Canvas(width, height)
    canvas.draw.rectangle(
        (cover.x, cover.y, cover.right - 1, cover.bottom - 1), fill=(232, 238, 246), outline=(90,) * 3
    )
    for number, text in enumerate(words):
        canvas.text(text, cover.x + 40, cover.y + 30 + 40 * number)
    pixels = state.frame.pixels.copy()
    part = cover.intersection(Box(0, 0, width, height))
    pixels[part.y : part.bottom, part.x : part.right] = canvas.pixels[part.y : part.bottom, part.x : part.right]
    left = (line for line in state.texts if line.box.intersection(cover).area <= (1 - _READ) * line.box.area)
    cut = (
        TextLine(text=line.text[: max(1, len(line.text) // 2)], box=line.box._replace(w=cover.x - line.box.x))
        for line in state.texts
        if line.box.x < cover.x < line.box.right and line.box.y < cover.bottom and line.box.bottom > cover.y
        and line.box.intersection(cover).area > (1 - _READ) * line.box.area
    )  # fmt: skip
    seen = tuple(e for e in state.elements if not e.box.intersection(cover).area)
    return replace(state, frame=frame(pixels), texts=(*left, *cut, *canvas.lines), elements=seen)


@pytest.fixture(scope="module")
def store() -> Pictures:
    return Pictures()


@pytest.fixture(scope="module")
def save(store: Pictures) -> TargetSpec:
    return taught(store)


def taught(store: Pictures) -> TargetSpec:
    state = Form().state()
    return teach_target(state.frame, SAVE, label="Save", state=state, click=None, store=store)


def resolve(target: TargetSpec, state: ScreenState, store: Pictures) -> Resolution:
    return TargetResolver(pictures=store).resolve(target, state, variables={}, effect=EffectClass.IDEMPOTENT)


COVERS = {
    "the right": Box(960, 560, 300, 200), "the left": Box(600, 600, 340, 160), "below": Box(700, 658, 400, 140),
    "above": Box(860, 500, 300, 152), "a corner": Box(950, 659, 320, 140),
}  # fmt: skip


@pytest.mark.parametrize("side", COVERS)
def test_it_is_clicked_at_the_part_that_is_in_sight(save: TargetSpec, store: Pictures, side: str) -> None:
    cover = COVERS[side]
    assert cover.contains(SAVE.center) or side in {"below", "above", "the left", "a corner"}
    found = resolve(save, under(Form().state(), cover, "New message"), store)
    assert (found.status, found.box) == (FOUND, SAVE), found.message
    assert found.point is not None
    assert SAVE.contains(found.point)
    assert not cover.contains(found.point)


def test_so_is_one_that_moved_with_its_window(save: TargetSpec, store: Pictures) -> None:
    cover = Box(990, 500, 280, 250)
    found = resolve(save, under(Form(dx=37, dy=-41).state(), cover), store)
    assert (found.status, found.box) == (FOUND, Box(SAVE.x + 37, SAVE.y - 41, SAVE.w, SAVE.h)), found.message
    assert found.point is not None
    assert not cover.contains(found.point)
    assert "something lies over a part of it" in found.message


def test_where_too_little_is_in_sight_it_is_said_that_something_lies_over_it(save: TargetSpec, store: Pictures) -> None:
    found = resolve(save, under(Form().state(), Box(912, 500, 300, 260), "Restart now?"), store)
    assert (found.status, found.point) == (NOT_FOUND, None)
    assert "something lies over it" in found.message


def test_a_button_of_the_same_name_on_what_lies_over_it_is_not_clicked(save: TargetSpec, store: Pictures) -> None:
    """It is known to be at its place, under something: what looks like it elsewhere is another."""
    form, other = Form().state(), Box(1000, 420, 120, 32)
    seen = under(form, Box(914, 400, 360, 300))
    pixels = seen.frame.pixels.copy()
    pixels[other.y : other.bottom, other.x : other.right] = form.frame.crop(SAVE)
    line = next(line for line in form.texts if line.text == "Save")
    moved = line.box._replace(x=line.box.x + other.x - SAVE.x, y=line.box.y + other.y - SAVE.y)
    seen = replace(seen, frame=frame(pixels), texts=(*seen.texts, TextLine(text="Save", box=moved)))
    assert resolve(save, seen, store).point is None


def test_what_is_written_otherwise_is_not_covered(save: TargetSpec, store: Pictures) -> None:
    """A longer caption changes a part of a button as well; nothing with edges lies over it."""
    for words in ("Save as", "Save and close", "Sort", "Delete"):
        now = context(save, Form(words={"save": words}).state(), store)
        assert cover_at(SAVE, now) is None, words


def test_a_wider_button_in_its_place_is_not_covered(save: TargetSpec, store: Pictures) -> None:
    now = context(save, Form(words={"save": "Save as"}, boxes={"save": SAVE._replace(w=180)}).state(), store)
    assert cover_at(SAVE, now) is None


def test_a_neighbour_under_it_is_not_a_missing_one(save: TargetSpec, store: Pictures) -> None:
    cover = Box(600, 560, 330, 200)  # over Cancel, and a quarter of Save
    assert cover.holds(CANCEL)
    now = context(save, under(Form().state(), cover), store)
    whole = context(save, Form().state(), store)
    signs = seen_in_part(SAVE, now)
    assert signs is not None
    assert signs.in_sight == Box(930, SAVE.y, 90, SAVE.h)
    assert signs.around.seen == signs.around.asked < len(save.neighbours)
    assert seen_in_part(SAVE, whole) is None


@settings(max_examples=40, deadline=None)
@given(
    x=st.integers(-200, 1200), y=st.integers(-200, 760), w=st.integers(60, 600), h=st.integers(40, 400),
)  # fmt: skip
def test_nothing_is_clicked_under_a_window_wherever_it_lies(x: int, y: int, w: int, h: int) -> None:
    store, cover = Pictures(), Box(x, y, w, h)
    target = taught(store)
    found = resolve(target, under(Form().state(), cover, "New message"), store)
    assert found.point is None or (SAVE.contains(found.point) and not cover.contains(found.point)), found.message
