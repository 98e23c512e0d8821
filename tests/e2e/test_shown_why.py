"""A run that could not do its seventh step is explained by the page of the run: what was the matter, and where.

The same letter is sent each time; at the seventh step the button has another name, a dialog lies over it, the record is
somebody else's, or the server does not answer. Nobody looks into the database: what the page says has to suffice.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.e2e.letter_page import FAULTS, STEPS, STORY, Site, shown_as, site
from tests.support.browser import shot
from tests.support.page_teacher import teachers_browser
from tests.support.product import PASSWORD, Product, product
from tests.support.run_ends import RunEnd, run

pytestmark = [pytest.mark.display, pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(900)]

# Of each fault what stands above the film: the first that whoever looks will read.
TELLS = {
    "renamed": ("lacks Send the letter", "Archive for ever"),
    "dialog": ("Signed and ready", "Session expired"),
    "record": ("the record shown is not surely the right one", "Patient"),  # whose it is stays on the picture
    "slow": ("“Send the letter”", "does not answer"),
}
LOOKS: dict[str, dict[str, Any]] = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}},
    "french": {"locale": "fr"},
}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Product, dict[str, RunEnd]]]:
    """The letter is taught once as it should be, then sent with each fault; what asks is stopped."""
    story = tmp_path_factory.mktemp("lesson") / "letter.yaml"
    story.write_text(STORY)
    with product(tmp_path_factory.mktemp("product")) as one, site() as web:
        with shown_as(one.screen, web, ""):
            told = ("--story", str(story), "--user", "dora", "--desktop", one.screen.display)
            one.manage("teach", *told, "--publish")
            assert web.clicked == [button for _title, button in STEPS]
        one.start_runloop()
        yield one, {fault: sent(one, web, fault) for fault in FAULTS}


def sent(one: Product, web: Site, fault: str) -> RunEnd:
    with shown_as(one.screen, web, fault):
        found = run(one, "wf_doctor_letter", patient="LEFEVRE Marie")
        done = [button for _title, button in STEPS[:6]]
        assert web.clicked == (done if fault != "slow" else [button for _title, button in STEPS]), found.told
    return found


@contextmanager
def page_of(one: Product, browser: Browser, run_end: RunEnd, **options: Any) -> Iterator[Page]:
    given = {"viewport": {"width": 1440, "height": 900}, "locale": "en", **options}
    context = browser.new_context(**given)
    try:
        page = context.new_page()
        page.goto(f"{one.url}/login?next=/runs/{run_end.execution_id}")
        page.fill("[name=username]", "otto")
        page.fill("[name=password]", PASSWORD)
        page.keyboard.press("Enter")
        expect(page.locator(".story")).to_be_visible()
        yield page
    finally:
        context.close()


@pytest.mark.parametrize("fault", FAULTS)
def test_the_page_says_what_was_the_matter_and_where(ended: tuple[Product, dict[str, RunEnd]], fault: str) -> None:
    """S7.3: without a key or a click."""
    one, runs = ended
    assert runs[fault].asks, runs[fault].told
    with teachers_browser() as browser, page_of(one, browser, runs[fault]) as page:
        verdict = page.locator("#verdict").inner_text()
        assert re.search(r"step [67]\b", verdict), verdict
        said = page.locator("#verdict-why").text_content() or ""
        missing = [words for words in TELLS[fault] if words not in said]
        assert not missing, said
        assert page.locator("#frame").evaluate("image => image.complete && image.naturalWidth > 0")


@pytest.mark.parametrize("look", LOOKS)
def test_it_is_clean_in_every_look(ended: tuple[Product, dict[str, RunEnd]], look: str) -> None:
    """S8.5. Pictures of all four are left where `RPA_LOOK_AT` says."""
    one, runs = ended
    folder = os.environ.get("RPA_LOOK_AT")
    with teachers_browser() as browser:
        for fault in FAULTS:
            with page_of(one, browser, runs[fault], **LOOKS[look]) as page:
                found = Axe().run(page).response["violations"]
                assert [(one["id"], [node["target"] for node in one["nodes"]]) for one in found] == []
                if folder:
                    shot(page, path=Path(folder) / f"why-{fault}-{look}.png")
