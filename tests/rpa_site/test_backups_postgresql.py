"""`manage.py backup` and `restore` on a PostgreSQL server: the same file, put into an empty database (S5.8)."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from rpa_site.backups import BackupError, DataPlace, back_up, restore
from tests.rpa_site.test_backups import rewritten
from tests.support import servers
from tests.support.display import wait_until
from tests.support.installations import BEGIN
from tests.support.processes import finished

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

ROOT = Path(__file__).resolve().parents[2]
ROLE, PASSWORD = "clinic", "hush / not to be told @ all"
RUN_LOOP = ("runloop", "--once", "--desktop", "scripted:tests.support.scripted.six_pages")
PREPARE = """
import json
from tests.support.scripted import PAGES, publish_line
from tests.support.stream_worker import prepare
print(json.dumps([publish_line(*PAGES).workflow.workflow_id, prepare()["execution_id"]]))
"""
# What a restore changes: who was logged in, and what was live.
CHANGED = {
    *("django_session", "rpa_site_apitoken", "execution_execution", "execution_step", "execution_prompt"),
    "execution_robot",
}
RUN = "SELECT state, error <> '', lease_until IS NULL FROM execution_execution WHERE execution_id = %s"


@dataclass(frozen=True)
class Server:
    """`folder` is where its socket lies; ROLE comes in by its password alone and owns what `make` makes."""

    folder: str
    owner: str

    def sql(self, statement: str, *values: Any, database: str = "postgres") -> list[tuple[Any, ...]]:
        import psycopg

        with psycopg.connect(host=self.folder, user=self.owner, dbname=database, autocommit=True) as session:
            done = session.execute(statement.encode(), values or None)
            return done.fetchall() if done.description else []

    def make(self, database: str) -> None:
        self.sql(f'CREATE DATABASE "{database}" OWNER {ROLE}')

    def url(self, database: str, password: str = PASSWORD) -> str:
        return f"postgres://{ROLE}:{quote(password, safe='')}@/{quote(database)}?host={quote(self.folder)}"

    def content(self, database: str) -> dict[str, list[str]]:
        """Every table's lines."""
        import psycopg

        found = {}
        with psycopg.connect(host=self.folder, user=self.owner, dbname=database) as session:
            tables = session.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
            for (table,) in tables:
                with session.cursor().copy(f'COPY "{table}" TO STDOUT'.encode()) as copy:
                    found[table] = sorted(b"".join(bytes(part) for part in copy).decode().splitlines())
        return found


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with servers.postgresql() as url:
        parts = urlsplit(url)
        one = Server(folder=parse_qs(parts.query)["host"][0], owner=parts.username or "")
        said = PASSWORD.replace("'", "''")
        one.sql(f"CREATE ROLE {ROLE} LOGIN PASSWORD '{said}'")
        rules = Path(one.sql("SHOW hba_file")[0][0])
        rules.write_text(f"local all {ROLE} scram-sha-256\n{rules.read_text()}")
        one.sql("SELECT pg_reload_conf()")
        yield one


