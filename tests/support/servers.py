"""Servers of the distribution, private to a test, which is skipped, in words, where one is not installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tools import postgres, redis_server
from tools.redis_server import RedisServer

MANY = "tools/setup.sh all installs it"


@contextmanager
def redis() -> Iterator[RedisServer]:
    if shutil.which(redis_server.PROGRAM) is None or find_spec("redis") is None:
        pytest.skip(f"no redis-server here, or not its client: {MANY}")
    with redis_server.server() as server:
        yield server


@contextmanager
def postgresql() -> Iterator[str]:
    """Its address, as DATABASE_URL takes it. What was committed outlasts the server's own crash."""
    if not any(postgres.BIN.glob("*/bin/initdb")) or find_spec("psycopg") is None:
        pytest.skip(f"no PostgreSQL here, or not its client: {MANY}")
    import psycopg

    with postgres.server() as url:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("ALTER DATABASE surehand SET synchronous_commit = on")
        yield url


def pid_of_postgresql(url: str) -> int:
    return int((_folder_of(url) / "data" / "postmaster.pid").read_text().split()[0])


def restart_postgresql(url: str, *, mode: str = "fast") -> None:
    """As an upgrade does: all connections break, then it is back. `immediate` is a crash: it recovers from its log."""
    folder = _folder_of(url)
    command = [postgres.programs() / "pg_ctl", "-D", folder / "data", "-l", folder / "log", "-m", mode, "-w", "restart"]
    owner = postgres.OWNER if os.geteuid() == 0 else None
    subprocess.run(command, user=owner, cwd=folder, stdout=subprocess.DEVNULL, check=True)


def _folder_of(url: str) -> Path:
    return Path(parse_qs(urlsplit(url).query)["host"][0])
