"""deploy/previous-release.json names the release before the one that is being made: run loops may still run it.

`python tools/previous_release.py COMMIT`, once COMMIT is released. What comes after must be understood by it
(tests/test_compatible_migrations.py).
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "deploy" / "previous-release.json"


def previous() -> tuple[str, dict[str, str]]:
    """Its commit, and the last migration of each application."""
    told = json.loads(FILE.read_text())
    return told["commit"], told["migrations"]


def last_migrations(commit: str) -> dict[str, str]:
    """Of each application at that commit, from git's history; raises CalledProcessError where it is not there."""
    last = dict[str, str]()
    for path in sorted(map(PurePosixPath, git("ls-tree", "-r", "--name-only", commit).splitlines())):
        if path.parts[1:2] == ("migrations",) and path.suffix == ".py" and path.stem[:1].isdigit():
            last[path.parts[0]] = path.stem
    return last


def git(*arguments: str) -> str:
    return subprocess.run(("git", *arguments), cwd=ROOT, check=True, capture_output=True, text=True).stdout


def main() -> None:
    commit = git("rev-parse", f"{sys.argv[1]}^{{commit}}").strip()
    FILE.write_text(json.dumps({"commit": commit, "migrations": last_migrations(commit)}, indent=2) + "\n")


if __name__ == "__main__":
    main()
