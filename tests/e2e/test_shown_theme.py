"""Taught on the page alone on a desktop of one theme, run on one of another: the same, or a question (S6.1, S6.11)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from tests.support.eyes import patient_analyzer
from tests.support.page_teacher import PageTeacher, page_teacher, teachers_browser
from tests.support.product import Product, product
from tests.support.run_ends import run

pytestmark = [pytest.mark.display, pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]

DARK, LIGHT = "Adwaita:dark", "Adwaita"


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """An installation to which it was shown in a dark editor how a note is written."""
    with product(tmp_path_factory.mktemp("product")) as one, teachers_browser() as browser:
        one.start_runloop()
        with editor(one, DARK), page_teacher(one, browser, patient_analyzer()) as teacher:
            teacher.begin(one, "Write a note")
            teach_note(teacher, "Marie Lefèvre", "taught.txt")
            teacher.publish()
        yield one


def teach_note(teacher: PageTeacher, patient: str, filename: str) -> None:
    """From an empty Mousepad to the empty desktop; {{patient}} is what is written, {{filename}} where."""
    teacher.page.locator("#canvas").hover()
    teacher.types(patient)
    teacher.is_variable(patient, "patient")
    teacher.click("File")
    teacher.click("Save As...")
    teacher.waits_for("Save As")
    teacher.knows_screen("Save As")
    teacher.page.keyboard.press("Control+a")
    teacher.page.keyboard.type(filename)
    expect(teacher.step(filename)).to_have_count(1)
    teacher.is_variable(filename, "filename")
    teacher.click("Save")
    teacher.waits_for(f"{filename} - Mousepad")
    teacher.knows_screen("")
    teacher.click("File")
    teacher.click("Quit")
    teacher.knows_screen("Surehand demo desktop")


@contextmanager
def editor(one: Product, theme: str) -> Iterator[None]:
    """An empty Mousepad of that theme."""
    program = one.screen.spawn(["env", "-C", str(one.documents), f"GTK_THEME={theme}", "mousepad"])
    try:
        one.screen.wait_for_window("Untitled 1 - Mousepad")
        yield
    finally:
        one.screen.end(program)


@pytest.mark.parametrize(("theme", "name"), [(DARK, "Zoë Martin"), (LIGHT, "Anna Rossi")])
def test_a_note_that_was_taught_in_the_dark_is_written_in_the_light(taught: Product, theme: str, name: str) -> None:
    """Whether a run asks before it closes the editor there is the judge's matter; what it wrote is right."""
    filename = f"{theme.replace(':', '_')}.txt"
    with editor(taught, theme):
        found = run(taught, "wf_write_a_note", patient=name, filename=filename)
    assert found.is_finished or (found.asks and theme != DARK), found.told
    assert (taught.documents / filename).read_bytes() == name.encode()
