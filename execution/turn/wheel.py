"""After the wheel was turned: what does not move may not have moved yet, for a slow client or a busy program."""

from __future__ import annotations

from collections.abc import Callable

from execution.desktop.capture import looks
from execution.types import ScreenState

ANSWERS_S = 1.0  # what has not moved by then does not: an end that was believed too soon leaves the rest unseen


def once_moved(still: Callable[[], ScreenState], moved: Callable[[ScreenState], bool]) -> ScreenState:
    """The screen as it stands still once what was scrolled has moved, or surely will not."""
    for _look in looks(ANSWERS_S):
        state = still()
        if moved(state):
            break
    return state
