"""A screen as things: each control and each free text once, whatever saw it (S2.12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.perception.elements import FrameDetector
from execution.perception.elements import scene as parts
from execution.perception.elements.outlines import outlines_of
from execution.perception.scene import Scene, Source, Thing, scene_of
from execution.perception.scene import scene as module
from execution.types import Box, Element, ElementRole, ElementState, Point, ScreenState, TextLine
from tests.execution.perception.drawing import GREY, Canvas, frame

FOCUSED = frozenset({ElementState.FOCUSED})


def element(role: str, box: Box, text: str = "", states: frozenset[ElementState] = frozenset()) -> Element:
    return Element(role=ElementRole(role), box=box, text=text, confidence=0.7, states=states)


def scene(canvas: Canvas, *elements: Element) -> Scene:
    return Scene(canvas.state(elements=elements))


def seen(canvas: Canvas) -> Scene:
    """With the elements that the product's detector sees on it."""
    return scene(canvas, *FrameDetector().detect(canvas.pixels, canvas.lines))


def saying(found: Scene, text: str) -> list[Thing]:
    return [thing for thing in found.things if thing.text == text]


def one(found: Scene, text: str) -> Thing:
    [thing] = saying(found, text)
    return thing


class TestControls:
    def test_a_button_and_its_caption_are_one_thing(self) -> None:
        canvas = Canvas(600, 300)
        box = canvas.button("Save report", Box(100, 100, 140, 32))
        thing = one(scene(canvas, element("button", box, states=FOCUSED)), "Save report")
        assert (thing.box, thing.kind, thing.source, thing.sure, thing.states) == (
            box, "button", Source.ELEMENT, 0.7, FOCUSED,
        )  # fmt: skip
        assert [word.text for word in thing.words] == ["Save", "report"]

    def test_of_a_control_with_two_lines_each_is_a_thing_too(self) -> None:
        canvas = Canvas(600, 300)
        box = canvas.field(Box(100, 100, 140, 30))
        canvas.text("Save", 120, 101)
        canvas.text("as", 120, 115)
        found = scene(canvas, element("button", box))
        assert sorted((thing.text, thing.kind) for thing in found.things) == [
            ("Save", "text"), ("Save as", "button"), ("as", "text"),
        ]  # fmt: skip

    def test_a_line_in_a_high_control_is_a_thing_too(self) -> None:
        canvas = Canvas(600, 300)
        box = canvas.field(Box(100, 100, 140, 44), "Save")
        assert sorted(thing.kind for thing in saying(scene(canvas, element("button", box)), "Save")) == [
            "button",
            "text",
        ]

    def test_a_text_and_a_group_are_no_controls(self) -> None:
        canvas = Canvas(600, 300)
        box = canvas.text("Patients", 100, 100)
        found = scene(canvas, element("text", box, "Patients"), element("group", Box(90, 90, 200, 60)))
        assert [(thing.kind, thing.source) for thing in found.things] == [("text", Source.TEXT)]

    def test_of_two_boxes_of_one_control_the_smaller_stays(self) -> None:
        canvas = Canvas(600, 300)
        box = canvas.button("Save", Box(100, 100, 140, 28))
        outer = box.grown(1, canvas.state().frame.size)
        assert one(scene(canvas, element("field", outer), element("button", box)), "Save").box == box

    @pytest.mark.parametrize("role", ["checkbox", "radio"])
    def test_a_check_box_and_its_caption_are_one_thing(self, role: str) -> None:
        canvas = Canvas(600, 300)
        marker, other = canvas.field(Box(100, 100, 16, 16)), canvas.field(Box(300, 100, 16, 16))
        caption, elsewhere = canvas.text("Notify me", 124, 100), canvas.text("Notify me", 324, 100)
        texts = [element("text", box, "Notify me") for box in (elsewhere, caption)]
        texts.append(element("text", Box(118, 100, 4, 12), "Other"))
        checked = frozenset({ElementState.CHECKED})
        found = scene(canvas, *texts, element(role, marker, "Notify me", checked), element(role, other, "Notify me"))
        left, right = sorted(saying(found, "Notify me"), key=lambda thing: thing.box.x)
        assert (left.kind, left.states, left.box.x) == (role, checked, marker.x)
        assert abs(left.box.right - caption.right) <= 2
        assert (right.box.x, abs(right.box.right - elsewhere.right) <= 2) == (other.x, True)
        assert len(found.things) == 2

    def test_the_dot_of_a_radio_button_and_check_boxes_close_together_are_none_beside(self) -> None:
        canvas = Canvas(600, 300)
        markers = [Box(100, 100 + 20 * n, 16, 16) for n in range(3)]
        for n, box in enumerate(markers):
            canvas.field(box)
            canvas.draw.rectangle((box.x + 4, box.y + 4, box.right - 5, box.bottom - 5), fill=(0, 80, 200))
            canvas.text(f"Choice {n}", 124, box.y)
        drawn = [line.box for line in canvas.lines]
        texts = [element("text", box, f"Choice {n}") for n, box in enumerate(drawn)]
        found = scene(canvas, *texts, *(element("radio", box, f"Choice {n}") for n, box in enumerate(markers)))
        assert [thing.text for thing in found.things] == ["Choice 0", "Choice 1", "Choice 2"]
        assert found.thing_at(markers[1].center) is one(found, "Choice 1")

    def test_a_check_box_without_a_caption_is_its_box(self) -> None:
        canvas = Canvas(600, 300)
        marker = canvas.field(Box(100, 100, 16, 16))
        canvas.text("Far", 100, 200)
        found = scene(canvas, element("checkbox", marker, "Far"))
        assert [thing.box for thing in found.things if thing.kind == "checkbox"] == [marker]

    def test_a_link_in_a_sentence_is_a_thing_and_the_sentence_too(self) -> None:
        canvas = Canvas(600, 300)
        canvas.text("Read the manual first", 100, 100)
        words = Scene(canvas.state()).words
        found = scene(canvas, element("link", words[2].box))
        assert one(found, "manual").kind == "link"
        assert one(found, "Read the manual first").kind == "text"

    def test_a_link_alone_is_one_thing(self) -> None:
        canvas = Canvas(600, 300)
        box = canvas.text("Forgotten password", 100, 100)
        assert [thing.kind for thing in scene(canvas, element("link", box)).things] == ["link"]

    def test_the_lines_of_a_list_are_things_and_so_is_the_list(self) -> None:
        canvas = Canvas(600, 300)
        box = canvas.field(Box(100, 60, 200, 120))
        for n, name in enumerate(("Alice", "Bob", "Carol")):
            canvas.text(name, 110, 70 + 30 * n)
        found = scene(canvas, element("field", box))
        assert one(found, "Alice Bob Carol").kind == "field"
        assert [one(found, name).kind for name in ("Alice", "Bob", "Carol")] == ["text"] * 3


