"""A file that is made piece by piece as it is sent: memory stays flat however much is in it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone

from workflows.exceptions import PictureMissing
from workflows.pictures import PictureStore


def sent(request: HttpRequest, pieces: Iterator[bytes], *, name: str) -> StreamingHttpResponse:
    """The answer to a browser; each piece is made when the one before it has gone."""
    content: Any = _later(pieces) if isinstance(request, ASGIRequest) else pieces
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingHttpResponse(content, content_type="application/zip", headers=headers)


async def _later(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    fetch: Callable[[], bytes | None] = lambda: next(pieces, None)  # noqa: E731
    while (piece := await sync_to_async(fetch)()) is not None:
        yield piece


class Pipe(io.RawIOBase):
    """What an archive writes, until it is sent."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._at = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        self._at += len(data)
        return len(data)

    def tell(self) -> int:
        return self._at

    def taken(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)


def written(packed: zipfile.ZipFile, pipe: Pipe, name: str, texts: Iterator[str]) -> Iterator[bytes]:
    """A file of the archive, text by text."""
    with packed.open(entry(name, zipfile.ZIP_DEFLATED), "w", force_zip64=True) as file:
        for text in texts:
            file.write(text.encode())
            if data := pipe.taken():
                yield data
    yield pipe.taken()


def with_pictures(packed: zipfile.ZipFile, pipe: Pipe, digests: Iterable[str]) -> Iterator[bytes]:
    """Those pictures that are still kept, each a file."""
    store = PictureStore()
    for digest in digests:
        try:
            data = store.bytes_of(digest)
        except PictureMissing:
            continue  # its time in the store was over
        packed.writestr(entry(f"pictures/{digest}.png", zipfile.ZIP_STORED), data)
        yield pipe.taken()


def entry(name: str, compression: int) -> zipfile.ZipInfo:
    now = timezone.localtime()
    info = zipfile.ZipInfo(name, (now.year, now.month, now.day, now.hour, now.minute, now.second))
    info.compress_type = compression
    return info
