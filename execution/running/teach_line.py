"""The line between browsers that act on a desktop and the run loop that has it: whole messages over a local socket.

Each is its length, its kind and its body: JSON both ways, pictures to the browsers. The web process decides who may
open one; it hands everything on as it is.
"""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from execution.running.live_picture import path_of
from gpu.local_socket import address

if TYPE_CHECKING:
    from execution.models import Lesson

HEAD = struct.Struct("!IB")  # bytes of the body, kind
JSON, PICTURE = 0, 1
PICTURE_HEAD = struct.Struct("!Id")  # its number, when it was taken in seconds since 1970
MOST = 32 * 1024 * 1024  # bytes of one message
ANSWER_S = 3.0


def line_of(robot_name: str) -> Path:
    """Where the robot's run loop listens while it is taught."""
    return path_of(robot_name).with_suffix(".teach")


def line_of_lesson(lesson: Lesson) -> Path:
    """Where a lesson is heard: at its robot, which has one desktop; one on pictures at a place of its own."""
    if lesson.has_desktop:
        return line_of(lesson.robot.name if lesson.robot else "")
    return line_of(lesson.lesson_id)


def control_line_of(robot_name: str) -> Path:
    """Where the robot's run loop listens while a person has control of a run's desktop."""
    return path_of(robot_name).with_suffix(".control")


def packed(message: Mapping[str, Any]) -> bytes:
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    return HEAD.pack(len(body), JSON) + body


def packed_picture(number: int, taken_at: float, jpeg: bytes) -> bytes:
    return HEAD.pack(PICTURE_HEAD.size + len(jpeg), PICTURE) + PICTURE_HEAD.pack(number, taken_at) + jpeg


def read_message(line: socket.socket) -> tuple[int, bytes] | None:
    """The next message's kind and body; None where the line has ended. Raises ValueError for one that is too long."""
    head = _exactly(line, HEAD.size)
    if head is None:
        return None
    length, kind = HEAD.unpack(head)
    if length > MOST:
        raise ValueError(f"a message of {length} bytes")
    body = _exactly(line, length)
    return None if body is None else (kind, body)


def tell(lesson: Lesson, message: Mapping[str, Any]) -> bool:
    """Say one thing to the lesson, such as that somebody edited its draft; False where no robot gives it."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line, address(line_of_lesson(lesson)) as place:
            line.settimeout(ANSWER_S)
            line.connect(place)
            line.sendall(packed({"type": "hello", "of": lesson.lesson_id, "watches": False}) + packed(message))
    except (OSError, AttributeError):
        return False
    return True


def _exactly(line: socket.socket, count: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < count:
        try:
            part = line.recv(count - len(parts))
        except OSError:
            return None
        if not part:
            return None
        parts += part
    return bytes(parts)