class TestFreeTexts:
    def test_each_line_is_a_thing(self) -> None:
        canvas = Canvas(600, 300)
        canvas.text("First line", 100, 100)
        canvas.text("Second line", 100, 130)
        assert [(t.text, t.source) for t in scene(canvas).things] == [
            ("First line", Source.TEXT), ("Second line", Source.TEXT),
        ]  # fmt: skip

    def test_what_a_control_leaves_of_a_line_is_one(self) -> None:
        canvas = Canvas(600, 300)
        canvas.text("Name Search", 100, 100)
        last = Scene(canvas.state()).words[1].box
        found = scene(canvas, element("button", Box(last.x - 6, last.y - 6, last.w + 12, last.h + 12)))
        assert {(t.text, t.kind) for t in found.things} == {("Name", "text"), ("Search", "button")}

    @pytest.mark.parametrize(("line", "value"), [
        ("Patient: Marie Durand", "Marie Durand"),
        ("Date of birth: 1980-02-03", "1980-02-03"),
        ("Nothing behind:", None),
        ("No colon here", None),
        ("a : b", None),
        ("It was said at the end: yes", None),
    ])  # fmt: skip
    def test_the_value_behind_a_label_is_a_thing(self, line: str, value: str | None) -> None:
        canvas = Canvas(600, 300)
        drawn = canvas.text(line, 100, 100)
        values = [thing for thing in scene(canvas).things if thing.source is Source.VALUE]
        assert [thing.text for thing in values] == ([value] if value else [])
        assert all(abs(thing.box.right - drawn.right) <= 2 and thing.box.x > drawn.x for thing in values)
        assert one(scene(canvas), line).source is Source.TEXT


