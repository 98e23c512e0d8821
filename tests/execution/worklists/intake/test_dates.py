"""Dates as texts: their order from the whole column, or asked (S12.3)."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.worklists.intake.cells import Cell
from execution.worklists.intake.dates import Found, Order, find_order, is_date, read_date

DAYS = st.dates(date(1900, 1, 1), date(2099, 12, 31))
WRITTEN = {Order.DAY_FIRST: "%d/%m/%Y", Order.MONTH_FIRST: "%m/%d/%Y"}


@pytest.mark.parametrize(
    ("texts", "order", "is_needed"),
    [
        (["05/06/2026", "31/12/1998"], Order.DAY_FIRST, True),
        (["05/06/2026", "12/31/1998"], Order.MONTH_FIRST, True),
        (["05/06/2026", "01/02/1950"], None, True),
        (["05/05/2026", "6.6.2026"], None, False),
        (["2026-06-05", "5 juin 2026", "20260605"], None, False),
        (["31/12/1998", "12/31/1998"], None, True),
        ([], None, False),
    ],
)
def test_the_order_is_that_of_the_whole_column(texts: list[str], order: Order | None, is_needed: bool) -> None:
    found = find_order(enumerate(texts, 2))

    assert (found.order, found.is_needed) == (order, is_needed)


def test_the_example_is_a_date_that_the_order_decides() -> None:
    assert find_order([(2, "31/12/1998"), (3, "05/06/2026")]).example == (3, "05/06/2026")
    assert find_order([(2, "31/12/1998")]).example == (2, "31/12/1998")
    assert find_order([(2, "12/31/1998"), (9, "31/12/1998")]) == Found(
        order=None, is_needed=True, example=(2, "12/31/1998"), against=(9, "31/12/1998")
    )


def test_cells_that_are_dates_say_nothing_of_the_texts() -> None:
    assert not find_order([(2, Cell("05/06/2026", moment=date(2026, 6, 5)))]).is_needed  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "order", "day"),
    [
        ("05/06/2026", Order.DAY_FIRST, date(2026, 6, 5)),
        ("05/06/2026", Order.MONTH_FIRST, date(2026, 5, 6)),
        ("5.6.2026", Order.DAY_FIRST, date(2026, 6, 5)),
        ("5-6-2026 00:00", Order.DAY_FIRST, date(2026, 6, 5)),
        ("2026-06-05", None, date(2026, 6, 5)),
        ("2026-06-05T00:00:00", None, date(2026, 6, 5)),
        ("2026/6/5", None, date(2026, 6, 5)),
        ("20260605", None, date(2026, 6, 5)),
        ("5 juin 2026", None, date(2026, 6, 5)),
        ("1er août 2026", None, date(2026, 8, 1)),
        ("vendredi 5 juin 2026", None, date(2026, 6, 5)),
        ("05-JUN-2026", None, date(2026, 6, 5)),
        ("5 févr. 2026", None, date(2026, 2, 5)),
        ("June 5, 2026", None, date(2026, 6, 5)),
        ("Fri, Jun 5th 2026", None, date(2026, 6, 5)),
    ],
)
def test_a_day_is_read(text: str, order: Order | None, day: date) -> None:
    assert read_date(text, order) == day
    assert is_date(text) or order is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("31/02/2026", "no such day"),
        ("13/13/2026", "no such day"),
        ("05/06/26", "two digits"),
        ("5 juin 26", "two digits"),
        ("05/06/2026 14:30", "holds a time"),
        ("05/06/2026 or so", "holds a time"),
        ("yesterday", "no date"),
        ("5 brumaire 2026", "no date"),
        ("46178", "no date"),
    ],
)
def test_what_says_no_day_is_told(text: str, said: str) -> None:
    assert said in str(read_date(text, Order.DAY_FIRST))


@given(st.lists(DAYS, min_size=1), st.sampled_from(list(Order)))
def test_an_order_that_is_found_is_the_right_one(days: list[date], order: Order) -> None:
    """Whatever the column holds, no day is read as another one without a question."""
    texts = [f"{day:{WRITTEN[order]}}" for day in days]
    found = find_order(enumerate(texts))

    assert found.order in (None, order)
    if not found.is_needed or found.order:
        assert [read_date(text, found.order) for text in texts] == days


@given(st.text(max_size=20))
def test_any_text_is_a_day_or_told(text: str) -> None:
    assert isinstance(read_date(text, None), date | str)
