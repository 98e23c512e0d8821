"""S6.3: no value of a run's variable is in what is kept of a correction, however it stood there."""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from execution.language.fuzzy import folded
from execution.learning.putting_back import holds_value, put_back, without_values

PATIENT = {"patient": "Zoë Martin", "n": "3"}
words = st.text(alphabet="abcdefgéàZ 01.-", min_size=1, max_size=12).map(str.strip).filter(bool)


@pytest.mark.parametrize(("text", "told"), [
    ("Zoë Martin", "{{patient}}"),
    ("zoe martin", "{{patient}}"),
    ("Open the record of Zoë Martin", "Open the record of {{patient}}"),
    ("Zoë Martinet", "Zoë Martinet"),
    ("Bed 3", "Bed {{n}}"),
    ("Bed 30", "Bed 30"),
    ("of {{patient}}, Zoë Martin", "of {{patient}}, {{patient}}"),
])  # fmt: skip
def test_where_a_value_stands_there_is_its_variable(text: str, told: str) -> None:
    assert put_back(text, PATIENT) == told


def test_what_a_reader_glued_is_left_out() -> None:
    assert put_back("RecordofZoëMartin", PATIENT) == "RecordofZoëMartin"
    assert without_values({"text": "RecordofZoëMartin"}, PATIENT) == {"text": ""}


def test_a_variable_in_the_name_of_another_is_not_put_into_it() -> None:
    assert put_back("Ana", {"patient": "Ana", "who": "patient"}) == "{{patient}}"


def test_a_secret_is_never_told_by_its_variable() -> None:
    assert without_values(["the word is s3same", "none"], {}, secret={"pin": "s3same"}) == ["", "none"]


@given(words, words, words, words)
def test_no_value_is_left_in_anything_that_is_kept(before: str, value: str, after: str, secret: str) -> None:
    values = {"one": value}
    kept = without_values(
        [f"{before} {value} {after}", f"{before}{value}", {"a": (secret, after)}], values, secret={"two": secret}
    )
    for text in (kept[0], kept[1], *kept[2]["a"]):
        bare = re.sub(r"\{\{\w+\}\}", "\n", text)
        for known in (value, secret):
            assert not re.search(rf"(?<!\w){re.escape(known)}(?!\w)", bare, re.IGNORECASE)


@given(words, words)
def test_what_holds_no_value_stays_as_it_is(text: str, value: str) -> None:
    assume(put_back(text, {"one": value}) == text and not holds_value(text, {"one": value}))
    assert without_values(text, {"one": value}) == text


@pytest.mark.parametrize(("value", "text", "told"), [
    ("47110", "Dossier 4711O", "Dossier {{v}}"),
    ("47110", "Dossier 47llO, ouvert", "Dossier {{v}}, ouvert"),
    ("1001", "lit lOOI", "lit {{v}}"),
    ("10", "Bed 1O", "Bed {{v}}"),
    ("123456", "n° l23 456", "n° {{v}}"),
    ("111", "n° |11", "n° {{v}}"),
    ("21/11/2026", "né le 2l/1l/2O26", "né le {{v}}"),
    ("21/11/2026", "du 2l.11.26", "du {{v}}"),
    ("i4711", "i4711", "{{v}}"),
    ("4711", "i4711", "i{{v}}"),
    ("11", "il est là", "il est là"),
    ("0", "ou o", "ou o"),
    ("10", "lO", "lO"),
    ("47110", "Dossier 4711B", "Dossier 4711B"),
    ("11", "a || b", "a || b"),
])  # fmt: skip
def test_a_number_is_found_as_a_reader_misreads_it(value: str, text: str, told: str) -> None:
    """0 taken for O, 1 for l or I; no word is a number for that."""
    assert put_back(text, {"v": value}) == told


def test_what_was_misread_and_glued_is_left_out() -> None:
    assert without_values("Dossier47llOouvert", {"v": "47110"}) == ""
    assert without_values("DossierAB47llO/x", {"v": "AB 47110"}) == ""
    assert without_values("Dossier ouvert", {"v": "47110"}) == "Dossier ouvert"


# --- the same value in another form --------------------------------------------------------------------------------
NAMES = ["Dupont", "Zoé", "Anne-Lise", "O’Brien", "Élodie", "de la Tour", "Müller", "Łukasz", "Nguyễn", "Li", "Œuvrard"]
AROUND = ["", "pas ", "Row of ", "Mme ", "(", "n° 7: ", "dossier "]
BEHIND = ["", ", the other one", ") ", " – lit 12", ".", " born in May"]
MONTHS = {
    "en": ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
    "fr": ["janvier", "févr.", "mars", "avril", "mai", "juin", "juil.", "août", "sept.", "octobre", "nov.", "déc."],
}


@st.composite
def named(draw: st.DrawFn) -> tuple[str, str]:
    """Somebody's name, and the same as somebody else writes it."""
    parts = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True))
    told = draw(st.permutations(parts))
    if len(told) > 2 or draw(st.booleans()):
        short = draw(st.integers(0, len(told) - 1))
        told = [one[0] + "." if n == short and draw(st.booleans()) else one for n, one in enumerate(told)]
    case = draw(st.sampled_from([str, str.upper, str.lower, str.title]))
    bare = draw(st.booleans())
    said = [case(unaccented(one) if bare else one) for one in told]
    return " ".join(parts), draw(st.sampled_from([" ", ", ", "-", " - ", "  ", "_", "\u00a0"])).join(said)


