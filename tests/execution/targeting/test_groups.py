"""S5.3: the n-th of a list is counted in reading order, in its own group, and only where all before it were seen."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.targeting.groups import groups_of
from execution.types import Box

scales = st.sampled_from([0.75, 1.0, 1.25, 1.5, 2.0])


@st.composite
def lists(draw: st.DrawFn) -> tuple[list[Box], list[Box]]:
    """The rows of one list from the top, and the same in any order; what reads off them trembles by pixels."""
    scale = draw(scales)
    high = round(scale * draw(st.integers(14, 40)))
    pitch = high + draw(st.integers(round(0.1 * high) + 2, 2 * high))
    tremble = st.integers(-max(1, high // 12), max(1, high // 12))
    aligned = draw(st.sampled_from(["left", "middle", "right"]))
    left, top = draw(st.integers(0, 900)), draw(st.integers(0, 400))
    rows = []
    for at in range(draw(st.integers(2, 15))):
        wide = draw(st.integers(high, 8 * high))
        x = {"left": left, "middle": left - wide // 2, "right": left - wide}[aligned] + 8 * high
        rows.append(Box(x + draw(tremble), top + at * pitch + draw(tremble), wide, high + draw(tremble)))
    return rows, draw(st.permutations(rows))


@st.composite
def months(draw: st.DrawFn) -> tuple[list[Box], list[Box]]:
    """The days of a month, which begins and ends within a week."""
    scale = draw(scales)
    high, wide = round(scale * draw(st.integers(14, 30))), round(scale * draw(st.integers(16, 40)))
    across, down = wide + round(scale * draw(st.integers(4, 30))), high + round(scale * draw(st.integers(4, 30)))
    tremble = st.integers(-max(1, high // 14), max(1, high // 14))
    first, days = draw(st.integers(0, 6)), draw(st.integers(28, 31))
    cells = [
        Box(100 + across * (cell % 7) + draw(tremble), 80 + down * (cell // 7) + draw(tremble), wide, high)
        for cell in range(first, first + days)
    ]
    return cells, draw(st.permutations(cells))


@given(lists())
def test_the_rows_of_a_list_are_counted_from_the_top(drawn: tuple[list[Box], list[Box]]) -> None:
    rows, shuffled = drawn
    (group,) = groups_of(shuffled)
    assert list(group.members) == rows
    assert group.counted == len(rows)


@given(months())
def test_the_days_of_a_month_are_counted_week_by_week(drawn: tuple[list[Box], list[Box]]) -> None:
    days, shuffled = drawn
    (group,) = groups_of(shuffled)
    assert list(group.members) == days
    assert group.counted == len(days)


@given(lists(), st.data())
def test_behind_a_row_that_was_not_seen_no_number_is_sure(
    drawn: tuple[list[Box], list[Box]], data: st.DataObject
) -> None:
    rows, _ = drawn
    if len(rows) < 4:
        return
    lost = data.draw(st.integers(1, len(rows) - 2))
    found = groups_of([*rows[:lost], *rows[lost + 1 :]])
    group = next(g for g in found if rows[0] in g.members)
    assert group.counted <= lost, "what comes after it may be one farther"


@given(months(), st.data())
def test_behind_a_day_that_was_not_seen_no_number_is_sure(
    drawn: tuple[list[Box], list[Box]], data: st.DataObject
) -> None:
    days, _ = drawn
    lost = data.draw(st.integers(8, len(days) - 2))
    (group,) = groups_of([*days[:lost], *days[lost + 1 :]])
    assert group.counted <= lost


@given(lists(), st.integers(4, 9))
def test_two_lists_below_each_other_are_two_groups(drawn: tuple[list[Box], list[Box]], apart: int) -> None:
    rows, _ = drawn
    if len(rows) < 3:
        return
    pitch = max(b.y - a.y for a, b in pairwise(rows))
    down = rows[-1].y - rows[0].y + apart * pitch
    second = [row._replace(y=row.y + down) for row in rows]
    assert [list(g.members) for g in groups_of([*second, *rows])] == [rows, second]


@given(lists(), lists())
def test_no_thing_is_in_two_groups_and_none_is_lost(
    one: tuple[list[Box], list[Box]], other: tuple[list[Box], list[Box]]
) -> None:
    found = [box for group in groups_of([*one[1], *other[1]]) for box in group.members]
    assert len(found) == len(set(found))
    assert set(found) <= {*one[0], *other[0]}


def column(x: int, count: int, *, w: int = 24, h: int = 20, pitch: int = 36, top: int = 100) -> list[Box]:
    return [Box(x, top + pitch * i, w, h) for i in range(count)]


def test_buttons_of_the_rows_of_a_table_are_counted_down_their_column() -> None:
    """Two small pictures in each row, at even steps as tiles are; what else stands in the row tells that it is one."""
    edit, delete = column(600, 6), column(640, 6)
    names = column(100, 6, w=180, h=16)
    assert [list(g.members) for g in groups_of([*edit, *delete], names)] == [edit, delete]


def test_tiles_are_counted_row_by_row() -> None:
    tiles = [Box(100 + 140 * (i % 3), 100 + 120 * (i // 3), 120, 100) for i in range(8)]
    (group,) = groups_of(reversed(tiles))
    assert list(group.members) == tiles


def test_where_some_rows_hold_more_nobody_knows_how_to_count() -> None:
    tiles = [Box(100 + 140 * (i % 2), 100 + 120 * (i // 2), 120, 30) for i in range(8)]
    beside = [Box(500, 105, 100, 20), Box(500, 225, 100, 20)]
    assert {g.counted for g in groups_of(tiles, beside)} == {0}


def test_tabs_beside_each_other_are_counted_from_the_left() -> None:
    tabs = [Box(40, 50, 60, 24), Box(104, 51, 90, 24), Box(198, 50, 40, 23)]
    assert [list(g.members) for g in groups_of(reversed(tabs))] == [tabs]


def test_what_is_read_in_a_control_is_that_control() -> None:
    (group,) = groups_of([Box(100, 100, 120, 30), Box(120, 106, 60, 18), Box(100, 140, 120, 30)])
    assert list(group.members) == [Box(100, 100, 120, 30), Box(100, 140, 120, 30)]


def test_what_is_far_higher_is_of_another_group() -> None:
    rows, title = column(100, 4, w=90), Box(100, 40, 200, 44)
    assert [list(g.members) for g in groups_of([title, *rows])] == [[title], rows]


@pytest.mark.parametrize(("box", "number"), [(Box(102, 173, 18, 16), 3), (Box(300, 173, 18, 16), 0)])
def test_a_place_has_the_number_of_the_member_that_it_lies_on(box: Box, number: int) -> None:
    (group,) = groups_of(column(100, 5))
    assert group.number_of(box) == number


def test_two_columns_alone_are_not_read_across_as_if_they_were_days() -> None:
    """Last name and first name: the second record is not the second cell."""
    cells = [Box(60 + 200 * column, 100 + 34 * row, 45, 12) for row in range(3) for column in range(2)]
    assert [len(group.members) for group in groups_of(cells)] == [3, 3]


def test_narrow_marks_beside_each_other_are_no_column_that_counts() -> None:
    marks = [Box(10, 10, 4, 14), Box(15, 10, 4, 14), Box(20, 10, 4, 14)]
    assert all(group.counted <= len(group.members) for group in groups_of(marks))


def test_two_columns_alone_are_counted_down_where_they_are_known_to_stand_in_a_table() -> None:
    cells = [Box(100 + 140 * (i % 2), 100 + 26 * (i // 2), 120, 16) for i in range(6)]
    assert {group.counted for group in groups_of(cells)} == {0}
    assert [(list(g.members), g.counted) for g in groups_of(cells, in_table=True)] == [
        (cells[::2], 3),
        (cells[1::2], 3),
    ]
