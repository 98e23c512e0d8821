"""S6.1: the words inside a box are its text, also where the reader took them and what is beside them for one line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.teaching.evidence import teach_target
from execution.teaching.parts import text_beside, text_in
from execution.types import Box, Element, ElementRole, ScreenState, TextLine, Word
from tests.execution.perception.drawing import Canvas, Pictures


def joined(state: ScreenState, *texts: str) -> ScreenState:
    """The screen as a reader gives it that takes these texts for one line."""
    parts = [line for line in state.texts if line.text in texts]
    left, right = min(p.box.x for p in parts), max(p.box.right for p in parts)
    top, bottom = min(p.box.y for p in parts), max(p.box.bottom for p in parts)
    whole = TextLine(text=" ".join(texts), box=Box(left, top, right - left, bottom - top))
    return replace(state, texts=(*(line for line in state.texts if line not in parts), whole))


def buttons(*texts: str, ground: tuple[int, int, int] = (245, 245, 245)) -> tuple[ScreenState, list[Box]]:
    """Buttons side by side, read as one line."""
    canvas, x, boxes = Canvas(900, 300, background=ground), 80, []
    for text in texts:
        wide = 60 + 9 * len(text)
        boxes.append(canvas.button(text, Box(x, 100, wide, 30)))
        x += wide + 12
    elements = [Element(box=b, role=ElementRole.BUTTON, text=t) for b, t in zip(boxes, texts, strict=True)]
    return joined(canvas.state(elements=elements), *texts), boxes


@pytest.mark.parametrize("ground", [(245, 245, 245), (30, 32, 36), (120, 160, 90)])
@pytest.mark.parametrize("texts", [("Save", "Cancel"), ("Save As", "Do not save", "OK"), ("I", "Illinois", "www mmm")])
def test_each_button_of_a_line_has_its_own_text(texts: tuple[str, ...], ground: tuple[int, int, int]) -> None:
    state, boxes = buttons(*texts, ground=ground)
    for box, text in zip(boxes, texts, strict=True):
        target = teach_target(state.frame, box, label=text, state=state, click=None, store=Pictures())
        assert target.text == text
        assert text not in [n.text for n in target.neighbours]


def test_what_is_left_of_the_line_stands_beside_it() -> None:
    state, boxes = buttons("Save", "Do not save", "Cancel")
    beside = text_beside(boxes[1], state)
    assert [line.text for line in beside] == ["Save", "Cancel"]
    assert all(inner.contains(line.box.center) for line, inner in zip(beside, (boxes[0], boxes[2]), strict=True))
    target = teach_target(state.frame, boxes[1], label="x", state=state, click=None, store=Pictures())
    assert [(n.text, n.dx < 0) for n in target.neighbours] == [("Save", True), ("Cancel", False)]


def test_a_word_within_a_sentence_is_the_text_of_its_box() -> None:
    """“Room” of “Room 12 is free until noon”: the rest of the line is other data next time."""
    canvas = Canvas(900, 300)
    canvas.text("Room 12 is free until noon", 100, 100)
    room = Canvas(900, 300).text("Room", 100, 100)
    state = canvas.state()
    assert [line.text for line in text_in(room.grown(2, state.frame.size), state)] == ["Room"]
    target = teach_target(state.frame, room.grown(2, state.frame.size), label="x", state=state, click=None,
                          store=Pictures())  # fmt: skip
    assert target.text == "Room"


def test_a_line_that_is_wholly_in_the_box_or_on_another_level_is_not_cut() -> None:
    state, boxes = buttons("Save", "Cancel")
    around = Box(60, 80, 400, 80)
    assert [line.text for line in text_in(around, state)] == ["Save Cancel"]
    below = boxes[0]._replace(y=200)
    assert text_in(below, state) == ()
    assert [line.text for line in text_beside(below, state)] == ["Save Cancel"]


def test_its_twins_are_counted_where_they_are_parts_of_lines_too() -> None:
    canvas, elements = Canvas(900, 400), []
    for row in range(3):
        for x, text in ((100, "Edit"), (190, "Remove")):
            box = canvas.button(text, Box(x, 80 + 50 * row, 84, 30))
            elements.append(Element(box=box, role=ElementRole.BUTTON, text=text))
    state = canvas.state(elements=elements)
    lines = list(state.texts)
    for row in range(3):
        one, other = lines[2 * row : 2 * row + 2]
        whole = TextLine(
            text="Edit Remove", box=Box(one.box.x, one.box.y, other.box.right - one.box.x, max(one.box.h, other.box.h))
        )
        state = replace(state, texts=(*(t for t in state.texts if t not in (one, other)), whole))
    target = teach_target(state.frame, elements[2].box, label="x", state=state, click=None, store=Pictures())
    assert (target.text, target.number, target.alike) == ("Edit", 2, 3)


def test_a_line_in_which_something_was_hidden_is_cut_by_what_it_says_now() -> None:
    words = (Word("Mail:", 0, 40), Word("anna@ward.org", 46, 150))
    line = TextLine(text="Mail: anna@ward.org", box=Box(100, 100, 150, 14), words=words)
    state = replace(Canvas(900, 300).state(), texts=(replace(line, text="Mail: •••"),))
    beside = text_beside(Box(90, 90, 60, 34), state)
    assert "anna" not in " ".join(part.text for part in beside)
