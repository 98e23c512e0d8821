"""What tests do on the page on which workflows are taught, where the robot's end of its socket is a test's."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, expect

from execution.lesson.telling import draft_told
from tests.support.taught import SIZE, RobotEnd, held_step, question


def shown(page: Page) -> None:
    expect(page.locator("#stage-empty")).to_be_hidden()
    expect(page.locator("#state")).to_contain_text(re.compile("recording|enregistrement"))


def at(page: Page, x: float, y: float) -> tuple[float, float]:
    """Where a pixel of the desktop lies on the page."""
    box = page.locator("#canvas").bounding_box()
    assert box
    return box["x"] + (x + 0.5) / SIZE[0] * box["width"], box["y"] + (y + 0.5) / SIZE[1] * box["height"]


def click(page: Page, x: float, y: float, **options: Any) -> None:
    page.mouse.click(*at(page, x, y), **options)


def sent(page: Page, end: RobotEnd, kind: str, count: int = 1) -> list[dict[str, Any]]:
    """The messages of that kind, once there are so many."""
    for _ in range(100):
        if len(end.of(kind)) >= count:
            return end.of(kind)
        page.wait_for_timeout(50)
    raise AssertionError(f"{count} of {kind} were awaited, heard: {end.heard}")


def ask(end: RobotEnd, **changes: Any) -> None:
    end.tell(rev=2, steps=[*draft_told(end.lesson)["steps"], held_step()], question={**question(), **changes})


def takes_answers(page: Page) -> None:
    """What has just come is read first."""
    expect(page.locator("#question [data-number='1']")).to_be_enabled()


def tool(page: Page, name: str) -> None:
    """Take a tool, from behind “More” where it has no room."""
    button = page.locator(f"[data-tool={name}]")
    if not button.is_visible():
        page.click("#more-tools")
    button.click()
