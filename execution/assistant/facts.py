"""The facts of one run, read from the database and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from execution.choices import Outcome
from execution.exceptions import UnknownExecution
from execution.models import Decision, Execution, Prompt, Step
from execution.record.hidden import Hidden, hidden_in
from execution.record.meant import corrected_steps, meant_or_taught
from execution.types import DecisionSource
from workflows.graph import GraphSpec
from workflows.parsing import whole_number

MOST_IN_FOCUS = 3
BY_A_PERSON = frozenset({DecisionSource.COACH, DecisionSource.PROGRAM})


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """A run as it stands.

    `steps` are all of the run's in order, without their screens; those in `focus` have them: the steps that were asked
    for, then the one that a person is asked about, those that failed, and the last one.
    """

    execution: Execution
    graph: GraphSpec
    hidden: Hidden
    steps: tuple[Step, ...]
    focus: tuple[Step, ...] = ()
    decisions: dict[int, tuple[Decision, ...]] = field(default_factory=dict)
    prompt: Prompt | None = None
    corrected: frozenset[int] | None = None  # `corrected_steps`; None: asked for each step that is told

    @property
    def failed(self) -> tuple[Step, ...]:
        return tuple(s for s in self.steps if s.outcome == Outcome.FAILED)

    @property
    def asked_about(self) -> Step | None:
        """The step that a person is asked about now."""
        return self.step(self.prompt.step.index) if self.prompt else None

    def step(self, number: int) -> Step | None:
        return next((s for s in self.steps if s.index == number), None)

    def screen_name(self, step: Step) -> str:
        node = self.graph.node(step.node_id)
        return node.name if node else step.node_id

    def sentence(self, step: Step) -> str:
        corrected = None if self.corrected is None else step.pk in self.corrected
        return self.hidden.text(meant_or_taught(step, self.graph, corrected=corrected)) or self.screen_name(step)

    def by_person(self, step: Step) -> tuple[Decision, ...]:
        return tuple(d for d in self.decisions.get(step.index, ()) if d.source in BY_A_PERSON)


def the_run(about: str) -> Execution:
    """The run with this id, or with this number; of an empty one the latest. Raises UnknownExecution."""
    runs = Execution.objects.select_related("version__workflow", "started_by")
    if (number := whole_number(about)) is not None:
        found = runs.filter(pk=number).first()
    elif about:
        return Execution.objects.by_id(about)
    else:
        found = runs.order_by("-created_at", "-pk").first()
    if found is None:
        raise UnknownExecution(_("There is no run “%(id)s”.") % {"id": about} if about else _("There is no run yet."))
    return found


def gather(execution: Execution, *, wanted: Sequence[int] = ()) -> Facts:
    """The facts, with the steps of these numbers, where there are such, first in focus."""
    graph = execution.version.spec()
    steps = tuple(Step.objects.filter(execution=execution).defer("screen").order_by("index"))
    prompt = Prompt.objects.open().filter(execution=execution).select_related("step").first()
    focus = tuple(dict.fromkeys(_worth_a_look(steps, prompt, wanted)))[:MOST_IN_FOCUS]
    screens = dict(Step.objects.filter(pk__in=[s.pk for s in focus]).values_list("pk", "screen"))
    for step in focus:
        step.screen = screens[step.pk]
    hidden = hidden_in(execution, graph)
    for step in (*focus, *([prompt.step] if prompt else ())):  # messages may quote what was read there
        hidden = hidden.of(step)
    return Facts(
        execution=execution,
        graph=graph,
        hidden=hidden,
        steps=steps,
        focus=focus,
        decisions=_decisions(execution),
        prompt=prompt,
        corrected=corrected_steps(execution),
    )


def _worth_a_look(steps: Sequence[Step], prompt: Prompt | None, wanted: Sequence[int]) -> Iterator[Step]:
    by_number = {step.index: step for step in steps}
    yield from (by_number[n] for n in wanted if n in by_number)
    if prompt and prompt.step.index in by_number:
        yield by_number[prompt.step.index]
    yield from (s for s in reversed(steps) if s.outcome == Outcome.FAILED)
    yield from (s for s in reversed(steps) if s.edge_id)
    yield from reversed(steps)


def _decisions(execution: Execution) -> dict[int, tuple[Decision, ...]]:
    found: dict[int, tuple[Decision, ...]] = {}
    rows = Decision.objects.filter(prompt__execution=execution).select_related("user", "prompt__step")
    for decision in rows.defer("prompt__step__screen").order_by("decided_at", "pk"):
        index = decision.prompt.step.index
        found[index] = (*found.get(index, ()), decision)
    return found


def reference(facts: Facts, step: Step, *, about: str = "") -> dict[str, Any]:
    """A step as an answer refers to it; `run` where it is of another run than the conversation is about."""
    known = {"step": step.index, "sentence": facts.sentence(step), "outcome": step.outcome}
    run = facts.execution.execution_id
    return known if run == about else {**known, "run": run}
