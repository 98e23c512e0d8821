"""All of `make run`: a desktop where there is none, the demo application, web process, run loop and worker.

One supervisor, one Ctrl-C: whatever was started here ends here.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
DATA = Path(os.environ.get("RPA_DATA_DIR", ROOT / "var")).resolve()
PORT = int(os.environ.get("PORT", "5005"))
SCREEN = os.environ.get("RPA_DEMO_SCREEN", "1280x800x24")
UP_WITHIN_S = 60
RESTART_PAUSE_S = 2.0


@dataclass
class Service:
    """A process that is started again when it ends, until the whole is stopped."""

    name: str
    command: Sequence[str]
    env: dict[str, str]
    cwd: Path = ROOT
    pause_s: float = RESTART_PAUSE_S
    may_restart: Callable[[], bool] = lambda: True
    quiet: bool = False
    process: subprocess.Popen[bytes] | None = None
    ended_at: float | None = None

    def start(self) -> None:
        log = (DATA / "logs" / f"{self.name}.log").open("ab") if self.quiet else None
        self.process = subprocess.Popen(
            self.command,
            cwd=self.cwd,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        self.ended_at = None

    def keep_alive(self) -> None:
        if self.process is None or self.process.poll() is None:
            return
        now = time.monotonic()
        if self.ended_at is None:
            self.ended_at = now
        elif now - self.ended_at >= self.pause_s and self.may_restart():
            self.start()

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)

    def wait(self, seconds: float) -> None:
        if self.process is None:
            return
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@dataclass
class House:
    services: list[Service] = field(default_factory=list)
    leave: threading.Event = field(default_factory=threading.Event)

    def add(self, service: Service) -> Service:
        service.start()
        self.services.append(service)
        return service

    def watch(self) -> None:
        while not self.leave.wait(0.5):
            for service in self.services:
                service.keep_alive()

    def stop(self) -> None:
        for service in reversed(self.services):
            service.stop()
            service.wait(10)


def main() -> int:
    house = House()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: house.leave.set())
    (DATA / "logs").mkdir(parents=True, exist_ok=True)
    env = {**os.environ, "PYTHONUNBUFFERED": "1"}
    try:
        if "DISPLAY" not in env:
            env["DISPLAY"] = start_desktop(house, env)
            start_editor(house, env)
        elif env.get("RPA_DEMO_APP") == "1":
            start_editor(house, env)
        else:
            print(f"Working on the desktop {env['DISPLAY']}; RPA_DEMO_APP=1 opens the demo application there.")
        python = sys.executable
        web = [
            python,
            "-m",
            "daphne",
            "--no-server-name",
            "-b",
            "127.0.0.1",
            "-p",
            str(PORT),
            "rpa_site.asgi:application",
        ]
        house.add(Service("web", web, env, quiet=True))
        house.add(Service("runloop", [python, "manage.py", "runloop"], env))
        house.add(Service("work", [python, "manage.py", "work"], env, quiet=True))
        if wait_for(lambda: bool(health()), UP_WITHIN_S):
            print(f"\nSurehand is ready: http://127.0.0.1:{PORT}/\n", flush=True)
        else:
            print(f"The web process did not answer within {UP_WITHIN_S} s; see {DATA / 'logs' / 'web.log'}.")
            return 1
        house.watch()
        print("\nStopping …", flush=True)
        return 0
    finally:
        house.stop()


def start_desktop(house: House, env: dict[str, str]) -> str:
    """An X server of our own with a window manager; gives its display's name."""
    for program in ("Xvfb", "openbox"):
        if shutil.which(program) is None:
            sys.exit(f"There is no display and no {program}: run tools/setup.sh, or set DISPLAY to a desktop.")
    read_end, write_end = os.pipe()
    command = ["Xvfb", "-displayfd", str(write_end), "-screen", "0", SCREEN, "-nolisten", "tcp", "-noreset"]
    with (DATA / "logs" / "desktop.log").open("ab") as log:
        server = subprocess.Popen(
            command, pass_fds=[write_end], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    os.close(write_end)
    with os.fdopen(read_end) as pipe:
        display = f":{pipe.readline().strip()}"
    if display == ":":
        sys.exit(f"Xvfb did not start; see {DATA / 'logs' / 'desktop.log'}.")
    house.services.append(Service("desktop", command, env, process=server, pause_s=float("inf")))
    from execution.desktop import backdrop

    house.add(Service("openbox", ["openbox"], {**env, "DISPLAY": display}, quiet=True))
    backdrop.paint(display)
    print(f"Started the desktop {display}, {SCREEN}.")
    return display


def start_editor(house: House, env: dict[str, str]) -> None:
    """The demo application, opened again once the run that has closed it is over, with nothing remembered."""
    home = DATA / "desktop"
    documents = home / "Documents"
    documents.mkdir(parents=True, exist_ok=True)
    own = {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / f"config-{secrets.token_hex(3)}"),
        "XDG_DATA_HOME": str(home / "data"),
        "GSETTINGS_BACKEND": "memory",
        "NO_AT_BRIDGE": "1",
        "LC_ALL": "C.UTF-8",
    }
    command = ["dbus-run-session", "--", "mousepad"]
    house.add(Service("editor", command, {**env, **own}, cwd=documents, may_restart=nothing_runs, quiet=True))
    print(f"The demo application saves to {documents}.")


def health() -> dict[str, Any]:
    """What the web process says of itself; nothing where it is not well."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"http://127.0.0.1:{PORT}/health", timeout=2) as answer:
            report: dict[str, Any] = json.load(answer)
            return report
    except (OSError, ValueError):
        return {}


def nothing_runs() -> bool:
    """Whether no run would miss what it has closed: one that still has to look sees the editor gone."""
    return health().get("runs_at_work") == 0


def wait_for(condition: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.2)
    return False


if __name__ == "__main__":
    sys.exit(main())
