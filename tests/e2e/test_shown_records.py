"""A list of patients in a browser: taught once on the page, run with others; the right one is opened, or it is asked.

What was opened and marked is told by the page to its own server (S6.1, S6.11, S9.6).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import pytest

from execution.perception.analyzer import ScreenAnalyzer
from tests.e2e.patients_page import OTHERS, PATIENTS, Patient, shown_as
from tests.support.eyes import patient_analyzer
from tests.support.page_teacher import page_teacher, teachers_browser
from tests.support.product import Product, product
from tests.support.run_ends import RunEnd, run
from tests.support.site import Site

pytestmark = [pytest.mark.display, pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]

BERNARD, LEFEVRE, NGUYEN, LEFEBVRE, ROSSI, DIALLO = PATIENTS


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory, web: Site) -> Iterator[Product]:
    """An installation to which it was shown how the record of LEFÈVRE Marie is opened and marked as seen."""
    analyzer: ScreenAnalyzer = patient_analyzer()
    with product(tmp_path_factory.mktemp("product")) as one, teachers_browser() as browser:
        one.start_runloop()
        with shown_as(one.screen, web), page_teacher(one, browser, analyzer) as teacher:
            began = time.monotonic()
            teacher.begin(one, "See a patient")
            teacher.adds_variable("patient", LEFEVRE.name)
            teacher.adds_variable("born", LEFEVRE.born)
            teacher.click("Open", beside=LEFEVRE.name, answer="The line of “patient”")
            teacher.waits_for("Patient record")
            teacher.knows_screen("Patient record")
            teacher.click("Mark as seen")
            teacher.waits_for("Visit kept")
            teacher.knows_screen("The visit is kept")
            teacher.must_be_record("Mark as seen", Name="{{patient}}", Born="{{born}}")
            teacher.publish()
            print(f"taught in {time.monotonic() - began:.0f} s")
            assert web.done == [f"opened {LEFEVRE.number}", f"seen {LEFEVRE.number}"]
        yield one


def seen(patient: Patient) -> list[str]:
    return [f"opened {patient.number}", f"seen {patient.number}"]


def run_for(one: Product, patient: Patient) -> RunEnd:
    began = time.monotonic()
    found = run(one, "wf_see_a_patient", patient=patient.name, born=patient.born)
    print(patient.name, found.state, f"{time.monotonic() - began:.0f} s")
    return found


@pytest.mark.parametrize(
    ("patient", "patients", "size", "at"),
    [
        (ROSSI, PATIENTS, (1000, 680), (60, 40)),
        (LEFEBVRE, PATIENTS, (1000, 680), (60, 40)),
        (LEFEVRE, PATIENTS[::-1], (880, 600), (240, 120)),
        (LEFEBVRE, [NGUYEN, LEFEBVRE, LEFEVRE, BERNARD], (1180, 760), (20, 10)),
    ],
    ids=["another", "the other of the two", "other order and size", "fewer and larger"],
)
def test_the_patient_who_is_named_is_opened_and_marked(
    taught: Product,
    web: Site,
    patient: Patient,
    patients: Sequence[Patient],
    size: tuple[int, int],
    at: tuple[int, int],
) -> None:
    with shown_as(taught.screen, web, patients, size=size, at=at):
        found = run_for(taught, patient)
        assert web.done == seen(patient), found.told
        assert found.is_finished, found.told


def test_who_stands_below_the_fold_is_scrolled_for(taught: Product, web: Site) -> None:
    with shown_as(taught.screen, web, [*OTHERS, LEFEBVRE, LEFEVRE]):
        found = run_for(taught, LEFEVRE)
        assert web.done == seen(LEFEVRE), found.told
        assert found.is_finished, found.told


def test_nobody_is_opened_for_one_who_is_not_there(taught: Product, web: Site) -> None:
    """Whoever has nearly the same name is another one."""
    with shown_as(taught.screen, web, [one for one in PATIENTS if one is not LEFEVRE]):
        found = run_for(taught, LEFEVRE)
        assert found.asks, found.told
        assert web.done == []


def test_who_has_the_name_and_was_born_at_another_date_is_not_marked(taught: Product, web: Site) -> None:
    """The list is told by the name alone; whose record it is, is read on the record."""
    namesake = Patient(LEFEVRE.name, "02/02/1940", "11111")
    with shown_as(taught.screen, web, [*PATIENTS[2:], namesake]):
        found = run_for(taught, LEFEVRE)
        assert found.asks, found.told
        assert web.done == [f"opened {namesake.number}"]
