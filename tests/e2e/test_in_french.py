"""The demo in French, from the login page to a finished run: no English but what the workflow itself says (S8.5)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.e2e.test_main_job import CHROMIUM, start_in_browser, wait_for_end
from tests.support.product import PASSWORD, Product, product

pytestmark = [pytest.mark.display, pytest.mark.browser, pytest.mark.slow]

# No French text has these words; what stands in quotation marks is the screen's or the workflow's.
WORDS = re.compile(
    r"\b(the|of|is|was|were|not|it|its|and|with|without|for|this|that|which|what|who|from|nothing|nobody|seen|shown|"
    r"done|asked|run|runs|step|steps|screen|target|waiting|taken|never|always|only|by|at|in|to|yes|change|add|delete)\b",
    re.IGNORECASE,
)
QUOTED = re.compile(r"«[^»]*»|“[^”]*”")
SHOWN = """() => {
  const said = ["title", "aria-label", "placeholder", "alt"].flatMap((name) =>
    [...document.querySelectorAll(`[${name}]`)].map((element) => element.getAttribute(name)));
  return [document.title, document.body.innerText, ...said].join("\\n");
}"""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with product(tmp_path_factory.mktemp("product")) as one:
        yield one


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


def english(page: Page, *known: str) -> list[str]:
    """The lines of a page with an English word in them, without what is quoted and what is `known` to be content."""
    told = QUOTED.sub("", page.evaluate(SHOWN))
    for text in sorted(known, key=len, reverse=True):
        told = told.replace(text, "")
    return [line.strip() for line in told.splitlines() if WORDS.search(line)]


def content_of(world: Product) -> set[str]:
    """What the demo's workflow says itself: names of screens, labels, texts."""
    found: set[str] = set()

    def gather(value: Any) -> None:
        if isinstance(value, str) and len(value) > 2:
            found.add(value)
        elif isinstance(value, dict | list):
            for inner in value.values() if isinstance(value, dict) else value:
                gather(inner)

    for name, description, graph in world.rows(
        "SELECT w.name, w.description, v.graph FROM workflows_workflow w "
        "JOIN workflows_workflowversion v ON v.workflow_id = w.id"
    ):
        gather([name, description, json.loads(graph)])
    return found


@contextmanager
def reader(browser: Browser, world: Product, name: str) -> Iterator[Page]:
    """A French browser in which `name` has logged in."""
    context = browser.new_context(base_url=world.url, viewport={"width": 1440, "height": 900}, locale="fr")
    page = context.new_page()
    page.goto("/login")
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    assert english(page) == []
    page.fill("input[name=username]", name)
    page.fill("input[name=password]", PASSWORD)
    page.click("form [type=submit]")
    expect(page).to_have_url(re.compile(r"/$"))
    yield page
    context.close()


def test_from_the_login_to_a_finished_run_without_an_english_word(world: Product, browser: Browser) -> None:
    """S8.5: each page on the way, and the live page while the robot works and when it has finished."""
    known = {*content_of(world), "English"}
    world.start_runloop()
    world.open_editor()
    with reader(browser, world, "otto") as page:
        for path in ("/", "/workflows/", "/workflows/wf_patient_note", "/robots", "/account", "/runs/new"):
            page.goto(path)
            assert (path, english(page, *known)) == (path, [])
        execution_id = start_in_browser(page, "supervised", "french.txt")
        expect(page.locator("#question [data-key]").first).to_be_enabled(timeout=60_000)
        assert english(page, *known) == []
        with closing(world.client("otto")) as otto:
            otto.post(f"/api/executions/{execution_id}/control/", json={"verb": "stop"})
        assert wait_for_end(world, execution_id) == "stopped"
        execution_id = start_in_browser(page, "automatic", "french.txt")
        expect(page.locator("#steps [data-row]").nth(3)).to_be_visible(timeout=60_000)
        assert english(page, *known) == []
        assert wait_for_end(world, execution_id) == "completed"
        page.reload()
        for number in range(4):
            page.locator(".tabs button").nth(number).click()
            assert (number, english(page, *known)) == (number, [])
