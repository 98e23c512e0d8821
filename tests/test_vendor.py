"""The front end's libraries are what vendor.txt says, and no page loads anything from elsewhere (S8.5, S10.6)."""

from __future__ import annotations

import hashlib
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WHOLE = ROOT / "tools" / "vendor" / "tabler.min.css"  # served is what tools/cut_css.py leaves of it
VENDOR = ROOT / "rpa_site" / "static" / "rpa_site" / "vendor"
ROWS = [line.split() for line in (VENDOR / "vendor.txt").read_text().splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[3])
def test_a_vendored_file_is_the_one_that_was_taken(row: list[str]) -> None:
    package, _version, licence, name, digest = row
    path = WHOLE if name == WHOLE.name else VENDOR / name
    assert hashlib.sha256(path.read_bytes()).hexdigest() == digest
    assert licence == "MIT"
    assert package


def test_every_vendored_file_is_listed() -> None:
    files = {p.name for p in VENDOR.iterdir() if p.is_file()} - {"vendor.txt"}
    assert files == {row[3] for row in ROWS}


@pytest.mark.security
def test_nothing_is_loaded_from_another_host() -> None:
    loads = re.compile(
        r"""(?:src|href|action)=["']https?://|@import\s+["']?https?:|url\(["']?https?:|import\s.*["']https?:"""
    )
    files = [p for d in ("templates", "rpa_site", "execution", "workflows") for p in (ROOT / d).rglob("*")]
    pages = [p for p in files if p.suffix in (".html", ".css", ".js")]
    assert len(pages) > 20
    assert [str(p.relative_to(ROOT)) for p in pages if loads.search(p.read_text())] == []


def test_the_style_sheet_that_is_served_has_all_that_pages_use() -> None:
    """Where a template or script uses more of it: tools/cut_css.py."""
    command = [sys.executable, str(ROOT / "tools" / "cut_css.py"), "--check"]
    assert subprocess.run(command, check=False, timeout=60).returncode == 0, "run tools/cut_css.py"


def test_a_class_that_a_page_begins_to_use_comes_into_the_sheet() -> None:
    cut = runpy.run_path(str(ROOT / "tools" / "cut_css.py"))["cut"]
    sheet = """
    @charset "UTF-8";
    :root{--used:1px;--of-used:var(--used);--unused:2px}
    .btn,.btn-ghost{color:var(--of-used)}
    @media (width>1px){.btn{--unused:3px;top:0}.ghost{top:1px}}
    @media print{.ghost{top:1px}}
    [data-x] .btn:not(.other){animation:turn 1s}
    [data-y] .btn{top:1px}
    @keyframes turn{to{top:1px}}
    @keyframes other{to{top:1px}}
    """
    assert cut(sheet, ['<a class="btn" data-x>']) == (
        '@charset "UTF-8";:root{--used:1px;--of-used:var(--used)}.btn{color:var(--of-used)}'
        "@media (width>1px){.btn{top:0}}[data-x] .btn:not(.other){animation:turn 1s}@keyframes turn{to{top:1px}}\n"
    )
    assert ".btn,.btn-ghost{" in cut(sheet, ['<a class="btn btn-ghost">'])
