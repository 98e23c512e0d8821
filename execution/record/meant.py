"""What a step was meant to do, as far as it is still known."""

from __future__ import annotations

from execution.language.acts import say_act
from execution.models import Decision, Execution, Step
from execution.record.sentences import step_sentence
from execution.types import Choice
from sentences.said import say
from workflows.graph import GraphSpec

CORRECTED = Decision.objects.filter(choice=Choice.CORRECT)  # of a step: a coach put something else in its place


def corrected_steps(execution: Execution) -> frozenset[int]:
    """The keys of those steps of a run, asked for once."""
    return frozenset(CORRECTED.filter(prompt__execution=execution).values_list("prompt__step", flat=True))


def meant_or_taught(step: Step, graph: GraphSpec, *, corrected: bool | None = None) -> str:
    """The sentence of what was meant; where that is no longer kept, of the action as it was taught. What a coach put in
    its place is neither: that it was so is said instead; `corrected` where that is known already."""
    if said := step_sentence(step):
        return said
    edge = graph.edge(step.edge_id) if step.edge_id else None
    if edge is None:
        return ""
    if CORRECTED.filter(prompt__step=step).exists() if corrected is None else corrected:
        return say("record.corrected_not_kept")
    return say_act(edge, graph, {})
