"""The checksum of a file as it was fetched, kept beside it for looking at it later without a network."""

from __future__ import annotations

from pathlib import Path

from execution.perception.weights import Damaged, checksum


def keep_checksum(path: Path) -> None:
    """Keep the checksum of what was just checked, in the form of sha256sum, for `--verify` without a network."""
    kept(path).write_text(f"{checksum(path, 'sha256')}  {path.name}\n")


def check_kept(path: Path) -> None:
    """Raises Damaged where a checksum was kept and the file no longer has it."""
    if kept(path).is_file():
        expected = (kept(path).read_text().split() or [""])[0]
        if checksum(path, "sha256") != expected:
            raise Damaged("is not what was fetched: its checksum has changed")


def kept(path: Path) -> Path:
    return path.with_name(path.name + ".sha256")
