"""Where a target is by its text: what was read as one text once may be read in pieces the next time (S5.3)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.targeting.resolver import TargetResolver
from execution.teaching.evidence import teach_target
from execution.types import Box, Element, ElementRole, Point, ResolveStatus, ScreenState, TextLine, Window
from tests.execution.perception.drawing import Canvas, Pictures
from workflows.choices import EffectClass

SIGN = Box(154, 279, 66, 33)


def order(*, down: int = 0, pieces: tuple[tuple[str, Box], ...]) -> ScreenState:
    """A record with three buttons of which the reader makes these `pieces`."""
    canvas = Canvas(1200, 820)
    for text, y in (("Number: 50917", 128), ("Name: DUPONT Ida", 158), ("Remark", 197), ("Phone", 242)):
        canvas.text(text, 77, y + down, size=15)
    lines = tuple(canvas.lines)
    for text, x, wide in (("Save", 78, 71), ("Sign", 154, 66), ("Delete", 225, 83)):
        canvas.draw.rounded_rectangle((x, 279 + down, x + wide, 312 + down), 16, fill="white", outline=(53, 96, 141))
        canvas.text(text, x + 17, 286 + down, size=15)
    if down:  # another picture, so that the text alone must find it
        canvas.draw.rectangle((60, 270 + down, 330, 278 + down), fill=(200, 60, 60))
    read = [TextLine(text=text, box=replace_y(box, down)) for text, box in pieces]
    links = [Element(box=line.box, role=ElementRole.LINK, text=line.text) for line in read]
    window = Window(title="Orders", app_name="Chromium", box=Box(60, 20, 1000, 725))
    return replace(canvas.state(window=window, elements=links), texts=(*lines, *read))


def replace_y(box: Box, down: int) -> Box:
    return Box(box.x, box.y + down, box.w, box.h)


def test_a_click_taught_in_what_was_read_as_one_is_not_put_into_a_part_of_it():
    """S5.3: of three buttons read as one text two are read as one now: a share of that width is another button."""
    store = Pictures()
    whole = (("Save Sign Delete", Box(79, 277, 225, 37)),)
    taught = order(pieces=whole)
    target = teach_target(taught.frame, whole[0][1], label="Sign", state=taught, click=Point(186, 295), store=store)
    now = order(down=61, pieces=(("Save Sign", Box(82, 277, 136, 37)), ("Delete", Box(241, 286, 52, 16))))
    found = TargetResolver(pictures=store).resolve(target, now, variables={})
    assert found.status is not ResolveStatus.FOUND or replace_y(SIGN, 61).contains(found.point), found


@pytest.mark.parametrize(
    ("is_table", "status"), [(True, ResolveStatus.FOUND), (False, ResolveStatus.NOT_FOUND)], ids=["cells", "one name"]
)
def test_a_value_that_was_read_with_the_next_cell_is_told_apart(*, is_table: bool, status: ResolveStatus) -> None:
    """S9.6: “Dora Lindqvist Caritas” is a name and a company in two cells, and may be one name."""
    canvas, store = Canvas(700, 300), Pictures()
    canvas.text("Bruno Conti", 60, 60)
    if is_table:
        name, company = canvas.text("Dora Lindqvist", 60, 84), canvas.text("Caritas", 166, 84)
        both = name._replace(w=company.right - name.x)
        canvas.lines[-2:] = [TextLine(text="Dora Lindqvist Caritas", box=both)]  # a reader joins what stands so close
    else:
        canvas.text("Dora Lindqvist Caritas", 60, 84)
    state = canvas.state()
    box = next(line.box for line in state.texts if line.text == "Bruno Conti")
    target = teach_target(state.frame, box, label="Visitor", state=state, click=None, store=store)
    found = TargetResolver(pictures=store).resolve(
        replace(target, text="{{visitor}}"), state, variables={"visitor": "Dora Lindqvist"},
        effect=EffectClass.OBSERVABLE,
    )  # fmt: skip
    assert found.status is status, found.message
