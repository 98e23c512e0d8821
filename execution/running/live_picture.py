"""The live picture of a desktop: latest wins, one small file, replaced by rename (D2)."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import cv2
import numpy as np
from django.conf import settings

from execution.record.redaction import Redaction
from execution.types import Frame

# WebP of a 1280x800 screen took 60 ms here, JPEG 6 ms at twice the size; the picture stays on the machine.
QUALITY = 80
MAX_WIDTH = 1600


def path_of(robot_name: str) -> Path:
    safe = "".join(c if c.isalnum() or c in "-_.:" else "_" for c in robot_name)
    return settings.DATA_DIR / "live" / f"{safe}.jpg"


def write(robot_name: str, frame: Frame, redaction: Redaction) -> None:
    """Replace the robot's live picture by what may be shown of the frame (S10.4). Raises OSError.

    Its modification time is when the frame was taken.
    """
    picture = encoded(redaction.live(frame))
    path = path_of(robot_name)
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".part")
    fresh.write_bytes(picture)
    taken = frame.taken_at.timestamp()
    os.utime(fresh, (taken, taken))
    fresh.replace(path)


def encoded(pixels: np.ndarray) -> bytes:
    """BGR pixels as a JPEG, no wider than MAX_WIDTH."""
    width = pixels.shape[1]
    if width > MAX_WIDTH:
        scale = MAX_WIDTH / width
        pixels = cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    _ok, jpeg = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return jpeg.tobytes()


def taken_at(path: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except FileNotFoundError:
        return None
