"""Guards of the repository itself: what must not be tracked, what the web process must not load, one direction."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HEAVY = (
    "torch",
    "torchvision",
    "easyocr",
    "open_clip",
    "pyautogui",
    "mss",
    "openvino",
    "rapidocr",
    "onnxruntime",
    "Xlib",
)
LOAD_EVERYTHING = """
import sys
import django
django.setup()
import rpa_site.asgi, rpa_site.urls
from django.urls import get_resolver
get_resolver().url_patterns
from django.core.management import call_command
call_command("check")
print(" ".join(name for name in %r if name in sys.modules))
"""


def tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name]


@pytest.mark.slow
def test_the_web_process_loads_nothing_heavy() -> None:
    """D4: it starts in a second and without a display."""
    done = subprocess.run(
        [sys.executable, "-c", LOAD_EVERYTHING % (HEAVY,)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].split() == []


@pytest.mark.security
def test_run_time_data_and_secrets_are_not_tracked() -> None:
    """S5.8"""
    private = re.compile(
        r"(^|/)(\.env(\.local)?|secret_key|vault\.key|.*\.sqlite3.*|surehand-[\d-]+\.zip)$"
        r"|^var/|^build/|(^|/)(pictures/[0-9a-f]{2}|before-restore-[\d-]+)/"
    )
    assert [name for name in tracked() if private.search(name)] == []


def test_tracked_files_name_no_path_of_a_machine() -> None:
    own = re.compile(rb"/(root|home/[a-z]+|work)/[A-Za-z0-9_.-]+/")
    text = (".py", ".md", ".html", ".js", ".css", ".toml", ".txt", ".sh", ".service", "Makefile")
    found = [
        name
        for name in tracked()
        if name.endswith(text) and "/vendor/" not in name and own.search((ROOT / name).read_bytes())
    ]
    assert found == []


def test_whatever_is_caught_has_its_reason() -> None:
    """Broad `except` stands at the edges of processes, threads and other people's code, and says which edge it is."""
    product = [name for name in tracked() if re.match(r"(analytics|execution|rpa_site|workflows)/.*\.py$", name)]
    assert len(product) > 200
    bare = re.compile(r"except (\(.*)?(Base)?Exception\b[^#]*$")
    lines = [(name, line) for name in product for line in (ROOT / name).read_text().splitlines()]
    assert [f"{name}: {line.strip()}" for name, line in lines if bare.search(line)] == []


def test_every_command_has_a_test_that_names_it() -> None:
    commands = [p.stem for app in ROOT.glob("*/management/commands") for p in app.glob("[a-z]*.py")]
    assert commands
    tests = "\n".join(p.read_text() for p in (ROOT / "tests").rglob("*.py"))
    assert [name for name in commands if f'"{name}"' not in tests] == []
