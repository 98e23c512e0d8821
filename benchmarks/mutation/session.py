"""Mutants of modules with the same tests, each in a child of a pytest session with everything imported and a database.

The tests run once to learn which of them come by which line. Each mutant is then put in place in a fork, which runs the
tests that come by its line, or by its module where that line is of its body, the quickest first, until one fails.
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
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import coverage
import pytest

from benchmarks.mutation.breaking import Mutant, NotBreakable, break_module

KILLED, SURVIVED, NOT_BREAKABLE = 1, 0, 3
SPARE_S = 10.0
GATE = ("-m", "core or not (display or browser or slow or extras or timing)", "--hypothesis-profile=gate")


@dataclass
class Findings:
    killed: int = 0
    timed_out: int = 0
    unbreakable: int = 0
    survivors: list[Mutant] = field(default_factory=list)
    not_run: list[Mutant] = field(default_factory=list)  # no test comes by their line
    seconds: float = 0.0

    @property
    def killed_in_all(self) -> int:
        return self.killed + self.timed_out

    @property
    def alive(self) -> list[Mutant]:
        return [*self.survivors, *self.not_run]

    @property
    def judged(self) -> int:
        return self.killed_in_all + len(self.alive)

    @property
    def share(self) -> float:
        return self.killed_in_all / self.judged if self.judged else 1.0


class Breaker:
    """A pytest plugin that takes the place of running the tests once."""

    def __init__(self, mutants: Mapping[str, Sequence[Mutant]]) -> None:
        self.mutants, self.findings = mutants, {path: Findings() for path in mutants}
        self.lines: dict[tuple[str, int], set[str]] = {}
        self.took: dict[str, float] = {}
        self.failed: Counter[str] = Counter()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        self._learn(items)
        if self.failed:
            raise pytest.UsageError(f"fails unbroken: {', '.join(self.failed)}")
        database = _Database()
        unfit = self._unfit(items, database)
        for path, mutants in self.mutants.items():
            began, findings = time.perf_counter(), self.findings[path]
            for mutant in mutants:
                chosen = [items[name] for name in self._tests_of(path, mutant) if name not in unfit]
                if chosen:
                    _judge(findings, mutant, self._child(chosen, database, path, mutant))
                else:
                    findings.not_run.append(mutant)
            findings.seconds = time.perf_counter() - began
        return True

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.took[report.nodeid] = self.took.get(report.nodeid, 0.0) + report.duration
        if report.failed:
            self.failed[report.nodeid] += 1

    def _learn(self, items: dict[str, pytest.Item]) -> None:
        measured = coverage.Coverage(data_file=None, include=list(self.mutants), config_file=False)
        measured.start()
        for name, item in items.items():
            measured.switch_context(name)
            _run(item)
        measured.stop()
        for path in self.mutants:
            for line, names in measured.get_data().contexts_by_lineno(str(Path(path).resolve())).items():
                self.lines[path, line] = {name for name in names if name}

    def _unfit(self, items: dict[str, pytest.Item], database: _Database) -> set[str]:
        """Tests that fail in a fork although nothing is broken: what they need does not cross into it."""
        if self._child(list(items.values()), database) == SURVIVED:
            return set()
        return {name for name, item in items.items() if self._child([item], database) != SURVIVED}

    def _tests_of(self, path: str, mutant: Mutant) -> list[str]:
        names = self.lines.get((path, mutant.line)) or self._tests_by(path)
        return sorted(names, key=lambda name: self.took[name])

    def _tests_by(self, path: str) -> Collection[str]:
        """Those that come by any line of the module: what its body made is read by its functions, or by anybody."""
        names = set().union(*(found for (other, _line), found in self.lines.items() if other == path))
        return names or self.took

    def _child(
        self, items: list[pytest.Item], database: _Database, path: str = "", mutant: Mutant | None = None
    ) -> int:
        limit = SPARE_S + 5 * sum(self.took[item.nodeid] for item in items)
        database.put_back()
        if child := os.fork():
            return _wait(child, limit)
        try:
            os.setsid()
            _silence()
            self.failed.clear()
            if mutant:
                break_module(importlib.import_module(_dotted(Path(path))), mutant)
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


def _judge(findings: Findings, mutant: Mutant, verdict: int) -> None:
    if verdict == SURVIVED:
        findings.survivors.append(mutant)
    elif verdict == NOT_BREAKABLE:
        findings.unbreakable += 1
    elif verdict < 0:
        findings.timed_out += 1
    else:
        findings.killed += 1


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


def judge(mutants: Mapping[str, Sequence[Mutant]], tests: Sequence[str]) -> dict[str, Findings]:
    """What becomes of mutants of the modules at these paths (from the root) under those of `tests` that are in the
    gate."""
    os.environ.pop("DJANGO_SETTINGS_MODULE", None)  # tests/conftest.py names them once it has made a place for its data
    breaker = Breaker(mutants)
    with redirect_stdout(io.StringIO()) as said:
        code = pytest.main(["-q", "-p", "no:cacheprovider", *GATE, *tests], plugins=[breaker])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        modules = ", ".join(mutants)
        sys.exit(f"{modules}: the tests do not run unbroken (pytest's exit code {code})\n{said.getvalue()[-4000:]}")
    return breaker.findings
