"""Taking a zip file from outside apart: only what is expected, and never more than the limits, whatever it claims."""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any, cast

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _

from workflows.exceptions import WorkflowError

PICTURE_NAME = re.compile(r"pictures/([0-9a-f]{64})\.png")
MAX_FILES = 1_000
MAX_BYTES = 100 * 1024 * 1024  # of the file, and of what it unpacks to, counted while reading
MAX_DOCUMENT_BYTES = 5 * 1024 * 1024
CHUNK = 64 * 1024
PNG_HEAD = struct.Struct(">8s4x4sII")  # signature, length of the first chunk, its kind, width, height


class BadBundle(WorkflowError, status=422):
    """The file is refused as a whole; the message says why."""


def uploaded(file: UploadedFile[Any]) -> IO[bytes]:
    """What a browser sent, on the disk if it is large; raises BadBundle where it is too large."""
    if (file.size or 0) > MAX_BYTES:
        raise _too_large()
    return cast(IO[bytes], file.file)


@contextmanager
def opened(data: bytes | IO[bytes]) -> Iterator[zipfile.ZipFile]:
    """The zip file in `data`; raises BadBundle where it is none."""
    if isinstance(data, bytes) and len(data) > MAX_BYTES:
        raise _too_large()
    try:
        bundle = zipfile.ZipFile(io.BytesIO(data) if isinstance(data, bytes) else data)
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise BadBundle(_("This is no zip file that can be read.")) from error
    with bundle:
        yield bundle


def _too_large() -> BadBundle:
    return BadBundle(_("The file is larger than %(limit)d MB.") % {"limit": MAX_BYTES // (1024 * 1024)})


def checked_entries(bundle: zipfile.ZipFile, document: str) -> dict[str, zipfile.ZipInfo]:
    """Entries by name: the `document` and pictures, each once, and nothing else."""
    listed = bundle.infolist()
    if len(listed) > MAX_FILES:
        raise BadBundle(
            _("The file holds %(count)d entries; at most %(limit)d are taken.")
            % {"count": len(listed), "limit": MAX_FILES}
        )
    entries: dict[str, zipfile.ZipInfo] = {}
    for info in listed:
        name = info.orig_filename
        if name != document and not PICTURE_NAME.fullmatch(name):
            raise BadBundle(
                _("The file holds “%(name)s”. It may hold %(document)s and pictures/<digest>.png, no more.")
                % {"name": name[:120], "document": document}
            )
        if name in entries:
            raise BadBundle(_("The file holds “%(name)s” twice.") % {"name": name})
        if info.flag_bits & 0x1:
            raise BadBundle(_("The file is encrypted. Pack it again without a password."))
        entries[name] = info
    if document not in entries:
        raise BadBundle(
            _("The file holds no %(document)s, so it is not what is imported here.") % {"document": document}
        )
    return entries


class Budget:
    """Bytes that may still be unpacked, whatever the entries claim about themselves."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            raise BadBundle(
                _("Unpacked, the file is larger than %(limit)d MB.") % {"limit": MAX_BYTES // (1024 * 1024)}
            )


def read(bundle: zipfile.ZipFile, info: zipfile.ZipInfo, budget: Budget, *, limit: int = MAX_BYTES) -> bytes:
    """One entry, counted while it unpacks and checked against its own checksum."""
    parts: list[bytes] = []
    total = 0
    try:
        with bundle.open(info) as file:
            while part := file.read(CHUNK):
                budget.spend(len(part))
                total += len(part)
                if total > limit:
                    raise BadBundle(_("“%(name)s” is too large.") % {"name": info.filename})
                parts.append(part)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
        raise BadBundle(_("“%(name)s” is damaged.") % {"name": info.filename}) from error
    return b"".join(parts)


def check_pixels(bundle: zipfile.ZipFile, pictures: Iterable[zipfile.ZipInfo]) -> None:
    """Refuse what would take minutes and gigabytes to decode: a blank picture of any size packs to nothing.

    Told from the first bytes of each PNG; what is none is refused when it is its turn.
    """
    limit = settings.RPA_MAX_BUNDLE_MEGAPIXELS
    total = sum(_pixels_of(_start_of(bundle, info)) for info in pictures)
    if total > limit * 1_000_000:
        raise BadBundle(
            _("The pictures in the file have %(sum)d megapixels in all; at most %(limit)d are taken.")
            % {"sum": -(-total // 1_000_000), "limit": limit}
        )


def is_png(data: bytes) -> bool:
    return _pixels_of(data) > 0


def _start_of(bundle: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    try:
        with bundle.open(info) as file:
            return file.read(PNG_HEAD.size)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
        raise BadBundle(_("“%(name)s” is damaged.") % {"name": info.filename}) from error


def _pixels_of(start: bytes) -> int:
    """As many as the header says; 0 where this is no PNG."""
    if len(start) < PNG_HEAD.size:
        return 0
    signature, kind, width, height = PNG_HEAD.unpack_from(start)
    return int(width * height) if signature == b"\x89PNG\r\n\x1a\n" and kind == b"IHDR" else 0
