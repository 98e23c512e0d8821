"""S6.12: what is read at a place is what stands there as one text; two cells never become one number."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.turn import looking
from execution.types import Box, Resolution, ResolveStatus, ScreenState
from execution.verification.places_of_values import at_label, in_box, in_column, room_of
from tests.execution.perception.drawing import Canvas
from workflows.graph import EdgeSpec, TargetSpec

ROW = TargetSpec(target_id="row", label="Durand", text="Durand")


def screen(*texts: tuple[str, int, int]) -> ScreenState:
    canvas = Canvas(900, 300)
    for text, x, y in texts:
        canvas.text(text, x, y)
    return canvas.state()


def box_of(text: str, state: ScreenState) -> Box:
    return next(line.box for line in state.texts if line.text == text)


def read(state: ScreenState, kind: str, anchor: Box | None = None, **params: object) -> Resolution:
    edge = EdgeSpec(
        edge_id="read",
        source="a",
        destination="a",
        action_type="read_value",
        params={"name": "dose", "kind": kind, "format": "fr", **params},
        target=ROW if anchor else None,
    )
    found = Resolution(status=ResolveStatus.FOUND, box=anchor, point=anchor.center) if anchor else None
    return looking.resolve(edge, found, state, {})


@pytest.mark.parametrize("kind", ["number", "date"])
@pytest.mark.parametrize("second", ["500", "2026"])
def test_the_cell_of_a_following_column_is_no_part_of_a_number(kind: str, second: str) -> None:
    """Under a header that stands over one column only, its neighbour without a header stands too."""
    state = screen(("Patient", 20, 20), ("Dose", 200, 20), ("Durand", 20, 60), ("12", 200, 60), (second, 270, 60))
    assert in_column(box_of("Durand", state), "Dose", state).apart
    found = read(state, kind, box_of("Durand", state), label="Dose")
    assert (found.status, second in str(found.message)) == (ResolveStatus.NOT_FOUND, True)


def test_two_cells_beside_a_label_are_no_number() -> None:
    state = screen(("Weight:", 20, 60), ("72", 120, 60), ("180", 149, 60))
    assert at_label("Weight:", state).apart or at_label("Weight:", state).problem
    assert read(state, "number", label="Weight:").status is ResolveStatus.NOT_FOUND


@pytest.mark.parametrize("second", [(240, 60), (200, 85)], ids=["beside", "below"])
def test_two_cells_in_a_box_are_no_number(second: tuple[int, int]) -> None:
    state = screen(("12", 200, 60), ("140", *second))
    box = Box(190, 50, 110, 70)
    assert in_box(box, state).apart
    assert read(state, "number", box).status is ResolveStatus.NOT_FOUND
    assert read(state, "text", box).status is ResolveStatus.FOUND


def test_a_number_that_the_reader_split_is_one() -> None:
    """A blank between thousands is no gap between cells."""
    first = screen(("1", 200, 60)).texts[0].box
    state = screen(("1", 200, 60), ("597,50", first.right + round(0.5 * first.h), 60))
    box = Box(190, 50, 200, 40)
    assert not in_box(box, state).apart
    found = read(state, "number", box)
    assert found.status is ResolveStatus.FOUND, found.message


def test_on_a_told_side_of_a_label_stands_one_cell() -> None:
    """The unit stands in the next one, nearer than the pieces of one text may be."""
    value = screen(("4.1", 240, 60)).texts[0].box
    state = screen(("Potassium", 40, 60), ("4.1", 240, 60), ("mmol/l", value.right + value.h, 60))
    assert at_label("Potassium", state, side="right").text == "4.1"


@pytest.mark.parametrize("beyond", ["left", "right"])
def test_what_goes_on_outside_of_a_box_is_cut_by_it(beyond: str) -> None:
    state = screen(("A-1001 to B-2002", 200, 60))
    line = state.texts[0].box
    box = Box(line.x + (line.w // 2 if beyond == "left" else -4), line.y - 4, line.w // 2 + 4, line.h + 8)
    assert in_box(box, state).problem.code == "turn.box_cuts"  # type: ignore[attr-defined]


def test_the_room_of_a_value_ends_before_what_stands_beside_it() -> None:
    state = screen(("Paid", 100, 60), ("128", 300, 60), ("EUR", 500, 60), ("Other", 330, 120))
    room = room_of(box_of("128", state), state)
    assert box_of("Paid", state).right < room.x < 200
    assert 450 < room.right < box_of("EUR", state).x
    longer = screen(("Paid", 100, 60), ("128 000 000", 300, 60), ("EUR", 500, 60))
    assert in_box(room, longer).text == "128 000 000"


def with_letter_beside(text: str, state: ScreenState, beside: tuple[str, str]) -> ScreenState:
    return replace(state, texts=tuple(replace(t, beside=beside) if t.text == text else t for t in state.texts))


@pytest.mark.parametrize("beside", [("O", ""), ("", "O")])
def test_a_value_beside_which_a_letter_may_stand_is_not_surely_read(beside: tuple[str, str]) -> None:
    """ "O pos" of which the reader took the O for a picture is no blood group "pos"."""
    state = with_letter_beside("pos", screen(("Blood group", 20, 60), ("pos", 200, 60)), beside)
    assert at_label("Blood group", state).problem
    assert in_box(Box(190, 50, 110, 30), state).problem


def test_a_letter_before_a_line_is_none_of_its_second_cell() -> None:
    state = with_letter_beside("Group: pos", screen(("Group: pos", 20, 60)), ("O", ""))
    assert at_label("Group:", state).text == "pos"
