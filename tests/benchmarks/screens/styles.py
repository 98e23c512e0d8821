"""The style sheets and icons that the pages wear: which packages, which versions, and where they lie once fetched."""

from __future__ import annotations

import functools
import json
import re
import subprocess
from pathlib import Path

from tests.benchmarks.screens.corpus import ROOT

PACKAGES = {
    "bootstrap": "5.3.8",
    "bulma": "1.0.4",
    "@picocss/pico": "2.1.1",
    "spectre.css": "0.5.9",
    "water.css": "2.1.1",
    "semantic-ui-css": "2.5.0",
    "bootstrap-icons": "1.13.2",
}
FONTS = ("DejaVu Sans", "Liberation Sans", "Noto Sans", "Roboto", "Open Sans", "Lato")
FOLDER = ROOT / "build" / "bench" / "npm"
_MODULES = FOLDER / "node_modules"


def fetched() -> bool:
    """Whether every package lies there in the version named above."""
    return not _missing()


def fetch() -> None:
    """Install what is missing into build/bench/npm; raises RuntimeError with npm's words where that fails."""
    wanted = _missing()
    if not wanted:
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "package.json").write_text(json.dumps({"private": True, "dependencies": PACKAGES}))
    done = subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"],
        cwd=FOLDER, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"npm could not fetch {', '.join(wanted)}: {done.stderr.strip() or done.stdout.strip()}")


def check_fonts() -> None:
    """Raises RuntimeError that names the missing families: other fonts would make other pictures."""
    listed = subprocess.run(["fc-list", ":", "family"], capture_output=True, text=True, check=True).stdout
    there = {name.strip() for line in listed.splitlines() for name in line.split(",")}
    missing = [font for font in FONTS if font not in there]
    if missing:
        raise RuntimeError(f"fonts missing: {', '.join(missing)}; type: tools/setup.sh bench")


@functools.cache
def sheet(path: str) -> str:
    """The text of one style sheet without what it would load from elsewhere."""
    return re.sub(r"@import[^;]+;", "", (_MODULES / path).read_text())


@functools.cache
def icon(name: str) -> str:
    """An inline SVG of bootstrap-icons."""
    svg = (_MODULES / "bootstrap-icons" / "icons" / f"{name}.svg").read_text()
    return " ".join(svg.split()).replace('width="16" height="16"', "").replace("<svg ", '<svg aria-hidden="true" ', 1)


def _missing() -> list[str]:
    return [f"{name}@{version}" for name, version in PACKAGES.items() if _installed(name) != version]


def _installed(name: str) -> str | None:
    file = Path(_MODULES, name, "package.json")
    return str(json.loads(file.read_text())["version"]) if file.is_file() else None