class TestDrawn:
    def test_ink_without_text_is_a_thing(self) -> None:
        canvas = Canvas(600, 300)
        drawn = canvas.icon(100, 100, seed=3)
        [thing] = scene(canvas).things
        assert thing.source is Source.INK
        assert thing.box.iou(drawn) > 0.6

    def test_the_ink_of_a_control_is_no_other_thing(self) -> None:
        canvas = Canvas(600, 300)
        drawn = canvas.icon(100, 100, seed=3)
        [thing] = scene(canvas, element("icon", drawn)).things
        assert (thing.kind, thing.source) == ("icon", Source.ELEMENT)

    def test_what_is_hardly_larger_has_its_ink_and_a_field_does_not(self) -> None:
        canvas = Canvas(600, 300)
        drawn = canvas.icon(100, 100, seed=3)
        close = element("icon", drawn.grown(6, canvas.state().frame.size))
        assert [thing.box for thing in scene(canvas, close).things] == [close.box]
        field = element("field", Box(90, 92, 200, 40))
        assert [thing.source for thing in scene(canvas, field).things] == [Source.ELEMENT, Source.INK]

    def test_a_frame_that_no_detector_saw_is_a_thing_with_its_words(self) -> None:
        canvas = Canvas(600, 300)
        box = canvas.field(Box(100, 100, 200, 28), "Alice Martin")
        framed = [thing for thing in scene(canvas).things if thing.source is Source.FRAME]
        assert [(thing.text, thing.box.iou(box) > 0.9) for thing in framed] == [("Alice Martin", True)]
        assert not [t for t in scene(canvas, element("field", box)).things if t.source is Source.FRAME]

    def test_a_frame_around_many_words_is_a_pane(self) -> None:
        canvas = Canvas(600, 300)
        canvas.field(Box(60, 60, 400, 90))
        for n in range(3):
            canvas.text("four words a line", 70, 66 + 28 * n)
        assert not [thing for thing in scene(canvas).things if thing.source is Source.FRAME]

    def test_a_row_between_two_level_lines_is_a_thing(self) -> None:
        canvas = Canvas(600, 300)
        for y in (100, 140, 180):
            canvas.draw.line((40, y, 560, y), fill=GREY)
        canvas.text("A-1001", 60, 112)
        canvas.text("Alice", 300, 112)
        rows = [thing for thing in scene(canvas).things if thing.source is Source.BAND]
        assert [(thing.text, thing.box.y, thing.box.bottom) for thing in rows] == [
            ("A-1001 Alice", 101, 140),
            ("", 141, 180),
        ]


class TestThingAt:
    @pytest.fixture
    def form(self) -> Scene:
        canvas = Canvas(600, 300)
        outer = canvas.field(Box(80, 80, 300, 60))
        inner = canvas.button("Go", Box(300, 95, 60, 30))
        canvas.text("Name", 100, 200)
        return scene(canvas, element("field", outer), element("button", inner))

    def test_the_smallest_is_meant(self, form: Scene) -> None:
        at = form.thing_at(Point(330, 110))
        assert at is not None
        assert at.kind == "button"
        for x in (100, 297):
            around = form.thing_at(Point(x, 110))
            assert around is not None
            assert around.kind == "field", "what it lies on is meant, not what it lies beside"

    @pytest.mark.parametrize(
        ("dx", "dy", "is_meant"), [(8, 5, True), (-8, 5, True), (40, 5, False), (5, -5, True), (5, -14, False)]
    )
    def test_beside_a_text_along_its_line(self, form: Scene, dx: int, dy: int, is_meant: bool) -> None:
        box = one(form, "Name").box
        x = box.right - 1 + dx if dx > 5 else box.x + dx
        at = form.thing_at(Point(x, box.y + dy))
        assert (at.text if at else None) == ("Name" if is_meant else None)

    def test_a_control_reaches_no_further_than_a_hand_slips(self, form: Scene) -> None:
        assert form.thing_at(Point(384, 100)) is not None
        assert form.thing_at(Point(392, 100)) is None

    def test_a_row_is_meant_where_nothing_else_is_beside(self) -> None:
        canvas = Canvas(600, 300)
        for y in (100, 140):
            canvas.draw.line((40, y, 560, y), fill=GREY)
        canvas.text("Alice", 300, 112)
        found = scene(canvas)
        beside, row = found.thing_at(Point(295, 118)), found.thing_at(Point(100, 120))
        assert beside is not None
        assert beside.text == "Alice"
        assert beside.source is Source.TEXT
        assert row is not None
        assert row.source is Source.BAND


class TestWordsIn:
    def test_those_with_their_middle_in_the_box(self) -> None:
        canvas = Canvas(600, 300)
        canvas.text("one two three", 100, 100)
        found = scene(canvas)
        two = found.words[1].box
        assert found.words_in(two) == [1]
        assert found.words_in(Box(two.x, two.bottom + 3, 10, 10)) == []
        assert Scene(Canvas(60, 40).state()).words_in(Box(0, 0, 60, 40)) == []


def test_a_picture_that_the_detector_took_apart_is_not_taken_apart_again(monkeypatch: pytest.MonkeyPatch) -> None:
    canvas = Canvas(400, 200)
    canvas.text("Save", 40, 40)
    canvas.draw.rectangle((30, 30, 130, 70), outline=(90, 90, 90))
    state = canvas.state(elements=())
    state = replace(state, elements=FrameDetector().detect(state.frame.pixels, state.texts))
    taken_apart: list[object] = []
    monkeypatch.setattr(parts, "outlines_of", lambda edges: taken_apart.append(edges) or outlines_of(edges))
    frames = Scene(state).things
    assert not taken_apart
    copy = replace(state, frame=replace(state.frame, pixels=state.frame.pixels.copy()))
    assert [thing.box for thing in Scene(copy).things] == [thing.box for thing in frames]
    assert len(taken_apart) == 1


