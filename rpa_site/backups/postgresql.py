"""PostgreSQL: what its own `pg_dump` writes, looked at with `pg_restore`, and put into an empty database in one go.

Where the server is, and the password, these programs get by their environment: a command line is read by everybody.
psycopg is imported where it is used: it is there only where PostgreSQL is.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from django.db import connection as settings_connection
from django.utils.translation import gettext as _

from rpa_site.backups.archive import POSTGRESQL_COPY
from rpa_site.backups.at_rest import end_sessions, stop_live_runs
from rpa_site.backups.place import BackupError, DataPlace
from rpa_site.migration_names import MigrationName

if TYPE_CHECKING:
    import psycopg

WAIT_S = 10  # for an answer of the server
LOCKED_S = 60  # for a table that a migration holds
# Whatever is written while a backup is put back is its own; until its runs are stopped nobody else may write.
READ_ONLY = "default_transaction_read_only"
OURS = "SELECT tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
TAKEN = """
SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
  AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
ORDER BY 1 LIMIT 1
"""
OTHERS = """
SELECT pid, application_name FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND usesysid IS NOT NULL ORDER BY pid LIMIT 1
"""
RESTORING = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'pg_restore'"


@dataclass(frozen=True, slots=True)
class PostgreSQL:
    """`parameters` are libpq's. A copy of it is what `pg_dump --format=custom` writes.

    A database that holds something is never replaced: it stays under its name, whoever wants it.
    """

    parameters: Mapping[str, str] = field(repr=False)  # with the password

    entry = POSTGRESQL_COPY
    replaced = False

    @classmethod
    def of_settings(cls) -> Self:
        given = settings_connection.get_connection_params()
        return cls({name: str(value) for name, value in given.items() if name in environment()})

    @property
    def name(self) -> str:
        return self.parameters.get("dbname", "")

    def snapshot(self, target: Path) -> None:
        self._check_program()
        told = ["--format=custom", "--no-owner", "--no-privileges", "--no-comments"]
        self._run("pg_dump", *told, f"--lock-wait-timeout={LOCKED_S}s", f"--file={target}")
        self.check(target)

    def check(self, copy: Path) -> None:
        self._run("pg_restore", f"--file={os.devnull}", str(copy))

    def applied_migrations(self, copy: Path) -> tuple[MigrationName, ...]:
        tables = set(re.findall(r"^\d+; \d+ \d+ TABLE \S+ (\S+) ", self._list(copy), re.MULTILINE))
        if not {"django_migrations", "execution_execution", "workflows_workflow"} <= tables:
            raise BackupError(_("The database %(file)s is none of this product.") % {"file": copy})
        rows = self._rows(copy, "django_migrations", "id", "app", "name")
        return tuple((app, name) for _id, app, name in sorted(rows, key=lambda row: int(row[0])))

    def picture_names(self, copy: Path) -> frozenset[str]:
        return frozenset(digest for (digest,) in self._rows(copy, "workflows_picture", "digest"))

    def obstacle(self, copy: Path) -> str:
        dumped_from = re.search(r"^;\s+Dumped from database version: (\d+)", self._list(copy), re.MULTILINE)
        with self._connected() as session:
            ours = session.info.server_version // 10000
            if dumped_from and int(dumped_from[1]) > ours:
                return _(
                    "The backup was made on PostgreSQL %(theirs)s, the server here is %(ours)d: restore it on a server "
                    "that is as new."
                ) % {"theirs": dumped_from[1], "ours": ours}
            if taken := session.execute(TAKEN).fetchone():
                return _(
                    "The database “%(name)s” is not empty (%(table)s): a backup is put into an empty one. Make one "
                    "(`createdb NEW`), name it in DATABASE_URL, do not migrate it, then run this again. What is in "
                    "“%(name)s” stays as it is."
                ) % {"name": self.name, "table": taken[0]}
        return ""

    def files(self) -> Sequence[Path]:
        return []

    def put(self, copy: Path, *, why: str, place: DataPlace) -> int:
        from psycopg.conninfo import make_conninfo

        with self._for_us_alone():
            self._run(
                "pg_restore",
                *("--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges"),
                f"--dbname={make_conninfo(dbname=self.name)}",
                str(copy),
            )
            with self._connected() as session, session.transaction():

                def execute(sql: str, values: Sequence[Any]) -> int:
                    return session.execute(sql.encode(), values).rowcount

                stopped = stop_live_runs(execute, why=why, now=datetime.now(UTC))
                end_sessions(execute, [table for (table,) in session.execute(OURS)])
                self._open_to_others(session)
        return stopped

    @contextmanager
    def _for_us_alone(self) -> Iterator[None]:
        """Others can write nothing, on whatever machine they are, until they are let in or the block fails.

        After a kill it stays so: a run loop must not take up what was not stopped.
        """
        with self._connected() as session:
            self._alter(session, f"SET {READ_ONLY} = on")
        try:
            with self._connected() as session:  # one that was here before may write
                if other := session.execute(OTHERS).fetchone():
                    raise BackupError(
                        _(
                            "Another program is connected to the database “%(name)s” (process %(pid)d of the "
                            "server%(who)s): end it, then run this again."
                        )
                        % {"name": self.name, "pid": other[0], "who": f", {other[1]}" if other[1] else ""}
                    )
            yield
        except BaseException as error:  # Ctrl-C as well
            with self._connected() as session:
                # A program that was ended may have its last word on the way.
                if not any(session.execute(there).fetchone() for there in (RESTORING, TAKEN)):
                    self._open_to_others(session)
                    raise
            raise BackupError(
                _(
                    "The backup was put into the database “%(name)s”, but the runs in it may not be stopped: nobody "
                    "can write to it. Drop it, make it anew, then run this again."
                )
                % {"name": self.name}
            ) from error

    def _open_to_others(self, session: psycopg.Connection[Any]) -> None:
        self._alter(session, f"RESET {READ_ONLY}")

    def _alter(self, session: psycopg.Connection[Any], what: str) -> None:
        from psycopg.sql import SQL, Identifier

        session.execute(SQL("ALTER DATABASE {} ").format(Identifier(self.name)) + SQL(what))  # type: ignore[arg-type]

    def _list(self, copy: Path) -> str:
        return self._run("pg_restore", "--list", str(copy))

    def _rows(self, copy: Path, table: str, *columns: str) -> list[tuple[str, ...]]:
        """These columns of a table, as the copy has them; the server is not asked."""
        lines = iter(self._run("pg_restore", "--data-only", f"--table={table}", "--file=-", str(copy)).splitlines())
        named = next((found[1] for line in lines if (found := re.match(r"COPY \S+ \((.+)\) FROM stdin;", line))), "")
        there = [name.strip('" ') for name in named.split(",")]
        if not set(columns) <= set(there):
            raise BackupError(_("The database %(file)s is none of this product.") % {"file": copy})
        at = [there.index(name) for name in columns]
        rows = []
        for line in lines:
            if line == "\\.":
                break
            values = line.split("\t")
            rows.append(tuple(values[n] for n in at))
        return rows

    @contextmanager
    def _connected(self) -> Iterator[psycopg.Connection[Any]]:
        """Each statement for itself, and allowed to write where others are not."""
        import psycopg

        told = {"connect_timeout": str(WAIT_S), **self.parameters, "options": self._options()}
        try:
            with psycopg.connect(**told, autocommit=True) as session:  # type: ignore[arg-type]
                yield session
        except psycopg.Error as error:
            raise BackupError(
                _("The database “%(name)s” cannot be read or written: %(error)s.")
                % {"name": self.name, "error": _in_a_line(str(error))}
            ) from error

    def _options(self) -> str:
        return f"{self.parameters.get('options', '')} -c {READ_ONLY}=off".strip()

    def _check_program(self) -> None:
        """pg_dump refuses a server that is newer than itself; this says what to do."""
        said = self._run("pg_dump", "--version")
        found = re.search(r"\d+", said)
        with self._connected() as session:
            server = session.info.server_version // 10000
        if found is None or int(found[0]) < server:
            raise BackupError(
                _(
                    "pg_dump here is “%(said)s”, the server is PostgreSQL %(server)d: install its client "
                    "(`apt-get install postgresql-client-%(server)d`)."
                )
                % {"said": said.strip()[:60], "server": server}
            )

    def _run(self, program: str, *options: str) -> str:
        path = shutil.which(program)
        if path is None:
            raise BackupError(
                _("There is no %(program)s here: install PostgreSQL's client (`apt-get install postgresql-client`).")
                % {"program": program}
            )
        told = {environment()[name]: value for name, value in self.parameters.items()}
        told |= {"PGOPTIONS": self._options(), "LC_ALL": "C.UTF-8"}
        env = {"PGCONNECT_TIMEOUT": str(WAIT_S), **os.environ, **told}
        done = subprocess.run(
            [path, *options], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise BackupError(
                _("%(program)s failed: %(error)s") % {"program": program, "error": _in_a_line(done.stderr) or "?"}
            )
        return done.stdout


@cache
def environment() -> dict[str, str]:
    """The names of libpq's parameters in the environment of a program."""
    from psycopg.pq import Conninfo

    return {one.keyword.decode(): one.envvar.decode() for one in Conninfo.get_defaults() if one.envvar is not None}


def _in_a_line(said: str) -> str:
    """The first error alone: what follows it may tell of rows."""
    lines = [line.strip()[:300] for line in said.splitlines() if line.strip()]
    return next((line for line in lines if "error:" in line), lines[0] if lines else "")
