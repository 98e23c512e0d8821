"""The facts of one run that a question is about, read from the database and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from execution.assistant.questions import Question, Topic, Which
from execution.choices import Outcome
from execution.exceptions import UnknownExecution
from execution.models import Decision, Execution, Prompt, Step
from execution.record.hidden import Hidden, hidden_in
from execution.record.sentences import step_sentence
from execution.types import DecisionSource
from workflows.graph import GraphSpec

MOST_IN_FOCUS = 3
BY_A_PERSON = frozenset({DecisionSource.COACH, DecisionSource.PROGRAM})


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """A run as it stands, and the steps that the question is about, the one that matters most first.

    `steps` are all of the run's in order, without their screens; those in `focus` have them. `unknown` are steps that
    were asked for and do not exist.
    """

    question: Question
    execution: Execution
    graph: GraphSpec
    hidden: Hidden
    steps: tuple[Step, ...]
    focus: tuple[Step, ...] = ()
    unknown: tuple[int, ...] = ()
    decisions: dict[int, tuple[Decision, ...]] = field(default_factory=dict)
    prompt: Prompt | None = None

    @property
    def failed(self) -> tuple[Step, ...]:
        return tuple(s for s in self.steps if s.outcome == Outcome.FAILED)

    def screen_name(self, step: Step) -> str:
        node = self.graph.node(step.node_id)
        return node.name if node else step.node_id

    def sentence(self, step: Step) -> str:
        return self.hidden.text(step_sentence(step)) or self.screen_name(step)

    def by_person(self, step: Step) -> tuple[Decision, ...]:
        return tuple(d for d in self.decisions.get(step.index, ()) if d.source in BY_A_PERSON)


def find_run(question: Question, about: str) -> Execution:
    """The run that the question names, else `about`, else the latest; raises UnknownExecution."""
    runs = Execution.objects.select_related("version__workflow", "started_by")
    if question.run.isdigit():
        found = runs.filter(pk=int(question.run)).first() if len(question.run) < 19 else None
        if found is None:
            raise UnknownExecution(_("There is no run “%(id)s”.") % {"id": question.run})
        return found
    if question.run:
        return Execution.objects.by_id(question.run)
    if about:
        return Execution.objects.by_id(about)
    latest = runs.order_by("-created_at", "-pk").first()
    if latest is None:
        raise UnknownExecution(_("There is no run yet."))
    return latest


def gather(question: Question, execution: Execution, *, earlier: Sequence[int] = ()) -> Facts:
    """The facts; `earlier` are the steps that the conversation last spoke of."""
    graph = execution.version.spec()
    steps = tuple(Step.objects.filter(execution=execution).defer("screen").order_by("index"))
    prompt = Prompt.objects.open().filter(execution=execution).select_related("step").first()
    chosen, unknown = _chosen(question, steps, prompt, earlier)
    screens = dict(Step.objects.filter(pk__in=[s.pk for s in chosen]).values_list("pk", "screen"))
    for step in chosen:
        step.screen = screens[step.pk]
    hidden = hidden_in(execution, graph)
    for step in (*chosen, *([prompt.step] if prompt else ())):  # messages may quote what was read there
        hidden = hidden.of(step)
    return Facts(
        question=question,
        execution=execution,
        graph=graph,
        hidden=hidden,
        steps=steps,
        focus=tuple(chosen),
        unknown=unknown,
        decisions=_decisions(execution),
        prompt=prompt,
    )


def _decisions(execution: Execution) -> dict[int, tuple[Decision, ...]]:
    found: dict[int, tuple[Decision, ...]] = {}
    rows = Decision.objects.filter(prompt__execution=execution).select_related("user", "prompt__step")
    for decision in rows.defer("prompt__step__screen").order_by("decided_at", "pk"):
        index = decision.prompt.step.index
        found[index] = (*found.get(index, ()), decision)
    return found


def _chosen(
    question: Question, steps: Sequence[Step], prompt: Prompt | None, earlier: Sequence[int]
) -> tuple[list[Step], tuple[int, ...]]:
    by_index = {step.index: step for step in steps}
    if question.steps:
        there = [by_index[n] for n in question.steps if n in by_index]
        return there[:MOST_IN_FOCUS], tuple(n for n in question.steps if n not in by_index)
    asked = by_index.get(prompt.step.index) if prompt else None
    spoken = next((by_index[n] for n in earlier if n in by_index), None)
    failed = [s for s in reversed(steps) if s.outcome == Outcome.FAILED]
    if question.which:
        here = spoken or asked or (steps[-1] if steps else None)
        if question.among_failed and question.which in (Which.FIRST, Which.LAST):
            return _neighbour(question.which, failed[::-1], failed[0] if failed else None), ()
        return _neighbour(question.which, steps, here), ()
    if question.topic is Topic.FAILURE:
        return failed[:MOST_IN_FOCUS], ()
    if question.topic is Topic.CORRECTION:
        return [asked] if asked else [], ()
    if question.topic in (Topic.TARGET, Topic.SCREEN, Topic.STEP):
        last = next((s for s in reversed(steps) if s.edge_id), steps[-1] if steps else None)
        if question.of_failure and failed:
            return [failed[0]], ()
        first = spoken or asked or (failed[0] if failed else None) or last
        return [first] if first else [], ()
    if question.topic in (Topic.DECISIONS, Topic.OUTCOME):
        return [], ()
    last_step = asked or (steps[-1] if steps else None)
    return [last_step] if last_step else [], ()


def _neighbour(which: Which, steps: Sequence[Step], here: Step | None) -> list[Step]:
    if not steps or here is None:
        return []
    order = [s.index for s in steps]
    at = order.index(here.index)
    place = {
        Which.FIRST: 0,
        Which.LAST: len(steps) - 1,
        Which.BEFORE_LAST: len(steps) - 2,
        Which.BEFORE: at - 1,
        Which.NEXT: at + 1,
    }[which]
    return [steps[place]] if 0 <= place < len(steps) else []


def reference(facts: Facts, step: Step, *, about: str = "") -> dict[str, Any]:
    """A step as an answer refers to it; `run` where it is of another run than the conversation is about."""
    known = {"step": step.index, "sentence": facts.sentence(step), "outcome": step.outcome}
    run = facts.execution.execution_id
    return known if run == about else {**known, "run": run}
