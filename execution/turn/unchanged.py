"""Whether the desktop is still what an action was meant for: looked at right before it is done, without reading it.

Between looking and acting a window can close, a list can move, a dialog can come. The place of the target and the
focused window are compared with what they were: 0.02 ms for a button, a few ms for a whole window of 2560×1600.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np

from execution.perception.changes import block_count, differing_rows
from execution.types import Box, Frame, Suggestion, Window
from sentences.said import say

MARGIN_PX = 12  # around the target, its own frame and shadow among it
NOISE = 24  # of 255, in the channel that differs most
# A thing that never stands still (a spinner, a pulsing button) is still the same thing below this share of its pixels.
UNSTEADY_SHARE = 0.02
_CARET = (3, 48)  # pixels: nothing of a text changes in a stroke so thin


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Glance:
    """The desktop as it looks, unread."""

    frame: Frame
    window: Window | None = None


class Pictured(Protocol):
    """A Glance or a ScreenState."""

    @property
    def frame(self) -> Frame: ...

    @property
    def window(self) -> Window | None: ...


def same_picture(then: Pictured, now: Pictured) -> bool:
    """Whether not a pixel is another, nor the focused window."""
    return bool(now.frame.digest) and now.frame.digest == then.frame.digest and now.window == then.window


def what_changed(
    suggestion: Suggestion, then: Pictured, now: Pictured, *, strict: bool = True, whole: bool = False
) -> str:
    """A sentence on what is not as it was when the action was chosen; empty if it may be done.

    `whole`: everything in the window must be the same, not only the target. Not `strict`: the target's place may be a
    little unsteady.
    """
    if moved := other_window(then.window, now.window):
        return moved
    if then.frame.digest and then.frame.digest == now.frame.digest:
        return ""
    if then.frame.size != now.frame.size:
        return say("turn.screen_size")
    box = place_of(suggestion)
    if box is not None and _differs(then.frame, now.frame, box.grown(MARGIN_PX, then.frame.size), strict=strict):
        return say("turn.place_looks_otherwise")
    if whole and _differs(then.frame, now.frame, _room(then), strict=True):
        return say("turn.window_looks_otherwise")
    return ""


def place_of(suggestion: Suggestion) -> Box | None:
    """What the action touches; None where it touches no place."""
    point = suggestion.resolution.point
    return suggestion.resolution.box or (Box(point.x, point.y, 1, 1) if point else None)


def other_window(then: Window | None, now: Window | None) -> str:
    """What is not as it was of the window in front, in a sentence; "" if it is the same."""
    if then is None:
        return ""
    if now is None:
        return say("turn.window_gone", title=then.title) if then.title else ""
    if (then.title, then.app_name) != (now.title, now.app_name):
        words = {"now": now.title or now.app_name, "then": then.title or then.app_name}
        return say("turn.other_window_in_front", **words)
    return say("turn.window_moved", title=now.title) if then.box != now.box else ""


def _room(seen: Pictured) -> Box:
    everything = Box(0, 0, *seen.frame.size)
    window = seen.window.box if seen.window and seen.window.box else everything
    return window.intersection(everything)


def _differs(then: Frame, now: Frame, box: Box, *, strict: bool) -> bool:
    """Whether the pixels in the box differ by more than noise and a blinking caret."""
    before, after = then.crop(box), now.crop(box)
    if not before.size or np.array_equal(before, after):
        return False
    changed = _changed(before, after)
    if not strict:
        return bool(np.count_nonzero(changed) > UNSTEADY_SHARE * changed.size)
    _left, _top, width, height = cv2.boundingRect(changed)
    return width > _CARET[0] or height > _CARET[1]


def changed_share(then: Frame, now: Frame) -> float:
    """How much of the screen differs by more than noise, 0 to 1; both of one size."""
    changed = _changed(then.pixels, now.pixels)
    return float(np.count_nonzero(changed) / changed.size)


def _changed(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Not 0 where the pictures differ by more than noise; only rows that differ at all are looked into."""
    mask = np.zeros(before.shape[:2], np.uint8)
    for block in differing_rows(before, after, most=block_count(before.shape[0])) or ():
        blue, green, red = cv2.split(cv2.absdiff(before[block], after[block]))
        mask[block] = cv2.max(cv2.max(blue, green), red) > NOISE
    return mask