def unaccented(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


@st.composite
def dated(draw: st.DrawFn) -> tuple[str, str]:
    day = draw(st.dates(date(1925, 1, 1), date(2035, 12, 31)))
    month = MONTHS[draw(st.sampled_from(["en", "fr"]))][day.month - 1]
    forms = [
        f"{day:%d/%m/%Y}", f"{day:%Y-%m-%d}", f"{day:%d.%m.%y}", f"{day:%d-%m-%Y}", f"{day.day}/{day.month}/{day.year}",
        f"{day.day} {month} {day.year}", f"{day.day} {month} {day:%y}", f"{month.upper()} {day.day}, {day.year}",
        f"{day:%Y%m%d}", f"{day:%d%m%Y}", f"{day:%d %m %Y}", f"{day.day} {month}", f"{day:%d/%m}",
    ]  # fmt: skip
    return draw(st.sampled_from(forms[:7])), draw(st.sampled_from(forms))


@st.composite
def numbered(draw: st.DrawFn) -> tuple[str, str]:
    number = draw(st.integers(1000, 999_999_999))
    one, other = (draw(st.sampled_from(written(number))) for _ in "ab")
    return one, other


def written(number: int) -> list[str]:
    by_three = f"{number:,}"
    pairs = re.sub(r"(?<=\d)(?=(?:\d\d)+$)", " ", str(number))
    return [str(number), by_three, by_three.replace(",", " "), by_three.replace(",", "."), f"000{number}",
            by_three.replace(",", "\u202f"), by_three.replace(",", "-"), pairs]  # fmt: skip


@given(named(), st.sampled_from(AROUND), st.sampled_from(BEHIND))
def test_a_name_in_another_form_is_not_kept(told: tuple[str, str], before: str, after: str) -> None:
    value, said = told
    kept = without_values(before + said + after, {"patient": value}, prose=True)
    left = re.findall(r"[^\W_]+", folded(re.sub(r"\{\{\w+\}\}", " ", kept)))
    nothing = {"de", "la", "le", "o"}
    assert not {one for one in re.findall(r"[^\W_]+", folded(value)) if len(one) > 1} - nothing & set(left), kept
    assert holds_value(before + said + after, {"patient": value})
    assert without_values(before + said + after, {}, secret={"pin": value}) == ""


@given(st.one_of(dated(), numbered()), st.sampled_from(AROUND), st.sampled_from(BEHIND))
def test_a_date_or_a_number_in_another_form_is_not_kept(told: tuple[str, str], before: str, after: str) -> None:
    value, said = told
    kept = without_values(before + said + after, {"v": value}, prose=True)
    assert said not in kept, (value, kept)
    assert kept.startswith(before.rstrip()) or "{{v}}" in kept or not kept
    assert holds_value(before + said + after, {"v": value})


@given(st.decimals(Decimal("1000.01"), Decimal("9999999.99"), places=2))
def test_an_amount_is_the_same_with_other_signs_in_it(amount: Decimal) -> None:
    english, french = f"{amount:,}", f"{amount:,}".replace(",", " ").replace(".", ",")
    for value in (str(amount), english, french):
        for said in (str(amount), english, french):
            assert put_back(f"to pay: {said} EUR", {"due": value}) == "to pay: {{due}} EUR"


@pytest.mark.parametrize(("text", "told"), [
    ("pas Mme Dupont, l'autre", "pas Mme {{patient}}, l'autre"),
    ("DUPONT Marie Elodie", "{{patient}}"),
    ("Dupont, M. E. est là", "{{patient}} est là"),
    ("née le 12 mars 1980", "née le {{born}}"),
    ("IPP 7123", "IPP {{ipp}}"),
    ("IPP 0007123", "IPP {{ipp}}"),
    ("to pay: 1 234,5", "to pay: {{due}}"),
    ("MmeDupont", ""),
    ("Dupond, Marin", "Dupond, Marin"),
    ("bed 12 in March", "bed 12 in March"),
])  # fmt: skip
def test_what_a_person_wrote_is_told_by_variables(text: str, told: str) -> None:
    run = {"patient": "Marie Élodie Dupont", "born": "12/03/1980", "ipp": "007 123", "due": "1234.50"}
    assert without_values(text, run, prose=True) == told


def test_a_part_of_a_value_is_no_variable_where_a_robot_goes_by_it() -> None:
    """“Open {{patient}}” would be another button in the next run."""
    assert put_back("Open", {"act": "Open heart surgery"}) == "Open"
    assert without_values("Open", {"act": "Open heart surgery"}) == ""


def test_all_values_that_a_name_had_are_put_back() -> None:
    assert put_back("Bob Li, then Ida Roy", {"who": ["Bob Li", "Ida Roy"]}) == "{{who}}, then {{who}}"
