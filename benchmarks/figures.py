"""How long the pages of figures take over ten million steps: `make bench NAME=analytics`, on two cores.

A web process as a deploy starts it, on the data of `figures_made`; each page is asked for over HTTP, as a browser
would, charts and all: they come with the page. Beside the time by the clock stands what the process worked for it,
which other work on the machine does not change. The memory of the process is looked at before and after all pages,
and after everything was exported.
"""

from __future__ import annotations

import argparse
import http.client
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from benchmarks.figures_made import RUNS, STEPS

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "bench"
GOAL_MS = 300
TIMES = 30
PAGES = {
    "overview, 7 days": "/analytics?days=7",
    "overview, 30 days": "/analytics",
    "overview, 13 weeks": "/analytics?days=91",
    "overview, 52 weeks": "/analytics?days=364",
    "workflow, 30 days": "/analytics/workflows/wf_ward_0",
    "workflow, 52 weeks": "/analytics/workflows/wf_ward_0?days=364",
    "runs behind a number": "/analytics/runs?how=failed",
    "runs of 52 weeks": "/analytics/runs?days=364",
    "steps found by a person": "/analytics/steps?rung=coach",
    "steps of an action": "/analytics/steps?workflow=wf_ward_2&edge=act_4&days=364",
    "steps not seen to work": "/analytics/steps?verified=no",
    "steps of a screen": "/analytics/steps?workflow=wf_ward_4&node=screen_3&days=364",
    "storage": "/analytics/storage",
}
LOGIN = """
from django.contrib.auth.models import Group, User
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
user, _new = User.objects.get_or_create(username="bench")
user.groups.add(Group.objects.get(name="admin"))
session = SessionStore()
session[SESSION_KEY], session[BACKEND_SESSION_KEY] = str(user.pk), "django.contrib.auth.backends.ModelBackend"
session[HASH_SESSION_KEY] = user.get_session_auth_hash()
session.create()
print(session.session_key)
"""


@contextmanager
def web(data: Path) -> Iterator[tuple[int, str, psutil.Process]]:
    """The port, the key of a session, and the process."""
    import socket

    env = {**os.environ, "RPA_DATA_DIR": str(data), "RPA_ENV_FILE": os.devnull}
    env["DJANGO_SETTINGS_MODULE"] = "rpa_site.settings"
    manage = [sys.executable, "manage.py"]
    subprocess.run([*manage, "migrate", "-v0"], cwd=ROOT, env=env, check=True)
    told = subprocess.run([*manage, "shell", "-v0", "-c", LOGIN], cwd=ROOT, env=env, check=True, capture_output=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "daphne",
        "-b",
        "127.0.0.1",
        "-p",
        str(port),
        "-v",
        "0",
        "rpa_site.asgi:application",
    ]
    process = subprocess.Popen(command, cwd=ROOT, env=env)
    try:
        until = time.monotonic() + 60
        while True:
            try:
                asked(port, "", "/health")
                break
            except OSError:
                if time.monotonic() > until or process.poll() is not None:
                    raise
                time.sleep(0.1)  # it says nothing when it listens
        yield port, told.stdout.decode().strip().splitlines()[-1], psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(20)


def asked(port: int, key: str, path: str) -> tuple[float, int]:
    """Milliseconds until the last byte was there, and how many bytes."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    began = time.perf_counter()
    connection.request("GET", path, headers={"Cookie": f"sessionid={key}; timezone=Europe/Paris"})
    answer, size = connection.getresponse(), 0
    while piece := answer.read(1 << 16):
        size += len(piece)
    took = 1000 * (time.perf_counter() - began)
    connection.close()
    if answer.status != 200:
        raise SystemExit(f"{path}: {answer.status}")
    return took, size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--times", type=int, default=TIMES, help="how often each page is asked for")
    parser.add_argument("--data", type=Path, help="where `figures_made` has put one already")
    parser.add_argument("--export", action="store_true", help="take all steps away as CSV as well: gigabytes")
    given = parser.parse_args()
    data = given.data or FOLDER / f"figures-{given.steps}"
    if not (data / "surehand.sqlite3").exists():
        command = [sys.executable, "-m", "benchmarks.figures_made", str(data)]
        subprocess.run([*command, str(max(1, RUNS * given.steps // STEPS)), str(given.steps)], cwd=ROOT, check=True)
    with web(data.resolve()) as (port, key, process):
        slow = []
        for path in PAGES.values():
            asked(port, key, path)
        began = process.memory_info().rss / 2**20
        for name, path in PAGES.items():
            worked = sum(process.cpu_times()[:2])
            took = sorted(asked(port, key, path)[0] for _n in range(given.times))
            p95 = took[int(0.95 * (len(took) - 1))]
            worked = 1000 * (sum(process.cpu_times()[:2]) - worked) / given.times
            slow += [name] if p95 > GOAL_MS else []
            print(
                f"{name:28} half {statistics.median(took):6.0f} ms   p95 {p95:6.0f} ms   most {took[-1]:6.0f} ms   "
                f"worked {worked:4.0f} ms",
                flush=True,
            )
        held = process.memory_info().rss / 2**20
        print(f"{given.times * len(PAGES)} pages; the process holds {began:.0f} → {held:.0f} MB")
        what = ["/api/analytics/runs.csv?days=364"] + (["/api/analytics/steps.csv?days=364"] if given.export else [])
        for path in what:
            took_ms, size = asked(port, key, path)
            now = process.memory_info().rss / 2**20
            print(f"{path}: {size / 1e6:.0f} MB in {took_ms / 1000:.0f} s; the process holds {held:.0f} → {now:.0f} MB")
    print(f"goal p95 {GOAL_MS} ms: " + (f"missed by {', '.join(slow)}" if slow else "met by every page"))


if __name__ == "__main__":
    main()
