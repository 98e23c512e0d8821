"""A run by a run loop of its own (`runloop --once`), and where it stands, as whoever looks at the database sees it."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import NamedTuple

from tests.support.display import wait_until
from tests.support.product import Product

RUN_S = 300
STANDING = ("paused", "waiting", "coaching", "completed", "failed")


class Latest(NamedTuple):
    """The run that was started last: its state, why it is paused, and the kind and message of its open question."""

    execution_id: str
    state: str
    reason: str
    kind: str
    question: str


def latest(one: Product) -> Latest:
    rows = one.rows(
        "SELECT e.execution_id, e.state, e.pause_reason, COALESCE(p.kind, ''), COALESCE(p.message, '') "
        "FROM execution_execution e LEFT JOIN execution_prompt p ON p.execution_id = e.id AND p.state = 'open' "
        "ORDER BY e.id DESC LIMIT 1"
    )
    return Latest(*rows[0]) if rows else Latest("", "", "", "", "")


def begun(one: Product, workflow_id: str, **values: str) -> subprocess.Popen[bytes]:
    """The run loop of an automatic run with these variables; returns once the run is there."""
    before = latest(one).execution_id
    said = [part for name, value in values.items() for part in ("--var", f"{name}={value}")]
    command = ("manage.py", "runloop", "--desktop", one.screen.display, "--workflow", workflow_id, *said)
    process = one.start_runloop(*command, "--mode", "automatic", "--once")
    wait_until(lambda: latest(one).execution_id != before, timeout=60, what=f"the run: {tail(one, 1500)}")
    return process


def dying(one: Product, clicks: int) -> subprocess.Popen[bytes]:
    """A run loop that is killed as `clicks` are done, before the result of the last one is kept."""
    return one.start_runloop("-m", "tests.support.crashing_runloop", one.screen.display, str(clicks))


def stands(one: Product, process: subprocess.Popen[bytes] | None = None) -> Latest:
    """Once the run has ended, or asks, or `process` has died, where one is given."""
    wait_until(
        lambda: latest(one).state in STANDING or (process is not None and process.poll() is not None),
        timeout=RUN_S,
        what=f"the end of the run, or a question: {tail(one, 1500)}",
    )
    return latest(one)


def stop(one: Product, process: subprocess.Popen[bytes]) -> None:
    """The run gives its desktop back, so that the next one can have it."""
    one.manage("execution", "stop", latest(one).execution_id, check=False)
    try:
        process.wait(60)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def tail(one: Product, characters: int = 3000) -> str:
    """The end of the run loop's log, for the message of a test."""
    return one.log("runloop").read_text()[-characters:]
