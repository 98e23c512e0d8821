"""Files that leave a piece at a time: memory stays flat however long they are (S7.4)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse


def streamed(request: HttpRequest, pieces: Iterator[Any], *, content_type: str, name: str) -> StreamingHttpResponse:
    """As a file to be kept; each piece is fetched when the one before it has gone."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    content: Any = _later(pieces) if isinstance(request, ASGIRequest) else pieces
    return StreamingHttpResponse(content, content_type=content_type, headers=headers)


async def _later(pieces: Iterator[Any]) -> AsyncIterator[Any]:
    fetch: Callable[[], Any] = lambda: next(pieces, None)  # noqa: E731
    while (piece := await sync_to_async(fetch)()) is not None:
        yield piece
