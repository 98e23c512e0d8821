"""Many robots at work: run loops on desks of their own, web processes, PostgreSQL, Redis and nginx, all of it real."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from benchmarks.crowd.desk import WORKFLOW, file_of
from tests.support import servers
from tests.support.many import Many, many

ROOT = Path(__file__).resolve().parents[2]
WEBS = 3
LOGS = ROOT / "build" / "bench" / "many"  # what every process said
CONNECTIONS = 600  # of PostgreSQL: a run loop holds several, one a thread
AT_ONCE = 200  # runs that one command queues
AFTER_S = 1.0  # RestartSec= of the run loop's unit
PUBLISH = "from benchmarks.crowd.desk import publish_records; publish_records()"
QUEUE = """
from execution.actions.start import start
for number in range({begin}, {end}):
    start(workflow_id="{workflow}", mode="automatic", variables={{"number": str(number)}})
"""


class Account:
    """What came of it, by name; printed and kept."""

    def told(self) -> str:
        return "\n".join(f"{name:<18}{value}" for name, value in vars(self).items())

    def keep(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(vars(self), indent=1, default=str))


@dataclass
class House:
    """`killed`: run loops that we ended; `died`: those that ended by themselves, which none may."""

    one: Many
    desks: Path
    loops: dict[int, subprocess.Popen[bytes]] = field(default_factory=dict)
    killed: int = 0
    died: list[int] = field(default_factory=list)
    number: int = 100_000  # the next record's
    watched: int = 0  # runs that browsers followed
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _over: threading.Event = field(default_factory=threading.Event)

    @property
    def database(self) -> str:
        return self.one.env["DATABASE_URL"]

    def queue(self, runs: int) -> list[str]:
        """Queue so many runs; the numbers of their records."""
        first, self.number = self.number, self.number + runs
        for begin in range(first, self.number, AT_ONCE):
            end = min(begin + AT_ONCE, self.number)
            self.one.manage("shell", "-v0", "-c", QUEUE.format(begin=begin, end=end, workflow=WORKFLOW))
        return [str(number) for number in range(first, self.number)]

    def start_loop(self, number: int) -> None:
        with self._lock, self.log_of(number).open("ab") as log:
            self.loops[number] = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.crowd.desk", str(number), str(self.desks)],
                cwd=ROOT,
                env=self.one.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def log_of(self, number: int) -> Path:
        return self.one.data / f"loop-{number}.log"

    def kill_loop(self, number: int) -> None:
        """As kill -9 does; `keep` starts it again."""
        with self._lock:
            self.loops[number].send_signal(signal.SIGKILL)
            self.loops[number].wait(10)
            self.killed += 1

    def keep(self) -> None:
        """Start again what ended, as the unit does, until the house is left."""
        ended_at: dict[int, float] = {}
        while not self._over.wait(0.1):
            for number, process in list(self.loops.items()):
                code = process.poll()
                if code is None:
                    continue
                if number not in ended_at:
                    ended_at[number] = time.monotonic()
                    if code != -signal.SIGKILL:
                        self.died.append(number)
                elif time.monotonic() - ended_at[number] > AFTER_S:
                    del ended_at[number]
                    self.start_loop(number)

    def hand_of(self, number: int) -> int:
        """How much the desk's file holds."""
        path = file_of(self.desks, number)
        return path.stat().st_size if path.exists() else 0

    def asked(self, query: str) -> list[tuple[object, ...]]:
        with psycopg.connect(self.database, autocommit=True) as connection:
            return connection.execute(query).fetchall()  # type: ignore[arg-type]

    def left(self) -> int:
        """Runs that are not over."""
        at_work = "select count(*) from execution_execution where state not in ('completed', 'failed', 'stopped')"
        return int(str(self.asked(at_work)[0][0]))

    def are_all_up(self) -> bool:
        """Whether every loop has its robot's row."""
        alive = (
            "select count(*) from execution_robot where stopped_at is null and heartbeat_at > now() - interval '15 s'"
        )
        return self.asked(alive)[0][0] == len(self.loops)

    def leave(self) -> None:
        self._over.set()
        with self._lock:
            for process in self.loops.values():
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGTERM)
            for process in self.loops.values():
                try:
                    process.wait(30)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait(10)


def load_of_machine() -> str:
    """How many waited for a processor in the last minute: ours and others'."""
    return f"{os.getloadavg()[0]:.0f} on {os.cpu_count()} processors"


def tuned(url: str) -> None:
    """For so many connections, with its own account of what was asked."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'")
        connection.execute(f"ALTER SYSTEM SET max_connections = {CONNECTIONS}")
    servers.restart_postgresql(url)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION pg_stat_statements")


@contextmanager
def house() -> Iterator[House]:
    """The web processes are up and the workflow is published; no run loop is started."""
    settings = {"RPA_LEASE_S": "15", "PYTHONPATH": str(ROOT), "RPA_LOG_LEVEL": "WARNING"}
    with many(webs=WEBS, tuned=tuned, **settings) as one:
        one.manage("shell", "-v0", "-c", PUBLISH)
        desks = one.data / "desks"
        desks.mkdir()
        lived_in = House(one, desks)
        keeper = threading.Thread(target=lived_in.keep, name="keeper")
        keeper.start()
        try:
            yield lived_in
        finally:
            lived_in.leave()
            keeper.join()
            shutil.rmtree(LOGS, ignore_errors=True)
            LOGS.mkdir(parents=True)
            for log in one.data.glob("*.log"):
                shutil.copy(log, LOGS)
