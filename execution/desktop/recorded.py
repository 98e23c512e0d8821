"""A desktop made of pictures in a folder: each action leads to the next picture.

An optional `desktop.json` says more:

    {"pictures": {"01-login.png": {
        "title": "Sign in", "app_name": "Portal",
        "next": [{"act": "click", "box": [400, 300, 120, 40], "to": "02-home.png"},
                 {"act": "press", "keys": ["ctrl", "r"], "to": "01-login.png"},
                 {"act": "type_text", "text": "Ada", "to": "01b-filled.png"}]}}}

Without "next" every click, drag, turn of the wheel, chord and text leads to the picture that follows by name; with it
only what a rule says leads anywhere. The last picture stays.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from execution.desktop.acts import Act, NotingHands
from execution.desktop.base import DesktopError, DesktopIdentity
from execution.types import Box, Frame, Size, Window, pixels_digest
from sentences.said import cause, say

if TYPE_CHECKING:
    from PIL import ImageFile


class RecordedDesktop(NotingHands):
    """`actions` is what was done, `current` the name of the picture that is shown."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.name = f"recorded:{self.folder}"
        self.actions: list[Act] = []
        self._lock = threading.RLock()
        self._names = _picture_names(self.folder)
        self._notes = _read_notes(self.folder / "desktop.json", names=self._names)
        self._read = lru_cache(maxsize=4)(read_picture)
        for name in self._names:
            self._read(self.folder / name)
        self.current = self._names[0]

    def grab(self) -> Frame:
        with self._lock:
            pixels = self._pixels().copy()
        return Frame(pixels=pixels, taken_at=datetime.now(UTC), digest=pixels_digest(pixels), method="recorded")

    def window(self) -> Window | None:
        with self._lock:
            notes = self._notes.get(self.current, {})
        if not notes.get("title") and not notes.get("app_name"):
            return None
        box = Box(*notes["box"]) if "box" in notes else None
        return Window(title=notes.get("title", ""), app_name=notes.get("app_name", ""), box=box)

    def identity(self) -> DesktopIdentity:
        return DesktopIdentity(name=self.name, host="", boot_id="", session="", user="", size=self._size())

    def close(self) -> None:
        self._read.cache_clear()

    def _size(self) -> Size:
        height, width = self._pixels().shape[:2]
        return Size(width, height)

    def _pixels(self) -> np.ndarray:
        return self._read(self.folder / self.current)

    def _do(self, act: Act) -> None:
        with self._lock:
            self.actions.append(act)
            if act.changes:
                self.current = self._following(act)

    def _following(self, act: Act) -> str:
        rules = self._notes.get(self.current, {}).get("next")
        if rules is None:
            position = self._names.index(self.current)
            return self._names[min(position + 1, len(self._names) - 1)]
        return next((rule["to"] for rule in rules if _fits(rule, act)), self.current)


def _fits(rule: Mapping[str, Any], act: Act) -> bool:
    if "act" in rule and rule["act"] != act.kind:
        return False
    if "box" in rule and not (act.point is not None and Box(*rule["box"]).contains(act.point)):
        return False
    if "keys" in rule and tuple(rule["keys"]) != act.keys:
        return False
    return "text" not in rule or rule["text"] == act.text


def _picture_names(folder: Path) -> list[str]:
    if not folder.is_dir():
        raise DesktopError(say("desktop.no_folder", folder=folder))
    names = sorted(path.name for path in folder.iterdir() if path.suffix.lower() in SUFFIXES)
    if not names:
        raise DesktopError(say("desktop.folder_empty", folder=folder))
    return names


def _read_notes(path: Path, *, names: list[str]) -> dict[str, dict[str, Any]]:
    if not path.exists():
        return {}
    try:
        pictures: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["pictures"]
        for name, notes in pictures.items():
            _check_notes(name, notes, names=names)
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise DesktopError(say("desktop.notes_unusable", path=path, error=cause(problem))) from problem
    return pictures


def _check_notes(name: str, notes: Mapping[str, Any], *, names: list[str]) -> None:
    for mentioned in (name, *(rule["to"] for rule in notes.get("next") or ())):
        if mentioned not in names:
            raise ValueError(say("desktop.notes_name_no_picture", name=mentioned))
    for box in (notes, *(notes.get("next") or ())):
        if "box" in box:
            Box(*map(int, box["box"]))


# Reading picture files of screens, refusing what is no picture or is too large before it costs memory.

# An 8K screen; a decoded picture takes three bytes a pixel.
MAX_PIXELS = 33_177_600
SUFFIXES = (".png", ".jpg", ".jpeg")


def read_picture(path: Path) -> np.ndarray:
    """The picture's pixels (BGR); raises DesktopError that says what is wrong with the file."""
    try:
        # Opening reads the header only.
        with _opened(path) as picture:
            width, height = picture.size
            if width * height > MAX_PIXELS:
                raise DesktopError(say("desktop.picture_too_large", path=path, w=width, h=height))
            rgb = np.asarray(picture.convert("RGB"))
    except FileNotFoundError as problem:
        raise DesktopError(say("desktop.no_picture", path=path)) from problem
    except (OSError, SyntaxError, ValueError) as problem:
        raise DesktopError(say("desktop.picture_damaged", path=path, error=problem)) from problem
    return np.ascontiguousarray(rgb[:, :, ::-1])


def _opened(path: Path) -> ImageFile.ImageFile:
    """By the format's own class: `Image.open` warns of large pictures in its own words, and at another limit."""
    from PIL.JpegImagePlugin import JpegImageFile
    from PIL.PngImagePlugin import PngImageFile

    with path.open("rb") as file:
        start = file.read(8)
    if start == b"\x89PNG\r\n\x1a\n":
        return PngImageFile(path)
    if start[:3] == b"\xff\xd8\xff":
        return JpegImageFile(path)
    raise DesktopError(say("desktop.not_a_picture", path=path))
