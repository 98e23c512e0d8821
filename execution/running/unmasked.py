"""The live picture as it is, for those who have the right to it: from memory to memory, never a file (S10.4).

A run loop answers on a socket that its own account alone may open, and the web process hands on what comes; neither
keeps it. Off unless `RPA_LIVE_UNMASKED` is set: then there is no socket, and everybody sees the masked picture.
"""

from __future__ import annotations

import logging
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings

from execution.record.redaction import Redaction
from execution.running.live_picture import encoded, path_of
from execution.types import Frame
from gpu.local_socket import address, is_of_our_account, listening

log = logging.getLogger(__name__)

ANSWER_S = 3.0
_HEAD = struct.Struct("!d")  # when it was taken, in seconds since 1970
Shown = Callable[[], tuple[Frame, Redaction] | None]


@dataclass(frozen=True, slots=True)
class Unmasked:
    jpeg: bytes
    taken_at: datetime


class UnmaskedPicture:
    """What a run loop answers with; `shown` gives the newest frame and what of it nobody may see, None between runs."""

    def __init__(self, robot_name: str, shown: Shown) -> None:
        self._path, self._shown = socket_of(robot_name), shown
        self._listener: socket.socket | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Listen; without it the masked picture is what there is, so what goes wrong here is told and no more."""
        if not settings.RPA_LIVE_UNMASKED:
            return
        try:
            self._listener = listening(self._path)
        except (OSError, AttributeError) as error:  # no such sockets on this system, or no room for one
            log.warning("the live picture is shown masked to everybody: %s", error)
            return
        self._thread = threading.Thread(target=self._serve, args=(self._listener,), name="unmasked", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        if self._listener is None or self._thread is None:
            return
        self._path.unlink(missing_ok=True)
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        self._listener = self._thread = None

    def _serve(self, listener: socket.socket) -> None:
        while True:
            try:
                asking, _from = listener.accept()
            except OSError:  # it was closed
                return
            with asking:
                try:
                    asking.settimeout(ANSWER_S)
                    if is_of_our_account(asking):
                        asking.sendall(self._answer())
                except Exception as error:  # noqa: BLE001  a helper: whoever asked shows the masked picture
                    log.warning("the live picture could not be handed over: %r", error)

    def _answer(self) -> bytes:
        shown = self._shown()
        if shown is None:
            return b""
        frame, redaction = shown
        return _HEAD.pack(frame.taken_at.timestamp()) + encoded(redaction.unmasked(frame))


def ask(robot_name: str) -> Unmasked | None:
    """The picture from the robot's run loop; None where it gives none."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking, address(socket_of(robot_name)) as place:
            asking.settimeout(ANSWER_S)
            asking.connect(place)
            answer = b"".join(iter(lambda: asking.recv(1 << 16), b""))
    except (OSError, AttributeError):
        return None
    if len(answer) <= _HEAD.size:
        return None
    (taken,) = _HEAD.unpack_from(answer)
    return Unmasked(jpeg=answer[_HEAD.size :], taken_at=datetime.fromtimestamp(taken, UTC))


def socket_of(robot_name: str) -> Path:
    return path_of(robot_name).with_suffix(".sock")
