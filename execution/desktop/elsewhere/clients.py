"""The clients of the distribution: how each is called, and given a password that no list of processes shows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives.ciphers import Cipher, modes
from django.views.decorators.debug import sensitive_variables

from execution.desktop.elsewhere.address import Address
from execution.types import Size
from workflows.secret import Login, Secret

USUAL_SIZE = Size(1920, 1080)  # of a session that takes the size it is asked for
# How TigerVNC keeps a password in a file: DES with a key that everybody knows, bits of a byte in reverse. It hides
# nothing, which is why the file is a pipe.
_VNC_KEY = bytes((0xE8, 0x4A, 0xD6, 0x60, 0xC4, 0x72, 0x1A, 0xE0))
_VNC_LONGEST = 8
# Exit codes of xfreerdp for a login that the other side refused, or an account that is locked, expired or not allowed.
_RDP_REFUSED = frozenset({132, 134, 135, 144, 148, 149, 150, 152, 153, 154})
_VNC_REFUSED = ("authentication fail", "too many security failures", "no matching security types", "password check")


@dataclass(slots=True)
class Call:
    """A program to start: `pass_fds` and `stdin` are descriptors it is given, the latter -1 for none."""

    command: list[str]
    pass_fds: list[int] = field(default_factory=list)
    stdin: int = -1


@contextmanager
def called(address: Address, login: Login | None, *, size: Size) -> Iterator[Call]:
    """The client's call; its end of the pipe with the password is closed here when the block is left."""
    with _piped(_said(address, login)) as pipe:
        if address.kind == "vnc":
            yield Call(_vnc(address, size, pipe), pass_fds=[pipe] if pipe >= 0 else [])
        else:
            yield Call(_rdp(address, login, size), stdin=pipe)


def was_refused(address: Address, code: int, log: str) -> bool:
    """Whether the other side did not let us in: trying again would lock the account there."""
    if address.kind == "rdp":
        return code in _RDP_REFUSED
    return any(word in log.casefold() for word in _VNC_REFUSED)


def first_size(address: Address) -> Size | None:
    """The size that is known before the client has connected; None where the other side alone says it."""
    return address.size or (USUAL_SIZE if address.kind == "rdp" else None)


def _vnc(address: Address, size: Size, password: int) -> list[str]:
    # A viewer that loses its connection ends instead of asking; none of its keys, menus or clipboards is in the way.
    kinds = "TLSVnc,VncAuth" if password >= 0 else "TLSNone,None"
    command = ["xtigervncviewer", "-ReconnectOnError=0", "-AlertOnFatalError=0", "-MenuKey=", "-Shared=1"]
    command += ["-RemoteResize=0", "-FullScreenSystemKeys=0", "-SendClipboard=0", "-AcceptClipboard=0"]
    command += ["-SetPrimary=0", "-SendPrimary=0", "-AutoSelect=0", "-PreferredEncoding=Tight", "-FullColor=1"]
    command += ["-QualityLevel=9", "-PointerEventInterval=0", f"-SecurityTypes={kinds}", "-geometry", "+0+0"]
    if password >= 0:
        command.append(f"-PasswordFile=/dev/fd/{password}")
    host = f"[{address.host}]" if ":" in address.host else address.host
    return [*command, f"{host}::{address.port}"]


def _rdp(address: Address, login: Login | None, size: Size) -> list[str]:
    host = f"[{address.host}]" if ":" in address.host else address.host
    command = ["xfreerdp", f"/v:{host}:{address.port}", f"/size:{size.width}x{size.height}", "/bpp:32"]
    # The certificate that was seen first is the one that is expected from then on.
    command += ["/cert:tofu", "-decorations", "-grab-keyboard", "-clipboard", "/audio-mode:2", "-auto-reconnect"]
    command += [f"/kbd:0x{address.keyboard.number:08X}", "-floatbar", "/from-stdin:force", "/log-level:WARN"]
    domain, _, user = (login.username if login else "").rpartition("\\")
    return [*command, f"/u:{user}", *([f"/d:{domain}"] if domain else ["/d:"])]


@sensitive_variables()
def _said(address: Address, login: Login | None) -> Secret | None:
    """What goes through the pipe, as characters of Latin-1: each is one byte."""
    if login is None:
        return None
    if address.kind == "rdp":
        return Secret(f"{login.password.reveal()}\n".encode().decode("latin-1"))
    word = login.password.reveal().encode("latin-1", "replace")[:_VNC_LONGEST].ljust(_VNC_LONGEST, b"\0")
    # One DES after the other with the same key is the third one alone.
    kept = Cipher(TripleDES(_VNC_KEY * 3), modes.ECB()).encryptor()  # noqa: S305  # nosec B305
    return Secret((kept.update(word) + kept.finalize()).decode("latin-1"))


@contextmanager
@sensitive_variables()
def _piped(said: Secret | None) -> Iterator[int]:
    """A descriptor from which it is read once; -1 for nothing to say."""
    if said is None:
        yield -1
        return
    read_end, write_end = os.pipe()
    try:
        os.write(write_end, said.reveal().encode("latin-1"))
        os.close(write_end)
        yield read_end
    finally:
        os.close(read_end)
