"""The product as it is run: its web process and its run loop as processes of their own, on a desktop of their own."""

from __future__ import annotations

import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import psutil

from execution.desktop import backdrop
from execution.desktop.x11_library import display as library
from tests.support.display import VirtualDesktop, virtual_desktop, wait_until
from tests.support.eyes import PATIENT_MS
from tests.support.installations import PASSWORD, put_installation
from tests.support.processes import finished, stop_groups

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Product:
    """One installation: its data, its processes, the desktop that it works on and the editor shown there."""

    screen: VirtualDesktop
    data: Path
    port: int
    env: dict[str, str]
    trace: Path | None = None
    prefix: tuple[str, ...] = ()  # of the commands of its processes
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def documents(self) -> Path:
        return self.screen.folder / "home" / "Documents"

    def manage(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a management command to its end."""
        done = finished([sys.executable, "manage.py", *arguments], cwd=ROOT, env=self.env, timeout=120)
        if check and done.returncode:
            raise AssertionError(f"{' '.join(arguments)} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done

    def teach(self, story: str) -> None:
        """Tell a story on what the desktop shows, as a designer, and publish it; raises AssertionError with why not."""
        file = self.data / "story.yaml"
        file.write_text(story)
        self.manage("teach", "--story", str(file), "--user", "dora", "--desktop", self.screen.display, "--publish")

    def start(self, name: str, command: Sequence[str]) -> subprocess.Popen[bytes]:
        command = [*self.prefix, *command]
        if self.trace is not None:
            traced = ["strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=connect,sendto", "-e", "signal=none"]
            command = [*traced, "-o", str(self.trace / f"{name}.{len(self.processes)}"), *command]
        with self.log(name).open("ab") as log:
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.processes[f"{name}.{len(self.processes)}"] = process
        return process

    def log(self, name: str) -> Path:
        return self.data / f"{name}.log"

    def start_web(self) -> None:
        self.start(
            "web",
            [
                sys.executable,
                "-m",
                "daphne",
                "--no-server-name",
                "-b",
                "127.0.0.1",
                "-p",
                str(self.port),
                "rpa_site.asgi:application",
            ],
        )
        wait_until(self._answers, timeout=60, what=f"the web process ({self.log('web').read_text()[-500:]})")

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/health", trust_env=False).status_code == 200
        except httpx.TransportError:
            return False

    def start_runloop(self, *command: str) -> subprocess.Popen[bytes]:
        """The run loop, or another `command` in its place; returns once it has signed on."""
        began = datetime.now(UTC).replace(tzinfo=None).isoformat(sep=" ")
        command = command or ("manage.py", "runloop", "--desktop", self.screen.display)
        process = self.start("runloop", [sys.executable, *command])
        alive = "SELECT 1 FROM execution_robot WHERE stopped_at IS NULL AND started_at > ?"
        wait_until(lambda: self.rows(alive, began), timeout=60, what="the run loop")
        return process

    def stop_runloops(self) -> None:
        """SIGTERM to every run loop that lives, and wait until it has signed off."""
        begun = [psutil.Process(process.pid) for process in self.processes.values() if process.poll() is None]
        ours = {one.pid: one for first in begun for one in (first, *first.children(recursive=True))}
        for (pid,) in self.rows("SELECT pid FROM execution_robot WHERE stopped_at IS NULL"):
            if pid in ours:  # else it has died, and its number may be another's by now
                ours[pid].terminate()
        wait_until(
            lambda: not self.rows("SELECT 1 FROM execution_robot WHERE stopped_at IS NULL"), what="the run loops' end"
        )

    def keys_down(self) -> bool:
        """Whether any key is pressed in the X server."""
        display = library.Display(self.screen.display)
        try:
            return any(display.query_keymap())
        finally:
            display.close()

    def open_editor(self) -> subprocess.Popen[bytes]:
        """An empty Mousepad, as a person would have left it."""
        editor = self.screen.spawn(["env", "-C", str(self.documents), "mousepad"])
        self.screen.wait_for_window("Untitled 1 - Mousepad")
        return editor

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """What a person with a database shell sees; the product's own code is not asked.

        Only whoever may write can read what a process left that was killed while it wrote.
        """
        with closing(sqlite3.connect(f"file:{self.data}/surehand.sqlite3?mode=rw", uri=True, timeout=20)) as connection:
            return connection.execute(sql, values).fetchall()

    @contextmanager
    def database(self) -> Iterator[sqlite3.Connection]:
        """The database to write to, as somebody else's process would; committed at the end."""
        with closing(sqlite3.connect(self.data / "surehand.sqlite3", timeout=20)) as connection, connection:
            yield connection

    def client(self, name: str) -> httpx.Client:
        """An HTTP client logged in as one of PEOPLE, with the CSRF token that its pages would send."""
        client = httpx.Client(base_url=self.url, trust_env=False, timeout=30)
        client.get("/login")
        token = client.cookies["csrftoken"]
        done = client.post("/login", data={"username": name, "password": PASSWORD, "csrfmiddlewaretoken": token})
        assert done.status_code == 302, done.text[:300]
        client.headers.update({"X-CSRFToken": client.cookies["csrftoken"], "Referer": self.url})
        return client

    def connections(self) -> set[str]:
        """Every address that a traced process connected or sent to, as strace wrote it."""
        assert self.trace is not None
        lines = [line for file in self.trace.iterdir() for line in file.read_text(errors="replace").splitlines()]
        return {found[0] for line in lines if (found := re.search(r"\{sa_family=[^}]*\}", line))}

    def stop(self) -> None:
        stop_groups(self.processes.values())


@contextmanager
def product(
    folder: Path,
    *,
    traced: bool = False,
    width: int = 1280,
    height: int = 800,
    prefix: tuple[str, ...] = (),
    vnc: Sequence[str] = (),
) -> Iterator[Product]:
    """A migrated installation with people and the demo workflow, its web process up; the run loop is not started."""
    with virtual_desktop(width, height, vnc=vnc) as screen:
        backdrop.paint(screen.display)
        (screen.folder / "home" / "Documents").mkdir(parents=True)
        screen.env["HOME"] = str(screen.folder / "home")
        data = folder / "data"
        put_installation(data)
        trace = folder / "trace" if traced and shutil.which("strace") else None
        if trace:
            trace.mkdir()
        env = {
            **os.environ,
            **screen.env,
            "RPA_DATA_DIR": str(data),
            "RPA_ENV_FILE": os.devnull,
            "DJANGO_SETTINGS_MODULE": "rpa_site.settings",
            "RPA_ANALYZE_TIMEOUT_MS": str(PATIENT_MS),
        }
        one = Product(screen=screen, data=data, port=free_port(), env=env, trace=trace, prefix=prefix)
        try:
            one.start_web()
            yield one
        finally:
            one.stop()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
