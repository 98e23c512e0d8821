"""A user's program on a real desktop, with the product's own pipeline."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from execution.desktop import backdrop
from tests.front.conftest import run_in
from tests.support.display import missing_programs, virtual_desktop

pytestmark = [
    pytest.mark.display,
    pytest.mark.timeout(400),
    pytest.mark.skipif(bool(missing_programs("mousepad", "xdotool")), reason="needs Xvfb, openbox, Mousepad, xdotool"),
]


def test_the_demo_is_done_twice_in_a_row_with_its_default_values(installation: Path, tmp_path: Path) -> None:
    """S1.19, S11.2, S11.5: two notes of two names, and nothing asked."""
    with virtual_desktop(1280, 800) as screen:
        backdrop.paint(screen.display)
        told = run_in(
            installation,
            "notes.py",
            timeout=350,
            DOCUMENTS=str(tmp_path),
            **{name: value for name, value in screen.env.items() if os.environ.get(name) != value},
        )
    assert [run["state"] for run in told["runs"]] == ["completed", "completed"], told
    names = [run["filename"] for run in told["runs"]]
    assert names[0] != names[1]
    assert told["files"] == sorted(names)
    for name in names:
        note = (tmp_path / name).read_text().split()
        assert note == ["Marie", "Lefèvre", "2026-11-21", "marie.lefevre@hopital.example"]
    for run in told["runs"]:
        assert run["shots"] and not run["errors"]
        assert sum(run["rungs"].values()) >= 7
        assert run["capture"]["total_captures"] > 0
