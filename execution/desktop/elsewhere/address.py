"""Where a desktop elsewhere is: `vnc://host:5901`, `rdp://er-desk@host?layout=fr&size=1280x800`.

Before the “@” stands the name of a credential in the vault, never a password.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass
from typing import Literal, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from execution.desktop.base import DesktopUnavailable
from execution.types import Size
from sentences.said import say

Kind = Literal["vnc", "rdp"]
PORTS: dict[str, int] = {"vnc": 5900, "rdp": 3389}
EXAMPLE = "vnc://er-desk@er-12.example:5901?layout=fr"
REACHED_WITHIN_S = 5.0
LARGEST = Size(3840, 2400)


class Keyboard(NamedTuple):
    """One keyboard layout as X names it, and as Windows numbers it."""

    layout: str
    variant: str
    number: int


KEYBOARDS = {
    "us": Keyboard("us", "", 0x409),
    "gb": Keyboard("gb", "", 0x809),
    "fr": Keyboard("fr", "", 0x40C),
    "be": Keyboard("be", "", 0x80C),
    "ch-fr": Keyboard("ch", "fr", 0x100C),
    "ch-de": Keyboard("ch", "", 0x807),
    "de": Keyboard("de", "", 0x407),
    "es": Keyboard("es", "", 0x40A),
    "it": Keyboard("it", "", 0x410),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """`keyboard` is that of the desktop elsewhere; `size` is what it is asked to have, where it can be asked."""

    kind: Kind
    host: str
    port: int
    credential: str = ""
    keyboard: Keyboard = KEYBOARDS["us"]
    size: Size | None = None

    @property
    def name(self) -> str:
        """One spelling for the same address, whoever logs in there and with whatever keyboard."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.kind}://{host}:{self.port}"

    def mark(self, user: str = "") -> str:
        """One for everybody on this machine who reaches it, by whatever name of its host.

        A machine has one session of RDP for each user, and what VNC shows is there once.
        """
        whose = user.casefold() if self.kind == "rdp" else ""
        return f"{self.kind} {_host_mark(self.host)} {self.port} {whose}".rstrip()

    def reach(self) -> None:
        """Raises DesktopUnavailable where nobody answers there: known before a client is started."""
        try:
            socket.create_connection((self.host, self.port), timeout=REACHED_WITHIN_S).close()
        except (OSError, UnicodeError) as problem:  # a host's name may be none that can be looked up
            raise DesktopUnavailable(say("desktop.elsewhere_out_of_reach", name=self.name, error=problem)) from problem


def is_elsewhere(name: str | None) -> bool:
    return bool(re.match(r"(vnc|rdp)://", name or ""))


def parse(name: str) -> Address:
    """Raises DesktopUnavailable, which never repeats what may be a password."""
    try:
        parts = urlsplit(name)
        host, port = parts.hostname or "", parts.port
        size = _size(options.pop("size")) if "size" in (options := dict(parse_qsl(parts.query))) else None
    except ValueError:
        raise DesktopUnavailable(say("desktop.elsewhere_no_address", example=EXAMPLE)) from None
    if parts.password is not None:
        raise DesktopUnavailable(say("desktop.elsewhere_password_in_address", example=EXAMPLE))
    layout = options.pop("layout", "us")
    if layout not in KEYBOARDS:
        raise DesktopUnavailable(say("desktop.elsewhere_no_layout", layout=layout, known=list(KEYBOARDS)))
    wrong = parts.scheme not in PORTS or parts.path not in ("", "/") or parts.fragment or options or port == 0
    if wrong or not re.fullmatch(r"[\w.:%-]+", host) or host.startswith("-"):
        raise DesktopUnavailable(say("desktop.elsewhere_no_address", example=EXAMPLE))
    return Address(
        kind="vnc" if parts.scheme == "vnc" else "rdp",
        host=host,
        port=port or PORTS[parts.scheme],
        credential=unquote(parts.username or ""),
        keyboard=KEYBOARDS[layout],
        size=size,
    )


def _size(text: str) -> Size:
    width, height = (int(side) for side in text.split("x"))
    if not (200 <= width <= LARGEST.width and 200 <= height <= LARGEST.height):
        raise ValueError(text)
    return Size(width, height)


def _host_mark(host: str) -> str:
    """Its lowest address; this machine, by whichever of its loopback addresses; the name where none is known."""
    try:
        found = sorted({str(told[4][0]) for told in socket.getaddrinfo(host, None)})
    except (OSError, UnicodeError):
        return host
    return "here" if any(ipaddress.ip_address(one.partition("%")[0]).is_loopback for one in found) else found[0]
