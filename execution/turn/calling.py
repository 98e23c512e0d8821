"""Doing another workflow inside the run's own (S6.12): nothing is touched where it begins and where it is over.

Each is a step nevertheless, with its intent: so whoever takes over a run knows from the steps which workflow it is in.
"""

from __future__ import annotations

from execution.turn.stages import Stages
from execution.types import ActionResult, ActionStatus, Answer, Recognition, Suggestion, Verification
from sentences.said import say
from workflows.graph import EdgeSpec, GraphSpec
from workflows.secret_names import holds_secret
from workflows.values import value_problem


def perform(stages: Stages, suggestion: Suggestion) -> ActionResult:
    """Failed where the other workflow does not take a value that it is given."""
    problem = _not_taken(suggestion.edge, stages) if suggestion.edge.enters else ""
    return ActionResult(status=ActionStatus.FAILED if problem else ActionStatus.DONE, message=problem)


def judge(edge: EdgeSpec, recognition: Recognition, graph: GraphSpec) -> Verification:
    """Whether the screen is one where it begins; where it is over, what the run comes to is seen by its next turn."""
    name = {"name": edge.params.get("name", "")}
    if edge.returns:
        return Verification(answer=Answer.YES, message=say("turn.call_over", **name))
    match = recognition.match
    if match is not None and match.node_id in edge.enters:
        return Verification(answer=Answer.YES, evidence=match.reasons, message=say("turn.call_begun", **name))
    why = say("turn.screen_is", name=graph.name_of(match.node_id)) if match is not None else recognition.why_not
    return Verification(answer=Answer.NO, message=say("turn.call_not_begun", why=why, **name))


def _not_taken(edge: EdgeSpec, stages: Stages) -> str:
    """Which value it does not take, in a sentence; "" where it takes all of them."""
    graph = stages.graph
    for variable in graph.variables:
        if variable.scope != edge.edge_id or variable.given is None:
            continue
        label, value = graph.label_of(variable.name), stages.variables.get(variable.name)
        if value is None or (variable.required and not str(value).strip()):
            return say("wording.no_value", name=label)
        if value and value_problem(variable, str(value), graph.counting_variables):
            shown = "…" if holds_secret(variable) else value
            return say("turn.call_value", name=label, value=shown)
    return ""
