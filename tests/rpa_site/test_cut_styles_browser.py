"""The style sheet that is served is cut from the whole one, and pages look as with the whole one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

from tests.factories import make_execution
from tests.support.browser import CHROMIUM
from tests.support.sockets import session_of

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

WHOLE = (Path(__file__).resolve().parents[2] / "tools" / "vendor" / "tabler.min.css").read_text()
DIFFERENCES = """async () => {
  const looks = () => [...document.querySelectorAll("*")].map((element) => {
    const styles = [null, "::before", "::after"].map((part) => getComputedStyle(element, part));
    const drawn = styles.filter((style, n) => n === 0 || style.content !== "none");
    const names = [...drawn[0]].filter((name) => !name.startsWith("--"));  // a variable that nothing asks for may go
    return drawn.flatMap((style) => names.map((name) => `${name}: ${style.getPropertyValue(name)}`));
  });
  const link = document.querySelector('link[rel=stylesheet][href*="tabler.min"]');
  const served = link.href;
  const swap = async (href) => {
    await new Promise((done) => { link.addEventListener("load", done, { once: true }); link.href = href; });
    const moving = document.getAnimations().filter((one) => one instanceof CSSTransition);
    await Promise.all(moving.map((one) => one.finished.catch(() => null)));
    return looks();
  };
  const before = looks();
  const whole = await swap("/whole.css");
  const after = await swap(served);  // what differs by itself, by the time that passed, is no difference of the sheets
  const differs = (line, n, m) => line === after[n][m] && line !== whole[n][m];
  return before.flatMap((lines, n) => lines.filter((line, m) => differs(line, n, m)).slice(0, 3));
}"""


def test_pages_look_as_with_the_whole_sheet(live_server, make_user: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    run = make_execution()
    workflow = run.version.workflow.workflow_id
    paths = [f"/runs/{run.execution_id}", f"/workflows/{workflow}", "/login"]
    cookie = {"name": "sessionid", "value": session_of(make_user("ada", "admin")), "url": live_server.url}
    found: dict[str, list[str]] = {}
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = chromium.new_context(locale="en", reduced_motion="reduce")
        context.route("**/whole.css", lambda route: route.fulfill(body=WHOLE, content_type="text/css"))
        context.add_cookies([cookie])
        page = context.new_page()
        for path in paths:
            if path == "/login":
                context.clear_cookies()
            page.goto(live_server.url + path, wait_until="networkidle")
            found[path] = page.evaluate(DIFFERENCES)
        context.close()
        chromium.close()
    assert found == {path: [] for path in paths}
