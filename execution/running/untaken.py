"""What a loop that is here for one run says while it cannot take it."""

from __future__ import annotations

import time
from collections.abc import Callable

from execution.choices import ON_DESKTOP
from execution.exceptions import NotTaken
from execution.models import Execution
from execution.record.patience import Patience
from execution.record.waiting import waiting_of
from sentences.said import by_sentence, say, worded

EVERY_S = 1.0  # which is longer than a run that fits waits


class Untaken:
    """Says why that run waits whenever the reason is another, and gives it to a program once."""

    def __init__(
        self, out: Callable[[str], None], patience: Patience, on_error: Callable[[str, Exception], None]
    ) -> None:
        self._out, self._patience, self._on_error = out, patience, on_error
        self._next_look = 0.0
        self._said = ""
        self._is_given = False

    def look(self, execution_id: str) -> None:
        """To be called again and again while it is not taken."""
        now = time.monotonic()
        if now < self._next_look:
            return
        is_first, self._next_look = not self._next_look, now + EVERY_S
        if is_first:
            return
        why = self._patience.until_done(lambda: why_untaken(execution_id), for_ever=True)
        if why and why != self._said:
            self._out(f"{execution_id}: {worded(why)}")
            if not self._is_given:
                self._is_given = True
                self._on_error("not_taken", NotTaken(why))
        self._said = why


def why_untaken(execution_id: str) -> str:
    """Why that run waits, and how what holds its desktop is ended; empty of one that does not wait."""
    execution = Execution.objects.filter(execution_id=execution_id).first()
    waits = waiting_of(execution) if execution else None
    if waits is None:
        return ""
    holds = next((run for run in waits["behind"] if run["state"] in ON_DESKTOP), None)
    ends = [say("waiting.stop_that", id=holds["execution_id"])] if holds else []
    return by_sentence([waits["message"], *ends, *([say("waiting.end_lesson")] if waits["lessons"] else [])])
