"""The style sheets and icons that the pages wear: which packages, which versions, and where they lie once fetched."""

from __future__ import annotations

import functools
import json
import re
import subprocess
from pathlib import Path

from benchmarks.screens.corpus import ROOT
from tools.eye.names import name_of

PACKAGES = {
    "bootstrap": "5.3.8",
    "bulma": "1.0.4",
    "@picocss/pico": "2.1.1",
    "spectre.css": "0.5.9",
    "water.css": "2.1.1",
    "semantic-ui-css": "2.5.0",
    "milligram": "1.4.1",
    "sakura.css": "1.5.1",
    "mvp.css": "1.18.0",
    "@exampledev/new.css": "1.1.3",
    "holiday.css": "0.11.6",
    "simpledotcss": "2.3.7",
    "chota": "0.9.2",
    "uikit": "3.25.29",
    "98.css": "0.1.21",
    "xp.css": "0.3.0",
    "7.css": "0.21.1",
    "bootstrap-icons": "1.13.2",
    "heroicons": "2.2.0",
    "@carbon/icons": "11.89.0",
    "@ant-design/icons-svg": "4.6.0",
    "line-awesome": "1.3.0",
    "@tabler/icons": "3.51.0",
}
# Icon sets: the folder of each within node_modules.
ICON_SETS = {
    "bootstrap": "bootstrap-icons/icons",
    "heroicons": "heroicons/24/outline",
    "carbon": "@carbon/icons/svg/32",
    "ant": "@ant-design/icons-svg/inline-svg/outlined",
    "line-awesome": "line-awesome/svg",
    "tabler": "@tabler/icons/icons/outline",
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


def icon(name: str, among: str = "bootstrap") -> str:
    """An inline SVG: what bootstrap-icons calls so, drawn by that icon set, or by bootstrap-icons where it has none."""
    file = _drawings(among).get(name_of(name)) or _MODULES / ICON_SETS["bootstrap"] / f"{name}.svg"
    return _inline(file, name)


def dressed(html: str, among: str) -> str:
    """The page with its icons drawn by another set."""
    return _ICON.sub(lambda found: icon(found[1], among), html) if among != "bootstrap" else html


_ICON = re.compile(r'<svg data-icon="([a-z0-9-]+)".*?</svg>', re.DOTALL)


@functools.cache
def _drawings(among: str) -> dict[str, Path]:
    """The shortest name that says the same wins: "trash" before "trash-alt"."""
    files = sorted(
        (_MODULES / ICON_SETS[among]).glob("*.svg"), key=lambda file: (len(file.stem), file.stem), reverse=True
    )
    return {name_of(file.stem): file for file in files}


@functools.cache
def _inline(file: Path, name: str) -> str:
    svg = re.sub(r"<\?xml.*?\?>|<!--.*?-->", "", file.read_text(), flags=re.DOTALL)
    head, rest = " ".join(svg.split()).split(">", 1)
    head = re.sub(r' (?:width|height|class)="[^"]*"', "", head)
    if not re.search(r' (?:fill|stroke)="', head):
        head += ' fill="currentColor"'
    return head.replace("<svg ", f'<svg data-icon="{name}" aria-hidden="true" ', 1) + ">" + rest


def _missing() -> list[str]:
    return [f"{name}@{version}" for name, version in PACKAGES.items() if _installed(name) != version]


def _installed(name: str) -> str | None:
    file = Path(_MODULES, name, "package.json")
    return str(json.loads(file.read_text())["version"]) if file.is_file() else None
