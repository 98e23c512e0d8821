"""What a text that was read says as a number or a date; what may be two things is neither (S6.12)."""

from __future__ import annotations

import pytest

from execution.language.read_values import read_value


@pytest.mark.parametrize(
    ("shown", "form", "value"),
    [
        ("1 234,56", "fr", "1234.56"),
        ("1\u202f234,56 €", "fr", "1234.56"),
        ("1,234.56", "us", "1234.56"),
        ("$1,234.56", "us", "1234.56"),
        ("-12", "fr", "-12"),
        ("37,5 °C", "fr", "37.5"),
        ("1234,56", "", "1234.56"),
        ("1,234", "", ""),  # a thousand and more, or one and a bit
        ("1,234", "us", "1234"),
        ("1,234", "fr", "1.234"),
        ("1,234.56", "fr", ""),
        ("1 234,56", "us", ""),
        ("12O", "fr", ""),
        ("12 O", "fr", ""),  # may be 120
        ("R-1042", "", ""),
        ("8 h30", "fr", ""),  # half past eight
        ("8 h", "fr", ""),
        ("2 x10", "", ""),
        ("2 x", "fr", ""),
        ("5 k€", "fr", ""),
        ("5 k", "", ""),
        ("5 kEUR", "fr", ""),
        ("5 m€", "fr", ""),
        ("$5 M", "us", ""),
        ("$5 m", "us", ""),
        ("1 250 M", "fr", ""),
        ("3 millions", "fr", ""),
        ("1 200,00 CR", "fr", ""),
        ("12 A4", "fr", ""),
        ("12 10", "", ""),
        ("12 345", "us", ""),
        ("1 234", "", "1234"),
        ("1 234.5", "", "1234.5"),
        ("12 m²", "fr", "12"),
        ("12 m2", "fr", "12"),
        ("150 10⁹/L", "fr", "150"),
        ("85 mL/min/1,73 m²", "fr", "85"),
        ("3 m", "fr", "3"),
        ("5 km/h", "fr", "5"),
        ("3 unités", "fr", "3"),
        ("1 250 EUR", "fr", "1250"),
        ("4,2 mmol/L", "fr", "4.2"),
        ("", "", ""),
    ],
)
def test_a_number_is_read_as_its_format_says(shown: str, form: str, value: str) -> None:
    read = read_value(shown, "number", form)
    assert read.value == value
    assert bool(read.problem) == (not value)


@pytest.mark.parametrize(
    ("shown", "form", "value"),
    [
        ("31/12/2026", "fr", "2026-12-31"),
        ("12/31/2026", "us", "2026-12-31"),
        ("12/31/ 2026", "us", "2026-12-31"),
        ("31 12 2026", "fr", ""),
        ("03/04/2026", "fr", "2026-04-03"),
        ("03/04/2026", "us", "2026-03-04"),
        ("03/04/2026", "", ""),
        ("31/12/2026", "us", ""),
        ("12/31/2026", "fr", ""),
        ("31.12.2026", "fr", "2026-12-31"),
        ("2026-12-31", "fr", "2026-12-31"),
        ("31 décembre 2026", "fr", "2026-12-31"),
        ("Dec 31, 2026", "us", "2026-12-31"),
        ("12/03/54", "fr", ""),  # of which century?
        ("29/02/2026", "fr", ""),
        ("tomorrow", "", ""),
    ],
)
def test_a_date_is_read_as_its_format_says(shown: str, form: str, value: str) -> None:
    read = read_value(shown, "date", form)
    assert read.value == value
    assert bool(read.problem) == (not value)


def test_a_text_is_kept_as_it_stands() -> None:
    assert read_value("  Dupont   Marie ", "text").text == "Dupont Marie"
