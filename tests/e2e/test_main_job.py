"""The main job as its users do it: a real editor on a real desktop, a browser, the web process and the run loop."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from execution.desktop.x11 import X11Desktop
from tests.support.display import wait_until
from tests.support.product import PASSWORD, Product, product

pytestmark = [pytest.mark.display, pytest.mark.browser]

CHROMIUM = "/usr/bin/chromium"
NOTE = "Marie Lefèvre\n2026-11-21\nmarie.lefevre@hopital.example"
QUERIES = (
    "SELECT node_id, action_type, ocr_ms, analyze_ms FROM step_metrics WHERE ocr_ms > 300 ORDER BY ocr_ms DESC;",
    "SELECT workflow_id, SUM(cache_hit) * 1.0 / COUNT(*) AS cache_hit_ratio FROM step_metrics GROUP BY workflow_id;",
    "SELECT execution_id, node_id, analyze_ms FROM step_metrics WHERE degraded = 1 ORDER BY started_at DESC;",
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with product(tmp_path_factory.mktemp("product"), traced=True) as one:
        yield one


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser, world: Product) -> Iterator[Page]:
    """The browser of the operator, logged in through the login page; a script error fails the test."""
    context = browser.new_context(base_url=world.url, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto("/login")
    page.fill("input[name=username]", "otto")
    page.fill("input[name=password]", PASSWORD)
    page.click("form [type=submit]")
    expect(page).to_have_url(re.compile(r"/$"))
    yield page
    context.close()
    assert errors == []


def start_in_browser(page: Page, mode: str, filename: str) -> str:
    """Start the demo through the form; gives the execution id."""
    page.goto("/runs/new?workflow=wf_patient_note")
    page.check(f"input[name=mode][value={mode}]", force=True)
    page.fill("[name$=patient]", "Marie Lefèvre")
    page.fill("[name$=date]", "2026-11-21")
    page.fill("[name$=email]", "marie.lefevre@hopital.example")
    page.fill("[name$=filename]", filename)
    page.click("main form [type=submit]")
    expect(page).to_have_url(re.compile(r"/runs/exec_"))
    return page.url.rsplit("/", 1)[1]


def state_of(world: Product, execution_id: str) -> str:
    rows = world.rows("SELECT state FROM execution_execution WHERE execution_id = ?", execution_id)
    return rows[0][0]


def wait_for_end(world: Product, execution_id: str, *, timeout: float = 120) -> str:
    wait_until(
        lambda: state_of(world, execution_id) in ("completed", "failed", "stopped", "paused"),
        timeout=timeout,
        what=f"the end of {execution_id}: {world.log('runloop').read_text()[-1500:]}",
    )
    return state_of(world, execution_id)
