"""A run at work and its journal, a step of it, and every call that a loop makes to a journal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from execution.choices import ExecutionState, Outcome, PauseReason, PromptKind
from execution.models import Execution, Prompt, Step
from execution.record.journal import Journal
from execution.turn.lessons import Lesson
from execution.types import (
    Choice,
    CorrectionUsed,
    Decision,
    DecisionSource,
    Frame,
    Match,
    Recognition,
    Resolution,
    ResolveStatus,
    ScreenState,
    Suggestion,
    pixels_digest,
)
from tests.factories import make_execution


def at_work() -> Journal:
    """A run at work, owned by this journal."""
    execution = make_execution()
    execution.move(ExecutionState.QUEUED)
    execution.move(ExecutionState.RUNNING, desktop="here:7", epoch=1)
    return Journal(Execution.objects.by_id(execution.execution_id), execution.version.spec())


def screen(shade: int = 0) -> ScreenState:
    pixels = np.full((40, 60, 3), shade, np.uint8)
    return ScreenState(frame=Frame(pixels=pixels, taken_at=datetime.now(UTC), digest=pixels_digest(pixels)))


def suggestion(journal: Journal) -> Suggestion:
    edge = journal.graph.edges[0]
    resolution = Resolution(status=ResolveStatus.NOT_NEEDED)
    return Suggestion(edge=edge, node_id=edge.source, sentence="Type it", params=edge.params, resolution=resolution)


def open_step(journal: Journal, shade: int = 0) -> Step:
    recognition = Recognition(match=Match(node_id="empty_note", confidence=0.9))
    return journal.open_step(screen(shade), recognition, suggestion(journal), match_ms=1)


def kinds(journal: Journal) -> list[tuple[int, str]]:
    return list(journal.execution.events.order_by("pk").values_list("seq", "kind"))


def asked(journal: Journal, step: Step, kind: PromptKind = PromptKind.COACHING) -> Prompt:
    return journal.ask(step, kind, "?", timeout_s=60)


LEARNED = (CorrectionUsed(key="learned-1", part="place", on_trial=True),)

CALLS: dict[str, Callable[[Journal, Step], Any]] = {
    "refresh": lambda j, s: j.refresh(),
    "open_step": lambda j, s: open_step(j),
    "intend": lambda j, s: j.intend(s, suggestion(j), screen(), attempt=0),
    "attempt_failed": lambda j, s: j.attempt_failed(s, "no"),
    "close_step": lambda j, s: j.close_step(s, Outcome.SUCCEEDED),
    "agreed": lambda j, s: j.agreed(s, True, "same", screen()),
    "anything_done": lambda j, s: j.anything_done(),
    "open_intent": lambda j, s: j.open_intent(),
    "show_after": lambda j, s: j.show_after(s, screen(), None),
    "doubt": lambda j, s: j.doubt(s),
    "tidy": lambda j, s: j.tidy(),
    "in_force": lambda j, s: j.in_force(),
    "still_in_force": lambda j, s: j.still_in_force(replace(suggestion(j), learned=LEARNED)),
    "correction": lambda j, s: j.correction(
        s, Lesson({}), Decision(choice=Choice.CORRECT, source=DecisionSource.COACH), None
    ),
    "ask": lambda j, s: asked(j, s),
    "arrive": lambda j, s: j.arrive("saved", 0.5),
    "pause": lambda j, s: j.pause(PauseReason.ASKED, ""),
    "pause_as_asked": lambda j, s: j.pause_as_asked(),
    "change_mode": lambda j, s: j.change_mode(),
    "finish": lambda j, s: j.finish(ExecutionState.STOPPED),
    "degrade": lambda j, s: j.degrade("slow"),
    "error": lambda j, s: j.error("storage", "full"),
    "keep_variables": lambda j, s: j.keep_variables({"patient": "Ada"}),
}
