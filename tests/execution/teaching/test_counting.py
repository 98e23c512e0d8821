"""Which one of its list a target is, said by a variable: what the shown one alone is known by goes (S6.11, S6.13)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.teaching.counting import counted, lines_from
from tests.execution.targeting.test_numbers import NAMES, button, line, table, taught


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
