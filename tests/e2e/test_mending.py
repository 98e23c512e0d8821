"""A run asks for a button that has another name by now; it is mended on the page, saved, and goes on (S6.14)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from execution.desktop.x11 import X11Desktop
from execution.language.fuzzy import folded
from execution.types import Point
from tests.e2e.record_page import BUTTONS, PAGE, STORY, as_taught, shown_as
from tests.support.display import wait_until
from tests.support.eyes import patient_analyzer
from tests.support.on_a_page import IN_CHROMIUM
from tests.support.product import Product, product
from tests.support.run_ends import told_of
from tests.support.site import Site

pytestmark = IN_CHROMIUM

START = """
from execution.actions.start import start
print(start(workflow_id="wf_archive", mode="automatic").execution_id)
"""


def click_at(page: Page, point: Point) -> None:
    box = page.locator("#canvas").bounding_box()
    assert box
    page.mouse.click(box["x"] + (point.x + 0.5) / 1280 * box["width"], box["y"] + (point.y + 0.5) / 800 * box["height"])


@pytest.fixture
def taught(tmp_path: Path, web: Site) -> Iterator[Product]:
    """An installation to which “click Archive” was shown once, on the page as it was."""
    with product(tmp_path / "product") as one:
        with shown_as(one.screen, web, as_taught()):
            one.teach(STORY)
        yield one


def with_a_new_release() -> str:
    """The same button, and another word on it."""
    page = PAGE.replace('what === "Archive"', '["Archive", "File away"].includes(what)')
    return page % (BUTTONS.replace("Archive", "File away"), "")


def state_of(world: Product, execution_id: str) -> str:
    [(state,)] = world.rows("SELECT state FROM execution_execution WHERE execution_id = ?", execution_id)
    return str(state)


def where(world: Product, text: str) -> Point:
    with closing(X11Desktop(world.screen.display)) as desktop:
        state = patient_analyzer().analyze(desktop.grab(), desktop.window())
    return next(line.box.center for line in state.texts if folded(line.text) == folded(text))


def test_a_renamed_button_is_shown_on_its_picture_and_the_run_completes(
    taught: Product, web: Site, page_of: Callable[..., Page]
) -> None:
    """S6.14"""
    with shown_as(taught.screen, web, with_a_new_release()):
        taught.start_runloop()
        execution_id = taught.manage("shell", "-v0", "-c", START).stdout.split()[-1]
        wait_until(
            lambda: state_of(taught, execution_id) in ("paused", "waiting", "coaching", "completed", "failed"),
            timeout=90,
            what="the question",
        )
        assert state_of(taught, execution_id) in ("coaching", "waiting", "paused")
        assert web.done == []
        page = page_of(taught, "dora", f"/runs/{execution_id}")
        page.locator("#question").get_by_role("link", name="Mend").click()
        page.get_by_role("button", name="Mend this step").click()
        expect(page.locator("#question-title")).to_have_text(
            re.compile("(This is|The draft has no screen) .+"), timeout=60_000
        )
        preview = page.locator(".mend-preview")
        page.get_by_label("It is the screen").select_option(index=1)
        expect(preview).to_contain_text("no more by Archive", timeout=60_000)
        page.get_by_role("button", name="Keep it").click()
        expect(page.locator("#question-title")).to_have_text(re.compile("This is .+"))
        page.get_by_role("button", name="From now on this").click()
        click_at(page, where(taught, "File away"))
        expect(preview).to_contain_text("looks like this from now on: File away", timeout=60_000)
        page.get_by_role("button", name="Keep it").click()
        expect(preview).to_have_count(0)
        page.get_by_role("button", name="Save and resume").click()
        expect(page.locator("#panel-mend")).to_contain_text("Published as version 2; the run goes on with it.")
        wait_until(
            lambda: state_of(taught, execution_id) in ("completed", "failed", "stopped"),
            timeout=60,
            what=f"its end ({told_of(taught, execution_id)})",
        )
        assert state_of(taught, execution_id) == "completed"
        assert web.done == ["File away"]
    [(number,)] = taught.rows(
        "SELECT v.number FROM execution_execution e JOIN workflows_workflowversion v ON v.id = e.version_id "
        "WHERE e.execution_id = ?",
        execution_id,
    )
    assert number == 2
