"""Which of several things of a kind the texts of a wanted row belong to (S5.3, S9.6)."""

from __future__ import annotations

import pytest

from execution.targeting.rows import WantedRow
from execution.types import Box

COLUMNS = (26, 498, 969, 1440)
PITCH = 134


def name(column: int, card: int, *, y: int = 120) -> Box:
    return Box(COLUMNS[column], y + PITCH * card, 110, 17)


def button(column: int, card: int) -> Box:
    return Box(COLUMNS[column] + 79, 140 + PITCH * card, 79, 53)


def board(
    columns: int = 4, cards: int = 3, *, unnamed: tuple[tuple[int, int], ...] = ()
) -> tuple[list[Box], list[Box]]:
    """The buttons of a board without frames, and its lines: of each card a title, then whose it is."""
    places = [(column, card) for column in range(columns) for card in range(cards)]
    lines = [Box(COLUMNS[column], 98 + PITCH * card, 160, 18) for column, card in places]
    lines += [name(*place) for place in places if place not in unnamed]
    return [button(*place) for place in places], lines


@pytest.mark.parametrize("unnamed", [(), ((0, 1), (2, 1))], ids=["all named", "some without a name"])
def test_of_cards_side_by_side_each_has_its_own_name(unnamed: tuple[tuple[int, int], ...]) -> None:
    """The name of one was that of all in its line, and nobody could say which was meant."""
    buttons, lines = board(unnamed=unnamed)
    for place in ((1, 1), (3, 1), (3, 0)):
        row = WantedRow(texts=("DUPONT Marie",), places=((name(*place),),), lines=tuple(lines))
        assert [one for one in buttons if row.holds(one, buttons)] == [button(*place)]


@pytest.mark.parametrize(
    ("buttons_at", "texts_at", "down"),
    [((500, 580), (20, 200), 0), ((380, 560), (20, 200), 0), ((200, 560), (20, 380), 0), ((380, 560), (20, 200), 15)],
    ids=["close", "as far", "in turns", "cells of several lines"],
)
def test_two_things_of_a_kind_in_one_row_of_a_table_are_both_in_it(
    buttons_at: tuple[int, int], texts_at: tuple[int, int], down: int
) -> None:
    """Which of the two is meant is told by other signs, be they as far apart as the texts: left alone with one of them,
    it would be clicked."""
    buttons = [Box(x, 100 + down + 80 * row, 60, 24) for row in range(4) for x in buttons_at]
    lines = [Box(x, 104 + 80 * row, 90, 16) for row in range(4) for x in texts_at]
    row = WantedRow(texts=("DUPONT Marie",), places=((lines[2],),), lines=tuple(lines))
    assert [one for one in buttons if row.holds(one, buttons)] == buttons[2:4]


def test_where_the_layout_tells_of_two_that_it_may_be_none_is_left_out() -> None:
    """As many texts as would do for either: nothing is guessed."""
    buttons, lines = board(columns=2, cards=1)
    lines.append(Box(2 * COLUMNS[1] - COLUMNS[0], 120, 110, 17))  # a third one, whose card has no button
    row = WantedRow(texts=("DUPONT Marie",), places=((name(1, 0),),), lines=tuple(lines))
    assert [one for one in buttons if row.holds(one, buttons)] == buttons
