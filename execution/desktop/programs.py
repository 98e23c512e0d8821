"""The programs that a machine offers its users, by the names that their commands have: what a robot says it has.

Found where the desktops themselves find them: entries of the menu on Linux, of the start menu on Windows, bundles on
macOS. A program that is in none of them is said by a tag.
"""

from __future__ import annotations

import configparser
import os
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

MOST = 500
_ENTRY = "Desktop Entry"


def found(platform: str = sys.platform) -> list[str]:
    """Their names, sorted, at most MOST; what cannot be read is not there."""
    if platform == "win32":
        names = _start_menu(Path(os.environ.get("PROGRAMDATA", "C:/ProgramData")))
    elif platform == "darwin":
        names = (bundle.stem for bundle in Path("/Applications").glob("*.app"))
    else:
        names = of_menu(data_folders())
    return sorted(set(names))[:MOST]


def data_folders() -> list[Path]:
    """Where menu entries lie, as freedesktop.org's Base Directory Specification has it."""
    own = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local/share")
    shared = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    return [Path(folder) / "applications" for folder in (own, *shared.split(":")) if folder]


def of_menu(folders: Iterable[Path]) -> Iterator[str]:
    """The commands of the entries that a menu shows and whose program is on this machine."""
    for folder in folders:
        for path in folder.glob("**/*.desktop"):
            if command := _command(path):
                yield Path(command).name


def _command(path: Path) -> str:
    entry = configparser.RawConfigParser(strict=False)
    try:
        entry.read(path, encoding="utf-8")
        section = entry[_ENTRY]
        words = shlex.split(section.get("TryExec") or section.get("Exec") or "")
    except (OSError, ValueError, KeyError, configparser.Error):  # somebody's own, written by hand
        return ""
    hidden = "true" in (section.get("NoDisplay"), section.get("Hidden"))
    if hidden or section.get("Type") != "Application" or not words:
        return ""
    return words[0] if shutil.which(words[0]) else ""


def _start_menu(data: Path) -> Iterator[str]:
    for link in (data / "Microsoft/Windows/Start Menu/Programs").glob("**/*.lnk"):
        yield link.stem
