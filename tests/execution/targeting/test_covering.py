"""S5.3: what something lies over is clicked at the part that is in sight, or not at all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.targeting.comparison import NAMES
from execution.targeting.covering import cover_at, lies_under, seen_in_part
from execution.targeting.examination import examined
from execution.targeting.neighbours import label_in_place, surroundings
from execution.targeting.resolver import TargetResolver
from execution.targeting.shapes import structure_share
from execution.targeting.weighing import weigh
from execution.teaching.evidence import teach_target
from execution.types import Box, Element, ElementRole, Resolution, ResolveStatus, ScreenState, TextLine
from tests.execution.perception.drawing import Canvas, Pictures, frame
from tests.execution.targeting.forms import CANCEL, FIELDS, SAVE, Form, context
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
    return TargetResolver(pictures=store).resolve(target, state, variables={}, effect=EffectClass.READ)


# What lies over it, and what that leaves of it.
COVERS = {
    "the right": (Box(960, 560, 300, 200), Box(900, 640, 60, 32)),
    "the left": (Box(600, 600, 340, 160), Box(940, 640, 80, 32)),
    "below": (Box(700, 658, 400, 140), Box(900, 640, 120, 18)),
    "above": (Box(860, 500, 300, 152), Box(900, 652, 120, 20)),
    "a corner": (Box(950, 659, 320, 140), Box(900, 640, 120, 19)),
    "another corner": (Box(985, 645, 200, 140), Box(900, 640, 85, 32)),
}


@pytest.mark.parametrize("side", COVERS)
def test_it_is_clicked_at_the_part_that_is_in_sight(save: TargetSpec, store: Pictures, side: str) -> None:
    cover, left = COVERS[side]
    state = under(Form().state(), cover, "New message")
    found = resolve(save, state, store)
    assert (found.status, found.box) == (FOUND, SAVE), found.message
    assert found.point is not None
    assert left.contains(found.point)
    signs = seen_in_part(SAVE, context(save, state, store))
    assert signs is not None
    assert signs.in_sight == left


def test_a_click_keeps_away_from_the_edge_of_what_lies_over_it(save: TargetSpec, store: Pictures) -> None:
    edge = SAVE.center.x + 2  # where it was clicked is in sight, by two pixels
    found = resolve(save, under(Form().state(), Box(edge, 560, 300, 200)), store)
    assert found.point is not None
    assert SAVE.x + 4 <= found.point.x <= edge - 4


def test_where_it_is_clear_of_what_lies_over_it_it_is_clicked_as_it_was_taught(
    save: TargetSpec, store: Pictures
) -> None:
    found = resolve(save, under(Form().state(), Box(700, SAVE.center.y + 6, 400, 140)), store)
    assert found.point == SAVE.center


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
    found = resolve(save, seen, store)
    assert found.point is None
    assert "something lies over it" in found.message


def test_what_lies_under_something_is_not_elsewhere_unless_it_stands_there_as_it_was_taught(
    save: TargetSpec, store: Pictures
) -> None:
    form = Form().state()
    now = context(save, under(form, Box(960, 560, 300, 200)), store)
    covered = seen_in_part(SAVE, now)
    assert covered is not None
    assert lies_under([examined(CANCEL, now), covered], 0, now)
    assert not lies_under([examined(CANCEL, now), covered], 1, now)
    assert not lies_under([examined(CANCEL, now)], 0, now)
    plain = context(save, form, store)
    assert not lies_under([examined(SAVE, plain), covered], 0, plain)


def test_a_fragment_that_was_taken_for_a_control_is_not_where_it_is(save: TargetSpec, store: Pictures) -> None:
    """The place that is proposed is the fragment's; the target is looked for where it was taught, too."""
    seen = under(Form().state(), Box(950, 560, 300, 200))
    fragment = Box(904, 645, 36, 22)
    left = [line for line in seen.texts if not line.box.intersection(SAVE).area]
    seen = replace(
        seen,
        elements=(*seen.elements, Element(box=fragment, role=ElementRole.BUTTON, text="Sa")),
        texts=(*left, TextLine(text="Sa", box=fragment)),
    )
    found = resolve(save, seen, store)
    assert (found.status, found.box) == (FOUND, SAVE), found.message


def test_of_a_part_nothing_is_told_that_only_all_of_it_tells(save: TargetSpec, store: Pictures) -> None:
    weighed = weigh(context(save, under(Form().state(), Box(960, 560, 300, 200)), store))
    (place,) = [n for n, signs in enumerate(weighed.signs) if signs.in_sight is not None]
    told = dict(zip(NAMES, weighed.features[place].tolist(), strict=True))
    assert all(np.isnan(told[name]) for name in ("fitted", "eye", "around_picture", "colour", "busy"))
    assert weighed.signs[place].look is not None and weighed.signs[place].look.grey > 0.99


