"""Teaching without a desktop, in Chromium: from screenshots of a real editor, which is not touched (S6.16)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import cv2
import pytest
from playwright.sync_api import Page, expect

from execution.desktop.capture import settle
from execution.desktop.x11 import X11Desktop
from execution.language.fuzzy import folded
from execution.types import Point
from tests.support.display import wait_until
from tests.support.eyes import patient_analyzer
from tests.support.product import Product, product

pytestmark = [pytest.mark.display, pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Product]:
    with product(tmp_path) as one:
        yield one


def shots(world: Product, folder: Path) -> tuple[list[Path], list[Point]]:
    """The editor, its menu, its dialog, as somebody took them; and where the words were that lead on."""
    analyzer = patient_analyzer()
    files, points = [], []
    editor = world.open_editor()
    with closing(X11Desktop(world.screen.display)) as desktop:
        for number, (text, title) in enumerate((("File", ""), ("Save As...", "Save As"), ("", ""))):
            settle(desktop, settle_ms=300, timeout_ms=4000)
            frame = desktop.grab()
            file = folder / f"shot {number + 9}.png"  # 9, 10, 11: as people count
            cv2.imwrite(str(file), frame.pixels)
            files.append(file)
            if text:
                state = analyzer.analyze(frame, desktop.window())
                point = next(line.box.center for line in state.texts if folded(line.text) == folded(text))
                points.append(point)
                desktop.click(point)
            if title:
                wait_until(lambda title=title: title in getattr(desktop.window(), "title", ""), what=title)
        desktop.press(("escape",))
    editor.terminate()
    editor.wait(60)
    return files, points


def click_at(page: Page, point: Point) -> None:
    box = page.locator("#canvas").bounding_box()
    assert box
    page.mouse.click(box["x"] + (point.x + 0.5) / 1280 * box["width"], box["y"] + (point.y + 0.5) / 800 * box["height"])


def test_screenshots_of_an_editor_become_a_draft(world: Product, page_of: Callable[..., Page], tmp_path: Path) -> None:
    """S6.16"""
    files, points = shots(world, tmp_path)
    world.start_runloop()
    page = page_of(world, "dora", "/teach/new")
    page.fill("[name=name]", "Save a note")
    page.select_option("[name=source]", "pictures")
    expect(page.locator("[name=robot]")).to_be_hidden()
    page.set_input_files("[name=pictures]", [str(file) for file in reversed(files)])
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("#question-title")).to_have_text(re.compile("A new screen: .+"), timeout=60_000)
    expect(page.locator("#pictures-bar")).to_contain_text("Picture 1 of 3 · shot 9.png")
    click_at(page, points[0])
    expect(page.locator("#pictures-bar")).to_contain_text("Picture 2 of 3")
    expect(page.locator("#facts")).to_contain_text("2 screens")
    click_at(page, points[1])
    expect(page.locator("#pictures-bar")).to_contain_text("Picture 3 of 3")
    expect(page.locator("#facts")).to_contain_text("3 screens")
    expect(page.locator("#facts")).to_contain_text("pictures, read by")
    expect(page.locator(".step-button")).to_have_count(2)
    page.locator("[data-turn='-1']").click()
    expect(page.locator("#pictures-bar")).to_contain_text("Picture 2 of 3 · shot 10.png")
    edges = world.rows(
        "SELECT e.action_type, t.text FROM workflows_edge e JOIN workflows_target t ON t.id = e.target_id "
        "JOIN workflows_workflow w ON w.id = e.workflow_id WHERE w.name = 'Save a note' ORDER BY e.id"
    )
    assert [act for act, _text in edges] == ["click", "click"]
    assert [folded(text).split()[0] for _act, text in edges] == ["file", "save"]  # the entry with its keys beside it
