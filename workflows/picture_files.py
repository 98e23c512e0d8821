"""The folder in which pictures lie where nothing else is set (STORAGES["pictures"]), and what any such place can."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.core.files.storage import FileSystemStorage


class StoreAway(OSError):
    """A place that is not on this machine does not do what was asked; `why` is a sentence for people."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class PicturePlace(Protocol):
    """Django's storage, and what content that never changes needs besides. Names are the store's own: ab/abcd….png.

    What is not there raises FileNotFoundError, what goes wrong another OSError: StoreAway where it is no folder.
    """

    where: str  # for people

    def open(self, name: str) -> File: ...
    def save(self, name: str, content: ContentFile) -> str:
        """Whole or not at all; what is there already stays as it is."""

    def delete(self, name: str) -> None: ...
    def exists(self, name: str) -> bool: ...
    def size(self, name: str) -> int: ...
    def get_modified_time(self, name: str) -> datetime: ...
    def path(self, name: str) -> str:
        """Raises NotImplementedError where it is no file of this machine."""

    def touch(self, name: str) -> bool:
        """Whether it is there; it counts as put now, so that nobody who deletes old ones takes it away."""

    def read(self, name: str) -> bytes:
        """For who computes with it, and needs not know whether it was deleted meanwhile."""

    def sizes(self) -> Iterator[tuple[str, int]]:
        """Of all that lie there: digest and bytes."""

    def answer(self) -> None:
        """Ask it for anything, to see whether it answers; raises StoreAway."""


class PictureFiles(FileSystemStorage):
    """PNG files in a folder, written under another name first."""

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__()
        self._folder = folder

    @property
    def base_location(self) -> str:  # type: ignore[override]  # read anew: each test has a folder of its own
        return str(self._folder or settings.DATA_DIR / "pictures")

    @property
    def location(self) -> str:  # type: ignore[override]
        return self.base_location

    @property
    def where(self) -> str:
        return self.base_location

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        return name  # it says what is in it: there is no other of that name

    def _save(self, name: str, content: Any) -> str:
        path, fresh = Path(self.path(name)), None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
                fresh = file.name
                file.write(content.read())
            Path(fresh).replace(path)
        except OSError:
            if fresh:
                with contextlib.suppress(OSError):
                    Path(fresh).unlink()
            raise
        return name

    def touch(self, name: str) -> bool:
        try:
            os.utime(self.path(name))
        except (FileNotFoundError, NotADirectoryError):
            return False
        except PermissionError:  # another account's: it is there
            return True
        return True

    def read(self, name: str) -> bytes:
        return Path(self.path(name)).read_bytes()

    def sizes(self) -> Iterator[tuple[str, int]]:
        return _sizes(Path(self.location))

    def answer(self) -> None:
        """A folder of this machine is asked nothing: the first picture makes it."""


def _sizes(folder: Path) -> Iterator[tuple[str, int]]:
    """Of all files below; one that goes meanwhile takes nothing."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _sizes(Path(entry.path))
            else:
                with contextlib.suppress(FileNotFoundError):
                    yield entry.name.partition(".")[0], entry.stat(follow_symlinks=False).st_size
