"""One module's mutants, each in a child of a pytest session that has everything imported and the database made.

The tests run once to learn which of them come by which line. Each mutant is then put in place in a fork, which runs the
tests that come by its line, the quickest first, until one fails; all of them where the line is of the module's body.
"""

from __future__ import annotations

import importlib
import io
import os
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import coverage
import pytest

from benchmarks.mutation.breaking import Mutant, NotBreakable, break_module

KILLED, SURVIVED, NOT_BREAKABLE = 1, 0, 3
SPARE_S = 10.0


@dataclass
class Findings:
    killed: int = 0
    timed_out: int = 0
    unbreakable: int = 0
    survivors: list[Mutant] = field(default_factory=list)
    not_run: list[Mutant] = field(default_factory=list)  # no test comes by their line
    seconds: float = 0.0


class Breaker:
    """A pytest plugin that takes the place of running the tests once."""

    def __init__(self, path: Path, mutants: Sequence[Mutant]) -> None:
        self.path, self.mutants, self.findings = path, mutants, Findings()
        self.lines: dict[int, set[str]] = {}
        self.took: dict[str, float] = {}
        self.failed: Counter[str] = Counter()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        began = time.perf_counter()
        items = {item.nodeid: item for item in session.items}
        self._learn(items)
        if self.failed:
            raise pytest.UsageError(f"fails unbroken: {', '.join(self.failed)}")
        database = _Database()
        unfit = self._unfit(items, database)
        for mutant in self.mutants:
            chosen = [name for name in self._tests_of(mutant) if name not in unfit]
            if not chosen:
                self.findings.not_run.append(mutant)
                continue
            self._judge(mutant, self._child([items[name] for name in chosen], database, mutant))
        self.findings.seconds = time.perf_counter() - began
        return True

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.took[report.nodeid] = self.took.get(report.nodeid, 0.0) + report.duration
        if report.failed:
            self.failed[report.nodeid] += 1

    def _learn(self, items: dict[str, pytest.Item]) -> None:
        measured = coverage.Coverage(data_file=None, include=[str(self.path)], config_file=False)
        measured.start()
        for name, item in items.items():
            measured.switch_context(name)
            _run(item)
        measured.stop()
        for line, names in measured.get_data().contexts_by_lineno(str(self.path.resolve())).items():
            self.lines[line] = {name for name in names if name}

    def _unfit(self, items: dict[str, pytest.Item], database: _Database) -> set[str]:
        """Tests that fail in a fork although nothing is broken: what they need does not cross into it."""
        if self._child(list(items.values()), database, None) == SURVIVED:
            return set()
        return {name for name, item in items.items() if self._child([item], database, None) != SURVIVED}

    def _tests_of(self, mutant: Mutant) -> list[str]:
        names = self.lines.get(mutant.line) or self.took  # what a module's body made may be read by any of them
        return sorted(names, key=lambda name: self.took[name])

    def _judge(self, mutant: Mutant, verdict: int) -> None:
        if verdict == SURVIVED:
            self.findings.survivors.append(mutant)
        elif verdict == NOT_BREAKABLE:
            self.findings.unbreakable += 1
        elif verdict < 0:
            self.findings.timed_out += 1
        else:
            self.findings.killed += 1

    def _child(self, items: list[pytest.Item], database: _Database, mutant: Mutant | None) -> int:
        limit = SPARE_S + 5 * sum(self.took[item.nodeid] for item in items)
        database.put_back()
        if child := os.fork():
            return _wait(child, limit)
        try:
            os.setsid()
            _silence()
            self.failed.clear()
            if mutant:
                break_module(importlib.import_module(_dotted(self.path)), mutant)
            for item in items:
                _run(item)
                if self.failed:
                    os._exit(KILLED)
            os._exit(SURVIVED)
        except NotBreakable:
            os._exit(NOT_BREAKABLE)
        except BaseException:
            os._exit(KILLED)


class _Database:
    """The test database as it was before anything was broken."""

    def __init__(self) -> None:
        from django.db import connections

        self.connections = connections
        self.file = Path(connections["default"].settings_dict["NAME"])
        connections.close_all()
        self.copy = self.file.with_suffix(".unbroken")
        if self.file.exists():
            shutil.copy2(self.file, self.copy)

    def put_back(self) -> None:
        self.connections.close_all()
        if self.copy.exists():
            shutil.copy2(self.copy, self.file)
            for name in ("-wal", "-shm", "-journal"):
                self.file.with_name(self.file.name + name).unlink(missing_ok=True)


def _run(item: pytest.Item) -> None:
    """One test with its fixtures; what belongs to the session stays for the next one."""
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=item.session)


def _wait(child: int, limit_s: float) -> int:
    deadline = time.monotonic() + limit_s
    watched = os.pidfd_open(child)
    try:
        with _polling(watched) as ready:
            if not ready(max(0.0, deadline - time.monotonic())):
                os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it has just ended
    finally:
        os.close(watched)
    status = os.waitpid(child, 0)[1]
    return -1 if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


@contextmanager
def _polling(descriptor: int) -> Iterator[Any]:
    import select

    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    yield lambda seconds: poll.poll(seconds * 1000)


def _silence() -> None:
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)


def _dotted(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def judge(path: Path, tests: list[str], mutants: Sequence[Mutant]) -> Findings:
    """What becomes of mutants of the module at `path` (from the root) under those of `tests` that are in the gate."""
    os.environ.pop("DJANGO_SETTINGS_MODULE", None)  # tests/conftest.py names them once it has made a place for its data
    breaker = Breaker(path, mutants)
    options = ["-q", "-p", "no:cacheprovider", "-m", "not (display or browser or slow or extras or timing)"]
    with redirect_stdout(io.StringIO()) as said:
        code = pytest.main([*options, *tests], plugins=[breaker])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        sys.exit(f"{path}: the tests do not run unbroken (pytest's exit code {code})\n{said.getvalue()[-4000:]}")
    return breaker.findings
