"""Which one of its list a target is, said by a variable: what the shown one alone is known by goes (S6.11, S6.13)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.teaching.counting import counted, lines_from
from execution.types import Box, ScreenState, Window
from tests.execution.perception.drawing import Canvas
from tests.execution.targeting.test_numbers import NAMES, asked, button, line, table, taught


def test_a_text_of_the_shown_row_holds_no_other_row_and_a_variable_of_it_does() -> None:
    state = table()
    first = next(element.box for element in state.elements)
    target = replace(taught(state, first, number=""), row=(NAMES[0], "{{ward}}"))
    line, members = counted(target, first, state, number="{{n}}", values={"n": "1"})
    assert line.row == ("{{ward}}",)
    assert (line.number, len(members)) == ("{{n}}", len(NAMES))


@pytest.mark.parametrize("title", ["", "Name of patient"])
def test_the_first_line_of_a_list_begins_it_whether_its_column_has_a_title_or_not(title: str) -> None:
    """A second line is none, though a title could stand where the first one does."""
    state = table(title=title)
    places = [
        [line(state, name).grown(2, state.frame.size) for name in NAMES],
        [button(state, at) for at in range(len(NAMES))],
    ]
    for first, second, *_ in places:
        assert len(lines_from(taught(state, first), first, state, least=2)) == len(NAMES)
        assert lines_from(taught(state, second), second, state, least=2) == ()


def test_one_line_alone_begins_nothing() -> None:
    state = table(NAMES[:1])
    assert lines_from(taught(state, button(state, 0)), button(state, 0), state, least=2) == ()


NAMES_OF_THREE, WARDS = ("Astrid Weber", "Samir Haddad", "Lucas Petit"), ("Dialysis", "Surgery", "Emergency")
DATES = ("2 Dec 2026", "9 Dec 2026", "1 Dec 2026")


def striped(dates: tuple[str, ...] = DATES, *, first: int = 0, down: int = 0) -> ScreenState:
    """A table whose titles stand on the ground of its rows, from that one on."""
    canvas = Canvas(700, 400)
    columns = ((60, "PATIENT", NAMES_OF_THREE), (240, "WARD", WARDS), (420, "WANTED ON", dates))
    for x, title, texts in columns:
        for row, text in enumerate((title, *texts[first:])):
            canvas.text(text, x, 60 + down + 34 * row)
    return canvas.state(window=Window(title="Referrals", box=Box(0, 0, 700, 400)))


@pytest.mark.parametrize(("dates", "begins"), [(DATES, True), (("Soon", "Routine", "Urgent"), False)])
def test_a_title_on_the_ground_of_the_rows_is_told_by_the_data_below_the_titles_beside_it(
    dates: tuple[str, ...], *, begins: bool
) -> None:
    """S6.13: in a striped table of a web page no line was offered to be repeated for each."""
    state = striped(dates)
    first, second = (text(state, name) for name in NAMES_OF_THREE[:2])
    assert len(lines_from(taught(state, first), first, state, least=2)) == (3 if begins else 0)
    assert lines_from(taught(state, second), second, state, least=2) == ()


def test_the_titles_of_other_columns_tell_the_list_where_it_has_moved_and_is_shorter() -> None:
    """A message came above it, and the line that is done is gone."""
    state = striped()
    first = text(state, NAMES_OF_THREE[0])
    line, _ = counted(taught(state, first), first, state, number="{{n}}", values={"n": "1"})
    assert {"WARD", "WANTED ON"} <= {near.text for near in line.neighbours}
    assert not {"Dialysis", "2 Dec 2026"} & {near.text for near in line.neighbours}, "of the line that was shown"
    now = striped(first=1, down=50)
    found = asked(line, now, n="1")
    assert not found.problem
    assert found.place is not None
    assert found.place.contains(text(now, NAMES_OF_THREE[1]).center)


def text(state: ScreenState, said: str) -> Box:
    return next(line.box for line in state.texts if line.text == said)
