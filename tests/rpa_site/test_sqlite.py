"""Which journal SQLite is opened with, and that writers queue instead of failing (C.1, C.2)."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection, connections
from django.test import Client

from rpa_site import sqlite
from rpa_site.management.commands import migrate
from rpa_site.sqlite import BUSY_TIMEOUT_S, options, wal_is_safe

VERSIONS = {
    (3, 7, 0): False,
    (3, 40, 1): False,
    (3, 44, 5): False,
    (3, 44, 6): True,
    (3, 44, 9): True,
    (3, 45, 0): False,
    (3, 45, 99): False,
    (3, 49, 1): False,
    (3, 50, 6): False,
    (3, 50, 7): True,
    (3, 51, 0): False,
    (3, 51, 2): False,
    (3, 51, 3): True,
    (3, 52, 0): False,  # withdrawn
    (3, 52, 1): True,
    (3, 53, 0): True,
    (4, 0, 0): True,
}


@pytest.mark.parametrize(("version", "safe"), VERSIONS.items(), ids=[".".join(map(str, v)) for v in VERSIONS])
def test_which_versions_are_free_of_the_wal_reset_bug(version: tuple[int, int, int], safe: bool) -> None:
    assert wal_is_safe(version) is safe


@pytest.mark.parametrize(("safe", "journal"), [(True, "WAL"), (False, "TRUNCATE")])
def test_wal_only_where_it_is_safe(monkeypatch: pytest.MonkeyPatch, safe: bool, journal: str) -> None:
    monkeypatch.setattr(sqlite, "wal_is_safe", lambda: safe)
    assert f"PRAGMA journal_mode={journal};" in options()["init_command"]


@pytest.mark.django_db
@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="a matter of SQLite")
def test_the_product_opens_its_database_that_way(tmp_path: Path) -> None:
    """Asked of a connection itself, not of the settings; the tests' own ones leave writing to the system alone."""
    opened = connection.settings_dict["OPTIONS"]
    assert opened["init_command"] == options()["init_command"].replace("synchronous=FULL", "synchronous=OFF")
    own = connection.copy(alias="own")
    file = tmp_path / "own.sqlite3"
    file.touch()
    own.settings_dict |= {"NAME": str(file), "OPTIONS": {**opened, **options()}}

    def pragma(name: str) -> Any:
        with own.cursor() as cursor:
            return cursor.execute(f"PRAGMA {name}").fetchone()[0]

    assert pragma("journal_mode") == ("wal" if wal_is_safe() else "truncate")
    assert pragma("synchronous") == 2  # FULL: a commit survives a power cut
    assert pragma("busy_timeout") == BUSY_TIMEOUT_S * 1000
    assert pragma("foreign_keys") == 1
    own.close()
    assert connection.settings_dict["OPTIONS"]["transaction_mode"] == "IMMEDIATE"


def test_writers_that_read_first_queue_instead_of_failing(tmp_path: Path) -> None:
    """What IMMEDIATE is for: each reads, then writes what it read plus one; none fails and none is lost."""
    file = tmp_path / "count.sqlite3"
    with closing(sqlite3.connect(file)) as setup:
        setup.executescript(f"{options()['init_command']};CREATE TABLE t (n INTEGER);INSERT INTO t VALUES (0);")
    failures: list[Exception] = []

    def count() -> None:
        try:
            with closing(sqlite3.connect(file, timeout=options()["timeout"], isolation_level=None)) as own:
                own.executescript(options()["init_command"])
                for _ in range(15):
                    own.execute(f"BEGIN {options()['transaction_mode']}")
                    (n,) = own.execute("SELECT n FROM t").fetchone()
                    own.execute("UPDATE t SET n = ?", (n + 1,))
                    own.execute("COMMIT")
        except sqlite3.Error as error:
            failures.append(error)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    with closing(sqlite3.connect(file)) as reader:
        assert reader.execute("SELECT n FROM t").fetchone() == (60,)


@pytest.fixture
def own_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The default database is a file that is not there."""
    own = connection.copy(alias="default")
    own.settings_dict |= {"NAME": str(tmp_path / "own #1.sqlite3"), "OPTIONS": options()}
    monkeypatch.setattr(connections._connections, "default", own)
    return tmp_path / "own #1.sqlite3"


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="a matter of SQLite")
def test_connecting_makes_no_file(own_database: Path, django_db_blocker: Any) -> None:
    with django_db_blocker.unblock():
        client = Client(raise_request_exception=False)
        assert client.get("/health").status_code == 503
        client.cookies["sessionid"] = "x" * 32
        answer = client.get("/")
        assert answer.status_code == 503
        assert "The database does not answer" in answer.content.decode()
        with pytest.raises(OperationalError, match="unable to open"):
            connection.ensure_connection()
    assert not own_database.exists()


@pytest.fixture
def one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """What migrating makes, which all other tests stand on, is but a table here."""
    made = lambda *args, **options: connection.cursor().execute("CREATE TABLE made (n)").close()  # noqa: E731
    monkeypatch.setattr(migrate.Command, "handle", made)


@pytest.mark.usefixtures("one_table")
@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="a matter of SQLite")
def test_migrating_makes_it(own_database: Path, django_db_blocker: Any) -> None:
    with django_db_blocker.unblock():
        call_command("migrate", verbosity=0)
        connection.close()
    with closing(sqlite3.connect(own_database)) as made:
        assert made.execute("SELECT count(*) FROM made").fetchall() == [(0,)]
    assert own_database.stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("one_table")
@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="a matter of SQLite")
def test_a_service_that_migrates_makes_none_where_the_disk_is_not_mounted(
    own_database: Path, django_db_blocker: Any
) -> None:
    with django_db_blocker.unblock():
        with pytest.raises(CommandError, match="Mount the disk"):
            call_command("migrate", verbosity=0, existing=True)
        assert not own_database.exists()
        own_database.touch()
        call_command("migrate", verbosity=0, existing=True)
        connection.close()
    assert own_database.stat().st_size
