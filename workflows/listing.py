"""What the list of workflows shows beside their rows: the entry screen and the last runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, Window
from django.db.models.functions import RowNumber
from django.utils.translation import ngettext

from workflows.badges import LEARNING, Badge
from workflows.models import Node, Workflow, WorkflowVersion

LAST_RUNS = 8
CELL_OF_STATE = {"completed": "done", "failed": "failed", "stopped": "skipped", "paused": "unsure"}
COLOUR_OF_CELL = {"done": "green", "failed": "red", "unsure": "amber", "now": "blue", "skipped": "grey"}
ICON_OF_CELL = {
    "done": "circle-check",
    "failed": "alert-circle",
    "unsure": "player-pause",
    "now": "player-play",
    "skipped": "player-stop",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    execution_id: str
    state: str
    label: str
    created_at: datetime

    @property
    def cell(self) -> str:
        return CELL_OF_STATE.get(self.state, "now")

    @property
    def colour(self) -> str:
        return COLOUR_OF_CELL[self.cell]

    @property
    def icon(self) -> str:
        return ICON_OF_CELL[self.cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowRow:
    workflow: Workflow
    picture: str
    runs: tuple[Run, ...]  # oldest first

    @property
    def learning(self) -> Badge:
        return LEARNING[self.workflow.learning_state]

    @property
    def last(self) -> Run | None:
        return self.runs[-1] if self.runs else None

    @property
    def runs_words(self) -> str:
        """“Last 8 runs: 6 completed, 2 failed”."""
        labels = [run.label for run in self.runs]
        counted = ", ".join(f"{labels.count(label)} {label}" for label in dict.fromkeys(labels))
        said = ngettext("Last run: %(states)s", "Last %(count)d runs: %(states)s", len(labels))
        return said % {"count": len(labels), "states": counted}


def rows(workflows: Sequence[Workflow]) -> list[WorkflowRow]:
    """Two queries more, however many workflows there are."""
    pictures = _entry_pictures(workflows)
    runs = _last_runs(workflows)
    return [WorkflowRow(workflow=w, picture=pictures.get(w.pk, ""), runs=tuple(runs.get(w.pk, ()))) for w in workflows]


def _entry_pictures(workflows: Sequence[Workflow]) -> dict[int, str]:
    """The entry screen's picture, of the first entry that has one."""
    shown = Node.objects.filter(workflow__in=workflows, is_entry=True, reference__isnull=False).order_by("-pk")
    return dict(shown.values_list("workflow_id", "reference__digest"))


def _last_runs(workflows: Sequence[Workflow]) -> dict[int, list[Run]]:
    """By way of the versions: runs point at what was published, not the other way round."""
    newest = Window(RowNumber(), partition_by=F("workflow_id"), order_by=F("executions__created_at").desc())
    found = (
        WorkflowVersion.objects.filter(workflow__in=workflows, executions__isnull=False)
        .annotate(age=newest)
        .filter(age__lte=LAST_RUNS)
        .order_by("executions__created_at")
        .values("workflow_id", "executions__execution_id", "executions__state", "executions__created_at")
    )
    labels = _state_labels()
    runs: dict[int, list[Run]] = {}
    for row in found:
        state = row["executions__state"]
        runs.setdefault(row["workflow_id"], []).append(
            Run(
                execution_id=row["executions__execution_id"],
                state=state,
                label=str(labels.get(state, state)),
                created_at=row["executions__created_at"],
            )
        )
    return runs


def _state_labels() -> dict[str, Any]:
    execution: Any = WorkflowVersion._meta.get_field("executions").related_model
    return dict(execution._meta.get_field("state").flatchoices)
