"""The picture store: PNG files named by the digest of their pixels, written whole or not at all.

A picture's digest does not depend on how it was compressed. Sizes are checked from the header, before decoding.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import tempfile
import warnings
from pathlib import Path

import cv2
import numpy as np
from django.conf import settings
from PIL import Image, UnidentifiedImageError

from sentences.said import say
from workflows.exceptions import PictureMissing, PictureNotStored, PictureRefused

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


class PictureStore:
    """Pictures under one folder. `put` gives the digest that `get` and `path` take."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = root or settings.DATA_DIR / "pictures"

    def put(self, pixels: np.ndarray) -> str:
        """Store BGR pixels; raises PictureRefused when too large, PictureNotStored when the disk will not take them."""
        height, width = pixels.shape[:2]
        check_size(width, height)
        pixels = np.ascontiguousarray(pixels)
        sum_of = hashlib.sha256(repr(pixels.shape).encode())
        sum_of.update(pixels.data)  # without a copy: a screen has 100 MB
        digest = sum_of.hexdigest()
        path = self.path(digest)
        if not path.exists():
            # level 1: four times as fast as the default for a few per cent more disk
            _ok, encoded = cv2.imencode(".png", pixels, [cv2.IMWRITE_PNG_COMPRESSION, 1])
            self._write(path, encoded.tobytes())
        return digest

    def get(self, digest: str) -> np.ndarray:
        """BGR pixels; raises PictureMissing."""
        try:
            return decode(self.path(digest).read_bytes(), name=digest[:8])
        except FileNotFoundError as error:
            raise PictureMissing(say("pictures.not_in_store", digest=digest[:8])) from error

    load = get

    def path(self, digest: str) -> Path:
        if len(digest) != 64 or not all(c in "0123456789abcdef" for c in digest):
            raise PictureMissing(say("pictures.no_name", digest=digest[:80]))
        return self.root / digest[:2] / f"{digest}.png"

    def _write(self, path: Path, data: bytes) -> None:
        fresh = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
                fresh = file.name
                file.write(data)
            Path(fresh).replace(path)
        except OSError as error:
            if fresh:
                with contextlib.suppress(OSError):
                    Path(fresh).unlink()
            raise PictureNotStored(
                say("pictures.not_stored", folder=self.root, error=error.strerror or error)
            ) from error
