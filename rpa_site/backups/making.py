"""Making a backup, while everything runs."""

from __future__ import annotations

import errno
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from rpa_site.backups.archive import COMPRESS_LEVEL, KEY, PICTURE, KeyIncluded, Manifest, Writer
from rpa_site.backups.place import BackupError, DataPlace
from rpa_site.staging import BACKING_UP, remove_abandoned, staging


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What the file holds. `missing` are pictures that workflows refer to and the store lacks."""

    file: Path
    bytes: int
    version: str
    migrations: int
    pictures: int
    missing: int
    key: KeyIncluded


def product_version() -> str:
    return str(settings.SPECTACULAR_SETTINGS["VERSION"])


def back_up(place: DataPlace, file: Path, *, overwrite: bool = False, with_key: bool = False) -> Made:
    """Write everything to `file`, readable by its owner alone; it is there whole or not at all.

    The database first: a picture is stored before the row that refers to it and never altered, so all that the copy
    refers to is there afterwards. Raises BackupError; then no file was written or replaced.
    """
    if file.is_dir():
        file = file / f"surehand-{datetime.now(UTC):%Y-%m-%d-%H%M%S}.zip"
    if file.exists() and not overwrite:
        raise BackupError(_("%(file)s is there already. Give another name, or --overwrite.") % {"file": file})
    if not file.parent.is_dir():
        raise BackupError(_("There is no folder %(folder)s: make it first.") % {"folder": file.parent})
    for parent in {file.parent, place.data}:
        remove_abandoned(parent, data=place.data)
    with _disk_problems_told(file), staging(file.parent, BACKING_UP, data=place.data) as folder:
        copy, part = folder / place.database.entry, folder / "backup.zip"
        part.touch(mode=0o600)  # readable by its owner alone, wherever it is put
        place.database.snapshot(copy)
        migrations, wanted = place.database.applied_migrations(copy), place.database.picture_names(copy)
        with zipfile.ZipFile(part, "w", compresslevel=COMPRESS_LEVEL) as packed:
            writer = Writer(packed)
            writer.add(copy.name, copy, compress=True)
            stored = _add_pictures(writer, place.pictures)
            key = _add_key(writer, place.key, wanted=with_key)
            made = Manifest(
                version=product_version(),
                made_at=datetime.now(UTC).isoformat(timespec="seconds"),
                migrations=migrations,
                key=key,
                entries=writer.entries,
            )
            writer.finish(made.to_json())
        _put(part, file, overwrite=overwrite)
    return Made(
        file=file,
        bytes=file.stat().st_size,
        version=made.version,
        migrations=len(migrations),
        pictures=len(stored),
        missing=len(wanted - stored),
        key=key,
    )


def _add_pictures(writer: Writer, store: Path) -> frozenset[str]:
    """All pictures of the store, by digest; half-written ones have other names."""
    stored = set()
    for path in sorted(store.glob("??/*.png")):
        name = f"pictures/{path.parent.name}/{path.name}"
        if PICTURE.fullmatch(name) and not path.is_symlink():
            with suppress(FileNotFoundError):  # deleted since it was listed
                writer.add(name, path)
                stored.add(path.stem)
    return frozenset(stored)


def _add_key(writer: Writer, key: Path, *, wanted: bool) -> KeyIncluded:
    if not key.exists():
        if wanted:
            raise BackupError(_("There is no %(key)s to add: leave --with-key out.") % {"key": key})
        return "none"
    if wanted:
        writer.add(KEY, key)
    return "included" if wanted else "left out"


def _put(part: Path, file: Path, *, overwrite: bool) -> None:
    """On the disk first, then under its name; a file that has come there since is not replaced unasked."""
    with part.open("rb+") as written:
        os.fsync(written.fileno())
    if overwrite:
        part.replace(file)
        return
    try:
        os.link(part, file)
    except FileExistsError:
        raise BackupError(_("%(file)s has just been made by somebody else.") % {"file": file}) from None
    except OSError:  # a file system without links
        part.rename(file)


@contextmanager
def _disk_problems_told(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = _("Free some space, or give another disk.") if error.errno == errno.ENOSPC else _("Give another place.")
        raise BackupError(
            _("The backup could not be written to %(folder)s: %(error)s. %(hint)s")
            % {"folder": file.parent, "error": error.strerror or error, "hint": hint}
        ) from error