def test_how_many_lines_read_alike_is_counted_in_letters() -> None:
    canvas = Canvas(600, 300)
    for n, text in enumerate(("Été", "ete", "Save")):
        canvas.text(text, 100, 60 + 40 * n)
    assert scene(canvas).counts["ete"] == 2


# --- each thing once ----------------------------------------------------------------------------------------------
KINDS = ("text", "value", "button", "field", "checkbox", "icon", "tile", "link", "row")
words = st.lists(
    st.sampled_from(["Save", "Alice", "17.50", "OK", "x", "Notify me", "Date:", "+"]), min_size=1, max_size=4
)
cells = st.tuples(st.sampled_from(KINDS), words, st.integers(0, 40), st.integers(0, 9))


def draw(canvas: Canvas, kind: str, said: Sequence[str], x: int, y: int, seed: int) -> None:
    text = " ".join(said)
    if kind == "button":
        canvas.button(text[:20], Box(x, y, 20 + 8 * len(text[:20]), 28))
    elif kind == "field":
        canvas.field(Box(x, y, 170, 26), text[:16])
    elif kind == "checkbox":
        canvas.field(Box(x, y + 4, 14, 14))
        canvas.text(text[:16], x + 22, y + 3)
    elif kind == "icon":
        canvas.icon(x, y, seed=seed)
    elif kind == "tile":
        canvas.icon(x + 10, y, seed=seed)
        canvas.text(text[:8], x, y + 28)
    elif kind == "row":
        canvas.draw.line((x - 20, y, x + 180, y), fill=GREY)
        canvas.text(text[:16], x, y + 10)
        canvas.draw.line((x - 20, y + 38, x + 180, y + 38), fill=GREY)
    else:
        canvas.text(f"Name: {text}" if kind == "value" else text, x, y, ink=(0, 80, 200) if kind == "link" else None)


@given(st.lists(cells, min_size=1, max_size=18))
def test_each_thing_is_there_once_and_every_word_is_in_one(drawn: list[tuple[str, list[str], int, int]]) -> None:
    """S2.12, on any arrangement of what the product's detector sees."""
    canvas = Canvas(640, 400)
    for n, (kind, said, off, seed) in enumerate(drawn):
        draw(canvas, kind, said, 30 + 205 * (n % 3), 12 + 64 * (n // 3) + off // 3, seed)
    found = seen(canvas)
    for first, second in combinations(found.things, 2):
        assert first.box.iou(second.box) <= 0.8 or is_part_of_line(first, second), (first, second)
    held = {id(word) for thing in found.things for word in thing.words}
    assert [word for word in found.words if id(word) not in held] == []


def is_part_of_line(first: Thing, second: Thing) -> bool:
    """A link or a value is one thing, and its line with another word in it is another, however short that is."""
    line, part = (first, second) if first.source is Source.TEXT else (second, first)
    return (
        line.source is Source.TEXT and line.words != part.words and set(map(id, line.words)) > set(map(id, part.words))
    )


# --- made once ----------------------------------------------------------------------------------------------------
class TestSceneOf:
    def state(self, grey: int = 245) -> ScreenState:
        line = TextLine(text="Save", box=Box(10, 10, 40, 14))
        return ScreenState(frame=frame(np.full((60, 80, 3), grey, np.uint8)), texts=(line,))

    def test_it_is_made_once_for_equal_states(self) -> None:
        state = self.state()
        later = replace(state.frame, pixels=state.frame.pixels.copy(), taken_at=state.frame.taken_at + timedelta(1))
        assert scene_of(replace(state, frame=later, cache_hit=True)) is scene_of(state)

    def test_other_pixels_another_reading_or_other_elements_make_another(self) -> None:
        state = self.state()
        found = scene_of(state)
        assert scene_of(replace(state, frame=self.state(grey=90).frame)) is not found
        assert scene_of(replace(state, texts=())) is not found
        assert scene_of(replace(state, elements=(element("button", Box(8, 8, 50, 20)),))) is not found

    def test_few_are_kept_the_latest(self, monkeypatch: pytest.MonkeyPatch) -> None:
        made = list[str]()

        class Counted(Scene):
            def __init__(self, state: ScreenState) -> None:
                made.append(state.frame.digest)
                super().__init__(state)

        monkeypatch.setattr(module, "Scene", Counted)
        first, *others = [self.state(grey=10 + n) for n in range(9)]
        scene_of(first)
        for other in others:
            scene_of(other)
            scene_of(others[0])
        assert len(made) == 9, "what is asked for again and again stays"
        scene_of(first)
        assert len(made) == 10, "what was made long ago does not"
