"""A user's programs are run as they stand: processes of their own, with an installation's data of their own."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.installations import put_installation
from tests.support.processes import finished

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).parent / "programs"


def environment(data: Path) -> dict[str, str]:
    return {
        **{key: value for key, value in os.environ.items() if key not in ("DISPLAY", "DJANGO_SETTINGS_MODULE")},
        "RPA_DATA_DIR": str(data),
        "RPA_ENV_FILE": os.devnull,
        "PYTHONPATH": str(ROOT),
    }


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of an installation without a display, the demo in it. The module's own: a run that is left on a desktop
    stops who comes to a desktop of that name."""
    data = tmp_path_factory.mktemp("installation") / "data"
    put_installation(data)
    return data


def run_in(data: Path, name: str, *arguments: str, timeout: float = 150, **env: str) -> Any:
    """Run one of the programs to its end; what it printed last, as JSON."""
    program = [sys.executable, str(PROGRAMS / name), *arguments]
    done = finished(program, cwd=PROGRAMS, env={**environment(data), **env}, timeout=timeout)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr[-6000:]}"
    return json.loads(done.stdout.splitlines()[-1])
