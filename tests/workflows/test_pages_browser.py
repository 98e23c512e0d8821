"""The graph and the panel in a real browser: by mouse, by keyboard, on a phone (U10, S8.5)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Page, expect, sync_playwright

from tests.factories import EDGES, NODES, make_picture, make_published, make_user
from tests.support.browser import CHROMIUM

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

DESK, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


@contextmanager
def browser_page(url: str, cookie: str, *, viewport: dict[str, int] = DESK, path: str) -> Iterator[Page]:
    """A page of the product, logged in; leaving the block fails where the page reported an error."""
    complaints: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            context = browser.new_context(viewport=viewport, locale="en")
            context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": url}])
            page = context.new_page()
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
            page.goto(url + path)
            yield page
        finally:
            browser.close()
    # the server of these tests has no sockets and no favicon; everything else is the page's own fault
    assert [c for c in complaints if "WebSocket" not in c and "404" not in c] == []


def logged_in(role: str) -> str:
    client = Client()
    client.force_login(make_user(role))
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def test_screens_and_actions_are_drawn_with_their_pictures(live_server) -> None:
    picture = make_picture(width=160, height=100)
    version = make_published(nodes=({**NODES[0], "picture": picture.digest}, *NODES[1:]), edges=EDGES)
    path = f"/workflows/{version.workflow.workflow_id}"

    with browser_page(live_server.url, logged_in("viewer"), path=path) as page:
        expect(page.locator(".graph-card")).to_have_count(4)
        expect(page.locator(".graph-label")).to_have_text(["Type “{{patient}}”", "Press ctrl+s", "Click “Save”"])
        expect(page.locator(f'.graph-card img[src*="{picture.digest}"]')).to_have_js_property("naturalWidth", 160)
        expect(page.locator(".graph-signs").first).to_contain_text("*Untitled - Notes")


def test_a_choice_shows_the_same_in_list_graph_panel_and_address(live_server) -> None:
    version = make_published()
    path = f"/workflows/{version.workflow.workflow_id}"

    with browser_page(live_server.url, logged_in("viewer"), path=path) as page:
        expect(page.locator(".detail:visible")).to_have_attribute("id", "node-empty_note")

        page.locator(".action-link", has_text="Click “Save”").click()
        expect(page.locator(".detail:visible")).to_have_attribute("id", "edge-click_save")
        expect(page.locator(".graph-label[aria-current]")).to_have_text("Click “Save”")
        expect(page).to_have_url(re.compile("#edge-click_save$"))

        page.locator(".graph-card", has_text="Save dialog").click()
        expect(page.locator(".detail:visible")).to_have_attribute("id", "node-save_dialog")
        expect(page.locator(".screen-list [aria-current]")).to_contain_text("Save dialog")

        page.reload()
        expect(page.locator(".detail:visible")).to_have_attribute("id", "node-save_dialog")


def test_the_graph_is_walked_by_keyboard(live_server) -> None:
    """S8.5: one stop for Tab, arrows from item to item, Enter opens and takes the focus along."""
    version = make_published()
    path = f"/workflows/{version.workflow.workflow_id}"

    with browser_page(live_server.url, logged_in("viewer"), path=path) as page:
        assert page.locator(".graph [tabindex='0']").count() == 1
        page.locator(".graph [tabindex='0']").focus()

        page.keyboard.press("ArrowRight")
        expect(page.locator(".graph-card:focus")).to_have_text(re.compile("Note with text"))
        page.keyboard.press("Enter")
        expect(page.locator(".detail:focus")).to_have_attribute("id", "node-written_note")

        before = page.locator(".graph-card").first.bounding_box()
        page.locator(".graph-card").first.focus()
        page.keyboard.press("+")
        assert page.locator(".graph-card").first.bounding_box()["width"] > before["width"]


def test_on_a_phone_a_choice_is_a_page_of_its_own_with_a_way_back(live_server) -> None:
    version = make_published()
    path = f"/workflows/{version.workflow.workflow_id}"

    with browser_page(live_server.url, logged_in("operator"), viewport=PHONE, path=path) as page:
        expect(page.locator(".screen-list")).to_be_visible()
        expect(page.locator(".side-panel")).to_be_hidden()
        expect(page.locator(".graph")).to_be_hidden()
        assert page.locator(".action-link").first.bounding_box()["height"] >= 44

        page.locator(".action-link", has_text="Click “Save”").click()
        expect(page.locator(".detail:visible h2")).to_have_text("Click “Save”")
        expect(page.locator(".screen-list")).to_be_hidden()

        page.go_back()
        expect(page.locator(".screen-list")).to_be_visible()
        page.locator(".action-link", has_text="Click “Save”").click()
        page.locator("[data-back]:visible").click()
        expect(page.locator(".screen-list")).to_be_visible()
        assert page.evaluate("document.querySelector('main').scrollWidth") <= PHONE["width"]


def test_the_admins_page_of_a_workflow_saves_with_all_its_parts(live_server) -> None:
    workflow = make_published().workflow

    with browser_page(
        live_server.url, logged_in("designer"), path=f"/admin/workflows/workflow/{workflow.pk}/change/"
    ) as page:
        page.locator("#id_nodes-1-name").fill("Note with a name")
        page.locator("[name='_continue']").click()
        expect(page.locator(".messagelist .success")).to_contain_text("was changed successfully")
        expect(page.locator("#id_nodes-1-name")).to_have_value("Note with a name")
