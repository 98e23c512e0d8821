"""What tests of the whole product on a page share: the site that the page comes from, and hears what it is told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.page_teacher import teachers_browser
from tests.support.product import PASSWORD, Product
from tests.support.site import Site, site


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    with site() as one:
        yield one


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with teachers_browser() as one:
        yield one


@pytest.fixture
def page_of(browser: Browser) -> Iterator[Callable[..., Page]]:
    """`page_of(world, "otto", "/robots")`, logged in through the login page; an error of a script, or of the policy for
    content, fails the test."""
    complaints: list[str] = []
    contexts = []

    def open_page(world: Product, name: str, path: str = "", **options: object) -> Page:
        context = browser.new_context(
            **{"base_url": world.url, "viewport": {"width": 1440, "height": 900}, "locale": "en", **options}
        )
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda line: complaints.append(line.text) if "Content Security" in line.text else None)
        page.goto("/login")
        page.fill("[name=username]", name)
        page.fill("[name=password]", PASSWORD)
        page.click("form [type=submit]")
        expect(page).to_have_url(re.compile(r"/$"))
        if path:
            page.goto(path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
