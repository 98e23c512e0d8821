"""The stream's wake-up: soon after a commit, once a second anyway, through trouble with the file (S8.2, D1)."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from execution.stream import tail
from execution.stream.tail import Tail, sqlite_file

PATIENCE_S = 30.0


class Looks:
    """Counts the looks, and lets a test wait for the next one."""

    def __init__(self) -> None:
        self.count = 0
        self._changed = threading.Condition()

    def __call__(self) -> None:
        with self._changed:
            self.count += 1
            self._changed.notify_all()

    def wait_for(self, count: int, timeout: float = PATIENCE_S) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: self.count >= count, timeout)


@pytest.fixture
def looks() -> Looks:
    return Looks()


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "a database #1.sqlite3"
    make_database(path)
    monkeypatch.setattr(tail, "sqlite_file", lambda: path)
    monkeypatch.setattr(tail, "LOOK_ANYWAY_S", 3600)
    monkeypatch.setattr(tail, "RETRY_S", 0.02)
    return path


@pytest.fixture
def running(looks: Looks) -> Iterator[Tail]:
    running = Tail(looks)
    yield running
    running.stop()
    running.join(PATIENCE_S)
    assert not running.is_alive


def make_database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE event (seq INTEGER)")
    connection.close()


def commit(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("INSERT INTO event VALUES (1)")
    connection.close()


def test_each_commit_of_another_connection_is_a_wake_up(file, looks, running):
    running.start()
    assert looks.wait_for(1)  # what happened before it began
    for number in range(2, 7):
        commit(file)
        assert looks.wait_for(number)


def test_it_is_silent_while_nothing_is_committed(file, looks, running):
    running.start()
    assert looks.wait_for(1)
    assert not looks.wait_for(2, timeout=0.2)


def test_it_looks_anyway_from_time_to_time(file, looks, running, monkeypatch):
    monkeypatch.setattr(tail, "LOOK_ANYWAY_S", 0.05)
    running.start()
    assert looks.wait_for(4)


def test_it_follows_a_database_that_takes_the_place_of_the_old_one(file, looks, running, monkeypatch):
    """A restored backup."""
    monkeypatch.setattr(tail, "LOOK_ANYWAY_S", 0.02)
    running.start()
    assert looks.wait_for(1)
    restored = file.with_name("restored.sqlite3")
    make_database(restored)
    inode = restored.stat().st_ino
    restored.replace(file)
    seen = looks.count
    assert looks.wait_for(seen + 3)  # it has had the chance to see the other file
    monkeypatch.setattr(tail, "LOOK_ANYWAY_S", 3600)
    assert file.stat().st_ino == inode
    for _ in range(3):
        seen = looks.count
        commit(file)
        assert looks.wait_for(seen + 1)


def test_a_missing_database_is_said_once_and_waited_for(file, looks, running, caplog):
    file.unlink()
    running.start()
    assert looks.wait_for(3)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert not file.exists()
    seen = looks.count
    make_database(file)
    assert looks.wait_for(seen + 1)
    seen = looks.count
    commit(file)
    assert looks.wait_for(seen + 1)


def test_a_database_in_the_midst_of_a_commit_is_waited_for(file, looks, running):
    """In TRUNCATE mode whoever commits shuts readers out for a moment."""
    running.start()
    assert looks.wait_for(1)
    holder = sqlite3.connect(file, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    holder.execute("INSERT INTO event VALUES (1)")
    assert not looks.wait_for(2, timeout=0.1)
    holder.execute("COMMIT")
    holder.close()
    assert looks.wait_for(2)


def test_other_databases_are_looked_at_by_the_clock(looks, running, monkeypatch):
    monkeypatch.setattr(tail, "sqlite_file", lambda: None)
    monkeypatch.setattr(tail, "OTHER_POLL_S", 0.02)
    running.start()
    assert looks.wait_for(4)


@pytest.mark.parametrize("is_a_file", [True, False])
def test_whatever_a_look_raises_it_goes_on_looking_and_says_so_once(file, looks, monkeypatch, caplog, is_a_file):
    """Without it every page of the process would stand still until it is started anew."""

    def failing() -> None:
        looks()
        if looks.count <= 3:
            raise TypeError("redis://:secret@host")

    monkeypatch.setattr(tail, "OTHER_POLL_S", 0.02)
    if not is_a_file:
        monkeypatch.setattr(tail, "sqlite_file", lambda: None)
    running = Tail(failing)
    running.start()
    assert looks.wait_for(5)
    assert running.is_alive
    running.stop()
    running.join(PATIENCE_S)
    assert len(caplog.records) == 1
    assert "TypeError in failing" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize(
    ("engine", "name", "is_file"),
    [
        ("django.db.backends.sqlite3", "/data/surehand.sqlite3", True),
        ("django.db.backends.sqlite3", Path("/data/surehand.sqlite3"), True),
        ("django.db.backends.sqlite3", ":memory:", False),
        ("django.db.backends.sqlite3", "file:memorydb_default?mode=memory&cache=shared", False),
        ("django.db.backends.postgresql", "surehand", False),
    ],
)
def test_only_a_sqlite_file_can_be_followed(monkeypatch: pytest.MonkeyPatch, engine: str, name: Any, is_file: bool):
    class Connection:
        settings_dict = {"ENGINE": engine, "NAME": name}

    monkeypatch.setattr(tail, "connections", {"default": Connection})
    assert (sqlite_file() is not None) is is_file
