"""A watched folder: a file in `in/<list>/` is left until it stands still and opens, then moved to `done/` or `refused/`
with a report beside it (S12.3, S12.14)."""

from __future__ import annotations

import hashlib
import os
import stat
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from execution.worklists.intake.cells import Unreadable
from execution.worklists.intake.checking import BadCell, Checked
from sentences.said import say, worded

DONE, REFUSED = "done", "refused"
MOST_BYTES = 100 * 1024**2
REPORT = ".report.txt"
# Names that programs give to what they still write, or leave beside a file.
_UNFINISHED = frozenset({".tmp", ".temp", ".part", ".partial", ".filepart", ".crdownload", ".download", ".swp"})
_BESIDE = ("~$", ".", "thumbs.db", "desktop.ini")
_WORKBOOKS = frozenset({".xlsx", ".xlsm"})


@dataclass(frozen=True, slots=True)
class Standing:
    """What a file was at one look: the same at the next one, it stands still."""

    size: int
    changed: int  # nanoseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What lies in the folder: `ready` are files to be taken, the oldest first; `waiting` the others by name, each with
    the reason; `standing` goes into the next look."""

    ready: tuple[Path, ...] = ()
    waiting: Mapping[str, str] = field(default_factory=dict)
    standing: Mapping[str, Standing] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A file as it was read; by its `digest` one that was taken before is known."""

    path: Path
    data: bytes
    digest: str


class StillWritten(Exception):
    """The file changed while it was read: it is left for the next look."""


def look(folder: Path, before: Mapping[str, Standing]) -> Look:
    """What lies in the folder now; `before` is what stood there at the last look, which should be some seconds ago."""
    standing: dict[str, Standing] = {}
    waiting: dict[str, str] = {}
    ready: list[tuple[int, str, Path]] = []
    for path, found in _files(folder):
        now = Standing(found.st_size, found.st_mtime_ns)
        standing[path.name] = now
        if before.get(path.name) != now:
            waiting[path.name] = say("folder.still_written")
        elif not now.size:
            waiting[path.name] = say("folder.empty")
        elif not _opens(path):
            waiting[path.name] = say("folder.does_not_open")
        else:
            ready.append((now.changed, path.name, path))
    return Look(ready=tuple(path for *_, path in sorted(ready)), waiting=waiting, standing=standing)


def _files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """The files of the folder itself; links lead elsewhere and are left."""
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        name = path.name.lower()
        if name.startswith(_BESIDE) or path.suffix.lower() in _UNFINISHED or name.endswith(REPORT):
            continue
        try:
            found = path.lstat()
        except FileNotFoundError:  # gone since it was listed
            continue
        if stat.S_ISREG(found.st_mode):
            yield path, found


def _opens(path: Path) -> bool:
    """True if the file can be read; of a workbook the last thing written is the directory of its parts."""
    try:
        with path.open("rb") as file:
            is_zip = file.read(2) == b"PK"
            return path.suffix.lower() not in _WORKBOOKS or not is_zip or zipfile.is_zipfile(file)
    except OSError:
        return False


def take(path: Path, standing: Standing) -> Taken:
    """The file, if it still is what it was at the look. Raises StillWritten, and Unreadable if it is too large."""
    if standing.size > MOST_BYTES:
        raise Unreadable(say("folder.too_large", limit=MOST_BYTES // 1024**2))
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError as error:
        raise StillWritten from error
    with os.fdopen(handle, "rb") as file:
        data = file.read(standing.size + 1)
        found = os.fstat(file.fileno())
    if len(data) != standing.size or Standing(found.st_size, found.st_mtime_ns) != standing:
        raise StillWritten
    return Taken(path=path, data=data, digest=hashlib.sha256(data).hexdigest())


def put_away(path: Path, where: str, report: str) -> Path:
    """Move the file to `done/` or `refused/` beside it, with the report; what lies there already stays."""
    folder = path.parent / where
    folder.mkdir(exist_ok=True)
    goal = _free(folder, path)
    _report_of(goal).write_text(report, encoding="utf-8-sig", newline="\r\n")
    path.rename(goal)
    return goal


def _report_of(path: Path) -> Path:
    return path.with_name(path.name + REPORT)


def _free(folder: Path, path: Path) -> Path:
    """A name that neither a file nor a report has yet."""
    for number in count(1):
        goal = folder / (path.name if number == 1 else f"{path.stem} {number}{path.suffix}")
        if not goal.exists() and not _report_of(goal).exists():
            return goal
    raise AssertionError


# --- the report --------------------------------------------------------------------------------------------------
def report_of(checked: Checked, *, open_questions: Iterable[str] = ()) -> str:
    """What came of the rows of a file, a line for each bad cell, in the active language."""
    lines = [say("folder.rows", good=len(checked.rows), count=checked.count), *checked.refused, *open_questions]
    return "\n".join([*map(worded, lines), *map(told, checked.bad)]) + "\n"


def report_on(error: Unreadable) -> str:
    """Why a file was refused as a whole, in the active language."""
    return worded(error) + "\n"


def told(cell: BadCell) -> str:
    """A bad cell in a line, in the active language."""
    value = " ".join(cell.value.split())
    return worded(
        say("folder.bad_cell", row=cell.row, column=cell.column, head=cell.head or "–", value=value, reason=cell.reason)
    )
