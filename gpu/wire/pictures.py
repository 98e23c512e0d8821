"""Pictures on their way to a model: never decoded unbounded, never larger than a model reads (S4, T8)."""

from __future__ import annotations

import asyncio
import io
import math
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpu.exceptions import PromptTooLarge, RequestRefused
from sentences.said import say

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

READ_MEGAPIXELS = 2.1  # 1920 × 1080; vision models scale larger ones down themselves, after they have cost the memory
SENT_AS_THEY_ARE = ("PNG", "JPEG")  # older servers read nothing else
MEGA = 1_000_000


async def as_sent(pictures: Sequence[bytes], *, max_megapixels: float) -> list[bytes]:
    """Each as `readable` gives it, in a thread."""
    return [await asyncio.to_thread(readable, picture, max_megapixels=max_megapixels) for picture in pictures]


def readable(picture: bytes, *, max_megapixels: float) -> bytes:
    """The picture as PNG or JPEG, scaled down to what a model reads.

    Its size is read from its head, before anything is decoded: one above the limit raises PromptTooLarge, what is no
    picture RequestRefused. Takes up to half a second for a large one: call it in a thread.
    """
    with _opened(picture) as image:
        width, height = image.size
        if width * height > max_megapixels * MEGA:
            raise PromptTooLarge(say("picture.too_large", width=width, height=height, most=max_megapixels))
        if width * height <= READ_MEGAPIXELS * MEGA and image.format in SENT_AS_THEY_ARE:
            return picture
        return _smaller(image)


def kind_of(picture: bytes) -> str:
    """The subtype of its media type, of what `readable` gave."""
    return "jpeg" if picture.startswith(b"\xff\xd8") else "png"


def _opened(picture: bytes) -> Picture:
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # our own limit is checked right after
            return Image.open(io.BytesIO(picture))
    except Image.DecompressionBombError as error:
        raise PromptTooLarge(say("picture.beyond")) from error
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:
        raise RequestRefused(say("picture.none")) from error


def _smaller(image: Picture) -> bytes:
    scale = min(1.0, math.sqrt(READ_MEGAPIXELS * MEGA / (image.width * image.height)))
    size = (max(1, int(image.width * scale)), max(1, int(image.height * scale)))
    written = io.BytesIO()
    try:
        image.draft("RGB", size)  # a JPEG is decoded at about that size, and not at its own
        whole = image.convert("RGB")
        (whole if whole.size == size else whole.resize(size, reducing_gap=3.0)).save(written, "PNG", compress_level=1)
    except (OSError, ValueError, SyntaxError) as error:
        raise RequestRefused(say("picture.broken")) from error
    return written.getvalue()
