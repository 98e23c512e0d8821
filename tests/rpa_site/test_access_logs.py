"""No access log holds the query of an address: what is searched for may be a patient's name."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.support.display import wait_until
from tests.support.many import NGINX, SITE
from tests.support.product import free_port
from tests.support.streaming import web

NAME = "Dupont"
pytestmark = pytest.mark.security


def ask(port: int, path: str) -> int:
    url = f"http://127.0.0.1:{port}"
    headers = {"Referer": f"{url}/?q={NAME}"}
    return httpx.get(f"{url}{path}?q={NAME}", headers=headers, trust_env=False, timeout=60).status_code


def test_daphne_writes_none(tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    with web() as server:
        ask(server.port, "/health")  # it is up
        server.stop()
        server.start("--access-log", str(log))
        assert ask(server.port, "/login") == 200
        assert ask(server.port, "/none") in (302, 404)
        wait_until(lambda: "GET /none" in log.read_text(), what="its line")
        written = log.read_text() + server.log.read_text()
    assert "GET /login" in written
    assert NAME not in written


@pytest.mark.skipif(shutil.which("nginx") is None, reason="no nginx here")
def test_the_example_for_nginx_writes_none(tmp_path: Path) -> None:
    """Nobody answers behind it, which is an error that nginx would tell with the whole address."""
    port = free_port()
    site = re.sub(r"(?m)^ *ssl_certificate.*\n", "", SITE.read_text()).replace("443 ssl", f"127.0.0.1:{port}")
    for behind in ("5005", "5006"):
        site = site.replace(f"127.0.0.1:{behind}", f"127.0.0.1:{free_port()}")
    (tmp_path / "site.conf").write_text(site.replace("/var/log/nginx", str(tmp_path)))
    user = "user root;" if os.geteuid() == 0 else ""
    (tmp_path / "nginx.conf").write_text(NGINX.format(folder=tmp_path, user=user))
    command = ["nginx", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf"), "-e", str(tmp_path / "error.log")]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as nginx:
        try:
            access = tmp_path / "surehand.access.log"
            wait_until(access.exists, what="nginx")
            assert ask(port, "/runs") == 502
            wait_until(lambda: "GET /runs" in access.read_text(), what="its line")
        finally:
            nginx.terminate()
    assert NAME not in "".join(path.read_text() for path in tmp_path.glob("*.log"))
