"""A user's program on a real desktop, with the product's own pipeline."""

from __future__ import annotations

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


SESSION = ("XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "HOME", "XDG_CONFIG_HOME")


def test_the_demo_is_done_twice_in_a_row_with_its_default_values(installation: Path, tmp_path: Path) -> None:
    """S1.19, S11.2, S11.5: two notes of two names, and nothing asked."""
    with virtual_desktop(1280, 800) as screen:
        backdrop.paint(screen.display)
        told = run_in(
            installation,
            "notes.py",
            timeout=350,
            DISPLAY=screen.display,
            DOCUMENTS=str(tmp_path),
            **{name: screen.env[name] for name in SESSION},
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
