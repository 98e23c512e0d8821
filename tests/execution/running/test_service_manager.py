"""What a run loop tells systemd: by the socket that it names, as `Type=notify` and `WatchdogSec=` want it."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from execution.models import Robot
from execution.running import service_manager
from execution.running.runner import Runner
from execution.running.service_manager import ALIVE, READY, notify, watched
from tests.support.scripted import analyzer, three_pages


@pytest.fixture(params=["path", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """The service manager's end."""
    name = str(tmp_path / "n") if request.param == "path" else f"@surehand-{time.monotonic_ns()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.bind(name.replace("@", "\0", 1))
        line.settimeout(60)
        monkeypatch.setenv("NOTIFY_SOCKET", name)
        yield line


def test_it_is_told_again_and_again_that_the_process_gets_on(
    manager: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "100000")
    began = time.monotonic()
    with watched():
        assert [manager.recv(99) for _ in range(4)] == [ALIVE.encode()] * 4
    assert time.monotonic() - began > 0.1, "twice in the time that it allows"


@pytest.mark.django_db(transaction=True)
def test_a_run_loop_is_ready_once_it_may_take_runs(manager: socket.socket) -> None:
    """Whoever restarts one after the other waits for that."""
    desktop = three_pages()
    Runner(desktop=desktop, analyzer=analyzer(desktop), once=True).run()
    assert manager.recv(99) == READY.encode()
    assert Robot.objects.count() == 1


def test_a_manager_that_is_gone_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "gone"))
    notify(READY)
    assert "was not told READY=1" in caplog.text


def test_without_one_nobody_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (service_manager.SOCKET, service_manager.EVERY_US):
        monkeypatch.delenv(name, raising=False)
    notify(READY)
    with watched():
        pass
