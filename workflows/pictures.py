"""The picture store: PNG files named by the digest of their pixels, written whole or not at all.

A picture's digest does not depend on how it was compressed. Sizes are checked from the header, before decoding. Where
they lie is STORAGES["pictures"]: a folder of this machine, or a store that many machines reach.
"""

from __future__ import annotations

import hashlib
import io
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import cast

import cv2
import numpy as np
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from PIL import Image, UnidentifiedImageError

from sentences.said import say
from workflows.exceptions import PictureAway, PictureMissing, PictureNotStored, PictureRefused
from workflows.picture_files import PictureFiles, PicturePlace, StoreAway

FORMATS = ("PNG", "JPEG", "WEBP", "BMP")


def decode(data: bytes, *, name: str = "") -> np.ndarray:
    """BGR pixels of a picture file's bytes; raises PictureRefused with the reason."""
    name = name or say("pictures.this_file")
    try:
        with warnings.catch_warnings():
            # the size is judged by check_size, in the words that a person can do something with
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data), formats=FORMATS)
    except Image.DecompressionBombError as error:
        raise PictureRefused(say("pictures.far_too_large", name=name)) from error
    except (UnidentifiedImageError, OSError, ValueError) as error:
        raise PictureRefused(say("pictures.not_one", name=name, formats=FORMATS)) from error
    check_size(*image.size, name=name)
    try:
        return cv2.cvtColor(np.asarray(image.convert("RGB")), cv2.COLOR_RGB2BGR)
    except (OSError, ValueError, SyntaxError) as error:
        raise PictureRefused(say("pictures.damaged", name=name)) from error


def check_size(width: int, height: int, *, name: str = "") -> None:
    """Raises PictureRefused where it is larger than the settings allow."""
    limit = settings.RPA_MAX_PICTURE_MEGAPIXELS
    if width * height > limit * 1_000_000:
        name = name or say("pictures.this_picture")
        raise PictureRefused(say("pictures.too_large", name=name, w=width, h=height, limit=limit))


# Screens are flat: unfiltered they take a third of the time of the best filter for each row, and a tenth less disk.
_PNG = (cv2.IMWRITE_PNG_COMPRESSION, 1, cv2.IMWRITE_PNG_FILTER, cv2.IMWRITE_PNG_FILTER_NONE)


class PictureStore:
    """Pictures of the product, or those under one folder. `put` gives the digest that everything else takes.

    What reads raises PictureMissing where there is none, and PictureAway where nobody can tell now.
    """

    def __init__(self, root: Path | None = None) -> None:
        self.place = PictureFiles(root) if root else cast(PicturePlace, storages["pictures"])

    @property
    def where(self) -> str:
        """The folder, or the address of the store; for people."""
        return self.place.where

    def put(self, pixels: np.ndarray) -> str:
        """Store BGR pixels; raises PictureRefused when too large, PictureNotStored when they are not taken."""
        height, width = pixels.shape[:2]
        check_size(width, height)
        pixels = np.ascontiguousarray(pixels)
        sum_of = hashlib.sha256(repr(pixels.shape).encode())
        sum_of.update(pixels.data)  # without a copy: a screen has 100 MB
        digest = sum_of.hexdigest()
        name = name_of(digest)
        with self._writing():
            if not self.place.touch(name):
                _ok, encoded = cv2.imencode(".png", pixels, _PNG)
                self.place.save(name, ContentFile(encoded.tobytes()))
        return digest

    def drop(self, digest: str, *, untouched_since: float) -> int:
        """Delete a picture that nothing refers to; gives how many bytes that frees. One that was put again after
        `untouched_since` (in seconds since 1970) stays: whoever put it has not said so yet. Raises PictureAway."""
        name = name_of(digest)
        with self._reading():
            try:
                if self.place.get_modified_time(name).timestamp() >= untouched_since:
                    return 0
                freed = self.place.size(name)
                self.place.delete(name)
            except FileNotFoundError:
                return 0
        return freed

    def get(self, digest: str) -> np.ndarray:
        """BGR pixels, to compute with."""
        with self._reading(digest):
            data = self.place.read(name_of(digest))
        return decode(data, name=digest[:8])

    load = get

    def bytes_of(self, digest: str, most: int = -1) -> bytes:
        """Its file as it lies there now, or the first bytes of it."""
        with self._reading(digest), self.place.open(name_of(digest)) as file:
            data: bytes = file.read(most)
        return data

    def has(self, digest: str) -> bool:
        """Whether it is there."""
        with self._reading():
            return self.place.exists(name_of(digest))

    def size(self, digest: str) -> int:
        """The bytes of its file; 0 where there is none."""
        with self._reading():
            try:
                return self.place.size(name_of(digest))
            except FileNotFoundError:
                return 0

    def sizes(self) -> Iterator[tuple[str, int]]:
        """Of all there are: digest and bytes."""
        with self._reading():
            yield from self.place.sizes()

    def answer(self) -> None:
        """Raises PictureAway where the store does not answer."""
        with self._reading():
            self.place.answer()

    @property
    def is_here(self) -> bool:
        """Whether pictures are files of this machine."""
        return isinstance(self.place, PictureFiles)

    def path(self, digest: str) -> Path:
        """Its file, there or not; raises NotImplementedError where pictures are none of this machine."""
        return Path(self.place.path(name_of(digest)))

    def file(self, digest: str) -> Path:
        """A file for programs that take a path: its own, else a copy on this machine that stays for an hour."""
        return self.path(digest) if self.is_here else copy_of(digest, self.bytes_of)

    def address(self, digest: str) -> str:
        """Where it lies: its file, or its place in the store, which nobody gets at without the store's key."""
        return str(self.path(digest)) if self.is_here else f"{self.where}/{name_of(digest)}"

    @contextmanager
    def _reading(self, digest: str = "") -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:
            raise PictureMissing(say("pictures.not_in_store", digest=digest[:8])) from error
        except StoreAway as error:
            raise PictureAway(say("pictures.not_read", where=self.where, why=error.why)) from error
        except OSError as error:
            why = say("pictures.folder_refuses", error=error.strerror or error)
            raise PictureAway(say("pictures.not_read", where=self.where, why=why)) from error

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except StoreAway as error:
            raise PictureNotStored(say("pictures.not_kept", where=self.where, why=error.why)) from error
        except OSError as error:
            said = say("pictures.not_stored", folder=self.where, error=error.strerror or error)
            raise PictureNotStored(said) from error


def name_of(digest: str) -> str:
    """Of the file; raises PictureMissing for what is no digest: a name from outside never becomes a path."""
    if len(digest) != 64 or not all(c in "0123456789abcdef" for c in digest):
        raise PictureMissing(say("pictures.no_name", digest=digest[:80]))
    return f"{digest[:2]}/{digest}.png"


# Copies of pictures that lie on no disk of this machine, for programs that are given a path (S11).

STAY_S = 3600.0


def copy_of(digest: str, read: Callable[[str], bytes]) -> Path:
    """A file with the picture, which stays for an hour after it was last asked for."""
    drop_old_copies()
    copies = PictureFiles(_folder())
    if not copies.touch(f"{digest}.png"):
        copies.save(f"{digest}.png", ContentFile(read(digest)))
    return Path(copies.path(f"{digest}.png"))


def drop_old_copies() -> None:
    """Those that nobody asked for of late."""
    for path in _folder().glob("*.png"):
        with suppress(FileNotFoundError):  # another process was faster
            if path.stat().st_mtime < time.time() - STAY_S:
                path.unlink()


def _folder() -> Path:
    return Path(settings.DATA_DIR) / "copies"
