"""What a server takes in of a request's body: bounded, and on the disk."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from django.test import Client

from rpa_site.bodies import LARGEST
from tests.support.streaming import Web, web

MB = 1024 * 1024


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/login", "/api/executions/"])
@pytest.mark.parametrize(
    ("kind", "most", "words"),
    [("multipart/form-data; boundary=x", LARGEST, "101 MB"), ("application/json", 2_621_440, "2 MB")],
)
def test_a_body_that_is_announced_as_too_large_is_not_read(
    client: Client, path: str, kind: str, most: int, words: str
) -> None:
    answer = client.post(path, b"x", content_type=kind, CONTENT_LENGTH=str(most + 1))
    assert answer.status_code == 413
    assert f"larger than {words}" in answer.content.decode()


@pytest.fixture(scope="module")
def server() -> Iterator[Web]:
    with web() as server:
        yield server


def memory(server: Web) -> int:
    """What the process holds that is no file on the disk, in MB."""
    assert server.process is not None
    status = Path(f"/proc/{server.process.pid}/status").read_text().split()
    return int(status[status.index("RssAnon:") + 1]) // 1024


@contextmanager
def growing_less_than(most: int, server: Web) -> Iterator[None]:
    """While the block is done."""
    before, ended, seen = memory(server), threading.Event(), [0]

    def watch() -> None:
        while not ended.wait(0.01):
            seen.append(memory(server) - before)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield
    finally:
        ended.set()
        watching.join()
    assert max(seen) < most


def send(server: Web, megabytes: int, *, announced: bool) -> httpx.Response:
    """A multipart form with a file of that size, to a page that takes files."""
    head = b'--x\r\nContent-Disposition: form-data; name="pictures"; filename="a.png"\r\n\r\n'
    parts = [head, *[b"\xa5" * MB] * megabytes, b"\r\n--x--\r\n"]
    headers = {"Content-Type": "multipart/form-data; boundary=x", "Cookie": f"sessionid={server.session_key}"}
    if announced:
        headers["Content-Length"] = str(sum(map(len, parts)))
    with httpx.Client(trust_env=False, timeout=60) as browser:
        url = f"http://127.0.0.1:{server.port}"
        return browser.post(f"{url}/teach/new", content=iter(parts), headers={**headers, "Origin": url})


@pytest.mark.parametrize("announced", [True, False], ids=["announced", "chunked"])
def test_a_body_that_is_too_large_is_refused_and_costs_no_memory(server: Web, announced: bool) -> None:
    send(server, 1, announced=True)
    with growing_less_than(30, server):
        assert send(server, 300, announced=announced).status_code == 413


def test_a_large_body_is_on_the_disk_until_django_has_it(server: Web) -> None:
    """It stops at the check of the form's token, so nothing but the way there costs memory."""
    send(server, 1, announced=True)
    with growing_less_than(40, server):
        assert send(server, 95, announced=True).status_code == 403


def test_what_asks_for_a_socket_and_has_a_body_is_refused_without_it(server: Web) -> None:
    """A handshake has none."""
    headers = {"Upgrade": "websocket", "Connection": "Upgrade"}
    with httpx.Client(trust_env=False, timeout=60) as browser:
        url = f"http://127.0.0.1:{server.port}/ws/executions"
        answer = browser.post(url, content=b"x" * 300 * 1024, headers=headers)
    assert 400 <= answer.status_code < 500
    assert "Traceback" not in server.log.read_text()
