"""Which one of its list a target is, said by a variable: what the shown one alone is known by goes (S6.11, S6.13)."""

from __future__ import annotations

from dataclasses import replace

from execution.teaching.counting import counted
from tests.execution.targeting.test_numbers import NAMES, table, taught


def test_a_text_of_the_shown_row_holds_no_other_row_and_a_variable_of_it_does() -> None:
    state = table()
    first = next(element.box for element in state.elements)
    target = replace(taught(state, first, number=""), row=(NAMES[0], "{{ward}}"))
    line, members = counted(target, first, state, number="{{n}}", values={"n": "1"})
    assert line.row == ("{{ward}}",)
    assert (line.number, len(members)) == ("{{n}}", len(NAMES))
