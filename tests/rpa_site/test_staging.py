"""What a killed backup or restore leaves is removed by the next, and nothing that somebody works in."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from rpa_site import staging as module
from rpa_site.data_lock import share
from rpa_site.staging import ABANDONED_AFTER_S, BACKING_UP, RESTORING, remove_abandoned, staging

KILLED = """
import os, signal, sys
from pathlib import Path
from rpa_site.staging import staging
with staging(Path(sys.argv[1]), sys.argv[2], data=Path(sys.argv[3])) as folder:
    (folder / "database.sqlite3").write_bytes(b"patients")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def killed(parent: Path, prefix: str, data: Path) -> Path:
    """What a process left that was killed."""
    subprocess.run([sys.executable, "-c", KILLED, str(parent), prefix, str(data)], check=False)
    (folder,) = [path for path in parent.glob(f"{prefix}*") if path.is_dir()]
    assert (folder / "database.sqlite3").exists()
    return folder


@pytest.fixture(params=[RESTORING, BACKING_UP])
def left(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return killed(tmp_path, request.param, tmp_path)


def test_what_a_killed_process_left_is_removed(left: Path) -> None:
    remove_abandoned(left.parent, data=left.parent)
    assert list(left.parent.iterdir()) == []


def test_a_folder_that_somebody_works_in_stays(tmp_path: Path) -> None:
    with staging(tmp_path, RESTORING, data=tmp_path) as folder:
        remove_abandoned(tmp_path, data=tmp_path)
        assert folder.exists()
    assert list(tmp_path.iterdir()) == []


def test_it_is_somebody_s_from_its_first_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever starts just then finds the folder, and that it is worked in."""
    make = os.mkdir

    def made(path: Any, *args: Any, **kwargs: Any) -> None:
        make(path, *args, **kwargs)
        remove_abandoned(tmp_path, data=tmp_path)

    monkeypatch.setattr(os, "mkdir", made)
    with staging(tmp_path, BACKING_UP, data=tmp_path) as folder:
        assert folder.exists()


def test_where_there_are_no_locks_all_stays_and_all_is_done(
    left: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(file: int) -> bool:
        raise OSError(errno.ENOLCK, "no locks here")

    monkeypatch.setattr(module, "lock_file", refused)
    with staging(tmp_path, BACKING_UP, data=tmp_path) as folder:
        remove_abandoned(tmp_path, data=tmp_path)
        assert folder.exists()
    assert left.exists()
    assert not folder.exists()


def test_in_a_folder_of_many_only_ones_own_goes_and_that_after_a_day(tmp_path: Path) -> None:
    """Of two machines with one share neither may see what the other has locked."""
    ours, theirs, shared = (tmp_path / name for name in ("ours", "theirs", "shared"))
    for folder in (ours, theirs, shared):
        folder.mkdir()
    left = killed(shared, BACKING_UP, ours)
    long_ago = time.time() - ABANDONED_AFTER_S - 60
    remove_abandoned(shared, data=ours)
    assert left.exists(), "it is not a day old"
    for path in shared.iterdir():
        os.utime(path, (long_ago, long_ago))
    remove_abandoned(shared, data=theirs)
    assert left.exists(), "it is not theirs"
    remove_abandoned(shared, data=ours)
    assert list(shared.iterdir()) == []


def test_a_process_that_starts_removes_it(left: Path) -> None:
    file = share(left.parent)
    assert not left.exists()
    if file is not None:
        os.close(file)
