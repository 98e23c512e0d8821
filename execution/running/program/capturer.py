"""A program's own eyes (S11.9): `capture_screen()` in place of the desktop's pictures, its own continuous capture."""

from __future__ import annotations

import getpass
import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NoReturn

import numpy as np
from django.conf import settings

from execution.desktop.base import Desktop, DesktopError, DesktopIdentity, DesktopLost, DesktopUnavailable
from execution.desktop.capture import CaptureStats
from execution.desktop.lock import DesktopLock
from execution.models import Robot
from execution.running.desktops import open_named
from execution.running.shown_capture import ShownCapture
from execution.types import Frame, Size, Window, pixels_digest
from sentences.said import say

log = logging.getLogger(__name__)

NO_DISPLAY = "program:"  # how the names of places without a display begin
TRIES, TRY_AGAIN_S = 5, 0.2  # a capturer may have nothing for a moment, and nothing tells when it has


def open_for(capturer: Any, *, acts: bool, name: str | None, given: Desktop | None) -> Desktop:
    """The desktop of this process, with the program's own eyes if it brings some.

    Where there is no display and the program neither needs the desktop's eyes nor its hands there is none to open.
    """
    hands = given
    try:
        hands = hands or open_named(name)
    except DesktopUnavailable:
        if capturer is None or acts:
            raise
        hands = NoHands(_free_place())  # type: ignore[assignment]
    return hands if capturer is None else CapturerDesktop(capturer, hands, acts=acts)  # type: ignore


def _free_place() -> str:
    """A name for a program without a display: the first that no other program holds."""
    number = 1
    while True:
        try:
            with DesktopLock(f"{NO_DISPLAY}{number}", settings.DATA_DIR / "locks"):
                return f"{NO_DISPLAY}{number}"
        except DesktopError:
            number += 1


class CapturerDesktop:
    """The hands of `hands` with the eyes of a program. `acts`: they are used, and must be where the pictures are."""

    def __init__(self, capturer: Any, hands: Desktop, *, acts: bool) -> None:
        self._capturer, self._hands, self._acts = capturer, hands, acts
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._hands, name)

    def identity(self) -> DesktopIdentity:
        """The hands', with the pictures' size. Raises DesktopUnavailable where clicks would land elsewhere."""
        identity, size = self._hands.identity(), self.grab().size
        if self._acts and size != identity.size:
            there = identity.size
            raise DesktopUnavailable(
                say("program.capturer_misses", w=size.width, h=size.height, dw=there.width, dh=there.height)
            )
        return replace(identity, size=size)

    def grab(self) -> Frame:
        for left in reversed(range(TRIES)):
            with self._lock:
                image = self._captured()
            if image is not None:
                return frame_of(image)
            if left:
                time.sleep(TRY_AGAIN_S)
        raise DesktopLost(say("program.no_picture"))

    def _captured(self) -> Any:
        try:
            return self._capturer.capture_screen()
        except Exception as error:  # the program's own code: without a picture there is no desktop, whatever the reason
            log.exception("the screen capturer failed")
            raise DesktopLost(say("program.capturer_failed", error=repr(error))) from error


def frame_of(image: Any, taken_at: Any = None) -> Frame:
    """A PIL image, or RGB pixels, as a frame."""
    try:
        rgb = np.asarray(image.convert("RGB") if hasattr(image, "convert") else image)
        pixels = np.ascontiguousarray(rgb[:, :, 2::-1], dtype=np.uint8)
    except (TypeError, ValueError, IndexError) as error:
        raise DesktopLost(say("program.no_picture_but", kind=type(image).__name__, error=error)) from error
    moment = taken_at if isinstance(taken_at, datetime) and taken_at.tzinfo else datetime.now(UTC)
    return Frame(pixels=pixels, taken_at=moment, digest=pixels_digest(pixels), method="screen_capturer")


class OwnCapture(ShownCapture):
    """Continuous capture by the program's own `start_continuous`; what it counts is what is told."""

    def __init__(self, capturer: Any, desktop: Desktop, robot: Robot, *, interval_ms: int) -> None:
        super().__init__(desktop, robot)
        self._capturer, self._interval_ms, self._on = capturer, interval_ms, False

    @property
    def running(self) -> bool:
        return self._on

    def start(self) -> OwnCapture:
        if not self._on:
            self._on = self._tell("start_continuous", callback=self._hear, interval_ms=self._interval_ms,
                                  skip_unchanged=True)  # fmt: skip
        return self

    def stop(self, *, timeout: float = 15.0) -> None:
        if self._on:
            self._on = False
            self._tell("stop_continuous")

    def stats(self) -> CaptureStats:
        try:
            said = self._capturer.get_stats()
            return CaptureStats(
                total_captures=int(said.total_captures),
                captures_per_second=float(said.captures_per_second),
                unchanged_skipped=int(said.unchanged_frames_skipped),
                avg_capture_time_ms=float(said.average_capture_time_ms),
                buffer_size=int(said.buffer_size),
                memory_mb=float(said.memory_usage_mb),
            )
        except Exception as error:  # noqa: BLE001  a helper: what it raises is told, and what was heard is counted
            log.warning("the screen capturer's statistics cannot be read: %r", error)
            return super().stats()

    def _tell(self, name: str, **given: Any) -> bool:
        try:
            getattr(self._capturer, name)(**given)
        except Exception as error:  # noqa: BLE001  a helper: without it there is no live picture, and the run goes on
            log.warning("the screen capturer's %s failed: %r", name, error)
            return False
        return True

    def _hear(self, heard: Any) -> None:
        """A frame of the program's: its `image` and its `timestamp`."""
        try:
            self._keep(frame_of(heard.image, getattr(heard, "timestamp", None)), took=0.0)
        except (AttributeError, DesktopLost) as error:
            log.warning("a frame of the screen capturer is not used: %s", error)


def window_provider_of(capturer: Any) -> Callable[[], Mapping[str, Any] | None] | None:
    """`get_active_window()` in the shape of S2.7; None for a capturer that has none."""
    ask = getattr(capturer, "get_active_window", None)
    if not callable(ask):
        return None

    def window() -> Mapping[str, Any] | None:
        told = ask()
        if isinstance(told, Mapping):
            return {"title": told.get("window_title", ""), "app_name": told.get("app", ""), **told}
        return told

    return window


class NoHands:
    """No desktop at all: for a program that brings its own eyes and its own executor where there is no display."""

    def __init__(self, name: str) -> None:
        self.name = name

    def identity(self) -> DesktopIdentity:
        return DesktopIdentity(
            name=self.name, host="", boot_id="", session="", user=getpass.getuser(), size=Size(1, 1)
        )  # fmt: skip

    def window(self) -> Window | None:
        return None

    def release_all(self) -> None:
        """Nothing is ever held down."""

    def close(self) -> None:
        """Nothing to give back."""

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise DesktopError(say("program.no_desktop"))

    grab = move = click = drag = scroll = press = type_text = _refuse
