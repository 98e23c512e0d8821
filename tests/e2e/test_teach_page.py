"""The whole way on the page, in Chromium, on a real editor: shown once, named, published, run by itself (S6.1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from execution.desktop.capture import settle
from execution.desktop.x11 import X11Desktop
from execution.language.fuzzy import folded
from execution.perception.analyzer import ScreenAnalyzer, build_analyzer
from execution.types import Box
from tests.e2e.test_teaching import ended, told_of
from tests.support.display import wait_until
from tests.support.product import PASSWORD, Product, product

pytestmark = [pytest.mark.display, pytest.mark.browser, pytest.mark.slow]

START = """
from execution.actions.start import start
print(start(workflow_id="wf_write_a_note", mode="automatic", variables={values!r}).execution_id)
"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def analyzer() -> ScreenAnalyzer:
    return build_analyzer()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Product]:
    with product(tmp_path) as one:
        one.start_runloop()
        yield one


class Teacher:
    """Somebody at the page, who sees on its picture where things are."""

    def __init__(self, page: Page, desktop: X11Desktop, analyzer: ScreenAnalyzer) -> None:
        self.page, self.desktop, self.analyzer = page, desktop, analyzer

    def begin(self, world: Product, name: str) -> None:
        page = self.page
        page.goto(f"{world.url}/login?next=/teach/new")
        page.fill("[name=username]", "dora")
        page.fill("[name=password]", PASSWORD)
        page.keyboard.press("Enter")
        page.fill("[name=name]", name)
        page.get_by_role("button", name="Begin").click()
        expect(page.locator("#state")).to_contain_text("recording", timeout=60_000)
        self.knows(re.compile(".+"))

    def knows(self, name: re.Pattern[str]) -> None:
        """Wait until the page says which screen it is."""
        expect(self.page.locator("#question-title")).to_have_text(
            re.compile(f"(This is|A new screen:) {name.pattern}"), timeout=30_000
        )

    def click(self, text: str) -> None:
        """On the lowest line of the desktop that says it; where it is asked which, this very place."""
        boxes: list[Box] = []

        def look() -> bool:
            settle(self.desktop, settle_ms=200, timeout_ms=3000)
            state = self.analyzer.analyze(self.desktop.grab(), self.desktop.window())
            boxes[:] = [line.box for line in state.texts if folded(line.text) == folded(text)]
            return bool(boxes)

        wait_until(look, what=f"“{text}” on the screen")
        middle = max(boxes, key=lambda box: box.y).center
        self.click_at(middle.x, middle.y)
        self.page.wait_for_timeout(600)  # a question of the click would be there by now
        if self.page.locator(".live-question.asks").count():
            self.page.get_by_role("button", name="This very place").click()
            expect(self.page.locator(".live-question.asks")).to_have_count(0)

    def click_at(self, x: int, y: int) -> None:
        box = self.page.locator("#canvas").bounding_box()
        assert box
        width, height = self.desktop.grab().size
        self.page.mouse.click(
            box["x"] + (x + 0.5) / width * box["width"], box["y"] + (y + 0.5) / height * box["height"]
        )

    def waits_for(self, title: str) -> None:
        wait_until(lambda: title in getattr(self.desktop.window(), "title", ""), what=f"the window {title}")

    def is_variable(self, typed: str, name: str) -> None:
        """The text of the step that types it is a variable from now on."""
        page = self.page
        page.keyboard.press("Escape")
        page.locator(".step-button", has_text=typed).click()
        page.get_by_label("a variable").check()
        page.get_by_label("Name of the variable").fill(name)
        page.keyboard.press("Enter")
        expect(page.locator(".step-button", has_text="{{" + name + "}}")).to_have_count(1)


def test_a_note_is_taught_on_the_page_alone_and_written_by_itself(
    world: Product, chromium: Browser, analyzer: ScreenAnalyzer
) -> None:
    """S6.1, S6.10: from an empty editor to a published workflow, with the page alone; then run with other values."""
    world.open_editor()
    page = chromium.new_context(viewport={"width": 1440, "height": 900}, locale="en").new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    with closing(X11Desktop(world.screen.display)) as desktop:
        teacher = Teacher(page, desktop, analyzer)
        teacher.begin(world, "Write a note")
        page.locator("#canvas").hover()
        page.locator("#keys").focus()
        page.keyboard.insert_text("Marie Lefèvre")
        expect(page.locator(".step-button", has_text="Marie")).to_have_count(1)
        teacher.is_variable("Marie", "patient")
        teacher.click("File")
        teacher.click("Save As...")
        teacher.waits_for("Save As")
        teacher.knows(re.compile("Save As.*"))
        page.keyboard.press("Control+a")
        page.keyboard.type("taught.txt")
        expect(page.locator(".step-button", has_text="taught.txt")).to_have_count(1, timeout=10_000)
        teacher.is_variable("taught.txt", "filename")
        teacher.click("Save")
        teacher.waits_for("taught.txt - Mousepad")
        teacher.knows(re.compile(".+"))
        teacher.click("File")
        teacher.click("Quit")
        teacher.knows(re.compile("Surehand demo desktop"))
        page.keyboard.press("Escape")
        page.click("#done")
        expect(page.locator("#done-dialog")).not_to_contain_text("The graph has no end")  # the last screen is one
        page.get_by_role("button", name="Publish").click()
        expect(page.locator("#done-dialog")).to_contain_text("Published as version 1")
        page.get_by_role("link", name="Start the first run").click()
        page.wait_for_url(re.compile("/runs/new"))
    assert complaints == []
    assert (world.documents / "taught.txt").read_bytes() == "Marie Lefèvre".encode()
    for patient, filename in (("Anna Rossi", "second.txt"), ("Zoë Martin", "third.txt")):
        world.open_editor()
        values = {"patient": patient, "filename": filename}
        execution_id = world.manage("shell", "-v0", "-c", START.format(values=values)).stdout.split()[-1]
        assert ended(world, execution_id) == "completed", told_of(world, execution_id)
        assert (world.documents / filename).read_bytes() == patient.encode()
