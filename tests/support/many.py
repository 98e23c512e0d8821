"""An installation of two web processes behind one address: PostgreSQL, Redis and nginx of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support import servers
from tests.support.display import wait_until
from tests.support.installations import BEGIN, PASSWORD
from tests.support.processes import finished, stop_groups
from tests.support.product import free_port
from tools.redis_server import RedisServer

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "deploy" / "surehand.nginx.conf"
PORTS = ("5005", "5006")  # of the two web processes there
UPSTREAM = "    server 127.0.0.1:{} max_fails=0;\n"
NGINX = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log; {user}
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


@dataclass
class Many:
    """`webs` are the ports of the web processes, `port` is the address in front of them.

    `runs` are whatever a test has prepared.
    """

    data: Path
    env: dict[str, str]
    redis: RedisServer
    port: int = 0
    webs: list[int] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def manage(self, *arguments: str) -> str:
        done = finished([sys.executable, "manage.py", *arguments], cwd=ROOT, env=self.env, timeout=180)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def start(self, name: str, command: list[str], **more: str) -> None:
        """`more` are settings of this process alone."""
        with self.log(name).open("ab") as log:
            self.processes[name] = subprocess.Popen(
                command,
                cwd=ROOT,
                env=self.env | more,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def log(self, name: str) -> Path:
        return self.data / f"{name}.log"

    def start_web(self, port: int) -> None:
        """As the unit does."""
        command = ["-m", "daphne", "--no-server-name", "-b", "127.0.0.1", "-p"]
        self.start(f"web-{port}", [sys.executable, *command, str(port), "rpa_site.asgi:application"])

    def wait_for_web(self, port: int) -> None:
        wait_until(lambda: answers(port), timeout=120, what=f"port {port} ({self.log_tail(f'web-{port}')})")

    def kill_web(self, port: int) -> None:
        """As kill -9 does."""
        process = self.processes.pop(f"web-{port}")
        process.kill()
        process.wait(60)

    def log_tail(self, name: str) -> str:
        return self.log(name).read_text()[-800:] if self.log(name).exists() else ""

    def start_runloop(self, desktop: str, **more: str) -> None:
        self.start("runloop", [sys.executable, "manage.py", "runloop", "--desktop", desktop], **more)

    def start_nginx(self) -> None:
        """With the site as `deploy/` has it: its two ports and the place where it listens are ours."""
        folder = self.data / "nginx"
        folder.mkdir()
        site = SITE.read_text()
        told = "".join(UPSTREAM.format(port) for port in PORTS)
        assert told in site
        site = site.replace(told, "".join(UPSTREAM.format(port) for port in self.webs))
        site = re.sub(r"(?m)^ *ssl_certificate.*\n", "", site).replace("443 ssl", f"127.0.0.1:{self.port}")
        site = site.replace("/var/log/nginx", str(folder))
        (folder / "site.conf").write_text(site)
        user = "user root;" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(NGINX.format(folder=folder, user=user))
        self.start(
            "nginx", ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
        )
        wait_until(lambda: answers(self.port), what=f"nginx ({self.log_tail('nginx')})")

    def client(self, name: str, port: int | None = None) -> httpx.Client:
        """Logged in as one of PEOPLE, at the one address or at one of the web processes."""
        client = httpx.Client(base_url=f"http://127.0.0.1:{port or self.port}", trust_env=False, timeout=30)
        client.get("/login")
        token = client.cookies["csrftoken"]
        done = client.post("/login", data={"username": name, "password": PASSWORD, "csrfmiddlewaretoken": token})
        assert done.status_code == 302, done.text[:300]
        client.headers.update({"X-CSRFToken": client.cookies["csrftoken"], "Referer": str(client.base_url)})
        return client

    def worker(self, *arguments: str) -> subprocess.Popen[str]:
        """tests.support.stream_worker with this installation's database."""
        command = [sys.executable, "-m", "tests.support.stream_worker", *arguments]
        return subprocess.Popen(
            command, cwd=ROOT, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
        )

    def stop(self) -> None:
        stop_groups(self.processes.values())


def answers(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/health", trust_env=False, timeout=5).status_code == 200
    except httpx.TransportError:
        return False


@contextmanager
def many(*, webs: int = len(PORTS), tuned: Callable[[str], None] = lambda url: None, **settings: str) -> Iterator[Many]:
    """Migrated, with PEOPLE, so many web processes behind nginx; the run loop is not started.

    `tuned` gets the empty database's address.
    """
    if shutil.which("nginx") is None:
        pytest.skip(f"no nginx here: {servers.MANY}")
    with ExitStack() as stack:
        redis, url = stack.enter_context(servers.redis()), stack.enter_context(servers.postgresql())
        tuned(url)
        data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="surehand-many-"))) / "data"
        (data / "static").mkdir(parents=True)
        told: dict[str, Any] = {
            "DATABASE_URL": url,
            "REDIS_URL": redis.url,
            "RPA_DATA_DIR": str(data),
            "RPA_ENV_FILE": os.devnull,
            "RPA_PROXIES": "1",
            "RPA_LEASE_S": "86400",  # of a robot that is a row alone: nobody beats for it
            "DJANGO_SETTINGS_MODULE": "rpa_site.settings",
        }
        one = Many(data=data, env={**os.environ, **told, **settings}, redis=redis, port=free_port())
        stack.callback(one.stop)
        one.manage("migrate", "-v0")
        one.manage("shell", "-v0", "-c", BEGIN)
        one.webs = [free_port() for _ in range(webs)]
        for port in one.webs:
            one.start_web(port)
        for port in one.webs:
            one.wait_for_web(port)
        one.start_nginx()
        yield one
