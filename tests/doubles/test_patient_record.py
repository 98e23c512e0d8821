"""The patient record can be worked from search to saved note."""

from __future__ import annotations

import pytest

from tests.doubles.patient_record import FIRST, SECOND, patient_desktop
from tests.doubles.scripted import ScriptedDesktop


@pytest.fixture
def desktop() -> ScriptedDesktop:
    return patient_desktop()


def _click(desktop: ScriptedDesktop, widget: str) -> None:
    desktop.click(desktop.box_of(widget).center)


def _open(desktop: ScriptedDesktop, row: str) -> None:
    _click(desktop, "name")
    desktop.type_text("Martin")
    _click(desktop, "Search")
    _click(desktop, row)


def test_a_note_is_saved_for_the_patient_that_was_chosen(desktop: ScriptedDesktop) -> None:
    _open(desktop, "second row")
    assert desktop.screen == "record"
    _click(desktop, "Edit note")
    _click(desktop, "note")
    desktop.type_text("Contrôle à 3 mois, TA 12/8")
    desktop.press(["ctrl", "s"])
    assert desktop.screen == "saved"
    assert desktop.memory["saved_for"] == SECOND["number"] != FIRST["number"]
    assert desktop.memory["saved_note"] == "Contrôle à 3 mois, TA 12/8"


def test_the_look_alike_row_leads_to_another_patient(desktop: ScriptedDesktop) -> None:
    _open(desktop, "first row")
    assert desktop.memory["number"] == FIRST["number"]
    assert FIRST["patient"] == SECOND["patient"]


def test_a_note_is_shown_on_its_own_record_only(desktop: ScriptedDesktop) -> None:
    _open(desktop, "first row")
    _click(desktop, "Edit note")
    _click(desktop, "note")
    desktop.type_text("seen")
    _click(desktop, "Save note")
    _click(desktop, "New search")
    _open(desktop, "second row")
    assert desktop.memory["last_note"] == ""
    _click(desktop, "Back to results")
    _click(desktop, "first row")
    assert desktop.memory["last_note"] == "seen"


def test_a_name_that_nobody_has_finds_nobody(desktop: ScriptedDesktop) -> None:
    _click(desktop, "name")
    desktop.type_text("Nobody\n")
    assert desktop.screen == "nothing found"
    _click(desktop, "New search")
    assert desktop.screen == "search"


def test_every_screen_looks_different_and_names_itself_in_its_title(desktop: ScriptedDesktop) -> None:
    digests, titles = set(), set()
    for screen in ("search", "results", "nothing found", "record", "edit", "saved"):
        desktop.show(screen)
        digests.add(desktop.grab().digest)
        window = desktop.window()
        assert window is not None
        assert window.app_name == "Carnet"
        titles.add(window.title)
    assert len(digests) == len(titles) == 6
