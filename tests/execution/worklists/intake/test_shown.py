"""Number formats followed: what a cell shows (S12.3). Expected are LibreOffice's own words for the same cells."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.worklists.intake.cells import Cell
from execution.worklists.intake.habits import ENGLISH, FRENCH
from execution.worklists.intake.shown import Number, general, shown, text_shown

EURO = "#,##0.00\\ [$€-40C]"
ACCOUNT = '_-* #,##0.00\\ _€_-;\\-* #,##0.00\\ _€_-;_-* "-"??\\ _€_-;_-@_-'


@pytest.mark.parametrize(
    ("number", "code", "text"),
    [
        (12345, "0000000", "0012345"),
        (-12345, "0000000", "-0012345"),
        (12345, "General", "12345"),
        (0.1 + 0.2, "General", "0.3"),
        (1e-5, "General", "0.00001"),
        (123456789, "General", "123456789"),
        (1234567.891, "#,##0.00", "1,234,567.89"),
        (-1234567.891, "#,##0", "-1,234,568"),
        (0.125, "0%", "13%"),
        (0.125, "0.0%", "12.5%"),
        (2.5, "0", "3"),
        (-2.5, "0", "-3"),
        (-0.004, "0.00", "0.00"),
        (612345678, "00 00 00 00 00", "06 12 34 56 78"),
        (123456789, "000-00-0000", "123-45-6789"),
        (1234.5, EURO, "1,234.50 €"),
        (1234.5, "[$€-40C]\\ #,##0.00", "€ 1,234.50"),
        (-1234.5, ACCOUNT, "-1,234.50"),
        (0, ACCOUNT, "-"),
        (-5, '0;(0);"zero"', "(5)"),
        (0, '0;(0);"zero"', "zero"),
        (-1, "#,##0;[Red]-#,##0", "-1"),
        (1234567.891, "0.0,", "1234.6"),
        (0, "#", ""),
        (0.5, "0.0#", "0.5"),
        (12345, '"N° "0', "N° 12345"),
        (12345, "[<=99999]00000;00000\\-0000", "12345"),
        (123456789, "[<=99999]00000;00000\\-0000", "12345-6789"),
        (1, "0.00;;", "1.00"),
        (-1, "0.00;;", ""),
        (1, "\\A0000", "A0001"),
        (45000, "yyyy-mm-dd", "2023-03-15"),
        (45000.5, "dd.mm.yyyy hh:mm", "15.03.2023 12:00"),
        (44197, "[$-409]mmm\\-yy", "Jan-21"),
        (45000, "[$-40C]dddd d mmmm yyyy", "mercredi 15 mars 2023"),
        (45000, "ddd d mmm yyyy", "Wed 15 Mar 2023"),
        (0.25, "h:mm AM/PM", "6:00 AM"),
        (1.75, "[h]:mm", "42:00"),
        (0.25, "mm:ss", "00:00"),
        (45000.0416666667, "hh:mm:ss", "01:00:00"),
        (61, "d/m/yy", "1/3/00"),
        (45000, 'd"/"m"/"yyyy', "15/3/2023"),
    ],
)
def test_a_number_is_what_its_cell_shows(number: Number, code: str, text: str) -> None:
    assert shown(number, code, ENGLISH) == text


@pytest.mark.parametrize(
    ("number", "code", "text", "plain"),
    [
        (1234.5, "#,##0.00", "1 234,50", "1234,50"),
        (1234.5, EURO, "1 234,50 €", "1234,50"),
        (-1234567.891, EURO, "-1 234 567,89 €", "-1234567,89"),
        (0.125, "0%", "13%", ""),
        (12345, "0000000", "0012345", ""),
    ],
)
def test_a_french_machine_shows_commas_and_gaps(number: Number, code: str, text: str, plain: str) -> None:
    cell = shown(number, code, FRENCH)

    assert cell == text
    assert (cell.plain if isinstance(cell, Cell) else "") == plain


@pytest.mark.parametrize("code", ["# ?/?", "0.00E+00", "[$-F800]dddd, mmmm dd, yyyy", "ss.00", "[DBNum1]0", "0 kg"])
def test_a_format_that_cannot_be_followed_is_said(code: str) -> None:
    cell = shown(1234.5, code, ENGLISH)

    assert isinstance(cell, Cell)
    assert (cell, cell.unfollowed) == ("1234.5", code)


def test_the_machines_own_date_is_a_day_without_doubt_and_a_text_in_doubt() -> None:
    """Built-in format 14 looks otherwise on each machine."""
    english, french = shown(46178, "mm-dd-yy", ENGLISH), shown(46178, "mm-dd-yy", FRENCH)

    assert isinstance(english, Cell)
    assert isinstance(french, Cell)
    assert (english, french) == ("6/5/2026", "05/06/2026")
    assert english.moment == french.moment == datetime(2026, 6, 5)
    assert english.unfollowed


def test_a_date_keeps_its_day_whatever_it_looks_like() -> None:
    named = shown(46178, "[$-411]mmmm", ENGLISH)  # names that we do not know

    assert isinstance(named, Cell)
    assert named.moment == datetime(2026, 6, 5)
    assert named.unfollowed


def test_a_mac_counts_days_from_1904() -> None:
    assert shown(44716, "yyyy-mm-dd", ENGLISH, datetime(1904, 1, 1)) == "2026-06-05"


@pytest.mark.parametrize("number", [12345678901234567, 1.2345678901234568e16])
@pytest.mark.parametrize("code", ["General", "0"])
def test_digits_that_excel_has_lost_are_a_problem(number: Number, code: str) -> None:
    cell = shown(number, code, ENGLISH)

    assert isinstance(cell, Cell)
    assert "15 digits" in cell.problem
    assert shown(185054812345678, code, ENGLISH) == "185054812345678"


@pytest.mark.parametrize(
    ("text", "code", "looks"),
    [("ab", "@", "ab"), ("ab", '0;0;0;"Mr "@', "Mr ab"), ("ab", "0;0;0;", ""), ("ab", "0", "ab")],
)
def test_a_text_is_what_its_cell_shows(text: str, code: str, looks: str) -> None:
    assert text_shown(text, code) == looks


@given(st.integers(0, 9_999_999))
def test_leading_zeros_stay(number: int) -> None:
    assert shown(number, "0000000", ENGLISH) == f"{number:07d}"


@given(st.floats(-1e11, 1e11).map(lambda number: round(number, 2)))
def test_a_plain_number_says_what_the_cell_holds(number: float) -> None:
    cell = shown(number, "#,##0.00", FRENCH)
    plain = cell.plain if isinstance(cell, Cell) else cell

    assert float(plain.replace(",", ".")) == pytest.approx(number, abs=0.0051)


@given(
    st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False)),
    st.text('0#?.,%;@[]"\\ EhmsdyGeneral/', max_size=12),
)
def test_any_code_gives_a_text(number: Number, code: str) -> None:
    assert isinstance(shown(number, code, ENGLISH), str)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_without_a_format_is_near_what_it_was(number: float) -> None:
    assert float(general(number, ENGLISH)) == pytest.approx(number, rel=1e-5, abs=1e-9)
