"""Reading picture files of screens, refusing what is no picture or is too large before it costs memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from execution.desktop.base import DesktopError
from sentences.said import say

if TYPE_CHECKING:
    from PIL import ImageFile

# An 8K screen; a decoded picture takes three bytes a pixel.
MAX_PIXELS = 33_177_600
SUFFIXES = (".png", ".jpg", ".jpeg")


def read_picture(path: Path) -> np.ndarray:
    """The picture's pixels (BGR); raises DesktopError that says what is wrong with the file."""
    try:
        # Opening reads the header only.
        with _opened(path) as picture:
            width, height = picture.size
            if width * height > MAX_PIXELS:
                raise DesktopError(say("desktop.picture_too_large", path=path, w=width, h=height))
            rgb = np.asarray(picture.convert("RGB"))
    except FileNotFoundError as problem:
        raise DesktopError(say("desktop.no_picture", path=path)) from problem
    except (OSError, SyntaxError, ValueError) as problem:
        raise DesktopError(say("desktop.picture_damaged", path=path, error=problem)) from problem
    return np.ascontiguousarray(rgb[:, :, ::-1])


def _opened(path: Path) -> ImageFile.ImageFile:
    """By the format's own class: `Image.open` warns of large pictures in its own words, and at another limit."""
    from PIL.JpegImagePlugin import JpegImageFile
    from PIL.PngImagePlugin import PngImageFile

    with path.open("rb") as file:
        start = file.read(8)
    if start == b"\x89PNG\r\n\x1a\n":
        return PngImageFile(path)
    if start[:3] == b"\xff\xd8\xff":
        return JpegImageFile(path)
    raise DesktopError(say("desktop.not_a_picture", path=path))
