"""Which column is which variable (S12.1, S12.4)."""

from __future__ import annotations

import pytest

from execution.worklists.intake.heads import Column
from execution.worklists.intake.preview import proposed
from workflows.graph import VariableSpec

PATIENT = VariableSpec(name="patient", label="Patient number")
BORN = VariableSpec(name="birth_date", label="Date de naissance", kind="date")
NAME = VariableSpec(name="lastName", label="Name")


def columns(*heads: str) -> list[Column]:
    return [Column(index=index, head=head, is_repeated=heads.count(head) > 1) for index, head in enumerate(heads)]


@pytest.mark.parametrize(
    ("heads", "mapping"),
    [
        (("Patient number", "Birth date", "Name"), {0: "patient", 1: "birth_date", 2: "lastName"}),
        (("PATIENT", "date de NAISSANCE", "last name"), {0: "patient", 1: "birth_date", 2: "lastName"}),
        (("Naissance", "Number of the patient"), {0: "birth_date", 1: "patient"}),
        (("Ward", ""), {}),
        (("Name", "Name"), {}),
    ],
)
def test_a_mapping_is_proposed_by_names(heads: tuple[str, ...], mapping: dict[int, str]) -> None:
    assert proposed(columns(*heads), (PATIENT, BORN, NAME)) == mapping


def test_a_name_that_is_the_same_goes_before_one_that_is_similar() -> None:
    assert proposed(columns("Number", "Patient"), (PATIENT,)) == {1: "patient"}


def test_two_columns_that_fit_alike_are_left_to_a_person() -> None:
    assert proposed(columns("Patient number new", "Patient number old"), (PATIENT,)) == {}


def test_an_earlier_file_is_remembered() -> None:
    assert proposed(columns("IPP", "Name"), (PATIENT, NAME), {"IPP": "patient", "Name": "gone"}) == {
        0: "patient",
        1: "lastName",
    }


def test_a_secret_and_a_hidden_column_are_never_proposed() -> None:
    secret = VariableSpec(name="word", label="Word", kind="secret")
    assert proposed(columns("Word", "PIN"), (secret, VariableSpec(name="pin")), {"Word": "word"}) == {}
    assert proposed([Column(index=0, head="Name", is_hidden=True)], (NAME,)) == {}
