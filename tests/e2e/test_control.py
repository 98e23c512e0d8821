"""An operator takes the desktop of a run from its live page: a real editor, Chromium, the web process, the run loop."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from execution.desktop.x11 import X11Desktop
from tests.support.browser import shot
from tests.support.display import wait_until
from tests.support.product import Product, product

pytestmark = [pytest.mark.display, pytest.mark.browser, pytest.mark.slow]

AWAY_S = 4
TYPED = "Zürich geheim-42"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RPA_TEACH_AWAY_S", str(AWAY_S))
        with product(tmp_path_factory.mktemp("product")) as one:
            one.open_editor()
            one.start_runloop()
            yield one


def state(world: Product, run: str) -> tuple[str, str]:
    return world.rows("SELECT state, pause_reason FROM execution_execution WHERE execution_id = ?", run)[0]  # type: ignore[return-value]


def told(world: Product) -> list[dict[str, Any]]:
    rows = world.rows("SELECT payload FROM execution_executionevent WHERE kind = 'control' ORDER BY seq")
    return [json.loads(payload) for (payload,) in rows]


def title(world: Product) -> str:
    with closing(X11Desktop(world.screen.display)) as desktop:
        window = desktop.window()
        return window.title if window else ""


def click_at(page: Page, x: float, y: float) -> None:
    """At a place of the desktop, as fractions of it."""
    box = page.locator("#hands").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])


def take(page: Page, world: Product, run: str) -> None:
    page.get_by_role("button", name="Take control").click()
    expect(page.locator("#question")).to_contain_text("You have control")
    expect(page.locator("#hands")).to_be_visible(timeout=15_000)


def test_control_of_a_run_is_taken_used_and_given_back_on_the_page(page_of, world, tmp_path):
    """S6.15: what was done instead of the robot counts, wherever it was left."""
    page = page_of(world, "otto", "/runs/new?workflow=wf_patient_note")
    page.check("input[name=mode][value=supervised]", force=True)
    page.fill("[name$=patient]", "Marie Lefèvre")
    page.fill("[name$=filename]", "note.txt")
    page.click("main form [type=submit]")
    expect(page).to_have_url(re.compile(r"/runs/exec_"))
    run = page.url.rsplit("/", 1)[1]
    expect(page.locator("#question")).to_contain_text("File", timeout=60_000)

    take(page, world, run)
    watching = page_of(world, "dora", f"/runs/{run}")
    expect(watching.locator("#question")).to_contain_text("otto")
    expect(watching.get_by_role("button", name="Take control")).to_have_count(0)
    expect(watching.locator("#hands")).to_be_hidden()

    click_at(page, 0.5, 0.6)  # into the text
    wait_until(lambda: told(world), what="the click")
    page.keyboard.press("Control+n")
    wait_until(lambda: title(world).startswith("Untitled 2"), what=f"a new note, not {title(world)}")
    page.locator("#tab-events").click()
    expect(page.locator("#panel-events")).to_contain_text("otto")
    shot(page, path=str(Path(os.environ.get("DOORS_SHOTS", tmp_path)) / "control.png"))
    page.locator("#question").get_by_role("button", name="Give back").click()
    expect(page.locator("#question")).to_contain_text("Empty note", timeout=60_000)  # two steps further on
    assert [act["act"] for act in told(world)] == ["click", "press_keys"]

    # what is typed is in no row; the browser goes, and after a time nobody has it
    take(page, world, run)
    click_at(page, 0.5, 0.6)
    page.keyboard.insert_text(TYPED)
    wait_until(lambda: told(world)[-1].get("length") == len(TYPED), what="that something was typed")
    wait_until(lambda: title(world).startswith("*Untitled 2"), what=f"the text, not {title(world)}")
    assert not world.rows("SELECT 1 FROM execution_executionevent WHERE payload LIKE '%geheim%'")

    # the run loop is killed: control is as it was, and the page is back by itself
    (pid,) = world.rows("SELECT pid FROM execution_robot WHERE stopped_at IS NULL")[0]
    os.kill(pid, signal.SIGKILL)
    world.start_runloop()
    assert state(world, run) == ("paused", "control")
    before = len(told(world))

    def undone() -> bool:
        page.keyboard.press("Control+z")
        return len(told(world)) > before

    wait_until(undone, what="keys that reach the new run loop")
    assert not world.keys_down()
    page.context.close()
    wait_until(lambda: state(world, run) == ("paused", "asked"), timeout=AWAY_S + 20, what="that it was given back")
    assert not world.keys_down()
    expect(watching.locator("#question")).to_contain_text("went away")
