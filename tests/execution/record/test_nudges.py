"""Nudges by a real Redis: heard after the commit; with Redis away nobody waits, nothing breaks, it is said once."""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Iterator

import pytest
from django.db import transaction

from execution.choices import EventKind
from execution.record import nudges
from execution.record.events import emit
from execution.stream import tail
from execution.stream.tail import Tail
from tests.factories import make_execution
from tests.support import servers
from tools.redis_server import RedisServer

PATIENCE_S = 30.0


@pytest.fixture
def redis(settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[RedisServer]:
    with servers.redis() as server:
        settings.REDIS_URL = server.url
        monkeypatch.setattr(nudges, "_sender", nudges._Sender())
        monkeypatch.setattr(nudges, "_is_away", False)
        monkeypatch.setattr(nudges, "RETRY_S", 0.05)
        yield server


class Looks:
    """When the tail looked."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.changed = threading.Condition()

    def __call__(self) -> None:
        with self.changed:
            self.times.append(time.monotonic())
            self.changed.notify_all()

    def after(self, moment: float, within: float = PATIENCE_S) -> bool:
        with self.changed:
            return self.changed.wait_for(lambda: bool(self.times) and self.times[-1] > moment, within)


@pytest.fixture
def listening(redis: RedisServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Looks]:
    """A tail that hears nudges and looks by no clock, until Redis is away."""
    monkeypatch.setattr(tail, "sqlite_file", lambda: None)
    monkeypatch.setattr(tail, "LOOK_ANYWAY_S", 3600)
    monkeypatch.setattr(tail, "OTHER_POLL_S", 0.02)
    monkeypatch.setattr(tail, "RETRY_S", 0.1)
    looks = Looks()
    running = Tail(looks)
    running.start()
    assert looks.after(0)
    yield looks
    running.stop()
    running.join(PATIENCE_S)
    assert not running.is_alive


def rested(looks: Looks) -> bool:
    """Whether it has become quiet: it listens, and does not look by the clock."""
    deadline = time.monotonic() + PATIENCE_S
    while looks.after(time.monotonic(), within=0.3):
        if time.monotonic() > deadline:
            return False
    return True


@pytest.mark.django_db(transaction=True)
@pytest.mark.extras
def test_an_event_is_heard_of_once_it_is_committed_and_not_before(redis: RedisServer) -> None:
    execution = make_execution()
    with nudges.heard() as heard:
        assert not heard(0.2)
        with transaction.atomic():
            emit(execution, EventKind.ERROR, {"message": "one"})
            assert not heard(0.2)
        assert heard(PATIENCE_S)
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            emit(execution, EventKind.ERROR, {"message": "two"})
            raise ZeroDivisionError
        assert not heard(0.2)


@pytest.mark.extras
def test_whoever_follows_looks_at_each_nudge_and_else_is_quiet(listening: Looks) -> None:
    assert rested(listening)
    for _ in range(5):
        before = time.monotonic()
        nudges.nudge()
        assert listening.after(before)


@pytest.mark.extras
def test_without_redis_it_looks_by_the_clock_and_listens_again_when_it_is_back(
    redis: RedisServer, listening: Looks, caplog: pytest.LogCaptureFixture
) -> None:
    assert rested(listening)
    redis.kill()
    for _ in range(20):  # through several attempts to speak to it
        assert listening.after(time.monotonic())
    redis.start()
    assert rested(listening)
    before = time.monotonic()
    nudges.nudge()
    assert listening.after(before)
    told = [record.getMessage() for record in caplog.records if record.name == nudges.log.name]
    assert [line.split(" (")[0].split(":")[0].rstrip(".") for line in told] == ["Redis is away", "Redis is back"]


@pytest.mark.timing
@pytest.mark.extras
def test_a_redis_that_hangs_holds_up_nobody(redis: RedisServer, listening: Looks, monkeypatch) -> None:
    """It takes connections and never answers: the clock goes on once a second, and writers do not wait."""
    assert rested(listening)
    monkeypatch.setattr(tail, "LOOK_ANYWAY_S", 0.1)
    redis.suspend()
    began = time.perf_counter()
    for _ in range(1000):
        nudges.nudge()
    assert time.perf_counter() - began < 0.5
    for _ in range(5):
        assert listening.after(time.monotonic(), within=2)
    redis.resume()


def test_without_an_address_nothing_is_sent(settings, monkeypatch: pytest.MonkeyPatch, caplog) -> None:
    settings.REDIS_URL = ""
    sender = nudges._Sender()
    monkeypatch.setattr(nudges, "_sender", sender)
    with caplog.at_level(logging.WARNING):
        nudges.nudge()
    assert sender._thread is None
    assert not caplog.records


class Odd:
    """A Redis that takes a listener and then answers what none would."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self._door = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://:secret@127.0.0.1:{self._door.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                line, _address = self._door.accept()
            except OSError:  # closed: the test is over
                return
            threading.Thread(target=self._speak, args=(line,), daemon=True).start()

    def _speak(self, line: socket.socket) -> None:
        with line:
            while asked := line.recv(4096):
                if b"HELLO" in asked:
                    line.sendall(b"%1\r\n$5\r\nproto\r\n:3\r\n")
                line.sendall(b"+OK\r\n" * asked.count(b"CLIENT"))
                if b"SUBSCRIBE" in asked or b"PUBLISH" in asked:
                    line.sendall(self._answer)

    def close(self) -> None:
        self._door.close()


@pytest.mark.parametrize(
    "address",
    [
        "redis://:secret/1@127.0.0.1:6379",
        "redis://127.0.0.1?patience=1",
        "redis://:secret@.a..b",
        b"(1\r\n",
        b":x\r\n",
        b"-ERR unknown command, with args beginning with: secret\r\n",
    ],
)
def test_an_odd_address_or_answer_is_a_redis_that_is_away(
    address: str | bytes, settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither who follows nor who writes ends of it, and no password is told."""
    odd = Odd(address) if isinstance(address, bytes) else None
    settings.REDIS_URL = odd.url if odd else address
    sender = nudges._Sender()
    monkeypatch.setattr(nudges, "_sender", sender)
    monkeypatch.setattr(nudges, "_is_away", False)
    monkeypatch.setattr(nudges, "RETRY_S", 0.02)
    monkeypatch.setattr(tail, "sqlite_file", lambda: None)
    monkeypatch.setattr(tail, "OTHER_POLL_S", 0.02)
    monkeypatch.setattr(tail, "RETRY_S", 0.1)
    looks = Looks()
    running = Tail(looks)
    running.start()
    for _ in range(10):
        nudges.nudge()
        assert looks.after(time.monotonic())
    assert running.is_alive
    assert sender._thread is not None
    assert sender._thread.is_alive()
    running.stop()
    running.join(PATIENCE_S)
    if odd:
        odd.close()
    assert "Redis is away" in caplog.text
    assert "secret" not in caplog.text
    assert not [record for record in caplog.records if record.name == tail.log.name]
