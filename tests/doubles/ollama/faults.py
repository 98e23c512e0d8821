"""What may stand between a client and an answer: proxies, broken connections, servers that hang."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from tests.doubles.ollama.framing import compact

if TYPE_CHECKING:
    from tests.doubles.ollama.wire import Exchange

HTML = b"<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>"


class Kind(StrEnum):
    PROXY = "proxy"  # the page of a proxy, 502
    EMPTY = "empty"  # 200 and nothing in it
    GARBAGE = "garbage"  # bytes that are no JSON, under 200
    ERROR = "error"  # a status and an error text
    BODY = "body"  # the text as it is, under a status
    RESET = "reset"  # RST before any answer
    STALL = "stall"  # no answer, ever
    SHORT = "short"  # ends before the length it announced
    ENDLESS = "endless"  # a body without end
    GZIP = "gzip"  # the real answer, packed
    FORBIDDEN = "forbidden"  # 403 with an empty body
    REDIRECT = "redirect"  # to the address in `text`
    LONG_LINE = "long_line"  # one line without end, under 200


@dataclass(frozen=True, kw_only=True)
class Fault:
    kind: Kind | str
    path: str = ""  # of the requests it hits; empty: of all
    status: int = 200
    text: str = ""
    headers: tuple[str, ...] = ()  # whole lines, of BODY and ERROR
    content_type: str = "application/json"


def answer(fault: Fault, exchange: Exchange) -> None:
    """Instead of the server; GZIP is no answer and is dealt with where requests are taken in."""
    match Kind(fault.kind):
        case Kind.PROXY:
            exchange.answer(fault.status if fault.status != 200 else 502, HTML, "text/html")
        case Kind.EMPTY:
            exchange.answer(200, b"", "application/json")
        case Kind.GARBAGE:
            exchange.answer(200, b"\xff\xfe{]garbage", "application/json")
        case Kind.ERROR:
            exchange.answer(fault.status, compact({"error": fault.text}), "application/json", *fault.headers)
        case Kind.BODY:
            exchange.answer(fault.status, fault.text.encode(), fault.content_type, *fault.headers)
        case Kind.REDIRECT:
            exchange.answer(fault.status if fault.status != 200 else 302, b"", "", f"Location: {fault.text}")
        case Kind.LONG_LINE:
            exchange.begin("application/x-ndjson", fault.status)
            exchange.write_endless(b"x" * 4096)
        case Kind.RESET:
            exchange.reset()
        case Kind.SHORT:
            exchange.cut(b'{"models": [')
        case Kind.ENDLESS:
            exchange.begin("application/json", fault.status)
            exchange.write_endless(b" " * 4096)
        case Kind.FORBIDDEN:
            exchange.answer(403, b"", "")
        case _:
            return
