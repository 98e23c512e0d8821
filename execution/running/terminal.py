"""What the terminal says of a run: its steps, what it waits for, its mode, and how it ended.

Under a service manager these lines are kept by the machine's journal, which no mask and no retention reaches: what was
typed or read, a question, whose record it is are only told where somebody asks for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from django.utils.translation import gettext as _

from execution.choices import ON_DESKTOP, WAITING, ExecutionState
from execution.exceptions import NotTaken
from execution.models import Execution, Step
from execution.record.attribution import how_it_ended
from execution.record.journal import Journal
from execution.record.patience import Patience
from execution.record.summary import as_sentence, run_summary
from execution.record.waiting import waiting_of
from sentences.said import by_sentence, from_json, say, worded
from workflows.graph import GraphSpec


class Terminal:
    """Says it by `out`, a line at a time; with `values` also what names people and what was typed."""

    def __init__(self, out: Callable[[str], None], patience: Patience, *, values: bool = False) -> None:
        self.out, self._patience, self._values = out, patience, values

    def listen_to(self, journal: Journal) -> None:
        journal.on_step.append(lambda step: self.step(step, journal.graph))
        journal.on_state.append(self.state)
        journal.on_mode.append(self.mode)

    def begin(self, execution: Execution) -> None:
        self.out(
            _("%(id)s: “%(name)s” v%(version)d, %(mode)s")
            % {
                "id": execution.execution_id,
                "name": execution.version.workflow.name,
                "version": execution.version.number,
                "mode": execution.get_mode_display(),
            }
        )

    def step(self, step: Step, graph: GraphSpec) -> None:
        what = " ".join(self._what(step, graph).split())
        by = f" ({step.rung} {step.score:.2f})" if step.rung else ""
        checked = f", {step.get_verified_display()}" if step.verified else ""
        took = f"{step.robot_ms / 1000:.2f} s"
        if step.waited_ms:
            took = _("%(took)s, and %(waited).1f s waiting for a person") % {
                "took": took,
                "waited": step.waited_ms / 1000,
            }
        self.out(f"  {step.index:>3} {what} → {step.get_outcome_display()}{checked}{by} {took}")

    def _what(self, step: Step, graph: GraphSpec) -> str:
        node = graph.node(step.node_id)
        if self._values:
            return str(step.sentence) or (node.name if node else step.node_id)
        return f"{step.node_id} {step.edge_id}"

    def state(self, execution: Execution) -> None:
        if execution.state == ExecutionState.PAUSED:
            why = from_json(execution.pause_detail.get("message", "")) if self._values else ""
            self.out(f"      {execution.get_state_display()}: {execution.get_pause_reason_display()}. {why}".rstrip())
        elif execution.state in WAITING:
            prompt = execution.prompts.open().first()
            asked = (prompt.message if self._values else prompt.get_kind_display()) if prompt else ""
            self.out(f"      {execution.get_state_display()}: {asked}")

    def mode(self, execution: Execution) -> None:
        self.out(_("      From now on: %(mode)s") % {"mode": execution.get_mode_display()})

    def end(self, execution: Execution) -> None:
        if execution.is_final:
            state = execution.get_state_display()
            ended = (how_it_ended(execution) if self._values else "") or f"{state}."
            summary = self._patience.until_done(lambda: as_sentence(run_summary(execution)))
            self.out(f"{execution.execution_id}: {ended} {summary}")
        else:
            self.out(_("%(id)s: left for the next run loop.") % {"id": execution.execution_id})


# What a loop that is here for one run says while it cannot take it.

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