def test_what_else_is_on_what_lies_over_it_is_not_several_things_in_one(save: TargetSpec, store: Pictures) -> None:
    seen = under(Form().state(), Box(955, 560, 300, 200))
    boxes = Box(960, 642, 26, 26), Box(990, 642, 26, 26)
    more = [Element(box=box, role=ElementRole.BUTTON, text=text) for box, text in zip(boxes, "AB", strict=True)]
    lines = [TextLine(text=text, box=box) for box, text in zip(boxes, "AB", strict=True)]
    seen = replace(seen, elements=(*seen.elements, *more), texts=(*seen.texts, *lines))
    assert resolve(save, seen, store).status is FOUND


def painted(state: ScreenState, *boxes: Box, grey: int = 200) -> ScreenState:
    """The screen with boxes of one colour on it."""
    pixels = state.frame.pixels.copy()
    for box in boxes:
        pixels[box.y : box.bottom, box.x : box.right] = grey
    return replace(state, frame=frame(pixels))


RIGHT = Box(960, 560, 300, 200)
NO_COVERS = {
    "a box within it": painted(Form().state(), Box(940, 646, 40, 20)),
    "a longer caption": Form(words={"save": "Save and close"}).state(),
    "another caption": Form(words={"save": "Delete"}).state(),
    "a wider button": Form(words={"save": "Save as"}, boxes={"save": SAVE._replace(w=180)}).state(),
    "a narrow edge of it": under(Form().state(), Box(1014, 560, 300, 200)),
    "nearly all of it": under(Form().state(), Box(902, 560, 300, 200)),
    "other words in what is in sight": under(Form(words={"save": "Delete all"}).state(), RIGHT),
    "a spot in what is in sight": under(painted(Form().state(), Box(906, 645, 14, 12)), RIGHT),
    "all else has changed as well": under(painted(Form().state(), Box(850, 590, 40, 130), grey=0), RIGHT),
    "what has no straight edges": painted(
        Form().state(), *(Box(960 + 7 * (n % 3), 560 + 10 * n, 300, 10) for n in range(20))
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", NO_COVERS)
def test_what_changed_otherwise_is_not_covered(save: TargetSpec, store: Pictures, what: str) -> None:
    assert cover_at(SAVE, context(save, NO_COVERS[what], store)) is None


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


def test_a_control_under_it_is_not_a_missing_one(store: Pictures) -> None:
    box, form = FIELDS["Street"], Form().state()
    target = teach_target(form.frame, box, label="Street", state=form, click=None, store=store)
    cover = FIELDS["Last name"].grown(6, form.frame.size)
    now = context(target, under(form, cover), store)
    part = structure_share(box, now)
    assert part is not None
    assert part < 1.0
    assert structure_share(box, now, under=cover) == 1.0
    assert structure_share(box, now, under=Box(0, 0, 1280, 800)) is None
    over_half = Box(290, 200, 420, 106)
    signs = seen_in_part(box, context(target, under(form, over_half), store))
    assert signs is not None
    assert (signs.in_sight, signs.shapes) == (Box(300, 306, 400, 16), 1.0)


def test_what_the_run_is_about_is_missed_though_something_may_lie_over_it(save: TargetSpec, store: Pictures) -> None:
    named = replace(save.neighbours[0], text="{{name}}")
    target = replace(save, neighbours=(named, *save.neighbours[1:]))
    now = context(target, Form().state(), store, {"name": "LEFÈVRE Zoé"})
    assert surroundings(SAVE, now, under=Box(0, 0, 1280, 800)).required_missing == "LEFÈVRE Zoé"


def test_a_label_under_it_is_not_a_missing_one(store: Pictures) -> None:
    box, form = FIELDS["Street"], Form().state()
    target = teach_target(form.frame, box, label="Street", state=form, click=None, store=store)
    assert target.named_by is not None
    cover = Box(100, 200, 150, 200)
    now = context(target, under(form, cover), store)
    assert label_in_place(box, now) is False
    assert label_in_place(box, now, under=cover) is None
    assert label_in_place(box, context(target, form, store), under=cover) is True


@given(
    x=st.integers(-200, 1200), y=st.integers(-200, 760), w=st.integers(60, 600), h=st.integers(40, 400),
)  # fmt: skip
def test_nothing_is_clicked_under_a_window_wherever_it_lies(x: int, y: int, w: int, h: int) -> None:
    store, cover = Pictures(), Box(x, y, w, h)
    target = taught(store)
    found = resolve(target, under(Form().state(), cover, "New message"), store)
    assert found.point is None or (SAVE.contains(found.point) and not cover.contains(found.point)), found.message
