"""Teaching that is interrupted, by another teacher, the server, the browser and the run loop: the draft stays whole."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from Xlib.display import Display

from tests.support.eyes import patient_analyzer
from tests.support.page_teacher import PageTeacher, page_teacher, teachers_browser
from tests.support.product import PASSWORD, Product, product

pytestmark = [pytest.mark.display, pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(400)]

BUTTONS = 0x1F00  # of the mask that the X server tells of the pointer


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Product]:
    with product(tmp_path) as one:
        one.start_runloop()
        one.open_editor()
        yield one


def nothing_is_down(world: Product) -> bool:
    with closing(Display(world.screen.display)) as display:
        return not any(display.query_keymap()) and not display.screen().root.query_pointer().mask & BUTTONS


def kill(world: Product, name: str) -> None:
    """As a crash would, children included."""
    process = next(p for key, p in world.processes.items() if key.startswith(name) and p.poll() is None)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(60)


def kept(world: Product) -> list[str]:
    """The acts of the draft, from its rows."""
    rows = world.rows(
        "SELECT e.action_type FROM workflows_edge e JOIN workflows_workflow w ON w.id = e.workflow_id "
        "WHERE w.workflow_id = 'wf_interrupted' ORDER BY e.id"
    )
    return [kind for (kind,) in rows]


def is_live(page: Page) -> None:
    expect(page.locator("#state")).to_contain_text("recording", timeout=60_000)


def test_a_lesson_goes_on_after_each_of_its_parts_was_away(world: Product) -> None:
    with teachers_browser() as browser, page_teacher(world, browser, patient_analyzer()) as teacher:
        page = teacher.page
        teacher.begin(world, "Interrupted")
        lesson = page.url
        presses(teacher, "Control+End", 1)

        second = browser.new_context(locale="en").new_page()
        second.goto(f"{world.url}/login?next=/teach/new")
        second.fill("[name=username]", "ada")
        second.fill("[name=password]", PASSWORD)
        second.keyboard.press("Enter")
        second.select_option("[name=workflow]", label="Interrupted")
        second.get_by_role("button", name="Begin").click()
        expect(second.get_by_role("alert").first).to_contain_text("dora")
        second.context.close()

        kill(world, "web")
        expect(page.locator("#state")).not_to_contain_text("recording")
        world.start_web()
        is_live(page)
        presses(teacher, "Control+Home", 2)

        page.goto("about:blank")  # as a browser that is closed
        assert nothing_is_down(world)
        page.goto(lesson)
        is_live(page)
        presses(teacher, "Control+End", 3)

        kill(world, "runloop")
        expect(page.locator("#state")).not_to_contain_text("recording")
        assert kept(world) == ["press_keys"] * 3
        world.start_runloop()
        assert nothing_is_down(world)
        is_live(page)
        presses(teacher, "Control+Home", 4)
    assert kept(world) == ["press_keys"] * 4
    assert nothing_is_down(world)


def presses(teacher: PageTeacher, keys: str, steps: int) -> None:
    """Keys for the desktop; there are so many steps then."""
    page = teacher.page
    teacher.knows_screen("")
    page.locator("#keys").focus()
    page.keyboard.press(keys)
    expect(page.locator(".step-button")).to_have_count(steps)
