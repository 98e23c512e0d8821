"""Each benchmark begins: one that only its reader runs, now and then, breaks unseen."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import BENCHMARKS, ROOT

BEGUN_S = 10.0
PARTS = sorted({part for one in BENCHMARKS.values() for part in one.parts})

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("part", PARTS)
def test_it_begins(part: str, tmp_path: Path) -> None:
    """What it prints in its first seconds is no failure; one without its pictures says how to make them, and ends."""
    if part == "mutation":
        pytest.importorskip("cosmic_ray", reason="tools/setup.sh mutation installs it")
    module, *fixed = part.split()
    said = tmp_path / "said"
    with said.open("wb") as out:
        command = [sys.executable, "-m", f"benchmarks.{module}", *fixed]
        process = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            process.wait(BEGUN_S)
        except subprocess.TimeoutExpired:
            assert "Traceback" not in said.read_text()
            return
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)  # as by a person: what it began it ends
                process.wait(120)
    assert "Traceback" not in said.read_text()
    assert process.returncode == 0 or said.read_text().strip()
