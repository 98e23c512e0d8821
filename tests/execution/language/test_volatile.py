"""S6.1: what changes by itself is no evidence. English and French."""

from __future__ import annotations

from datetime import date, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.language.volatile import Kind, lasting, own_text, record_span, volatile_parts

word = st.text("abcdeéfghjklmopqrstuvxyz", min_size=3, max_size=9)
MONTH_WORDS = {"mar", "mars", "feb", "fév", "apr", "mai", "may", "aug", "août", "sep", "oct", "dec", "déc", "jul"}
names = (
    st.lists(word.filter(lambda said: said not in MONTH_WORDS), min_size=1, max_size=3)
    .map(" ".join)
    .map(str.capitalize)
)
MONTHS = (
    "janvier", "février", "mars", "avril", "mai", "juin",
    "juillet", "août", "septembre", "octobre", "novembre", "décembre",
)  # fmt: skip
DATES = (
    lambda d: d.isoformat(),
    lambda d: d.strftime("%d/%m/%Y"),
    lambda d: d.strftime("%d.%m.%y"),
    lambda d: d.strftime("%m-%d-%Y"),
    lambda d: d.strftime("%B %d, %Y"),
    lambda d: d.strftime("%a %d %b %Y"),
    lambda d: f"{d.day} {MONTHS[d.month - 1]} {d.year:04d}",
    lambda d: f"le {d.day} {MONTHS[d.month - 1]}",
)
days = st.builds(lambda d, form: form(d), st.dates(date(1900, 1, 1), date(2100, 1, 1)), st.sampled_from(DATES))
TIMES = (
    lambda t: t.strftime("%H:%M"),
    lambda t: t.strftime("%H:%M:%S"),
    lambda t: t.strftime("%I:%M %p"),
    lambda t: f"{t.hour}h{t.minute:02d}",
    lambda t: f"{t.hour} h {t.minute:02d}",
)
times = st.builds(lambda t, form: form(t), st.times(time(0), time(23, 59)), st.sampled_from(TIMES))
cents = st.integers(0, 10**8)
AMOUNTS = (
    lambda c: f"{c / 100:,.2f}".replace(",", " ").replace(".", ",") + " €",
    lambda c: f"{c / 100:,.2f}".replace(",", "\u202f").replace(".", ",") + "\u00a0€",
    lambda c: f"${c / 100:,.2f}",
    lambda c: f"{c / 100:.2f} EUR",
    lambda c: f"{c % 101} %",
)
amounts = st.builds(lambda c, form: form(c), cents, st.sampled_from(AMOUNTS))
counts = st.integers(0, 9999).map(lambda n: f"({n})")


@given(st.one_of(days, times, amounts, counts))
def test_what_says_only_a_date_a_time_an_amount_or_a_count_is_volatile(text):
    assert not lasting(text)
    assert own_text(text) == "" or text.replace(" ", "").endswith("%")


@given(names, st.one_of(days, times, amounts, counts))
def test_behind_a_name_only_the_name_is_kept(name, changing):
    assert lasting(f"{name} {changing}") == name
    assert lasting(f"{name}: {changing}") == name


@given(names)
def test_words_are_kept_as_they_are(name):
    assert lasting(name) == name
    assert volatile_parts(name) == ()


@given(st.text(max_size=60))
def test_the_lasting_part_is_a_part_of_any_text_and_lasts(text):
    kept = lasting(text)
    assert kept in text
    assert lasting(kept) in ("", kept) or len(lasting(kept)) < len(kept)
    for part in volatile_parts(text):
        assert 0 <= part.start < part.end <= len(text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Inbox (12)", "Inbox"),
        ("Boîte de réception (1 024)", "Boîte de réception"),
        ("Page 3 of 12", ""),
        ("page 3 sur 12", ""),
        ("1–50 of 213", ""),
        ("12 items", ""),
        ("3 éléments sélectionnés", ""),
        ("Patient 4711", "Patient"),
        ("Dossier n° 2024-118", "Dossier"),
        ("Facture F2024-0012", "Facture"),
        ("#42", ""),
        ("Modified: 12/03/2024 at 17:45", "Modified"),
        ("Zoom 100%", "Zoom"),
        ("25 ko", ""),
        ("Yesterday", ""),
        ("Hier", ""),
        ("11:12:32: File opened", "File opened"),
        ("1.250,50", ""),
    ],
)
def test_counts_pages_and_records_are_taken_away(text, kept):
    assert lasting(text) == kept


@pytest.mark.parametrize(
    "text",
    ["Room 3", "Windows 11", "UTF-8", "MP3", "F1", "Step 2", "Ctrl+S", "Untitled 1 - Mousepad", "May", "Name:", "A4"],
)
def test_a_number_that_belongs_to_a_name_stays(text):
    assert lasting(text) == text


def test_a_variable_is_no_evidence_that_changes_by_itself():
    assert lasting("Patient {{ record_2024 }}") == "Patient {{ record_2024 }}"


@pytest.mark.parametrize("text", ["7", "14", "-1", "100 %", "#42", "2024", "Room 3"])
def test_a_short_number_or_a_record_alone_is_the_label_of_a_target(text):
    assert own_text(text) == text


def test_in_a_row_the_number_of_the_record_names_it_but_a_date_does_not():
    texts = ["Patient 4711", "4711", "A-17", "12/03/2024", "17:45", "1 250,50 €", "Bernard"]
    assert [t[slice(*record_span(t))] for t in texts] == ["Patient 4711", "4711", "A-17", "", "", "", "Bernard"]


def test_each_part_says_what_it_is():
    parts = volatile_parts("Facture n° 12 du 3 mars 2024 à 9h05, 12,50 €")
    assert [p.kind for p in parts] == [Kind.RECORD, Kind.DATE, Kind.TIME, Kind.AMOUNT]
    assert volatile_parts("Facture n° 12", but=(Kind.RECORD,)) == ()
