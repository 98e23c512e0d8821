"""S6.4, S6.12: what is learned where a workflow is done inside another one is of that place alone."""

from __future__ import annotations

from typing import Any

import pytest

from execution.actions.merging import planned
from execution.choices import CorrectionState, ExecutionState, PromptKind
from execution.exceptions import BadDecision
from execution.models import CorrectionUse, LearnedCorrection
from execution.record.standing import open_corrections
from execution.types import ResolveStatus
from tests.doubles.stage import Stage, edge
from tests.execution.turn.test_loop_calls import screens
from tests.factories import make_published
from workflows.actions.publish import publish
from workflows.models import Edge, Target, Workflow, WorkflowVersion

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("tried_on_one")]

SHOWN = {"choice": "correct", "correction": {"target": {"point": [0.5, 0.25]}}}
NOT_FOUND = ResolveStatus.NOT_FOUND


def call(edge_id: str, source: str, destination: str, who: str = "{{patient}}", **fields: Any) -> dict[str, Any]:
    params = {"workflow": "inner", "version": 1, "values": {"who": who}}
    return {
        **edge(edge_id, source, destination, action_type="call_workflow", **fields),
        "params": params,
        "target": None,
    }


OUTER = [call("it", "a", "b"), edge("bd", "b", "d")]
PATIENT = [{"name": "patient"}]


@pytest.fixture(autouse=True)
def inner() -> WorkflowVersion:
    return make_published(
        workflow_id="inner",
        name="Inner",
        nodes=screens("a", "b", "d"),
        edges=[
            edge("ab", "a", "b", action_type="type_text", params={"text": "for {{who}}"}),
            edge("bd", "b", "d"),
        ],
        variables=[{"name": "who", "default": "Zoe"}],
    )


def calling(stage: Any, mode: str = "automatic", edges: Any = OUTER, patient: str = "Ann") -> Stage:
    more = {"nodes": screens("a", "b", "d"), "variables": PATIENT, "values": {"patient": patient}}
    one: Stage = stage(mode, edges=edges, **more)
    return one


def asked(one: Stage) -> list[tuple[str, str]]:
    return [(prompt.step.edge_id, prompt.kind) for prompt in one.asked]


def test_what_is_shown_inside_is_known_there_the_next_time(stage: Any) -> None:
    first = calling(stage)
    first.world.unresolved["it/bd"] = NOT_FOUND
    assert first.run(SHOWN).state == ExecutionState.COMPLETED
    row = LearnedCorrection.objects.get()
    assert (row.edge_id, row.pack.workflow) == ("it/bd", first.execution.version.workflow)
    second = Stage.again(first, "automatic", values={"patient": "Bob"})
    second.world.unresolved["it/bd"] = NOT_FOUND
    assert second.run("accept").state == ExecutionState.COMPLETED
    assert asked(second) == [("it/bd", PromptKind.CONFIRMATION)]
    assert second.world.acts == ["it", "it/ab", "it/bd", "it/end/1", "bd"]


def test_neither_its_own_runs_nor_another_call_of_it_go_by_that(stage: Any, inner: WorkflowVersion) -> None:
    both = [call("it", "a", "b"), call("then", "b", "d", order=1)]
    first = calling(stage, edges=both)
    first.world.unresolved["it/bd"] = NOT_FOUND
    first.run(SHOWN)
    second = Stage.again(first, "automatic", values={"patient": "Bob"})
    second.world.unresolved["then/bd"] = NOT_FOUND
    second.run("reject")
    assert ("then/bd", PromptKind.TARGET) in asked(second)
    assert not CorrectionUse.objects.filter(ordered=False).exists()


def test_what_is_shown_in_its_own_run_is_not_gone_by_inside_another(stage: Any, inner: WorkflowVersion) -> None:
    own = Stage.of(inner, "automatic", values={"who": "Ann"})
    own.world.unresolved["bd"] = NOT_FOUND
    assert own.run(SHOWN).state == ExecutionState.COMPLETED
    outer = calling(stage)
    outer.world.unresolved["it/bd"] = NOT_FOUND
    outer.run("reject")
    assert asked(outer)[0] == ("it/bd", PromptKind.TARGET)


def test_a_value_corrected_inside_is_what_the_call_gives(stage: Any) -> None:
    first = calling(stage, "coaching")
    first.run("accept", {"choice": "correct", "correction": {"params": {"text": "slowly, for Ann"}}}, *["accept"] * 9)
    row = LearnedCorrection.objects.get()
    assert row.payload == {"params": {"text": "slowly, for {{it__who}}"}}
    second = Stage.again(first, "coaching", values={"patient": "Bob"})
    second.run(*["accept"] * 9)
    assert second.row().steps.get(edge_id="it/ab").suggestion["params"] == {"text": "slowly, for Bob"}


def test_a_call_of_a_version_that_teaches_it_anew(stage: Any, inner: WorkflowVersion) -> None:
    first = calling(stage)
    first.world.unresolved["it/bd"] = NOT_FOUND
    first.run(SHOWN)
    outer = first.execution.version.workflow
    assert open_corrections(outer) == 1
    Target.objects.filter(workflow=inner.workflow, target_id="t_bd").update(text="Archive")
    publish(workflow=inner.workflow, user=None)
    drawn = Edge.objects.get(workflow=outer, edge_id="it")
    drawn.params = {**drawn.params, "version": 2}
    drawn.save()
    publish(workflow=outer, user=None)
    assert open_corrections(outer) == 0
    second = Stage.again(first, "automatic", values={"patient": "Bob"})
    assert second.execution.version.number == 2
    second.world.unresolved["it/bd"] = NOT_FOUND
    second.run("reject")
    assert asked(second)[0] == ("it/bd", PromptKind.TARGET)


def test_it_can_be_no_part_of_the_workflow_that_calls(stage: Any) -> None:
    first = calling(stage)
    first.world.unresolved["it/bd"] = NOT_FOUND
    first.run(SHOWN)
    LearnedCorrection.objects.update(state=CorrectionState.TRUSTED)
    with pytest.raises(BadDecision, match="inside"):
        planned([LearnedCorrection.objects.get().pk])
    assert Workflow.objects.count() == 2
