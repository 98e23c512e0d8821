"""A note that is written in an editor and saved under a name, shown on the page as a person would."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.support.page_teacher import PageTeacher


def teach_note(teacher: PageTeacher, *, patient: str = "Marie Lefèvre", filename: str = "taught.txt") -> None:
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
