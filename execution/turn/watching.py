"""An open question looks at the screen too: is what it asks about still there? (S1.5)

A person may do it by hand, or the program may go on by itself, while nobody has answered yet. A frame that is the same
as the last one costs its digest.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from django.utils.translation import gettext as _

from execution.turn.stages import Stages
from execution.turn.unchanged import NOISE, place_of
from execution.types import Frame, ScreenState, Suggestion

# Of a screen that is asked about as a whole: a clock or a caret changes less, a dialog or another page more.
_ANOTHER_SCREEN = 0.01

Look = Callable[[], str]


def watch(stages: Stages, suggestion: Suggestion, asked: ScreenState, *, whole: bool = False) -> Look:
    """Says in a sentence what is not as it was when it was asked, "" while all is. Raises DesktopLost.

    `whole`: the question is about the screen, not about the place of a target.
    """
    seen, said = asked.frame.digest, ""

    def look() -> str:
        nonlocal seen, said
        now = stages.glance()
        if not seen or now.frame.digest != seen:
            seen = now.frame.digest
            said = stages.what_changed(suggestion, asked, now, strict=False)
            if not said and (whole or place_of(suggestion) is None) and _differs(asked.frame, now.frame):
                said = _("The screen does not show what it did.")
        return said

    return look


def _differs(then: Frame, now: Frame) -> bool:
    difference = np.abs(then.pixels.astype(np.int16) - now.pixels)
    return float((difference.max(axis=2) > NOISE).mean()) > _ANOTHER_SCREEN
