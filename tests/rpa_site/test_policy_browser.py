"""The content policy leaves nothing out that a page needs: every page in a real browser, and what it complains of."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Page, sync_playwright

from tests.support.browser import CHROMIUM
from tests.support.sockets import session_of
from tests.test_routes import routes, world  # noqa: F401  world is a fixture

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.security, pytest.mark.django_db(transaction=True)]

LISTEN = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  const where = `${event.sourceFile}:${event.lineNumber} ${event.sample}`;
  window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${where}`);
});
"""


TABS = 8  # pages looked at together: most of the time is waiting


def complaints(tabs: list[Page], site: str, paths: list[str]) -> dict[str, list[str]]:
    """What the policy kept from working on those pages."""
    found: dict[str, list[str]] = {}
    for first in range(0, len(paths), len(tabs)):
        opened = list(zip(tabs, paths[first : first + len(tabs)], strict=False))
        for tab, path in opened:
            tab.goto(site + path, wait_until="commit")
        for tab, _path in opened:
            tab.wait_for_load_state("load")
        opened[-1][0].wait_for_timeout(300)  # what scripts put in after the load has no event of its own
        found |= {path: list(tab.evaluate("window.violations")) for tab, path in opened}
    return found


def is_page(client: Client, path: str) -> bool:
    answer = client.get(path)
    return answer.status_code == 200 and "text/html" in answer.headers.get("Content-Type", "")


def test_no_page_asks_for_what_the_policy_refuses(live_server, world: Any, make_user: Any, monkeypatch: Any) -> None:  # noqa: F811
    """T13: zero reports."""
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    person = make_user("ada", "admin")
    type(person).objects.filter(pk=person.pk).update(is_superuser=True)
    client = Client()
    client.force_login(person)
    visited = [r.path for r in routes(world) if "logout" not in r.path and is_page(client, r.path)]
    cookie = {"name": "sessionid", "value": session_of(person), "url": live_server.url}
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = chromium.new_context(locale="en")
        context.add_init_script(LISTEN)
        tabs = [context.new_page() for _ in range(TABS)]
        found = complaints(tabs[:1], live_server.url, ["/login"])
        context.add_cookies([cookie])
        found |= complaints(tabs, live_server.url, visited)
        context.close()
        chromium.close()
    assert {path: told for path, told in found.items() if told} == {}
    assert len(found) > 30
