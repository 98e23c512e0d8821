"""Asking a person and waiting for the answer, which comes as a row: from a browser, the API, a command or a program."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.utils import timezone

from execution.actions.decide import decide
from execution.actions.hold import expire, postpone
from execution.choices import Origin, PromptKind, PromptState, Wish
from execution.exceptions import AlreadyDecided, NothingToDecide
from execution.models import Decision as DecisionRow
from execution.models import Prompt, Step
from execution.record.clocks import FairClock
from execution.record.journal import Journal
from execution.record.patience import let_go_of_broken
from execution.turn.watching import Watch
from execution.types import Choice, Decision, DecisionSource

LOOK_EVERY_S = 0.05


@dataclass(frozen=True, slots=True)
class CoachAnswer:
    """What a person said, or None where the question was withdrawn: the run is to pause, or the loop to leave."""

    decision: Decision | None
    user: Any = None


class Coach:
    """Puts prompts and waits. `listener` is told of each prompt; a program answers there (S11.3)."""

    def __init__(
        self, journal: Journal, *, leave: threading.Event, listener: Callable[[Prompt], None] | None = None
    ) -> None:
        self.journal, self.leave, self.listener = journal, leave, listener
        self.look_every_s = settings.RPA_CAPTURE_INTERVAL_MS / 1000

    def ask(
        self,
        step: Step,
        kind: PromptKind,
        message: str,
        *,
        timeout_s: float | None,
        picture: str = "",
        dialog: Mapping[str, Any] | None = None,
        look: Watch = lambda: "",
    ) -> CoachAnswer:
        """Wait for the answer; `picture` is what the screen shows if that is no longer what the step began with, and
        `dialog` what came over it.

        `look` says what is not any more as it was when it was asked, "" while all is. Raises what `look` raises.
        """
        prompt = self.journal.ask(step, kind, message, timeout_s=timeout_s, picture=picture, dialog=dialog)
        asked = time.perf_counter()
        if self.listener:
            self.listener(prompt)
        row = self._wait(prompt, look)
        step.waited_ms += (time.perf_counter() - asked) * 1000
        self.journal.answered(prompt, withdrawn=row is None)
        if row is None:
            return CoachAnswer(None)
        decision = Decision(
            choice=Choice(row.choice),
            source=DecisionSource(row.source),
            correction=row.correction,
            feedback=row.feedback,
            node_id=row.node_id,
            decided_by=row.decided_by,
            timeout_s=prompt.timeout_s if row.timed_out else None,
        )
        return CoachAnswer(decision, row.user)

    def _wait(self, prompt: Prompt, look: Watch) -> DecisionRow | None:
        patience, clock = self.journal.patience, FairClock(self.journal.patience)
        looked = time.monotonic()
        while True:
            row = patience.until_done(DecisionRow.objects.select_related("user").filter(prompt=prompt).first)
            if row is not None:
                return row
            wish = Wish.NONE if self.leave.is_set() else self.journal.refresh().wish
            if self.leave.is_set() or wish in (Wish.PAUSE, Wish.CONTROL, Wish.CHANGE_VERSION):
                return None
            if wish == Wish.STOP and patience.until_done(partial(_is_withdrawn, prompt)):
                return None
            if choice := prompt.timeout_choice:
                if late := clock.unfair_s():
                    patience.until_done(lambda: postpone(prompt, late))
                if patience.until_done(lambda: self._is_over(prompt)):
                    patience.until_done(partial(self._time_out, prompt, choice))
                    continue
            if time.monotonic() - looked >= self.look_every_s:
                if (changed := look()) != prompt.changed:
                    self.journal.prompt_changed(prompt, changed)
                looked = time.monotonic()
            let_go_of_broken()
            self.leave.wait(LOOK_EVERY_S)

    def _is_over(self, prompt: Prompt) -> bool:
        """Whether the time to answer is over; it stands still while somebody corrects."""
        now = timezone.now()
        if prompt.deadline_at is None or now < prompt.deadline_at:
            return False
        expire(prompt, now)
        return prompt.held_by_id is None and now >= prompt.deadline_at

    def _time_out(self, prompt: Prompt, choice: str) -> None:
        """Nobody answered: what happens then is a decision too, and it can lose against a late person."""
        try:
            decide(
                prompt_id=prompt.pk, choice=choice, source=DecisionSource.POLICY, origin=Origin.LOOP, unless_held=True
            )
        except (AlreadyDecided, NothingToDecide):
            return


def _is_withdrawn(prompt: Prompt) -> bool:
    return Prompt.objects.filter(pk=prompt.pk, state=PromptState.WITHDRAWN).exists()
