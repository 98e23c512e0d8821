"""A program that dies in the middle of its own action: the product's run loop asks, and does nothing of its own."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from execution.desktop import backdrop
from tests.front.conftest import PROGRAMS, ROOT, environment
from tests.support.display import missing_programs, virtual_desktop, wait_until
from tests.support.processes import finished

pytestmark = [
    pytest.mark.display,
    pytest.mark.timeout(300),
    pytest.mark.skipif(bool(missing_programs("Xvfb", "openbox")), reason="needs Xvfb, openbox"),
]


@contextmanager
def run_loop(env: dict[str, str], execution_id: str, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("ab") as file:
        command = [sys.executable, "manage.py", "runloop", "--execution", execution_id]
        process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=file, stderr=file)
        try:
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
            process.wait(60)


def test_a_program_that_dies_after_its_act_leaves_a_question_and_no_failure(installation: Path, tmp_path: Path) -> None:
    """S9.1, S9.2, S11.9: nobody but a person can say whether the letter went, and only the program goes on."""

    def manage(*arguments: str) -> None:
        done = finished([sys.executable, "manage.py", *arguments], cwd=ROOT, env=env, timeout=60)
        assert done.returncode == 0, done.stderr

    def rows(sql: str) -> list[Any]:
        with sqlite3.connect(f"file:{installation}/surehand.sqlite3?mode=ro", uri=True, timeout=20) as connection:
            return connection.execute(sql, [execution_id]).fetchall()

    def paused() -> list[Any]:
        sql = "SELECT pause_reason, pause_detail FROM execution_execution WHERE execution_id = ? AND state = 'paused'"
        return rows(f"{sql} AND wish = ''")

    of_run = "JOIN execution_execution x ON x.id = t.execution_id WHERE x.execution_id = ?"
    outbox, log = tmp_path / "outbox", tmp_path / "runloop.log"
    with virtual_desktop(640, 480) as screen:
        backdrop.paint(screen.display)
        env = {
            **environment(installation), "DISPLAY": screen.display, "OUTBOX": str(outbox), "DIES": "1",
            **{name: screen.env[name] for name in ("XAUTHORITY", "HOME") if name in screen.env},
        }  # fmt: skip
        program = [sys.executable, str(PROGRAMS / "letters.py")]
        died = finished(program, cwd=PROGRAMS, env=env, timeout=120)
        assert died.returncode == -signal.SIGKILL, died.stderr[-3000:]
        execution_id = died.stdout.split()[-1]
        with run_loop(env, execution_id, log) as process:
            asked = f"SELECT t.kind FROM execution_prompt t {of_run} AND t.state = 'open'"
            wait_until(lambda: rows(asked), timeout=90, what="the question")
            assert rows(asked) == [("in_doubt",)]
            again = finished(program, cwd=PROGRAMS, env=env, timeout=120)
            assert again.returncode == 1 and "in use by" in again.stderr, again.stderr[-3000:]
            manage("execution", "decide", execution_id, "done")
            ((reason, detail),) = wait_until(paused, what="the pause")
            assert reason == "program"
            assert json.loads(detail)["message"] == {
                "code": "program.parts_missing",
                "parts": "pipeline, action_executor",
            }
            before = len(rows(f"SELECT 1 FROM execution_executionevent t {of_run}"))
            manage("execution", "resume", execution_id)  # it has not its parts any more for that
            wait_until(lambda: len(rows(f"SELECT 1 FROM execution_executionevent t {of_run}")) > before + 1)
            wait_until(paused, what="the second pause")
            assert rows(f"SELECT t.outcome, t.in_doubt FROM execution_step t {of_run}") == [("succeeded", 1)]
            manage("execution", "stop", execution_id)
            assert process.wait(60) == 0
        assert outbox.read_text() == "Marie Lefèvre\n"
        assert rows("SELECT state FROM execution_execution WHERE execution_id = ?") == [("stopped",)]
        del env["DIES"]
        assert os.path.exists(screen.folder)
        with subprocess.Popen(program, cwd=PROGRAMS, env=env, stdout=subprocess.PIPE) as fresh:
            wait_until(lambda: outbox.read_text().count("\n") == 2, timeout=90, what="the program to go on")
            fresh.terminate()
