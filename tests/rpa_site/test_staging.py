"""What a killed backup or restore leaves is removed by the next, and nothing that somebody works in."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rpa_site.data_lock import share
from rpa_site.staging import BACKING_UP, RESTORING, remove_abandoned, staging

KILLED = """
import os, signal, sys
from pathlib import Path
from rpa_site.staging import staging
with staging(Path(sys.argv[1]), sys.argv[2]) as folder:
    (folder / "database.sqlite3").write_bytes(b"patients")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(params=[RESTORING, BACKING_UP])
def left(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """What a process left that was killed."""
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), request.param], check=False)
    (folder,) = tmp_path.glob(f"{request.param}*")
    assert (folder / "database.sqlite3").exists()
    return folder


def test_what_a_killed_process_left_is_removed(left: Path) -> None:
    remove_abandoned(left.parent)
    assert not left.exists()


def test_a_folder_that_somebody_works_in_stays(tmp_path: Path) -> None:
    with staging(tmp_path, RESTORING) as folder:
        remove_abandoned(tmp_path)
        assert folder.exists()
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_starts_removes_it(left: Path) -> None:
    file = share(left.parent)
    assert not left.exists()
    if file is not None:
        os.close(file)
