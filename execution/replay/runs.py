"""What a run knew at each of its steps, put together again from its rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from execution.choices import Feedback, Outcome
from execution.models import Execution, Step, StepMark
from workflows.models import Correction

_BEHIND = frozenset({Outcome.SUCCEEDED, Outcome.MANUAL, Outcome.SKIPPED})  # the run was on its way to where they lead


class StoredRun:
    """One run with everything that is asked of it, in four queries however many steps it has."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        rows = execution.steps.order_by("index")
        self._ways = list(
            rows.values_list("index", "node_id", "edge_id", "outcome", "suggestion__line", "suggestion__destination")
        )
        self._read = [
            (value.step.index, value.name, value.as_variable)
            for value in execution.values_read.select_related("step").order_by("step__index")
        ]
        self._wrong = _newest_marks(execution)
        self._shown = {
            correction.step: _place_of(correction)
            for correction in Correction.objects.filter(execution_id=execution.execution_id).order_by("created_at")
        }

    def steps(self, *, after: int = 0) -> Iterator[Step]:
        """In their order; each with its screen."""
        yield from self.execution.steps.filter(index__gt=after).order_by("index").iterator(chunk_size=20)

    def came_from(self, step: Step) -> tuple[str | None, str | None]:
        """The screen before, and the one that was expected; None at the beginning."""
        before = [row for row in self._ways if row[0] < step.index and row[1]]
        if not before:
            return None, self.execution.start_node_id or None
        _index, node_id, _edge, outcome, _line, destination = before[-1]
        return node_id, (destination or node_id) if outcome in _BEHIND else node_id

    def line_at(self, step: Step, edge_id: str) -> int:
        """Which line of its list the round that this edge begins was at; 0 where there was none yet."""
        lines = [row[4] for row in self._ways if row[0] <= step.index and row[2] == edge_id and row[4]]
        return int(lines[-1]) if lines else 0

    def values_at(self, step: Step) -> dict[str, Any]:
        """What it was started with, and what it had read by then."""
        read = {name: value for index, name, value in self._read if index < step.index}
        return {**self.execution.variables, **read}

    def was_wrong(self, step: Step) -> bool:
        """Whether a person said so afterwards."""
        return self._wrong.get(step.pk) == Feedback.INCORRECT

    def shown_place(self, step: Step) -> Any:
        """Where a coach said that it is, as fractions of the screen; None where nobody did."""
        return self._shown.get(step.index)


def _newest_marks(execution: Execution) -> dict[int, str]:
    """What was said of each step last."""
    marks = StepMark.objects.filter(step__execution=execution).order_by("marked_at", "pk")
    return dict(marks.values_list("step_id", "feedback"))


def _place_of(correction: Correction) -> Any:
    """The box that was shown, or the point as a box without a size."""
    target = correction.corrected_target or {}
    if box := target.get("box"):
        return box
    return [*target["point"], 0, 0] if target.get("point") else None
