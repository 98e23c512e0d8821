"""What a page costs over the wire in a browser that has nothing of it yet: `python -m benchmarks.page_weight`.

The web process as a deploy starts it, Chromium, and a run at work whose screen is shown. Counted is what Chromium says
came in, heads included; what is loaded when the graph is opened is a row of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2

from tests.support.browser import CHROMIUM
from tests.support.stream_worker import ROBOT
from tests.support.streaming import Web, web

ROOT = Path(__file__).resolve().parents[1]
A_SCREEN = ROOT / "docs" / "live.png"
LIVE_GOAL_KB = 350


@dataclass
class Traffic:
    """What a page has loaded so far: bytes over the wire by address, and the addresses that failed."""

    sizes: dict[str, int] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    encodings: dict[str, str] = field(default_factory=dict)

    def follow(self, session: Any) -> None:
        addresses: dict[str, str] = {}

        def answered(event: dict[str, Any]) -> None:
            address = addresses[event["requestId"]] = event["response"]["url"]
            heads = {name.lower(): value for name, value in event["response"]["headers"].items()}
            self.encodings[address] = heads.get("content-encoding", "")
            if event["response"]["status"] >= 400:
                self.failed.append(address)

        def done(event: dict[str, Any]) -> None:
            if address := addresses.get(event["requestId"]):
                self.sizes[address] = self.sizes.get(address, 0) + int(event["encodedDataLength"])

        session.on("Network.responseReceived", answered)
        session.on("Network.loadingFinished", done)
        session.send("Network.enable")
        session.send("Network.setCacheDisabled", {"cacheDisabled": True})

    @property
    def kb(self) -> float:
        return sum(self.sizes.values()) / 1000


@contextmanager
def browsing(server: Web) -> Iterator[tuple[Any, Traffic]]:
    """A page of somebody who is logged in, and what it loads."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = chromium.new_context(viewport={"width": 1440, "height": 900}, locale="en")
        url = f"http://127.0.0.1:{server.port}"
        context.add_cookies([{"name": "sessionid", "value": server.session_key, "url": url}])
        page = context.new_page()
        traffic = Traffic()
        traffic.follow(context.new_cdp_session(page))
        try:
            yield page, traffic
        finally:
            chromium.close()


def live(server: Web) -> tuple[Traffic, Traffic]:
    """The live page with its picture, and the same with the graph opened."""
    picture = server.data / "live" / f"{ROBOT}.jpg"
    picture.parent.mkdir(exist_ok=True)
    _ok, encoded = cv2.imencode(".jpg", cv2.imread(str(A_SCREEN)), [cv2.IMWRITE_JPEG_QUALITY, 80])
    picture.write_bytes(encoded.tobytes())
    with browsing(server) as (page, traffic):
        page.goto(f"http://127.0.0.1:{server.port}/runs/{server.execution_id}", wait_until="networkidle")
        page.locator("#frame:not([hidden])").wait_for()
        first = Traffic(dict(traffic.sizes), list(traffic.failed), dict(traffic.encodings))
        page.locator("#tab-graph").click()
        page.locator("#panel-graph canvas").first.wait_for()
        return first, traffic


def weighed(server: Web, path: str) -> Traffic:
    with browsing(server) as (page, traffic):
        page.goto(f"http://127.0.0.1:{server.port}{path}", wait_until="networkidle")
        return traffic


def main() -> None:
    for collected in (False, True):
        with web(collected=collected) as server:
            first, with_graph = live(server)
            rows = {"live": first, "live, graph opened": with_graph}
            rows |= {path: weighed(server, path) for path in ("/login", "/", "/robots", "/workflows/")}
        print("as a deploy serves it" if collected else "as it lies in the tree")
        for name, traffic in rows.items():
            print(f"  {name:20} {traffic.kb:8.1f} kB  {len(traffic.sizes):3} files  {traffic.failed or ''}")
        for address, size in sorted(first.sizes.items(), key=lambda one: -one[1])[:8]:
            name = address.partition("/static/")[2] or address
            print(f"      {size / 1000:8.1f} kB  {first.encodings[address]:4}  {name}")


if __name__ == "__main__":
    main()
