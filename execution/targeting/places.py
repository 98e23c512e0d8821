"""Where a target was the last time, for each workflow and arrangement of the screen (S5.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from execution.types import Box, ScreenState


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceKey:
    """One target of one workflow on a screen and in a window of these sizes (pixels; 0, 0: unknown)."""

    workflow_id: str
    target_id: str
    screen_size: tuple[int, int]
    window_size: tuple[int, int]


def place_key(workflow_id: str, target_id: str, state: ScreenState) -> PlaceKey:
    """The key for a target on the screen in `state`."""
    window = state.window.box if state.window else None
    return PlaceKey(
        workflow_id=workflow_id,
        target_id=target_id,
        screen_size=(state.frame.size.width, state.frame.size.height),
        window_size=(window.w, window.h) if window else (0, 0),
    )


class PlaceStore(Protocol):
    """Remembered boxes, in pixels from the window's upper left corner, or the screen's where no window is known.

    What a store returns is a hint that its reader checks against the screen. A store that cannot be reached behaves as
    an empty one; it never raises.
    """

    def get(self, key: PlaceKey) -> Box | None: ...

    def put(self, key: PlaceKey, box: Box) -> None: ...

    def drop(self, key: PlaceKey) -> None: ...
