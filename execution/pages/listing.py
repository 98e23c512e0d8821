"""What the runs page shows: rows with their step bar, and the cards of the runs that need a person."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise

from django.db.models import Exists, Max, OuterRef, Q, TextField
from django.db.models.functions import Cast
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from execution.choices import (
    FINAL,
    WAITING,
    EventKind,
    ExecutionState,
    Outcome,
    PauseReason,
    PromptKind,
    StepPhase,
    Verified,
)
from execution.models import Decision, Execution, ExecutionEvent, Prompt, Step
from execution.models.execution import ExecutionQuerySet
from execution.record.attribution import how_it_ended
from execution.record.sentences import step_sentence
from execution.record.waiting import vanished, waiting
from execution.types import Choice
from sentences.said import worded
from workflows.graph import GraphSpec
from workflows.models import WorkflowVersion
from workflows.parsing import whole_number

MOST_CELLS = 24
MOST_CARDS = 12
SUGGESTS: frozenset[str] = frozenset({PromptKind.COACHING, PromptKind.CONFIRMATION})

# The choices of the state filter, and the states behind each.
FILTERS: dict[str, tuple[str | Promise, frozenset[ExecutionState]]] = {
    "attention": (gettext_lazy("Waiting for a person"), WAITING | {ExecutionState.PAUSED}),
    "running": (gettext_lazy("Running"), frozenset({ExecutionState.RUNNING})),
    "queued": (gettext_lazy("Queued"), frozenset({ExecutionState.QUEUED, ExecutionState.IDLE})),
    "completed": (gettext_lazy("Completed"), frozenset({ExecutionState.COMPLETED})),
    "failed": (gettext_lazy("Failed"), frozenset({ExecutionState.FAILED})),
    "stopped": (gettext_lazy("Stopped"), frozenset({ExecutionState.STOPPED})),
}

CELL_OF_OUTCOME = {
    Outcome.SUCCEEDED: "done",
    Outcome.TERMINAL: "done",
    Outcome.FAILED: "failed",
    Outcome.REJECTED: "rejected",
    Outcome.SKIPPED: "skipped",
    Outcome.MANUAL: "manual",
    Outcome.OBSERVED: "observed",
    Outcome.INTERRUPTED: "skipped",
}

DONE = frozenset({Outcome.SUCCEEDED, Outcome.MANUAL, Outcome.OBSERVED})
PASSED = frozenset({Outcome.SUCCEEDED, Outcome.MANUAL, Outcome.SKIPPED})

WORDS_OF_CELL = {
    "done": gettext_lazy("%(n)d done"),
    "corrected": gettext_lazy("%(n)d corrected"),
    "manual": gettext_lazy("%(n)d done by a person"),
    "now": gettext_lazy("%(n)d at work"),
    "failed": gettext_lazy("%(n)d failed"),
    "rejected": gettext_lazy("%(n)d rejected"),
    "unsure": gettext_lazy("%(n)d not verified"),
    "skipped": gettext_lazy("%(n)d skipped"),
    "observed": gettext_lazy("%(n)d observed"),
    "ahead": gettext_lazy("about %(n)d to come"),
}

COLOUR_OF_STATE = {
    ExecutionState.RUNNING: "blue",
    ExecutionState.WAITING_CONFIRMATION: "blue",
    ExecutionState.WAITING_COACHING: "blue",
    ExecutionState.PAUSED: "amber",
    ExecutionState.COMPLETED: "green",
    ExecutionState.FAILED: "red",
}
ICON_OF_STATE = {
    ExecutionState.IDLE: "circle-dashed",
    ExecutionState.QUEUED: "clock",
    ExecutionState.RUNNING: "player-play",
    ExecutionState.PAUSED: "player-pause",
    ExecutionState.WAITING_CONFIRMATION: "message-question",
    ExecutionState.WAITING_COACHING: "message-question",
    ExecutionState.COMPLETED: "circle-check",
    ExecutionState.FAILED: "alert-circle",
    ExecutionState.STOPPED: "player-stop",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunBadge:
    """A run's state as a word, a colour and an icon."""

    words: str
    colour: str
    icon: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    execution: Execution
    badge: RunBadge
    cells: tuple[str, ...]
    cells_words: str
    done_words: str  # how much of it was done: "3 of 13 actions done"
    about: str  # what it is about: the values it was started with
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A run that needs a person: its question, or why it is paused."""

    execution: Execution
    badge: RunBadge
    since: datetime
    prompt: Prompt | None = None
    sentence: str = ""
    picture: str = ""
    box: str = ""  # what is to be touched, for the page to draw: four fractions of the picture
    choices: Sequence[str] = field(default_factory=tuple)


def badge(execution: Execution) -> RunBadge:
    state = ExecutionState(execution.state)
    words = str(state.label)
    if state == ExecutionState.PAUSED and execution.pause_reason not in ("", PauseReason.ASKED):
        words = f"{words}: {PauseReason(execution.pause_reason).label}"
    return RunBadge(words=words, colour=COLOUR_OF_STATE.get(state, "grey"), icon=ICON_OF_STATE[state])


def search(runs: ExecutionQuerySet, *, text: str = "", state: str = "") -> ExecutionQuerySet:
    """Runs whose workflow, number, id, values or error hold `text`, in one of the states of a filter."""
    if state in FILTERS:
        runs = runs.filter(state__in=FILTERS[state][1])
    text = text.strip()
    if not text:
        return runs
    escaped = json.dumps(text)[1:-1]  # as JSON columns hold what is not ASCII
    runs = runs.annotate(values_text=Cast("variables", TextField()))
    found = (
        Q(version__workflow__name__icontains=text)
        | Q(execution_id__icontains=text)
        | Q(error__icontains=text)
        | Q(values_text__icontains=text)
        | Q(values_text__icontains=escaped)
    )
    if (number := whole_number(text)) is not None:
        found |= Q(pk=number)
    return runs.filter(found)


def rows(executions: Iterable[Execution]) -> list[RunRow]:
    """The rows of one page, with as many queries for fifty as for one."""
    page = list(executions)
    ids = [e.pk for e in page]
    steps: dict[int, list[Step]] = {pk: [] for pk in ids}
    fields = ("execution_id", "index", "outcome", "phase", "verified", "node_id", "edge_id")
    shown = Decision.objects.filter(prompt__step=OuterRef("pk"), choice=Choice.CORRECT)
    corrected: set[int] = set()
    for step in Step.objects.filter(execution__in=ids).order_by("index").only(*fields).annotate(was=Exists(shown)):
        steps[step.execution_id].append(step)
        if step.was:
            corrected.add(step.pk)
    graphs = _graphs({e.version_id for e in page})
    why = waiting() if any(e.state == ExecutionState.QUEUED for e in page) else None
    gone = vanished(page)

    def waits(e: Execution) -> str:
        found = why(e.pk) if why and e.state == ExecutionState.QUEUED else None
        return found.message if found else gone.get(e.pk, "")

    return [_row(e, steps[e.pk], corrected, graphs[e.version_id], waits(e)) for e in page]


def _graphs(version_ids: Iterable[int]) -> dict[int, GraphSpec]:
    return {v.pk: v.spec() for v in WorkflowVersion.objects.filter(pk__in=version_ids)}


def _row(
    execution: Execution,
    steps: Sequence[Step],
    corrected: Collection[int],
    graph: GraphSpec,
    waits: str,
) -> RunRow:
    cells = [cell(step, corrected=step.pk in corrected) for step in steps]
    cells += ["ahead"] * steps_ahead(execution, steps, graph)
    return RunRow(
        execution=execution,
        badge=badge(execution),
        cells=squeezed(cells),
        cells_words=cells_words(cells),
        done_words=done_words(execution, steps, graph),
        about=about(execution),
        problem=worded(waits) if waits else problem(execution),
    )


def cell(step: Step, *, corrected: bool = False) -> str:
    if step.phase != StepPhase.CLOSED:
        return "now"
    kind = CELL_OF_OUTCOME[Outcome(step.outcome)]
    if kind == "done" and corrected:
        return "corrected"
    return "unsure" if kind == "done" and step.verified == Verified.CANNOT_TELL else kind


def steps_ahead(execution: Execution, steps: Sequence[Step], graph: GraphSpec) -> int:
    """How many steps the likely path still has, the open one not counted."""
    if execution.state in FINAL:
        return 0
    node = execution.current_node_id or execution.start_node_id
    last = steps[-1] if steps else None
    # The open step is the path's first; so is one just passed while the next screen is not yet recognised.
    counted = last is not None and last.node_id == node and (last.phase != StepPhase.CLOSED or last.outcome in PASSED)
    return max(0, len(graph.likely_path(node)) - counted)


def done_words(execution: Execution, steps: Sequence[Step], graph: GraphSpec) -> str:
    """How much of the workflow was done, by the robot or a person; of a run that only watches, what it saw.

    The whole is the likely way from where the run began, or what was done where that is more.
    """
    done = sum(bool(step.edge_id) and step.outcome in DONE for step in steps)
    whole = max(done, len(graph.likely_path(execution.start_node_id)))
    if not whole:
        return ""
    words = ngettext("%(n)d of %(m)d action done", "%(n)d of %(m)d actions done", whole)
    return words % {"n": done, "m": whole}


def squeezed(cells: Sequence[str]) -> tuple[str, ...]:
    """At most MOST_CELLS cells; each then stands for several steps and shows the one that matters most."""
    if len(cells) <= MOST_CELLS:
        return tuple(cells)
    order = ("failed", "now", "rejected", "unsure", "corrected", "manual", "done", "skipped", "observed", "ahead")
    bounds = [round(i * len(cells) / MOST_CELLS) for i in range(MOST_CELLS + 1)]
    groups = [cells[a:b] for a, b in pairwise(bounds)]
    return tuple(min(group, key=order.index) for group in groups)


def cells_words(cells: Sequence[str]) -> str:
    """The step bar in words, for those who do not see it."""
    parts = [str(words) % {"n": cells.count(kind)} for kind, words in WORDS_OF_CELL.items() if kind in cells]
    return ", ".join(parts) or _("no steps yet")


def about(execution: Execution) -> str:
    """The first values a run was started with: what tells it apart from the next one."""
    values = [str(v) for v in execution.variables.values() if str(v).strip()]
    return " · ".join(values[:2])


def problem(execution: Execution) -> str:
    """What went wrong, where there is more to say than the state itself."""
    if execution.state == ExecutionState.PAUSED:
        return worded(execution.pause_detail.get("message", ""))
    return how_it_ended(execution)


def cards(runs: ExecutionQuerySet) -> list[Card]:
    """The runs that need a person, the most urgent question first."""
    needing = {e.pk: e for e in runs.needing_a_person()[: MOST_CARDS * 2]}
    prompts = Prompt.objects.open().filter(execution__in=needing).defer("step__screen")
    prompts = prompts.select_related("step", "held_by")
    asked = {prompt.execution_id: prompt for prompt in prompts}
    moves = ExecutionEvent.objects.filter(execution__in=needing, kind=EventKind.STATE)
    moved_at = dict(moves.values_list("execution").annotate(last=Max("at")))
    # a run whose question has just been answered waits for its loop, no longer for a person
    return sorted(
        (
            _card(execution, asked.get(pk), since=moved_at.get(pk, execution.created_at))
            for pk, execution in needing.items()
            if pk in asked or execution.state == ExecutionState.PAUSED
        ),
        key=_urgency,
    )[:MOST_CARDS]


def _card(execution: Execution, prompt: Prompt | None, *, since: datetime) -> Card:
    if prompt is None:
        return Card(
            execution=execution,
            badge=badge(execution),
            since=since,
            sentence=problem(execution),
            picture=str(execution.pause_detail.get("picture", "")),
        )
    suggests = prompt.kind in SUGGESTS
    return Card(
        execution=execution,
        badge=badge(execution),
        since=prompt.created_at,
        prompt=prompt,
        sentence=worded(step_sentence(prompt.step) if suggests else prompt.message),
        picture=prompt.picture or prompt.step.picture_before,
        box=box_words(prompt.step.suggestion.get("box")) if suggests and not prompt.changed else "",
        choices=prompt.choices,
    )


def box_words(box: Sequence[float] | None) -> str:
    """“0.25 0.1 0.05 0.02”, with a point in every language."""
    return " ".join(f"{float(value):.5g}" for value in box or ())


def _urgency(card: Card) -> tuple[int, float]:
    """Questions by their time-out, then those without one, then pauses, the oldest first."""
    if card.prompt and card.prompt.deadline_at:
        return (0, card.prompt.deadline_at.timestamp())
    return (1 if card.prompt else 2, card.execution.created_at.timestamp())


def listed(runs: ExecutionQuerySet) -> ExecutionQuerySet:
    """Runs with what a row names, without the versions' graphs."""
    return runs.select_related("version__workflow", "started_by", "robot").defer("version__graph")
