"""The file itself: a zip of `manifest.json`, the database's copy and `pictures/…`, with a digest for every entry.

What is read is not believed: names outside the pattern, entries that the manifest does not name, sizes and digests that
differ are refused, so nothing is ever written outside the folder it is unpacked to.
"""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, Literal, Self, cast, get_args

from django.utils.translation import gettext as _

from rpa_site.backups.place import BackupError
from rpa_site.migration_names import MigrationName

KeyIncluded = Literal["none", "left out", "included"]

FORMAT = "surehand.backup"
FORMAT_VERSION = 1
MANIFEST, KEY = "manifest.json", "vault.key"
SQLITE_COPY, POSTGRESQL_COPY = "database.sqlite3", "database.dump"  # one of them in each
DATABASES = {SQLITE_COPY: "SQLite", POSTGRESQL_COPY: "PostgreSQL"}
PICTURE = re.compile(r"pictures/([0-9a-f]{2})/(\1[0-9a-f]{62}\.png)")
MOST_MANIFEST_BYTES = 128 << 20  # a million pictures
CHUNK = 1 << 20
COMPRESS_LEVEL = 1  # the database shrinks to a third in a tenth of the time that the default takes


@dataclass(frozen=True, slots=True)
class ArchivedFile:
    sha256: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What is in the file, and what made it. `key` tells of vault.key."""

    version: str
    made_at: str
    migrations: tuple[MigrationName, ...]
    key: KeyIncluded = "none"
    entries: Mapping[str, ArchivedFile] = field(default_factory=dict)

    def to_json(self) -> bytes:
        said = {"format": FORMAT, "format_version": FORMAT_VERSION, **asdict(self)}
        return json.dumps(said, ensure_ascii=False, indent=1).encode()

    @classmethod
    def from_json(cls, data: bytes, *, file: Path) -> Self:
        """Raises BackupError for anything that this version did not write so."""
        try:
            said = json.loads(data)
        except (ValueError, RecursionError):
            said = None
        if not isinstance(said, dict) or said.get("format") != FORMAT:
            raise not_a_backup(file)
        if said.get("format_version") != FORMAT_VERSION:
            raise BackupError(
                _("%(file)s has the format %(format)s, this version reads %(known)d: restore it with %(version)s.")
                % {
                    "file": file,
                    "format": str(said.get("format_version"))[:20],
                    "known": FORMAT_VERSION,
                    "version": str(said.get("version"))[:20],
                }
            )
        try:
            return cls(
                version=_text(said["version"]),
                made_at=_text(said["made_at"]),
                migrations=tuple((_text(app), _text(name)) for app, name in said["migrations"]),
                key=_key(said["key"]),
                entries={
                    _text(name): ArchivedFile(_text(entry["sha256"]), int(entry["size"]))
                    for name, entry in said["entries"].items()
                },
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise damaged(file, _("its manifest is not whole")) from error


def _key(value: Any) -> KeyIncluded:
    if value not in get_args(KeyIncluded):
        raise ValueError(value)
    return cast(KeyIncluded, value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


class Writer:
    """Adds entries to an open zip and keeps their digests."""

    def __init__(self, packed: zipfile.ZipFile) -> None:
        self._packed = packed
        self.entries: dict[str, ArchivedFile] = {}

    def add(self, name: str, source: Path, *, compress: bool = False) -> None:
        """Raises FileNotFoundError, before anything of it is written, when the file is no more."""
        with source.open("rb") as data:
            info = zipfile.ZipInfo.from_file(source, name, strict_timestamps=False)
            info.external_attr = 0o600 << 16
            info.compress_type = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
            with self._packed.open(info, "w") as entry:
                self.entries[name] = _copy(data, entry.write)

    def finish(self, manifest: bytes) -> None:
        self._packed.writestr(MANIFEST, manifest)


class Reader:
    """An archive whose names are right and whose manifest names just what is there."""

    def __init__(self, packed: zipfile.ZipFile, file: Path) -> None:
        self._packed, self.file = packed, file
        infos = {info.filename: info for info in packed.infolist()}
        if len(infos) != len(packed.infolist()):
            raise damaged(file, _("it holds a file twice"))
        if MANIFEST not in infos or infos[MANIFEST].file_size > MOST_MANIFEST_BYTES:
            raise not_a_backup(file)
        self.manifest = Manifest.from_json(self._manifest(infos.pop(MANIFEST)), file=file)
        self._check_names(infos)
        self._infos = infos

    def extract(self, name: str, target: Path | None) -> None:
        """Check one entry whole, and write it to `target` where there is one; raises BackupError."""
        declared = self.manifest.entries[name]
        if target is None:
            self._check(name, declared, lambda chunk: None)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as out:
            self._check(name, declared, out.write)

    @property
    def database(self) -> str:
        """The name of the database's copy in it."""
        return next(name for name in self.manifest.entries if name in DATABASES)

    @property
    def size(self) -> int:
        """Bytes of all that it unpacks to."""
        return sum(entry.size for entry in self.manifest.entries.values())

    def _check(self, name: str, declared: ArchivedFile, write: Callable[[bytes], Any]) -> None:
        with self._readable(name), self._packed.open(self._infos[name]) as entry:
            if _copy(entry, write, limit=declared.size) != declared:
                raise damaged(self.file, _("“%(name)s” is not what was saved") % {"name": name})

    def _manifest(self, info: zipfile.ZipInfo) -> bytes:
        with self._readable(MANIFEST):
            return self._packed.read(info)

    def _check_names(self, infos: Mapping[str, zipfile.ZipInfo]) -> None:
        strange = [name for name in infos if name not in (*DATABASES, KEY) and not PICTURE.fullmatch(name)]
        if strange:
            raise damaged(self.file, _("“%(name)s” does not belong in a backup") % {"name": strange[0][:100]})
        if not (databases := DATABASES.keys() & infos.keys()):
            raise damaged(self.file, _("it holds no database"))
        if len(databases) > 1:
            raise damaged(self.file, _("it holds two databases"))
        if differing := infos.keys() ^ self.manifest.entries.keys():
            name = min(differing)[:100]
            raise damaged(self.file, _("its manifest and its content differ at “%(name)s”") % {"name": name})

    @contextmanager
    def _readable(self, name: str) -> Iterator[None]:
        try:
            yield
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
            raise damaged(self.file, _("“%(name)s” cannot be read") % {"name": name}) from error


