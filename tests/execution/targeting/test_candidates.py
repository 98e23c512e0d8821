"""Where a thing lies of which a text was found: it, and what was taken with it when it was taught (S5.3)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from execution.perception.scene import Source, scene_of
from execution.targeting.candidates import By, candidates_of
from execution.targeting.pointing import votes_of
from execution.targeting.resolver import TargetResolver
from execution.targeting.runs import Alike
from execution.teaching.evidence import teach_target
from execution.types import Box, Element, ElementRole, Resolution, ResolveStatus, ScreenState, Size
from tests.execution.perception.drawing import Canvas, Pictures, frame
from tests.execution.targeting.forms import context
from workflows.choices import EffectClass
from workflows.graph import TargetSpec

FOUND = ResolveStatus.FOUND
ENTRY = Box(40, 150, 240, 34)
HASHES = ("MD4", "MD5", "SHA1", "SHA256", "SHA512", "GOST")


def resolve(target: TargetSpec, state: ScreenState, store: Pictures, **variables: str) -> Resolution:
    return TargetResolver(pictures=store).resolve(target, state, variables=variables, effect=EffectClass.READ)


def menu(*, veil: float = 0.0, dark: bool = False) -> ScreenState:
    """Entries with a picture at their left, in which nobody saw more than the pictures."""
    canvas, icons = Canvas(900, 600, background=(255, 255, 255)), list[Element]()
    for number, text in enumerate(("Overview", "Calendar", "Pharmacy", "Statistics")):
        y = 150 + 34 * (number - 1)
        icons.append(Element(box=canvas.icon(48, y + 5, seed=number), role=ElementRole.ICON))
        canvas.text(text, 84, y + 10)
    canvas.text("Two ambulances are expected before noon", 400, 160)
    state = canvas.state(elements=icons)
    dimmed = ((255 - state.frame.pixels if dark else state.frame.pixels) * (1 - veil)).astype(np.uint8)
    return replace(state, frame=frame(dimmed))


def test_an_entry_behind_a_veil_is_not_clicked_though_its_words_stand_beside_the_middle_of_it() -> None:
    """Held against what was taught where the picture lies, not around its words."""
    store, seen = Pictures(), menu()
    target = replace(
        teach_target(seen.frame, ENTRY, label="Calendar", state=seen, click=None, store=store), role="menu_item"
    )
    found = resolve(target, seen, store)
    assert (found.status, found.box) == (FOUND, ENTRY), found.message
    assert resolve(target, menu(veil=0.5), store).status is not FOUND


def hashes(x: int, y: int, *, label: str = "") -> ScreenState:
    """Boxes to tick, each with its caption, and a label in the page behind that may read as one of them."""
    canvas, boxes = Canvas(1000, 600), list[Element]()
    for number, text in enumerate(HASHES):
        tick = Box(x + 110 * (number % 2), y + 26 * (number // 2), 14, 14)
        canvas.draw.rectangle((tick.x, tick.y, tick.right - 1, tick.bottom - 1), fill="white", outline=(90, 90, 90))
        boxes.append(Element(box=tick, role=ElementRole.CHECKBOX))
        canvas.text(text, tick.right + 8, tick.y - 1)
    if label:
        canvas.text(label, 60, 400)
    return canvas.state(elements=boxes)


def test_a_caption_taught_with_its_box_is_looked_for_with_its_box_and_not_in_a_label_that_reads_the_same() -> None:
    """The place was given up for the box alone, which says nothing, and the label behind it was clicked."""
    store, shown = Pictures(), hashes(500, 200)
    taught = teach_target(shown.frame, Box(496, 220, 100, 26), label="SHA1", state=shown, click=None, store=store)
    target = replace(taught, text="{{choice}}", role="")
    now = hashes(560, 120, label="SHA256:")
    found = resolve(target, now, store, choice="SHA256")
    caption = next(line.box for line in now.texts if line.text == "SHA256")
    assert found.status is FOUND, found.message
    assert found.box
    assert found.box.contains(caption.center)


def test_a_frame_around_several_things_is_no_place_that_may_be_meant_unless_a_list_is() -> None:
    canvas = Canvas(900, 600)
    canvas.draw.rectangle((100, 100, 600, 140), outline=(120, 120, 120))
    field, more = canvas.field(Box(110, 104, 200, 30), "Image"), canvas.button("Get more", Box(400, 104, 160, 30))
    kinds = ((field, ElementRole.FIELD, "Image"), (more, ElementRole.BUTTON, "Get more"))
    state = canvas.state(elements=[Element(box=box, role=role, text=text) for box, role, text in kinds])
    frame_ = next(thing.box for thing in scene_of(state).things if thing.source is Source.FRAME and thing.box.w > 400)
    target, store = TargetSpec(target_id="t", label="x", text="Get more"), Pictures()
    for as_list in (False, True):
        asked = context(target, state, store)
        asked.as_list = as_list
        found = candidates_of(asked, votes_of(asked))
        assert (frame_ in [one.box for one in found]) is as_list
        assert more in [one.box for one in found]


def test_a_place_where_the_picture_fits_says_what_its_words_say() -> None:
    store, shown = Pictures(), Canvas(900, 600)
    words = shown.text("IPv4 Settings", 300, 200)
    taught = teach_target(
        shown.state().frame, words.grown(9, Size(900, 600)), label="IPv4", state=shown.state(), click=None, store=store
    )
    asked = context(taught, shown.state(), store)
    places = [one for one in candidates_of(asked, votes_of(asked)) if one.by & {By.PICTURE, By.PLACE}]
    assert places
    assert {one.said for one in places} == {Alike.EXACT}


def test_the_arrow_of_a_combo_box_is_no_place_of_its_own() -> None:
    """Where it is likelier than the field, it was what was held against the taught one, and was greyed out."""
    canvas, store, box = Canvas(700, 300, background=(246, 246, 246)), Pictures(), Box(150, 100, 126, 34)
    canvas.text("Reason", 80, 110)
    canvas.draw.rectangle((150, 100, 275, 133), fill=(238, 238, 238), outline=(200, 200, 200))
    canvas.draw.polygon([(251, 114), (263, 114), (257, 120)], fill=(40, 40, 40))
    arrow = Element(box=Box(251, 114, 13, 7), role=ElementRole.ICON)
    state = canvas.state(elements=[Element(box=box, role=ElementRole.FIELD), arrow])
    target = teach_target(state.frame, box, label="Reason", state=state, click=None, store=store)
    seen = context(target, state, store)
    assert arrow.box in [thing.box for thing in seen.scene.things]
    assert arrow.box not in [one.box for one in candidates_of(seen, votes_of(seen))]
