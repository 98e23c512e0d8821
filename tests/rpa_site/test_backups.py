"""`manage.py backup` and `restore`: one file, whole or refused; what was here is kept (S5.8)."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import connection

from execution.desktop.lock import DesktopLock
from rpa_site import data_lock
from rpa_site.backups import BackupError, DataPlace, back_up, check, restore
from rpa_site.backups import restoring as restoring_module
from rpa_site.backups.making import product_version
from rpa_site.backups.sqlite_file import SqliteFile
from rpa_site.migration_names import known
from workflows.pictures import PictureStore

SCHEMA = """
CREATE TABLE django_migrations (id INTEGER PRIMARY KEY, app TEXT, name TEXT);
CREATE TABLE workflows_workflow (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE workflows_picture (digest TEXT);
CREATE TABLE execution_execution
  (execution_id TEXT, state TEXT, wish TEXT, ended_at TEXT, lease_until TEXT, error TEXT, id INTEGER PRIMARY KEY);
CREATE TABLE execution_step
  (execution_id INTEGER, phase TEXT, outcome TEXT, success INTEGER, message TEXT, ended_at TEXT);
CREATE TABLE django_session (session_key TEXT);
CREATE TABLE rpa_site_apitoken (digest TEXT);
CREATE TABLE execution_prompt (state TEXT);
CREATE TABLE execution_robot (name TEXT, stopped_at TEXT);
"""
WAIT_S = 60


def rows(file: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(sql).fetchall()


def change(file: Path, sql: str, *values: Any) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(sql, values)


def a_picture(number: int) -> np.ndarray:
    return np.full((4, 4, 3), number, np.uint8)


def furnish(data: Path) -> DataPlace:
    """An installation's data: two workflows, two pictures of which one is drawn, a key."""
    place = DataPlace(
        data=data, database=SqliteFile(data / "surehand.sqlite3"), pictures=data / "pictures", key=data / "vault.key"
    )
    data.mkdir()
    store = PictureStore(place.pictures)
    digests = [store.put(a_picture(number)) for number in (1, 2)]
    with closing(sqlite3.connect(place.database.file)) as connection, connection:
        connection.executescript(SCHEMA)
        connection.executemany("INSERT INTO django_migrations (app, name) VALUES (?, ?)", sorted(known()))
        connection.execute("INSERT INTO workflows_workflow (name) VALUES ('Patient note'), ('Invoice')")
        connection.execute("INSERT INTO workflows_picture VALUES (?)", (digests[0],))
    place.key.write_text("the key")
    return place


@pytest.fixture
def place(tmp_path: Path) -> DataPlace:
    return furnish(tmp_path / "data")


@pytest.fixture
def saved(place: DataPlace, tmp_path: Path) -> Path:
    return back_up(place, tmp_path / "saved.zip").file


def as_it_is(data: Path) -> dict[str, bytes]:
    """Every file of an installation, but locks."""
    files = (path for path in data.rglob("*") if path.is_file() and path.parent.name != "locks")
    return {str(path.relative_to(data)): path.read_bytes() for path in files}


def rewritten(file: Path, target: Path, *, manifest: Mapping[str, Any] | None = None, **entries: bytes | None) -> Path:
    """A copy of a backup with entries replaced, added or (None) left out; `__` in a name stands for `/` or `.`."""
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "manifest.json":
                data = json.dumps(json.loads(data) | dict(manifest or {})).encode()
            if name not in entries:
                new.writestr(name, data)
        for name, replaced in entries.items():
            if replaced is not None:
                new.writestr(name, replaced)
    return target


def manifest_of(file: Path) -> dict[str, Any]:
    with zipfile.ZipFile(file) as packed:
        return dict(json.loads(packed.read("manifest.json")))


def test_database_and_pictures_come_back_as_they_were(place: DataPlace, saved: Path) -> None:
    """S5.8: rows and pictures made since are gone from here, and kept aside."""
    later = PictureStore(place.pictures).put(a_picture(3))
    change(place.database.file, "INSERT INTO workflows_workflow (name) VALUES ('Made later')")
    done = restore(place, saved)
    assert rows(place.database.file, "SELECT name FROM workflows_workflow") == [("Patient note",), ("Invoice",)]
    assert sorted(p.stem for p in place.pictures.glob("??/*.png")) == sorted(
        PictureStore(place.pictures).put(a_picture(number)) for number in (1, 2)
    )
    assert done.aside is not None
    assert ("Made later",) in rows(done.aside / place.database.file.name, "SELECT name FROM workflows_workflow")
    assert np.array_equal(PictureStore(done.aside / "pictures").get(later), a_picture(3))
    assert done.aside.name.startswith("before-restore-20")
    assert [path.name for path in place.data.glob(".restoring-*")] == []


def test_the_file_tells_version_and_migrations_and_is_for_its_owner_alone(place: DataPlace, saved: Path) -> None:
    """S5.8"""
    said = manifest_of(saved)
    assert said["version"] == product_version()
    assert {(app, name) for app, name in said["migrations"]} == known()
    assert saved.stat().st_mode & 0o777 == 0o600
    assert check(place, saved).pending == ()


def test_the_key_is_in_the_file_only_when_asked_for(place: DataPlace, tmp_path: Path) -> None:
    """S5.8, T6: a stolen backup opens no password."""
    without = back_up(place, tmp_path / "without.zip")
    assert (without.key, "vault.key" in zipfile.ZipFile(without.file).namelist()) == ("left out", False)
    assert b"the key" not in without.file.read_bytes()
    with_key = back_up(place, tmp_path / "with.zip", with_key=True)
    assert with_key.key == "included"
    place.key.write_text("another key")
    restore(place, without.file)
    assert place.key.read_text() == "another key"
    aside = restore(place, with_key.file).aside
    assert (place.key.read_text(), place.key.stat().st_mode & 0o777) == ("the key", 0o600)
    assert aside is not None and (aside / "vault.key").read_text() == "another key"


def test_a_key_that_is_not_there_cannot_be_asked_for(place: DataPlace, tmp_path: Path) -> None:
    place.key.unlink()
    with pytest.raises(BackupError, match="leave --with-key out"):
        back_up(place, tmp_path / "b.zip", with_key=True)
    assert back_up(place, tmp_path / "b.zip").key == "none"


def test_it_is_consistent_while_others_write(place: DataPlace, tmp_path: Path) -> None:
    """S5.8, C.2: each transaction adds one row to each of two tables; the copy has as many of both."""
    change(place.database.file, "CREATE TABLE twin (name TEXT)")
    change(place.database.file, "DELETE FROM workflows_workflow")
    stop, begun = threading.Event(), threading.Event()

    def write() -> None:
        with closing(sqlite3.connect(place.database.file, timeout=20, isolation_level=None)) as connection:
            while not stop.is_set():
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("INSERT INTO workflows_workflow (name) VALUES ('a')")
                connection.execute("INSERT INTO twin VALUES ('a')")
                connection.execute("COMMIT")
                begun.set()
                stop.wait(0.002)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert begun.wait(WAIT_S)
        made = [back_up(place, tmp_path / f"{number}.zip").file for number in range(5)]
    finally:
        stop.set()
        writer.join()
    for file in made:
        with zipfile.ZipFile(file) as packed:
            copy = Path(packed.extract("database.sqlite3", tmp_path / file.stem))
        counts = rows(copy, "SELECT (SELECT COUNT(*) FROM workflows_workflow), (SELECT COUNT(*) FROM twin)")[0]
        assert counts[0] == counts[1] > 0


def test_nothing_is_overwritten_unasked(place: DataPlace, tmp_path: Path) -> None:
    """S5.8"""
    file = tmp_path / "there.zip"
    file.write_text("mine")
    with pytest.raises(BackupError, match="there already"):
        back_up(place, file)
    assert file.read_text() == "mine"
    back_up(place, file, overwrite=True)
    check(place, file)
    assert file.stat().st_mode & 0o777 == 0o600


def test_in_a_folder_it_gets_a_dated_name(place: DataPlace, tmp_path: Path) -> None:
    made = back_up(place, tmp_path)
    assert made.file.parent == tmp_path
    assert made.file.name.startswith("surehand-20")


def test_a_folder_that_is_not_there_is_said(place: DataPlace, tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="make it first"):
        back_up(place, tmp_path / "nowhere" / "b.zip")


def test_a_full_disk_leaves_nothing_behind(place: DataPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S5.8: no half file, and the one that was there stays."""
    folder = tmp_path / "backups"
    folder.mkdir()
    (folder / "b.zip").write_text("the last one")

    def full(self: zipfile.ZipFile, *args: Any, **kwargs: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(zipfile.ZipFile, "writestr", full)
    with pytest.raises(BackupError, match="No space left on device. Free some space"):
        back_up(place, folder / "b.zip", overwrite=True)
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"b.zip": "the last one"}


def test_a_half_written_picture_and_strange_files_are_left_out(place: DataPlace, tmp_path: Path) -> None:
    (place.pictures / "ab").mkdir(exist_ok=True)
    (place.pictures / "ab" / "tmp123.part").write_bytes(b"half")
    (place.pictures / "ab" / "notes.png").write_bytes(b"mine")
    (place.pictures / "ab" / ("ab" + "0" * 62 + ".png")).symlink_to("/etc/hostname")
    made = back_up(place, tmp_path / "b.zip")
    assert made.pictures == 2
    check(place, made.file)


def test_pictures_that_are_referred_to_and_lacking_are_counted(place: DataPlace, tmp_path: Path) -> None:
    change(place.database.file, "INSERT INTO workflows_picture VALUES (?)", "f" * 64)
    assert back_up(place, tmp_path / "b.zip").missing == 1


def test_a_damaged_database_is_not_saved_as_a_backup(place: DataPlace, tmp_path: Path) -> None:
    """A backup that cannot be restored is worse than a message today."""
    change(place.database.file, "CREATE INDEX names ON workflows_workflow (name)")
    data = bytearray(place.database.file.read_bytes())
    data[-4096:] = b"\xff" * 4096
    place.database.file.write_bytes(bytes(data))
    with pytest.raises(BackupError, match=r"damaged|cannot be read"):
        back_up(place, tmp_path / "b.zip")
    assert not (tmp_path / "b.zip").exists()


def cut_off(file: Path, target: Path) -> Path:
    target.write_bytes(file.read_bytes()[:-200])
    return target


def flipped(file: Path, target: Path) -> Path:
    data = bytearray(file.read_bytes())
    with zipfile.ZipFile(file) as packed:
        offset = packed.getinfo("database.sqlite3").header_offset
    data[offset + 200] ^= 0xFF
    target.write_bytes(bytes(data))
    return target


def with_a_digest_of_its_own(file: Path, target: Path) -> Path:
    """A database that was changed by somebody who forgot the manifest."""
    with zipfile.ZipFile(file) as packed:
        data = packed.read("database.sqlite3")
    return rewritten(file, target, **{"database.sqlite3": data + b"\0" * 4096})


def with_a_foreign_database(file: Path, target: Path) -> Path:
    folder = target.parent / "foreign"
    folder.mkdir()
    change(folder / "database.sqlite3", "CREATE TABLE a (b)")
    data = (folder / "database.sqlite3").read_bytes()
    entries = manifest_of(file)["entries"]
    entries["database.sqlite3"] = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    return rewritten(file, target, manifest={"entries": entries}, **{"database.sqlite3": data})


def with_entry(name: str) -> Callable[[Path, Path], Path]:
    def change_it(file: Path, target: Path) -> Path:
        entries = manifest_of(file)["entries"]
        entries[name] = {"sha256": hashlib.sha256(b"x").hexdigest(), "size": 1}
        return rewritten(file, target, manifest={"entries": entries}, **{name: b"x"})

    return change_it


def with_manifest(**changed: Any) -> Callable[[Path, Path], Path]:
    return lambda file, target: rewritten(file, target, manifest=changed)


def of_another_kind(file: Path, target: Path) -> Path:
    entries = manifest_of(file)["entries"]
    entries["database.dump"] = entries.pop("database.sqlite3")
    with zipfile.ZipFile(file) as packed:
        dump = packed.read("database.sqlite3")
    return rewritten(file, target, manifest={"entries": entries}, **{"database.sqlite3": None, "database.dump": dump})


def without(name: str) -> Callable[[Path, Path], Path]:
    return lambda file, target: rewritten(file, target, **{name: None})


def twice(file: Path, target: Path) -> Path:
    shutil.copy(file, target)
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(target, "a") as packed:
        packed.writestr("database.sqlite3", b"another")
    return target


REFUSED: dict[str, tuple[Callable[[Path, Path], Path], str]] = {
    "cut off": (cut_off, "no backup that .* or it was cut off"),
    "a byte flipped": (flipped, "damaged or was changed"),
    "content changed": (with_a_digest_of_its_own, "“database.sqlite3” is not what was saved"),
    "foreign database": (with_a_foreign_database, "none of this product"),
    "up and out": (with_entry("../../etc/cron.d/x"), "does not belong in a backup"),
    "absolute": (with_entry("/etc/cron.d/x"), "does not belong in a backup"),
    "up from the pictures": (with_entry("pictures/../../x.png"), "does not belong in a backup"),
    "another picture folder": (with_entry("pictures/ab/" + "cd" * 32 + ".png"), "does not belong in a backup"),
    "spare": (with_entry(".env.local"), "does not belong in a backup"),
    "no manifest": (without("manifest.json"), "no backup that"),
    "no database": (without("database.sqlite3"), "holds no database"),
    "another kind of database": (of_another_kind, "a backup of PostgreSQL, DATABASE_URL names SQLite"),
    "two databases": (with_entry("database.dump"), "holds two databases"),
    "twice": (twice, "holds a file twice"),
    "format of tomorrow": (with_manifest(format_version=9, version="4.0"), "restore it with 4.0"),
    "another program's": (with_manifest(format="else"), "no backup that"),
    "manifest of nonsense": (with_manifest(entries=[]), "its manifest is not whole"),
    "key of nonsense": (with_manifest(key="perhaps"), "its manifest is not whole"),
    "a picture unnamed": (with_manifest(entries={}), "its manifest and its content differ"),
    "no zip": (lambda file, target: (target.write_text("hello"), target)[1], "no backup that"),
    "empty": (lambda file, target: (target.touch(), target)[1], "no backup that"),
    "not there": (lambda file, target: target, "There is no file"),
    "a folder": (lambda file, target: (target.mkdir(), target)[1], "cannot be read"),
}


@pytest.mark.security
@pytest.mark.parametrize(("spoil", "why"), REFUSED.values(), ids=REFUSED)
def test_what_is_not_whole_and_ours_is_refused_and_changes_nothing(
    place: DataPlace, saved: Path, tmp_path: Path, spoil: Callable[[Path, Path], Path], why: str
) -> None:
    """S5.8: checked whole before anything is written."""
    file = spoil(saved, tmp_path / "spoilt.zip")
    before = as_it_is(place.data)
    for attempt in (check, restore):
        with pytest.raises(BackupError, match=why):
            attempt(place, file)
    assert as_it_is(place.data) == before


def test_migrations_that_this_version_lacks_are_refused(place: DataPlace, tmp_path: Path) -> None:
    """S5.8: restore says when they do not fit, and what to do."""
    change(place.database.file, "INSERT INTO django_migrations (app, name) VALUES ('workflows', '0999_next_year')")
    file = back_up(place, tmp_path / "newer.zip").file
    with pytest.raises(BackupError, match=r"lacks: workflows\.0999_next_year\. Install that version or a later one"):
        restore(place, file)


def test_migrations_that_the_backup_lacks_are_told(place: DataPlace, tmp_path: Path) -> None:
    """S5.8: older data is taken, and `migrate` is to be run."""
    change(place.database.file, "DELETE FROM django_migrations WHERE app = 'analytics'")
    file = back_up(place, tmp_path / "older.zip").file
    done = restore(place, file)
    assert done.checked.pending
    assert {app for app, _name in done.checked.pending} == {"analytics"}


def test_a_manifest_that_lies_about_the_migrations_is_refused(place: DataPlace, saved: Path, tmp_path: Path) -> None:
    file = rewritten(saved, tmp_path / "lies.zip", manifest={"migrations": [["workflows", "0001_initial"]]})
    with pytest.raises(BackupError, match="other migrations than its manifest says"):
        restore(place, file)


def test_runs_that_were_live_are_stopped_and_not_taken_up_again(place: DataPlace, tmp_path: Path) -> None:
    """S9: what such a run did after the backup is not in it, so going on from there would do it twice."""
    runs = (("a", "running"), ("b", "queued"), ("c", "coaching"), ("d", "completed"))
    for pk, (execution_id, state) in enumerate(runs, start=1):
        change(
            place.database.file,
            "INSERT INTO execution_execution VALUES (?, ?, 'pause', NULL, NULL, '', ?)",
            execution_id,
            state,
            pk,
        )
        for phase in ("planned", "intent", "closed"):
            change(place.database.file, "INSERT INTO execution_step VALUES (?, ?, '', NULL, '', NULL)", pk, phase)
    change(place.database.file, "INSERT INTO execution_prompt VALUES ('open')")
    change(place.database.file, "INSERT INTO execution_robot VALUES ('desk:1', NULL)")
    done = restore(place, back_up(place, tmp_path / "b.zip").file)
    assert done.stopped == 3
    found = rows(
        place.database.file,
        "SELECT execution_id, state, wish, ended_at IS NOT NULL, error != '' FROM execution_execution",
    )
    assert found == [(name, "stopped", "", 1, 1) for name in "abc"] + [("d", "completed", "pause", 0, 0)]
    steps = rows(place.database.file, "SELECT DISTINCT phase, outcome, ended_at IS NOT NULL FROM execution_step")
    assert set(steps) == {
        ("closed", "interrupted", 1),
        ("closed", "failed", 1),
        ("closed", "", 0),  # those that were closed before
        ("planned", "", 0),  # of the run that was over
        ("intent", "", 0),
    }
    told = "SELECT execution_id, message FROM execution_step WHERE outcome = 'failed' ORDER BY 1"
    words = "The run ended before anyone could say whether this was done."
    assert rows(place.database.file, told) == [(pk, words) for pk in (1, 2, 3)]
    assert rows(place.database.file, "SELECT state FROM execution_prompt") == [("withdrawn",)]
    assert rows(place.database.file, "SELECT COUNT(*) FROM execution_robot WHERE stopped_at IS NULL") == [(0,)]


@pytest.mark.security
def test_nobody_comes_in_with_what_was_valid_when_the_backup_was_made(place: DataPlace, tmp_path: Path) -> None:
    """S10.1: who has left since, and what was revoked, stays out."""
    change(place.database.file, "INSERT INTO django_session VALUES ('old')")
    change(place.database.file, "INSERT INTO rpa_site_apitoken VALUES ('old')")
    restore(place, back_up(place, tmp_path / "b.zip").file)
    assert rows(place.database.file, "SELECT * FROM django_session") == []
    assert rows(place.database.file, "SELECT * FROM rpa_site_apitoken") == []


def test_it_is_refused_while_a_run_loop_works(place: DataPlace, saved: Path) -> None:
    """S5.8: known by the kernel lock of its desktop, which any death of it gives back."""
    before = as_it_is(place.data)
    with DesktopLock("desk :7", place.data / "locks", holder="run loop :7"):
        with pytest.raises(
            BackupError, match=r"A run loop \(run loop :7, pid \d+, since .*systemctl stop surehand.target"
        ):
            restore(place, saved)
        assert as_it_is(place.data) == before
        check(place, saved)
    assert restore(place, saved).aside is not None


SERVE = """
import sys, time
from pathlib import Path
from rpa_site.data_lock import share
share(Path(sys.argv[1]))
print("up", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def web_process(place: DataPlace) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, str(place.data)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        yield process
        process.kill()


def test_it_is_refused_while_a_web_process_runs_and_not_after_it_was_killed(
    place: DataPlace, saved: Path, web_process: subprocess.Popen[str]
) -> None:
    """S5.8"""
    second = data_lock.share(place.data)  # several may serve the same data
    assert second is not None
    os.close(second)
    with pytest.raises(BackupError, match="systemctl stop surehand.target"):
        restore(place, saved)
    web_process.kill()
    web_process.wait(WAIT_S)
    restore(place, saved)


def test_a_web_process_does_not_start_while_the_data_is_replaced(place: DataPlace) -> None:
    with data_lock.alone(place.data), pytest.raises(ImproperlyConfigured, match="Start again"):
        data_lock.share(place.data)


def test_it_is_refused_while_another_program_writes(place: DataPlace, saved: Path) -> None:
    with closing(sqlite3.connect(place.database.file, isolation_level=None)) as shell:
        shell.execute("BEGIN IMMEDIATE")
        before = place.database.file.read_bytes()
        with pytest.raises(BackupError, match="Another program has the database"):
            restore(place, saved)
        assert place.database.file.read_bytes() == before
    assert list(place.data.glob("before-restore-*")) == []


def test_it_mends_what_cannot_be_read_any_more(place: DataPlace, saved: Path) -> None:
    """S5.8: that is what a backup is for; the damaged file and its journal are kept, and spoil nothing."""
    place.database.file.write_bytes(b"this is no database" * 1000)
    journal = place.database.file.with_name(place.database.file.name + "-wal")
    journal.write_bytes(b"of a database that was")
    done = restore(place, saved)
    assert rows(place.database.file, "SELECT COUNT(*) FROM workflows_workflow") == [(2,)]
    assert not journal.exists()
    assert done.aside is not None
    assert (done.aside / place.database.file.name).read_bytes().startswith(b"this is no database")
    assert (done.aside / journal.name).exists()


def test_it_fills_an_empty_machine(saved: Path, tmp_path: Path) -> None:
    """S5.8: nothing was there, so nothing is kept aside; the database is for its owner alone."""
    data = tmp_path / "new" / "var"
    place = DataPlace(
        data=data, database=SqliteFile(data / "surehand.sqlite3"), pictures=data / "pictures", key=data / "vault.key"
    )
    assert restore(place, saved).aside is None
    assert rows(place.database.file, "SELECT COUNT(*) FROM workflows_workflow") == [(2,)]
    assert len(list(place.pictures.glob("??/*.png"))) == 2
    assert place.database.file.stat().st_mode & 0o777 == 0o600


def test_a_disk_that_is_too_small_is_told_before_anything_is_written(
    place: DataPlace, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(place.data)
    monkeypatch.setattr(restoring_module.shutil, "disk_usage", lambda _: usage._replace(free=1 << 20))
    with pytest.raises(BackupError, match="0 MB free, the backup takes"):
        restore(place, saved)


def test_a_disk_that_fails_in_the_middle_leaves_what_was_here(
    place: DataPlace, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S5.8: the swap is one move, and the last one."""
    before = as_it_is(place.data)

    def fails(*_: Any) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(restoring_module.os, "fsync", fails)
    with pytest.raises(BackupError, match="Input/output error. Nothing is lost"):
        restore(place, saved)
    assert as_it_is(place.data) == before


@pytest.mark.skipif(connection.vendor != "sqlite", reason="test_backups_postgresql.py has the commands there")
def test_the_commands_say_what_they_did(
    place: DataPlace, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S5.8: "backup" and "restore", as a person types them."""
    settings.DATA_DIR = place.data
    monkeypatch.setitem(connection.settings_dict, "NAME", str(place.database.file))
    out = StringIO()
    file = tmp_path / "b.zip"
    call_command("backup", str(file), stdout=out)
    call_command("restore", str(file), check=True, stdout=out)
    call_command("restore", str(file), stdout=out)
    said = out.getvalue()
    assert f"version {product_version()}, {len(known())} migrations, 2 pictures." in said
    assert f"vault.key is not in it: keep a copy of {place.key} elsewhere." in said
    assert "Its migrations are those of this version." in said
    assert "What was here is kept in " in said
    with pytest.raises(CommandError, match="--overwrite"):
        call_command("backup", str(file))
    place.key.unlink()
    call_command("restore", str(file), stdout=out)
    assert "passwords kept in the data cannot be read until it is there" in out.getvalue()


@pytest.mark.parametrize("command", ["backup", "restore"])
def test_another_database_is_left_to_its_own_programs(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """S5.8: said clearly, and without a password."""
    for name, value in {"ENGINE": "django.db.backends.mysql", "NAME": "surehand", "PASSWORD": "hush"}.items():
        monkeypatch.setitem(connection.settings_dict, name, value)
    with pytest.raises(CommandError, match="neither SQLite nor PostgreSQL: back it up with its own program") as told:
        call_command(command, "b.zip")
    assert "hush" not in str(told.value)


@pytest.mark.parametrize("act", ["back_up", "check", "restore"])
def test_what_a_killed_restore_left_goes_with_the_next(place: DataPlace, saved: Path, tmp_path: Path, act: str) -> None:
    left = place.data / ".restoring-abc"
    left.mkdir()
    left.with_name(".restoring-abc.lock").touch()
    (left / "database.sqlite3").write_bytes(b"patients")
    {"check": check, "restore": restore, "back_up": back_up}[act](
        place, tmp_path / "again.zip" if act == "back_up" else saved
    )
    assert not left.exists()
