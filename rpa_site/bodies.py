"""The body of a request: bounded before it is read, on the disk on its way, and parsed by Django alone."""

from __future__ import annotations

import mmap
from collections.abc import Callable
from typing import IO, Any, cast

from daphne import http_protocol
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy

from rpa_site.errors import Answer, answer_to, answered
from workflows.exceptions import DomainError
from workflows.parsing import whole_number
from workflows.unpacking import MAX_BYTES

LARGEST = MAX_BYTES + 1024 * 1024  # the largest file that is taken, and the other fields of its form
_PART = 256 * 1024
_TOO_LARGE = gettext_lazy("The request is larger than %(n)d MB. Send less at a time.")


class BodyTooLarge(DomainError, status=413):
    pass


class BodyLimit:
    """Refuses a body that is too large before anything reads it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        is_form = request.content_type == "multipart/form-data"  # of which Django puts large files on the disk
        most = LARGEST if is_form else settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        if whole_number(request.META.get("CONTENT_LENGTH") or "0", most=most) is None:
            error = BodyTooLarge(_TOO_LARGE % {"n": most // (1024 * 1024)})
            return answered(request, error, cast(Answer, answer_to(error)))
        return self.get_response(request)


class BoundedRequest(http_protocol.WebRequest):
    """daphne's request. Of a body that is too large nothing more is kept; its length says so to Django."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._parsePOSTFormSubmission = False  # Twisted would parse files a second time, in 15 times their memory
        self._length = 0

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802  Twisted's name
        self._length += len(data)
        if self._length <= LARGEST:
            super().handleContentChunk(data)

    def handle_reply(self, message: Any) -> None:
        """Answer; daphne writes the address into its access log then, whose query may hold a patient's name."""
        self.uri = self.path
        super().handle_reply(message)

    content: Any

    def process(self) -> Any:
        if self._length:  # which one that came in chunks does not say itself
            self.requestHeaders.setRawHeaders(b"content-length", [b"%d" % self._length])
        if self._length > LARGEST or self._asks_for_a_socket:
            self.content.seek(0)
            self.content.truncate()
        elif self._length > _PART:
            self.content = _Mapped(self.content)
        return super().process()

    @property
    def _asks_for_a_socket(self) -> bool:
        """As daphne tells it. Such a request has no body, and daphne would hold the whole of it in memory."""
        return self.requestHeaders.getRawHeaders(b"upgrade", [b""])[0].lower() == b"websocket"


class _Mapped:
    """A file, read in parts that stay on the disk: daphne queues all of them before Django takes the first."""

    def __init__(self, file: IO[bytes]) -> None:
        file.flush()
        self._file, self._at = file, 0
        self._bytes = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))

    @property
    def closed(self) -> bool:
        return self._file.closed

    def seek(self, at: int, whence: int = 0) -> None:
        self._at = at

    def read(self, least: int) -> memoryview:
        part = self._bytes[self._at : self._at + max(least, _PART)]
        self._at += len(part)
        return part

    def close(self) -> None:
        self._file.close()


def bound() -> None:
    """Have daphne make its requests so."""
    http_protocol.WebRequest = BoundedRequest
