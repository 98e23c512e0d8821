"""Where the lines of a list stand on the picture that one of them was taught on (S6.13)."""

from __future__ import annotations

from execution.teaching.listing import area_of_list
from execution.types import Box, Element, ElementRole, ScreenState, Window
from tests.execution.perception.drawing import Canvas

NAMES = ("Adams", "Brown", "Costa", "Dubois", "Evans")


def table(canvas: Canvas, *, top: int = 120, step: int = 40) -> list[Box]:
    """A list with a head and a foot; the boxes of the names."""
    canvas.text("Letters", 40, 30)
    canvas.text("Name", 40, top - step)
    canvas.text("Ward", 240, top - step)
    names = []
    for row, name in enumerate(NAMES):
        names.append(canvas.text(name, 40, top + step * row))
        canvas.text(f"Ward {row % 2}", 240, top + step * row)
        canvas.text("Open", 440, top + step * row)
    canvas.text("Close the day", 60, top + step * len(NAMES) + 60)
    return names


def inside(area: Box, state: ScreenState) -> set[str]:
    return {line.text for line in state.texts if area.contains(line.box.center)}


def test_all_cells_of_the_lines_are_in_it_and_neither_head_nor_foot() -> None:
    canvas = Canvas(900, 480)
    names = table(canvas)
    state = canvas.state()
    assert inside(area_of_list(names, state), state) == {*NAMES, "Ward 0", "Ward 1", "Open"}


def test_lines_of_which_the_one_was_not_seen_belong_to_it() -> None:
    canvas = Canvas(900, 480)
    names = table(canvas)
    state = canvas.state()
    assert inside(area_of_list(names[:3], state), state) == {*NAMES, "Ward 0", "Ward 1", "Open"}


def test_what_stands_once_beside_the_list_bounds_it() -> None:
    canvas = Canvas(900, 480)
    names = table(canvas)
    canvas.text("Notes", 700, 150)
    state = canvas.state()
    area = area_of_list(names, state)
    assert inside(area, state) == {*NAMES, "Ward 0", "Ward 1", "Open"}
    assert area.right == 700


def test_a_card_is_a_line_with_all_that_stands_in_it() -> None:
    canvas = Canvas(900, 600)
    canvas.text("Tasks", 40, 20)
    buttons, cards = [], []
    for row, name in enumerate(NAMES[:4]):
        top = 80 + 110 * row
        cards.append(Element(role=ElementRole.GROUP, box=Box(30, top, 600, 96), confidence=1.0))
        canvas.text(name, 50, top + 10)
        buttons.append(canvas.text("Done", 540, top + 50))
    state = canvas.state(elements=cards)
    area = area_of_list(buttons, state)
    assert inside(area, state) == {*NAMES[:4], "Done"}
    assert (area.y, area.bottom) == (cards[0].box.y, cards[-1].box.bottom)


def test_rows_of_the_window_behind_are_none_of_the_list() -> None:
    canvas = Canvas(900, 480)
    names = table(canvas)
    for row in range(len(NAMES)):
        canvas.text("Bed", 4, 120 + 40 * row)
    state = canvas.state(window=Window(title="Letters", box=Box(30, 10, 600, 460)))
    assert inside(area_of_list(names, state), state) == {*NAMES, "Ward 0", "Ward 1", "Open"}
