"""S9.6: a record's name, number or date is compared whole, letter by letter and digit by digit."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from execution.language.whole_values import compare, stands_in
from execution.types import Answer

YES, NO, CANNOT = Answer.YES, Answer.NO, Answer.CANNOT_TELL

LINE = "DUPONT Léa – IPP 8812 – née le 3/4/71"


@pytest.mark.parametrize(
    ("value", "shown", "answer"),
    [
        ("Hélène Févre", "HELENE FEVRE", YES),
        ("Jean-Luc Petit", "Jean Luc Petit", YES),
        ("Jean Luc Petit", "JeanLuc Petit", YES),
        ("All", "All", YES),
        ("All", "AIl", NO),
        ("MILLET Ida", "MlLLET lda", YES),
        ("Bernard Alice", "Bemard Alice", CANNOT),
        ("SŒURETTE Anne", "SCEURETTE Anne", YES),
        ("Le Cœur Anne", "Le Cceur Anne", YES),
        ("Le Cœur Anne", "Le Coeur Anne", YES),
        ("SŒURETTE Anne", "SEURETTE Anne", NO),
        ("SOEURETTE Anne", "SCEURETTE Anne", NO),
        ("SŒURETTE Anne", "SCEURETTE Anna", NO),
        ("O'Brien Ann", "O'Brien Ann", YES),
        ("O'Brien Ann", "Brien Ann", NO),
        ("Marie DUPONT", "Marie Louise DUPONT", NO),
        ("Marie-Claire PETIT", "Claire-Marie PETIT", NO),
        ("12/03/1956", "12/03/1956", YES),
        ("12/03/1956", "12/03/1965", NO),
        ("UA-10452", "UA 10452", YES),
        ("Ng Li", "Ng Li Wei", NO),
        ("Ng Li", "", NO),
        ("M Dubois", "M Dubois", YES),
        ("DUPONT Marie", "MARTIN Paul, DUPONT Marie", NO),
        ("DUPONT Marie", "Mme DUPONT Marie (née MARTIN)", YES),
        ("DUPONT", "DUPONT, Marie", CANNOT),
        ("DUPONT Marie", "DUPONT Mar…", CANNOT),
    ],
)
def test_what_a_reader_does_to_a_name_is_forgiven_and_nothing_else(value, shown, answer):
    assert compare(value, shown) is answer


@pytest.mark.parametrize(
    ("value", "line", "answer"),
    [
        ("DUPONT Léa", LINE, YES),
        ("Léa DUPONT", LINE, YES),
        ("8812", LINE, YES),
        ("IPP 8812", LINE, YES),
        ("3/4/71", LINE, YES),
        ("03/04/71", LINE, YES),
        ("03/04/1971", LINE, CANNOT),  # of which century?
        ("DUPONT", LINE, NO),
        ("812", LINE, NO),
        ("88123", LINE, NO),
        ("3/4", LINE, NO),
        ("DUPONT Léa", "Patient : DUPONT Léa", YES),
        ("DUPONT Léa", "Dossier de DUPONT Léa", YES),
        ("DUPONT Léa", "Nom : DUPONT   Prénom : Léa   Né(e) le : 3/4/71", YES),
        ("DUPONT Léa", "Last name: DUPONT, First name: Léa", YES),
        ("DUPONT Léa", "8812 DUPONT Léa F 53 ans", YES),
        ("DUPONT Léa", "DUPONT Léa IPP 8812", YES),
        ("DUPONT Léa", "DUPONT Léa Marie – IPP 8812", NO),
        ("DUPONT Léa", "MARTIN DUPONT Léa – IPP 8812", NO),
        ("DUPONT Léa", "DUPONT-MARTIN Léa", NO),
        ("DUPONT Léa", "DUPONT Léa-Rose", NO),
        ("DUPONT Léa", "DUPONT Léa/Rose", NO),
        ("DUPONT Max", "DUPONT Max Born", NO),
        ("DUPONT Léa", "Médecin : DUPONT Léa", CANNOT),
        ("DUPONT Léa", "DUPONT Lea", CANNOT),
        ("DUPONT Léa", "DUPONT LEA", YES),
        ("DUPONT Léa", "DUPONT Lèa", CANNOT),
        ("LEFÈVRE Ida", "LEFEVRE Ida", YES),
        ("LEFÈVRE Ida", "LEFEBVRE Ida", NO),
        ("Ali Khan", "All Khan", NO),
        ("14/07", "14/01", NO),
        ("14/07", "14/07/1980", NO),
        ("8812", "88 12", CANNOT),
        ("345", "12 345", CANNOT),
        ("8812", "8812 B", CANNOT),
        ("10452", "1O452", CANNOT),
        ("CMD-2291-B", "CMD-2291-8", CANNOT),
        ("CMD-2291", "CMD-2291-B", NO),
        ("CMD-2291-B", "Commande CMD-2291-B (3 articles)", YES),
        ("1971-04-03", "03/04/1971", CANNOT),
        ("03/04/1971", "04/03/1971", NO),
    ],
)
def test_a_value_is_found_within_a_line_and_is_whole(value, line, answer):
    assert stands_in(value, line) is answer


LETTERS = "abcdefghijklmnopqrstuvwxyzàâçéèêëîïôùûü"
names = st.builds(
    lambda last, first: f"{last.upper()} {first.capitalize()}",
    st.text(LETTERS, min_size=2, max_size=9),
    st.text(LETTERS, min_size=2, max_size=9),
)
numbers = st.from_regex(r"[0-9]{3,8}|[A-Z]{2,4}-[0-9]{3,6}(-[A-Z])?", fullmatch=True)
dates = st.dates().map(lambda d: f"{d.day:02}/{d.month:02}/{d.year:04}")
values = st.one_of(names, numbers, dates)
separators = st.sampled_from(
    [" – ", " - ", ", ", " | ", " · ", " : ", " (", ") ", "; ", "   ", " / ", " [", "] ", " • "]
)
others = st.sampled_from(["IPP", "née le", "Patient", "Dossier", "F", "53 ans", "Cardiologie", "8 h", "Lit 4", "Suivi"])


def bare(letter: str) -> str:
    return unicodedata.normalize("NFD", letter)[0].casefold()


@given(value=values, before=others, after=others, left=separators, right=separators)
def test_a_value_is_found_in_any_line_at_any_separator(value, before, after, left, right):
    assert stands_in(value, value) is YES
    assert compare(value, value) is YES
    assert stands_in(value, f"{before}{left}{value}{right}{after}") is YES
    assert stands_in(value, f"{value}{right}{after}") is YES
    assert stands_in(value, f"{before}{left}{value}") is YES


@given(value=values, data=st.data(), left=separators, right=separators)
def test_one_other_letter_or_digit_is_another_record(value, data, left, right):
    place = data.draw(st.sampled_from([i for i, c in enumerate(value) if c.isalnum()]))
    old = value[place]
    new = data.draw(st.sampled_from("0123456789" if old.isdigit() else LETTERS))
    new = new.upper() if old.isupper() else new
    assume(bare(new) != bare(old))
    other = value[:place] + new + value[place + 1 :]
    assume(len(set(other.split())) > 1 or len(other.split()) == 1)
    for line in (other, f"Lit 4{left}{other}{right}Suivi"):
        assert stands_in(value, line) is not YES
    assert compare(value, other) is not YES


@given(value=values, more=st.sampled_from("ABCDEXYZ0123456789"), data=st.data())
def test_one_letter_or_digit_more_or_less_is_another_record(value, more, data):
    place = data.draw(st.integers(0, len(value)))
    longer = value[:place] + (more if place and value[place - 1].isupper() else more.lower()) + value[place:]
    for line in (longer, f"IPP : {longer} – Suivi"):
        assert stands_in(value, line) is not YES
        assert stands_in(longer, line.replace(longer, value)) is not YES


@given(one=st.from_regex(r"[0-9]{1,8}", fullmatch=True), other=st.text("0123456789OoIlSBZ", min_size=1, max_size=8))
def test_no_confusion_of_a_reader_makes_two_numbers_equal(one, other):
    assert (stands_in(one, other) is YES) is (one == other)
