"""Putting a backup back: checked whole first, what was here kept aside, the database put in place in one move.

At every moment of it the database that is in place finds all its pictures: the store is first filled up, then the
database put in place, then, where it replaced another, the pictures that only that one knew are taken out.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.db import connections
from django.utils.translation import gettext as _

from rpa_site.backups.archive import DATABASES, KEY, Manifest, Reader, damaged, opened
from rpa_site.backups.place import BackupError, DataPlace
from rpa_site.data_lock import DataInUse, alone
from rpa_site.migration_names import MigrationName, known, named
from rpa_site.staging import RESTORING, remove_abandoned, staging

ROOM_LEFT = 64 << 20  # bytes that stay free on the disk


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A backup that is whole and of a version that is known here. `pending` are migrations that it lacks.

    `obstacle` says why it cannot be put here as things are, and what to do; empty where it can.
    """

    manifest: Manifest
    pictures: int
    pending: tuple[MigrationName, ...]
    obstacle: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """`aside` holds what was here before; None where nothing was. `stopped` runs were live in the backup."""

    checked: Checked
    aside: Path | None
    stopped: int


def check(place: DataPlace, file: Path) -> Checked:
    """Read the whole of `file` and change nothing; raises BackupError where it would not be restored."""
    with _disk_problems_told(), opened(file) as reader, _staging(place, reader, keep=False) as folder:
        return _unpack(place, reader, folder, keep=False)


def restore(place: DataPlace, file: Path) -> Restored:
    """Put `file` in the place of what is here; raises BackupError, and then what is here is as it was.

    Refused while a run loop or a web process is at work on the data.
    """
    with _disk_problems_told(), opened(file) as reader, _alone(place), _staging(place, reader, keep=True) as folder:
        checked = _unpack(place, reader, folder, keep=True)
        if checked.obstacle:
            raise BackupError(checked.obstacle)
        connections.close_all()
        aside = _keep_aside(place, folder)
        try:
            _fill_pictures(place, folder)
            why = _why_stopped(checked.manifest.made_at)
            stopped = place.database.put(folder / reader.database, why=why, place=place)
        except (OSError, BackupError):  # what is here is what was here; pictures that came to it do no harm
            if aside is not None:
                shutil.rmtree(aside)
            raise
        _put_key(place, folder)
        if place.database.replaced:
            _drop_other_pictures(place, checked.manifest)
    return Restored(checked=checked, aside=aside, stopped=stopped)


def _put_key(place: DataPlace, folder: Path) -> None:
    if (folder / KEY).exists():
        (folder / KEY).chmod(0o600)
        place.give_to_owner(folder / KEY)
        (folder / KEY).replace(place.key)


def _unpack(place: DataPlace, reader: Reader, folder: Path, *, keep: bool) -> Checked:
    _refuse_another_kind(place, reader)
    for name in reader.manifest.entries:
        reader.extract(name, folder / name if keep or name == reader.database else None)
    copy = folder / reader.database
    place.database.check(copy)
    applied, ours = place.database.applied_migrations(copy), known()
    if applied != reader.manifest.migrations:
        raise damaged(reader.file, _("its database has other migrations than its manifest says"))
    if newer := sorted(set(applied) - ours):
        raise BackupError(
            _(
                "%(file)s was made by version %(version)s, which has migrations that this version lacks: %(names)s. "
                "Install that version or a later one, then restore."
            )
            % {"file": reader.file, "version": reader.manifest.version, "names": named(newer)}
        )
    pictures = sum(name.startswith("pictures/") for name in reader.manifest.entries)
    return Checked(
        manifest=reader.manifest,
        pictures=pictures,
        pending=tuple(sorted(ours - set(applied))),
        obstacle=place.database.obstacle(copy),
    )


def _refuse_another_kind(place: DataPlace, reader: Reader) -> None:
    if reader.database != place.database.entry:
        raise BackupError(
            _("%(file)s is a backup of %(theirs)s, DATABASE_URL names %(ours)s: restore it where %(theirs)s is named.")
            % {"file": reader.file, "theirs": DATABASES[reader.database], "ours": DATABASES[place.database.entry]}
        )


def _why_stopped(made_at: str) -> str:
    return _(
        "It was live when the backup of %(when)s was made; what it did afterwards is not in the backup. Look at "
        "what is done, then start it anew."
    ) % {"when": made_at}


@contextmanager
def _alone(place: DataPlace) -> Iterator[None]:
    try:
        with alone(place.data):
            yield
    except DataInUse as error:
        raise BackupError(str(error)) from error


@contextmanager
def _staging(place: DataPlace, reader: Reader, *, keep: bool) -> Iterator[Path]:
    """A folder on the disk of the data, where everything is checked before it is put in place."""
    place.data.mkdir(parents=True, exist_ok=True)
    remove_abandoned(place.data, data=place.data)  # before the room is measured
    needed = reader.size if keep else reader.manifest.entries[reader.database].size
    free = shutil.disk_usage(place.data).free - ROOM_LEFT
    if needed > free:
        raise BackupError(
            _("%(folder)s has %(free)d MB free, the backup takes %(needed)d MB: free some space.")
            % {"folder": place.data, "free": max(0, free) >> 20, "needed": needed >> 20}
        )
    with staging(place.data, RESTORING, data=place.data) as folder:
        yield folder


def _keep_aside(place: DataPlace, folder: Path) -> Path | None:
    """What is here now and is replaced, in a dated folder besides; None where there is nothing such."""
    whole = place.database.replaced
    files = [*place.database.files(), *([place.key] if whole or (folder / KEY).exists() else [])]
    present = [file for file in files if file.exists() and file.stat().st_size]
    pictures = sorted(place.pictures.glob("??/*.png")) if whole else []
    if not pictures and not present:
        return None
    aside = _dated_folder(place.data)
    for file in present:
        shutil.copy2(file, aside / file.name)
    for picture in pictures:
        target = aside / "pictures" / picture.parent.name / picture.name
        target.parent.mkdir(parents=True, exist_ok=True)
        _link(picture, target)
    for path in (aside, *aside.rglob("*")):
        place.give_to_owner(path)
    return aside


def _dated_folder(data: Path) -> Path:
    """A folder that was not there, named for now; restores within one second get a number besides."""
    stem, number = f"before-restore-{datetime.now(UTC):%Y-%m-%d-%H%M%S}", 1
    while True:
        folder = data / (stem if number == 1 else f"{stem}-{number}")
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            number += 1
        else:
            return folder


def _link(file: Path, target: Path) -> None:
    """A second name, where the disk has such: a picture is never written again in its place."""
    try:
        os.link(file, target)
    except OSError:
        shutil.copy2(file, target)


def _fill_pictures(place: DataPlace, folder: Path) -> None:
    for picture in (folder / "pictures").glob("??/*.png"):
        target = place.pictures / picture.parent.name / picture.name
        target.parent.mkdir(parents=True, exist_ok=True)
        for path in (picture, target.parent, place.pictures):
            place.give_to_owner(path)
        picture.replace(target)


def _drop_other_pictures(place: DataPlace, manifest: Manifest) -> None:
    """Those that only the former database knew; they lie in the folder that was kept aside."""
    for picture in place.pictures.glob("??/*.png"):
        if f"pictures/{picture.parent.name}/{picture.name}" not in manifest.entries:
            picture.unlink()
            with suppress(OSError):  # others are left in it
                picture.parent.rmdir()


@contextmanager
def _disk_problems_told() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BackupError(
            _("A file could not be read or written: %(error)s. Nothing is lost: mend it, then run this again.")
            % {"error": error}
        ) from error
