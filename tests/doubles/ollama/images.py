"""Images in a request: plain base64, and whole (A.1, A.5.14)."""

from __future__ import annotations

import base64
import binascii
import struct
import zlib
from typing import Any

from tests.doubles.ollama.errors import Refusal

PNG = b"\x89PNG\r\n\x1a\n"


def decoded(images: Any) -> list[bytes]:
    """The bytes of each image; what is no base64 fails while the request is read, as in Go."""
    try:
        return [base64.b64decode(image, validate=True) for image in images or ()]
    except binascii.Error as error:
        raise Refusal(400, "illegal base64 data at input byte 4") from error


def is_whole(image: bytes) -> bool:
    """Whether it is a PNG, JPEG, WebP or GIF from its first byte to its last."""
    if image.startswith(PNG):
        return _png_is_whole(image)
    if image.startswith(b"\xff\xd8\xff"):
        return image.rstrip(b"\0").endswith(b"\xff\xd9")
    if image[:4] == b"RIFF" and image[8:12] == b"WEBP":
        return len(image) >= struct.unpack("<I", image[4:8])[0] + 8
    return image[:6] in (b"GIF87a", b"GIF89a") and image.endswith(b";")


def _png_is_whole(image: bytes) -> bool:
    at = len(PNG)
    while at + 12 <= len(image):
        length = struct.unpack(">I", image[at : at + 4])[0]
        body, check = image[at + 4 : at + 8 + length], image[at + 8 + length : at + 12 + length]
        if len(check) < 4 or zlib.crc32(body) != struct.unpack(">I", check)[0]:
            return False
        if body[:4] == b"IEND":
            return True
        at += 12 + length
    return False
