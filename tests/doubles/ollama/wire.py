"""HTTP/1.1 on a socket, close enough to the bytes to break it on purpose."""

from __future__ import annotations

import asyncio
import gzip
import socket
import struct
import zlib
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from tests.doubles.ollama.framing import compact

JSON = "application/json; charset=utf-8"
ENDLESS_AT_ONCE = 64 * 1024  # bytes that wait in the socket before an endless body pauses


class Exchange:
    """One request and the bytes of its answer. Every method may be called from any thread."""

    def __init__(self, connection: Connection, method: str, path: str, headers: dict[str, str], body: bytes) -> None:
        self.connection = connection
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.begun = False
        self.over = False
        self.packed = False
        self.hung_up = False
        self.on_hangup: Callable[[], None] = lambda: None
        self._packer: Any = None

    def json(self, status: int, value: Any) -> None:
        self.answer(status, compact(value), JSON)

    def answer(self, status: int, body: bytes, content_type: str, *more: str) -> None:
        packing = []
        if self.packed and body:
            body, packing = gzip.compress(body), ["Content-Encoding: gzip"]
        kind = [f"Content-Type: {content_type}"] if content_type else []
        self._head(status, [*kind, *packing, *more, f"Content-Length: {len(body)}"])
        self._send(body)
        self._finish()

    def begin(self, content_type: str, status: int = 200) -> None:
        if self.packed:
            self._packer = zlib.compressobj(wbits=31)
        packing = ["Content-Encoding: gzip"] if self.packed else []
        self._head(status, [f"Content-Type: {content_type}", *packing, "Transfer-Encoding: chunked"])

    def write(self, data: bytes) -> None:
        """One chunk."""
        if self._packer is not None:
            data = self._packer.compress(data) + self._packer.flush(zlib.Z_SYNC_FLUSH)
        self._send(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def write_endless(self, data: bytes) -> None:
        """Chunk after chunk for as long as the client reads."""
        self.connection.call(self.connection.pour, f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def end(self) -> None:
        if self._packer is not None:
            tail = self._packer.flush()
            self._send(f"{len(tail):x}\r\n".encode() + tail + b"\r\n")
        self._send(b"0\r\n\r\n")
        self._finish()

    def cut(self, body: bytes = b"") -> None:
        """Close the connection before the body is whole."""
        if not self.begun:
            self._head(200, ["Content-Type: application/json", f"Content-Length: {len(body) + 100}"])
        self._send(body)
        self._finish(close=True)

    def reset(self) -> None:
        self.over = True
        self.connection.call(self.connection.reset)

    def _head(self, status: int, lines: list[str]) -> None:
        self.begun = True
        try:
            phrase = HTTPStatus(status).phrase
        except ValueError:
            phrase = "Client Closed Request"
        self._send("\r\n".join([f"HTTP/1.1 {status} {phrase}", *lines, "", ""]).encode())

    def _send(self, data: bytes) -> None:
        self.connection.call(self.connection.send, data)

    def _finish(self, *, close: bool = False) -> None:
        self.over = True
        close = close or self.headers.get("connection", "").lower() == "close"
        self.connection.call(self.connection.close if close else self.connection.next)


class Connection(asyncio.Protocol):
    """A client. Requests on it are served one after the other; its end is told to the one that is being served."""

    def __init__(
        self, serve: Callable[[Exchange], None], hung_up: Callable[[Exchange], None], among: set[Connection]
    ) -> None:
        self._serve = serve
        self._among = among  # the open ones: it leaves them when it is lost
        self._hung_up = hung_up
        self._loop = asyncio.get_running_loop()
        self._buffer = b""
        self._exchange: Exchange | None = None
        self._poured = b""
        self._paused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.set_write_buffer_limits(high=ENDLESS_AT_ONCE)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if self._exchange is None:
            self._take()

    def connection_lost(self, exc: Exception | None) -> None:
        self._among.discard(self)
        exchange, self._exchange = self._exchange, None
        if exchange is not None and not exchange.over:
            exchange.hung_up = True
            self._hung_up(exchange)

    def pause_writing(self) -> None:
        self._paused = True

    def resume_writing(self) -> None:
        self._paused = False
        if self._poured:
            self.pour(self._poured)

    def call(self, what: Callable[..., None], *args: Any) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(what, *args)

    def send(self, data: bytes) -> None:
        if data and not self.transport.is_closing():
            self.transport.write(data)

    def pour(self, data: bytes) -> None:
        """One chunk each time the loop comes round, so that the end of the client is seen in between."""
        self._poured = data
        if not self._paused and not self.transport.is_closing():
            self.transport.write(data)
            if not self._paused:
                self._loop.call_soon(self.pour, data)

    def close(self) -> None:
        self.transport.close()

    def reset(self) -> None:
        """With a linger time of zero the close is an RST."""
        sock = self.transport.get_extra_info("socket")
        if sock is not None and not self.transport.is_closing():
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    def next(self) -> None:
        self._exchange = None
        self._take()

    def _take(self) -> None:
        head, found, rest = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length") or 0)
        if len(rest) < length:
            return
        self._buffer = rest[length:]
        method, target, _version = first.split(" ", 2)
        self._exchange = Exchange(self, method, target.partition("?")[0], headers, rest[:length])
        self._serve(self._exchange)
