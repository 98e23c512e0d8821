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
from django.utils.translation import gettext as _
from PIL import Image, UnidentifiedImageError

from workflows.exceptions import PictureMissing, PictureNotStored, PictureRefused

FORMATS = ("PNG", "JPEG", "WEBP", "BMP")


def decode(data: bytes, *, name: str = "") -> np.ndarray:
    """BGR pixels of a picture file's bytes; raises PictureRefused with the reason."""
    name = name or _("This file")
    refusal = _("%(name)s is no picture that can be read; %(formats)s can.") % {
        "name": name,
        "formats": ", ".join(FORMATS),
    }
    try:
        with warnings.catch_warnings():
            # the size is judged by check_size, in the words that a person can do something with
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data), formats=FORMATS)
    except Image.DecompressionBombError as error:
        raise PictureRefused(_("%(name)s is far too large a picture.") % {"name": name}) from error
    except (UnidentifiedImageError, OSError, ValueError) as error:
        raise PictureRefused(refusal) from error
    check_size(*image.size, name=name)
    try:
        return cv2.cvtColor(np.asarray(image.convert("RGB")), cv2.COLOR_RGB2BGR)
    except (OSError, ValueError, SyntaxError) as error:
        raise PictureRefused(
            _("%(name)s is damaged and cannot be read: %(error)s") % {"name": name, "error": error}
        ) from error


def check_size(width: int, height: int, *, name: str = "picture") -> None:
    limit = settings.RPA_MAX_PICTURE_MEGAPIXELS
    if width * height > limit * 1_000_000:
        raise PictureRefused(
            _("%(name)s is %(w)d × %(h)d pixels; at most %(limit)d megapixels are taken. Make it smaller.")
            % {"name": name, "w": width, "h": height, "limit": limit}
        )


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
            raise PictureMissing(_("The picture %(digest)s is not in the store.") % {"digest": digest[:8]}) from error

    load = get

    def path(self, digest: str) -> Path:
        if len(digest) != 64 or not all(c in "0123456789abcdef" for c in digest):
            raise PictureMissing(_("“%(digest)s” is not the name of a picture.") % {"digest": digest[:80]})
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
                _("A picture could not be stored in %(folder)s: %(error)s. Free some space, then resume.")
                % {"folder": self.root, "error": error.strerror or error}
            ) from error