@dataclass(frozen=True)
class Installation:
    """An installation's data folder and database, used as a person or as the product's own code does."""

    server: Server
    database: str
    data: Path
    workflow: str = ""
    execution: str = ""  # it is live

    @property
    def env(self) -> dict[str, str]:
        told = {
            "DATABASE_URL": self.server.url(self.database),
            "RPA_DATA_DIR": str(self.data),
            "RPA_ENV_FILE": os.devnull,
            "DJANGO_SETTINGS_MODULE": "rpa_site.settings",
        }
        return {**os.environ, **told}

    def run(self, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return finished([sys.executable, "manage.py", *arguments], cwd=ROOT, env=self.env | more, timeout=600)

    def manage(self, *arguments: str, **more: str) -> str:
        done = self.run(*arguments, **more)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def worker(self, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.support.stream_worker", *arguments]
        return subprocess.Popen(command, cwd=ROOT, env=self.env, stdout=subprocess.PIPE, text=True)

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        return self.server.sql(statement, *values, database=self.database)

    def place(self, **parameters: str) -> DataPlace:
        from rpa_site.backups.postgresql import PostgreSQL

        told = {"host": self.server.folder, "user": ROLE, "password": PASSWORD, "dbname": self.database}
        return DataPlace(
            data=self.data,
            database=PostgreSQL(told | parameters),
            pictures=self.data / "pictures",
            key=self.data / "vault.key",
        )

    def pictures(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (self.data / "pictures").glob("??/*.png")}


@pytest.fixture(scope="module")
def here(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """With people, the demo workflow and its pictures, another workflow, a run at work."""
    server.make("here")
    one = Installation(server, "here", tmp_path_factory.mktemp("here") / "data")
    (one.data / "static").mkdir(parents=True)
    one.manage("migrate", "-v0")
    one.manage("shell", "-v0", "-c", BEGIN)
    assert one.pictures()
    workflow, execution = json.loads(one.manage("shell", "-v0", "-c", PREPARE))
    return replace(one, workflow=workflow, execution=execution)


@pytest.fixture(scope="module")
def saved(here: Installation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return back_up(here.place(), tmp_path_factory.mktemp("saved") / "saved.zip").file


@pytest.fixture
def empty(server: Server, tmp_path: Path) -> Iterator[Installation]:
    """An empty database and no data: another machine."""
    server.make("elsewhere")
    one = Installation(server, "elsewhere", tmp_path / "elsewhere")
    (one.data / "static").mkdir(parents=True)
    yield one
    server.sql("DROP DATABASE elsewhere WITH (FORCE)")


def is_empty_and_open(one: Installation) -> bool:
    """Nothing was put there, and whoever comes may write."""
    tables = one.rows("SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'")
    return tables == [(0,)] and one.rows("SHOW default_transaction_read_only") == [("off",)]


def test_rows_and_pictures_are_there_in_another_database_and_runs_go_on(
    here: Installation, empty: Installation, tmp_path: Path
) -> None:
    """S5.8, S9: saved while a run writes; each of its backups is of one moment. What was live is stopped, as it is on
    SQLite, and the next run of the same workflow goes from its first page to its last.
    """
    count = "SELECT COUNT(*) FROM execution_executionevent WHERE kind = 'error'"
    worker = here.worker("write", here.execution, "100000", "300", "2", "0")
    try:
        wait_until(lambda: here.rows(count)[0][0] > 20, timeout=120, what="the run to write")
        before = here.rows(count)[0][0]
        said = here.manage("backup", str(tmp_path / "busy.zip"))
        assert here.rows(count)[0][0] > before  # it went on meanwhile
        assert worker.poll() is None
    finally:
        worker.kill()
        worker.communicate()
    assert "busy.zip" in said
    assert PASSWORD not in said
    made = back_up(here.place(), tmp_path / "rest.zip")
    assert made.missing == 0

    told = empty.manage("restore", str(tmp_path / "busy.zip"))
    assert "It is in place." in told
    assert "1 run that was live in the backup is stopped." in told
    events = [number for (number,) in empty.rows("SELECT seq FROM execution_executionevent ORDER BY seq")]
    assert len(events) >= before
    assert events == list(range(1, len(events) + 1))
    assert empty.rows(RUN, here.execution) == [("stopped", True, True)]
    assert empty.rows("SELECT COUNT(*) FROM django_session") == [(0,)]
    assert empty.pictures() == here.pictures()

    here.server.sql("DROP DATABASE elsewhere WITH (FORCE)")
    here.server.make("elsewhere")
    restore(empty.place(), made.file)
    was, now = here.server.content("here"), here.server.content("elsewhere")
    assert was.keys() == now.keys()
    assert {table for table in was if was[table] != now[table]} <= CHANGED
    assert {table: len(was[table]) for table in was if "execution" in table} == {
        table: len(now[table]) for table in now if "execution" in table
    }
    with pytest.raises(Exception, match="audit"):  # what keeps its entries as they are has come with them
        empty.rows("DELETE FROM audit_entries")

    empty.manage(*RUN_LOOP, "--workflow", here.workflow, "--mode", "automatic")
    ended = "SELECT state, current_node_id FROM execution_execution ORDER BY id DESC LIMIT 1"
    assert empty.rows(ended) == [("completed", "six")]


def test_what_is_here_is_never_replaced(here: Installation, saved: Path) -> None:
    """S5.8: no command deletes data without being asked by name."""
    before, pictures = here.server.content("here"), here.pictures()
    with pytest.raises(BackupError, match=r"“here” is not empty \(public\.\w+\): .*createdb NEW"):
        restore(here.place(), saved)
    assert "is not empty" in here.manage("restore", "--check", str(saved))  # the backup is whole all the same
    assert here.server.content("here") == before
    assert here.pictures() == pictures
    assert here.rows("SHOW default_transaction_read_only") == [("off",)]


def test_the_vault_key_that_was_here_is_kept_aside(here: Installation, empty: Installation, tmp_path: Path) -> None:
    key = here.data / "vault.key"
    key.write_text("the key")
    with_key = back_up(here.place(), tmp_path / "with.zip", with_key=True).file
    key.unlink()
    (empty.data / "vault.key").write_text("another key")
    aside = restore(empty.place(), with_key).aside
    assert (empty.data / "vault.key").read_text() == "the key"
    assert aside is not None
    assert [(path.name, path.read_text()) for path in aside.rglob("*")] == [("vault.key", "another key")]


def with_dump(file: Path, target: Path, changed: Callable[[bytes], bytes]) -> Path:
    """A backup whose dump was changed by somebody who knows the manifest."""
    with zipfile.ZipFile(file) as packed:
        manifest = json.loads(packed.read("manifest.json"))
        dump = changed(packed.read("database.dump"))
    manifest["entries"]["database.dump"] = {"sha256": sha256(dump).hexdigest(), "size": len(dump)}
    return rewritten(file, target, manifest={"entries": manifest["entries"]}, **{"database.dump": dump})


def of_a_later_server(dump: bytes) -> bytes:
    major = dump[dump.index(b"1", 30) :][:2]
    assert major.isdigit()
    return dump.replace(major + b".", b"99.", 2)


SPOILT: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "of a later server": (of_a_later_server, r"made on PostgreSQL 99, the server here is \d+"),
    "of a later pg_dump": (lambda dump: dump[:5] + b"\x01\x63" + dump[7:], r"pg_restore failed: .*unsupported version"),
    "a block spoilt": (lambda dump: dump[:-20000] + b"\xff" * 10000 + dump[-10000:], "pg_restore failed: "),
    "no dump": (lambda dump: b"hello", "pg_restore failed: .*valid archive"),
}


@pytest.mark.parametrize(("changed", "why"), SPOILT.values(), ids=SPOILT)
def test_a_dump_that_does_not_fit_or_is_spoilt_is_refused(
    empty: Installation, saved: Path, tmp_path: Path, changed: Callable[[bytes], bytes], why: str
) -> None:
    file = with_dump(saved, tmp_path / "spoilt.zip", changed)
    with pytest.raises(BackupError, match=why):
        restore(empty.place(), file)
    assert is_empty_and_open(empty)
    assert not empty.pictures()


def a_program(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/bash\n{script}\n")
    (folder / name).chmod(0o755)


def test_a_pg_dump_that_is_missing_or_older_than_the_server_is_told(
    here: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(BackupError, match=r"no pg_dump here: .*apt-get install postgresql-client"):
        back_up(here.place(), tmp_path / "b.zip")
    a_program(tmp_path / "bin", "pg_dump", 'echo "pg_dump (PostgreSQL) 9.6.24"')
    with pytest.raises(BackupError, match=r"“pg_dump \(PostgreSQL\) 9\.6\.24”, the server is PostgreSQL \d+"):
        back_up(here.place(), tmp_path / "b.zip")
    assert [path.name for path in tmp_path.iterdir()] == ["bin"]


def test_a_pg_dump_that_fails_leaves_no_file(
    here: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk, a connection that is cut: half a dump is none."""
    real = shutil.which("pg_dump")
    a_program(tmp_path / "bin", "pg_dump", f'[ "$1" = --version ] && exec {real} "$@"\nkill -9 $$')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    with pytest.raises(BackupError, match="pg_dump failed"):
        back_up(here.place(), tmp_path / "b.zip")
    assert [path.name for path in tmp_path.iterdir()] == ["bin"]


@pytest.mark.security
def test_the_password_is_on_no_command_line_and_in_no_message(
    here: Installation, empty: Installation, tmp_path: Path
) -> None:
    """S10: everybody on the machine reads command lines."""
    told = tmp_path / "told"
    for name in ("pg_dump", "pg_restore"):
        script = f'tr "\\0" " " </proc/$$/cmdline >>{told}\nexec {shutil.which(name)} "$@"'
        a_program(tmp_path / "bin", name, script)
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    said = here.manage("backup", str(tmp_path / "b.zip"), PATH=path)
    said += empty.manage("restore", str(tmp_path / "b.zip"), PATH=path)
    assert "pg_dump" in told.read_text()
    assert "--single-transaction" in told.read_text()
    assert "hush" not in told.read_text() + said
    wrong = here.server.url("here", "hush, but another")
    for arguments in (["backup", str(tmp_path / "c.zip")], ["restore", str(tmp_path / "b.zip")]):
        done = here.run(*arguments, DATABASE_URL=wrong)
        assert done.returncode == 1
        assert "password authentication failed" in done.stderr
        assert "hush" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"host": "/nowhere"}, "cannot be read or written: .*(No such file|failed)"),
        ({"dbname": "nothing"}, "“nothing” cannot be read or written: .*does not exist"),
        ({"user": "nobody-here"}, "cannot be read or written"),
    ],
)
def test_a_server_that_does_not_answer_is_told(
    here: Installation, saved: Path, tmp_path: Path, parameters: dict[str, str], why: str
) -> None:
    with pytest.raises(BackupError, match=why):
        back_up(here.place(**parameters), tmp_path / "b.zip")
    with pytest.raises(BackupError, match=why):
        restore(here.place(**parameters), saved)
    assert list(tmp_path.iterdir()) == []


@contextmanager
def somebody_connected(server: Server, database: str) -> Iterator[None]:
    import psycopg

    with psycopg.connect(host=server.folder, user=server.owner, dbname=database, application_name="a robot"):
        yield


def test_it_is_refused_while_another_program_is_connected(empty: Installation, saved: Path) -> None:
    """Run loops are on other machines as well, where no lock of this one is seen."""
    with (
        somebody_connected(empty.server, "elsewhere"),
        pytest.raises(
            BackupError, match=r"connected to the database “elsewhere” \(process \d+ of the server, a robot\)"
        ),
    ):
        restore(empty.place(), saved)
    assert is_empty_and_open(empty)
    restore(empty.place(), saved)
    assert empty.rows("SHOW default_transaction_read_only") == [("off",)]


def test_of_a_restore_that_is_killed_no_run_is_taken_up(
    here: Installation, empty: Installation, tmp_path: Path
) -> None:
    """S9: the rows are there, their live runs are not stopped yet: until somebody looks nobody can write to it."""
    live = back_up(here.place(), tmp_path / "live.zip").file
    real = shutil.which("pg_restore")
    script = f'{real} "$@" || exit\nif [ "$1" = --single-transaction ]; then kill -9 $PPID; fi'
    a_program(tmp_path / "bin", "pg_restore", script)
    killed = empty.run("restore", str(live), PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    assert killed.returncode == -signal.SIGKILL
    with pytest.raises(Exception, match="read-only transaction"):
        empty.rows("UPDATE execution_execution SET state = 'running'")
    with pytest.raises(BackupError, match="is not empty"):
        restore(empty.place(), live)


def test_of_a_restore_that_is_broken_off_behind_its_last_word_no_run_is_taken_up(
    here: Installation, empty: Installation, tmp_path: Path
) -> None:
    """S9: with Ctrl-C, once all rows are there."""
    live = back_up(here.place(), tmp_path / "live.zip").file
    real = shutil.which("pg_restore")
    script = f'{real} "$@" || exit\nif [ "$1" = --single-transaction ]; then kill -INT $PPID; sleep 1; fi'
    a_program(tmp_path / "bin", "pg_restore", script)
    broken = empty.run("restore", str(live), PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    assert broken.returncode != 0
    assert "may not be stopped" in broken.stderr
    with pytest.raises(Exception, match="read-only transaction"):
        empty.rows("UPDATE execution_execution SET state = 'running'")