@contextmanager
def opened(file: Path) -> Iterator[Reader]:
    """Raises BackupError for what is no backup, cut off, or not there."""
    try:
        packed = zipfile.ZipFile(file)
    except FileNotFoundError as error:
        raise BackupError(_("There is no file %(file)s.") % {"file": file}) from error
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise not_a_backup(file) from error
    except OSError as error:
        raise BackupError(_("%(file)s cannot be read: %(error)s.") % {"file": file, "error": error.strerror}) from error
    with packed:
        yield Reader(packed, file)


def _copy(source: IO[bytes], write: Callable[[bytes], Any], *, limit: int | None = None) -> ArchivedFile:
    """Copy to the end, or to just over `limit`, so that an entry that is larger than declared fills no disk."""
    digest, count = hashlib.sha256(), 0
    while chunk := source.read(CHUNK):
        digest.update(chunk)
        count += len(chunk)
        if limit is not None and count > limit:
            break
        write(chunk)
    return ArchivedFile(digest.hexdigest(), count)


def not_a_backup(file: Path) -> BackupError:
    return BackupError(
        _("%(file)s is no backup that `manage.py backup` made, or it was cut off. Take another one.") % {"file": file}
    )


def damaged(file: Path, what: str) -> BackupError:
    return BackupError(
        _("%(file)s is damaged or was changed: %(what)s. Take another backup.") % {"file": file, "what": what}
    )
