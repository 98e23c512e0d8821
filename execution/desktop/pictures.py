"""Reading picture files of screens, refusing what is no picture or is too large before it costs memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from execution.desktop.base import DesktopError

# An 8K screen; a decoded picture takes three bytes a pixel.
MAX_PIXELS = 33_177_600
SUFFIXES = (".png", ".jpg", ".jpeg")


def read_picture(path: Path) -> np.ndarray:
    """The picture's pixels (BGR); raises DesktopError that says what is wrong with the file."""
    from PIL import Image, UnidentifiedImageError

    try:
        # Opening reads the header only.
        with Image.open(path, formats=("PNG", "JPEG")) as picture:
            width, height = picture.size
            if width * height > MAX_PIXELS:
                raise DesktopError(
                    f"{path} is {width} x {height} pixels; at most 33 megapixels are read: scale the picture down"
                )
            rgb = np.asarray(picture.convert("RGB"))
    except FileNotFoundError as problem:
        raise DesktopError(f"there is no picture {path}") from problem
    except UnidentifiedImageError as problem:
        raise DesktopError(f"{path} is neither a PNG nor a JPEG picture") from problem
    except Image.DecompressionBombError as problem:
        raise DesktopError(f"{path} has too many pixels; at most 33 megapixels are read: {problem}") from problem
    except (OSError, SyntaxError, ValueError) as problem:
        raise DesktopError(f"{path} is damaged and cannot be read as a picture: {problem}") from problem
    return np.ascontiguousarray(rgb[:, :, ::-1])
