"""Fixtures of the tests of the loop and of the pages in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from execution.perception.analyzer import ScreenAnalyzer
    from execution.perception.ocr.rapidocr import RapidReader
    from tests.doubles.stage import Stage


@pytest.fixture(autouse=True)
def uncounted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run is recorded whether figures and training data are made of it or not, and on any robot: a file that looks at
    them says so."""
    from analytics.integration import integration
    from execution.desktop import programs
    from execution.record import training

    for name in ("on_step_result", "on_execution_start", "on_execution_complete"):
        monkeypatch.setattr(integration, name, lambda *told, **more: None)
    monkeypatch.setattr(training, "project", lambda step_id: None)
    monkeypatch.setattr(programs, "found", list)  # reading this machine's menu takes as long as a run of three steps


@pytest.fixture
def own_folder(settings: Any, tmp_path: Path) -> None:
    """The product's pictures, locks and sockets lie in a folder of the test's own."""
    settings.DATA_DIR = tmp_path


@pytest.fixture
def tried_at_once(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a coach shows is tried on the stored pictures as soon as it was learned, not by a worker."""
    from execution.perception.analyzer import ScreenAnalyzer
    from execution.replay import tasks

    settings.TASKS = {"default": {"BACKEND": "django_tasks.backends.immediate.ImmediateBackend"}}
    monkeypatch.setattr(tasks, "eyes", lambda: ScreenAnalyzer(None, None, None))


@pytest.fixture
def tried_on_one(tried_at_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same where the world of the test has no pictures: as if one had been kept, on which nothing broke."""
    from django.utils import timezone

    from execution.record.corrections import settle
    from execution.replay import tasks

    def check(row: Any, eyes: Any) -> int:
        row.checked_at, row.checked_on = timezone.now(), 1
        row.save(update_fields=["checked_at", "checked_on"])
        row.uses.filter(step__phase="closed").update(tried=True)
        settle(row)
        return 0

    monkeypatch.setattr(tasks, "check", check)


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Stage]]:
    """Makes claimed runs; their loops are told to leave at the end. What is not scrolled at once is at its end."""
    from execution.turn import wheel
    from tests.doubles.stage import EDGES, Stage  # models, which are not there yet when this file is read

    monkeypatch.setattr(wheel, "ANSWERS_S", 0.0)
    made: list[Stage] = []

    def make(mode: str = "automatic", edges: list[dict[str, Any]] | None = None, **fields: Any) -> Stage:
        made.append(Stage(EDGES if edges is None else edges, mode, **fields))
        return made[-1]

    yield make
    for one in made:
        one.leave.set()


@pytest.fixture(scope="session")
def reader() -> RapidReader:
    """The product's reader, its models loaded once for all tests."""
    from execution.perception.ocr.rapidocr import RapidReader

    return RapidReader()


@pytest.fixture(scope="module")
def analyzer(reader: RapidReader) -> ScreenAnalyzer:
    """The product's eyes, which have seen nothing yet."""
    from tests.support.eyes import patient_analyzer

    reader.forget()
    made = patient_analyzer()
    made.reader = reader
    return made


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    """A page in an offline Chromium, for what the product's eyes see of it."""
    from tests.support.browser import chromium

    with chromium() as one:
        yield one


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium for all tests of this file. Its driver keeps an event loop in this thread, which Django would mind."""
    from playwright.sync_api import sync_playwright

    from tests.support.browser import CHROMIUM

    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def page_of(browser: Browser, live_server: Any) -> Iterator[Callable[..., Page]]:
    """`page_of(operator, "/")`: that person's browser on that page; a script error fails the test.

    `sockets` are handlers of Playwright's `route_web_socket` by pattern: the other ends of sockets. `init` is a
    script that the page runs before its own.
    """
    from django.conf import settings
    from django.test import Client

    complaints: list[str] = []
    contexts = []

    def open_page(
        user: Any, path: str, *, sockets: dict[str, Any] | None = None, init: str = "", **options: Any
    ) -> Page:
        client = Client()
        client.force_login(user)
        context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, "locale": "en", **options})
        contexts.append(context)
        cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
        context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}])
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        for pattern, serve in (sockets or {}).items():
            page.route_web_socket(pattern, serve)
        if init:
            page.add_init_script(init)
        page.goto(live_server.url + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
