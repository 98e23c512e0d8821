"""From bytes to text: in which encoding a file was written, and whether that is sure."""

from __future__ import annotations

import codecs
from typing import NamedTuple

from charset_normalizer import from_bytes

from execution.worklists.intake.cells import Unreadable
from sentences.said import say

UTF_8, UTF_16, WINDOWS = "utf-8", "utf-16", "windows-1252"
# What programs of Western Europe write, the commonest first: the first is taken where nothing speaks for another.
SINGLE_BYTE = {"cp1252": WINDOWS, "cp850": "cp850", "mac_roman": "mac-roman", "iso8859_15": "iso-8859-15"}
ENCODINGS = (UTF_8, UTF_16, *SINGLE_BYTE.values())
_MARKS = (
    (codecs.BOM_UTF8, UTF_8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, UTF_16, "utf-16"),
    (codecs.BOM_UTF16_BE, UTF_16, "utf-16"),
)
_CLOSING = "»”…°®™"  # what may stand right behind a word
_FRAMES = range(0x2500, 0x25A0)  # of tables on a terminal
_LOOKED_AT = 64 * 1024  # bytes that tell how a text without a mark was written


class Text(NamedTuple):
    text: str
    encoding: str
    is_sure: bool


def text_of(data: bytes, encoding: str = "") -> Text:
    """The text in `data`; without an `encoding` that is found. Raises Unreadable."""
    for mark, name, codec in _MARKS:
        if data.startswith(mark) and encoding in ("", name):
            return Text(_decoded(data, codec, name), name, True)
    if encoding:
        return Text(_decoded(data, _unmarked(data) if encoding == UTF_16 else encoding, encoding), encoding, True)
    if data[:_LOOKED_AT].count(0):
        return Text(_decoded(data, _unmarked(data), UTF_16), UTF_16, True)
    try:
        return Text(data.decode(UTF_8), UTF_8, True)
    except UnicodeDecodeError:
        return _single_byte(data)


def _unmarked(data: bytes) -> str:
    """UTF-16 without a mark: of Latin letters every other byte is 0, the second where the small end comes first."""
    return "utf-16-le" if data[1:_LOOKED_AT:2].count(0) >= data[:_LOOKED_AT:2].count(0) else "utf-16-be"


def _decoded(data: bytes, codec: str, name: str) -> str:
    try:
        text = data.decode(codec)
    except (UnicodeDecodeError, LookupError) as error:
        raise Unreadable(say("intake.not_in_encoding", encoding=name)) from error
    if "\0" in text:
        raise Unreadable(say("intake.no_text"))
    return text


def _single_byte(data: bytes) -> Text:
    """One of the encodings with a byte a letter: only the letters beyond ASCII tell which one."""
    telling = b"\n".join(line for line in data.splitlines() if not line.isascii())[:_LOOKED_AT]
    possible = {name: text for name in SINGLE_BYTE.values() if (text := _readable(telling, name))}
    if not possible:
        return Text(_decoded(data, WINDOWS, WINDOWS), WINDOWS, False)
    chaos = {
        SINGLE_BYTE[one.encoding]: one.chaos for one in from_bytes(telling, cp_isolation=[*SINGLE_BYTE], threshold=1)
    }
    rank = {name: (_oddities(text), chaos.get(name, 1)) for name, text in possible.items()}
    best = min(possible, key=lambda name: rank[name])
    rivals = [name for name in possible if rank[name] == rank[best] and possible[name] != possible[best]]
    return Text(_decoded(data, best, best), best, not rivals)


def _readable(data: bytes, name: str) -> str:
    """The text, empty where it would hold control characters."""
    try:
        text = data.decode(name)
    except UnicodeDecodeError:
        return ""
    return "" if any("\x80" <= character <= "\x9f" for character in text) else text


def _oddities(text: str) -> int:
    """How many characters beyond ASCII stand as in no text: a sign or a capital within a word, a letter alone."""
    around = zip(f" {text}", text, f"{text[1:]} ", strict=False)
    return sum(_is_odd(before, one, after) for before, one, after in around if not one.isascii())


def _is_odd(before: str, one: str, after: str) -> bool:
    if one.isalpha():
        is_alone = not before.isalnum() and not after.isalnum() and one not in "àÀ"
        return is_alone or (before.islower() and one.isupper())
    if ord(one) in _FRAMES:
        return True
    return before.isalpha() and one != "’" and not one.isspace() and (after.isalpha() or one not in _CLOSING)
