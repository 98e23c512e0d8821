"""One file out of a zip that came from elsewhere: by its exact name, and never more than it says."""

from __future__ import annotations

import shutil
import zipfile
import zlib
from pathlib import Path

from execution.perception.fetching.errors import NoRoom
from execution.perception.fetching.progress import MB
from execution.perception.weights import Damaged

_CHUNK = 1 << 20
_LARGEST = 4_000 * MB  # EasyOCR's largest is 300 MB; a zip of a few kB can claim any size


def unpack(archive: Path, name: str, target: Path) -> None:
    """Write the member `name` to `target`; raises Damaged for what is no such zip, NoRoom where it does not fit.

    Names of members are compared, never used as paths.
    """
    try:
        with zipfile.ZipFile(archive) as file:
            found = [info for info in file.infolist() if info.filename == name]
            if len(found) != 1:
                raise Damaged(f"is a zip without {name}" if not found else f"is a zip with {len(found)} files {name}")
            _check_size(found[0].file_size, target)
            _copy(file, found[0], target)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        target.unlink(missing_ok=True)
        if isinstance(error, NoRoom):
            raise
        raise Damaged(f"is no zip that can be unpacked ({error})") from error


def _check_size(size: int, target: Path) -> None:
    if size > _LARGEST:
        raise Damaged(f"would unpack to {size / MB:.0f} MB")
    free = shutil.disk_usage(target.parent).free
    if free < size:
        raise NoRoom(f"{target.parent} has {free / MB:.0f} MB free and unpacking needs {size / MB:.0f} MB: make room.")


def _copy(archive: zipfile.ZipFile, info: zipfile.ZipInfo, target: Path) -> None:
    with archive.open(info) as source, target.open("wb") as sink:
        shutil.copyfileobj(source, sink, _CHUNK)  # reads no more than the size that the zip gives, and checks its CRC
