"""The whole way on the page, in Chromium, on a real editor: shown once, named, published, run by itself (S6.1)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from execution.perception.analyzer import ScreenAnalyzer
from tests.e2e.note_lesson import teach_note
from tests.support.eyes import patient_analyzer
from tests.support.page_teacher import page_teacher, teachers_browser
from tests.support.product import Product, product
from tests.support.run_ends import run

pytestmark = [pytest.mark.display, pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with teachers_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def analyzer() -> ScreenAnalyzer:
    return patient_analyzer()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Product]:
    with product(tmp_path) as one:
        one.start_runloop()
        yield one


def test_a_note_is_taught_on_the_page_alone_and_written_by_itself(
    world: Product, chromium: Browser, analyzer: ScreenAnalyzer
) -> None:
    """S6.1, S6.10: from an empty editor to a published workflow, with the page alone; then run with other values."""
    world.open_editor()
    with page_teacher(world, chromium, analyzer) as teacher:
        teacher.begin(world, "Write a note")
        teach_note(teacher)
        teacher.page.keyboard.press("Escape")
        teacher.page.click("#done")
        dialog = teacher.page.locator("#done-dialog")
        expect(dialog).not_to_contain_text("The graph has no end")  # the last screen is one
        dialog.get_by_role("button", name="Teach on").click()
        teacher.publish()
    assert (world.documents / "taught.txt").read_bytes() == "Marie Lefèvre".encode()
    for patient, filename in (("Anna Rossi", "second.txt"), ("Zoë Martin", "third.txt")):
        world.open_editor()
        found = run(world, "wf_write_a_note", patient=patient, filename=filename)
        assert found.is_finished, found.told
        assert (world.documents / filename).read_bytes() == patient.encode()
