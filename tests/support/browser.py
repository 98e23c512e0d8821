"""Pages in a real Chromium without a window, seen by the product's own eyes: their picture is the screen.

with chromium() as page:
    page.set_content("<h1>Patients</h1>")
    state = seen(analyzer, page)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import cv2
import numpy as np
from playwright.sync_api import Error as PageProblem
from playwright.sync_api import sync_playwright

from execution.perception.analyzer import ScreenAnalyzer
from execution.types import Box, Frame, ScreenState, Window, pixels_digest
from tests.support.display import wait_until

CHROMIUM = "/usr/bin/chromium"
WIDE, HIGH = 1000, 640


@contextmanager
def chromium(width: int = WIDE, height: int = HIGH) -> Iterator[Any]:
    """A page of Playwright's, offline."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser.new_context(viewport={"width": width, "height": height}, offline=True).new_page()
        finally:
            browser.close()


def shot(page: Any, **how: Any) -> bytes:
    """A PNG of the page, taken as Playwright's `screenshot` does. Chromium now and then refuses a capture that it takes
    when asked again, most of all the first after its start."""

    def taken() -> bytes | None:
        try:
            return bytes(page.screenshot(**how))
        except PageProblem as problem:
            if "Unable to capture screenshot" not in problem.message:
                raise
            return None

    return wait_until(taken, what="a picture of the page")


def frame_of(page: Any) -> Frame:
    """What the page looks like now."""
    pixels = cv2.imdecode(np.frombuffer(shot(page, caret="initial"), np.uint8), cv2.IMREAD_COLOR)
    return Frame(pixels=pixels, taken_at=datetime.now(UTC), digest=pixels_digest(pixels))


def seen(analyzer: ScreenAnalyzer, page: Any) -> ScreenState:
    """What is read on the page now; its window is the whole picture."""
    frame = frame_of(page)
    return analyzer.analyze(frame, Window(title=page.title(), box=Box(0, 0, *frame.size)))


def until(page: Any, expression: str) -> None:
    """Wait until a script's expression is true there. Playwright's own waiting asks again from within the page, where
    its policy lets nobody evaluate a text."""
    wait_until(lambda: page.evaluate(expression), what=f"“{expression}”")
