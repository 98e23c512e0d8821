"""A user's programs are run as they stand: processes of their own, with an installation's data of their own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.migrated import put_database

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).parent / "programs"


def environment(data: Path) -> dict[str, str]:
    return {
        **{key: value for key, value in os.environ.items() if key not in ("DISPLAY", "DJANGO_SETTINGS_MODULE")},
        "RPA_DATA_DIR": str(data),
        "RPA_ENV_FILE": os.devnull,
        "PYTHONPATH": str(ROOT),
    }


@pytest.fixture(scope="session")
def new_installation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of an installation without a display, its database made and the demo in it; to be copied."""
    data = tmp_path_factory.mktemp("installation")
    put_database(data)
    for command in (["migrate", "-v0"], ["load_demo"]):
        done = subprocess.run(
            [sys.executable, "manage.py", *command], cwd=ROOT, env=environment(data), capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
    return data


@pytest.fixture(scope="module")
def installation(new_installation: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One of the module's own: a run that is left on a desktop stops who comes to a desktop of that name."""
    return shutil.copytree(new_installation, tmp_path_factory.mktemp("of_module") / "data")


def run_in(data: Path, name: str, *arguments: str, timeout: float = 150, **env: str) -> Any:
    """Run one of the programs to its end; what it printed last, as JSON."""
    done = subprocess.run(
        [sys.executable, str(PROGRAMS / name), *arguments],
        cwd=PROGRAMS,
        env={**environment(data), **env},
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr[-6000:]}"
    return json.loads(done.stdout.splitlines()[-1])
