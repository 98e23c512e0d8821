"""Corrections that coaches showed, and runs that went as told, as rows: what a workflow's evidence is made of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.utils import timezone

from execution.choices import ExecutionState, Outcome, StepPhase, Verified
from execution.learning.taught_as import taught_as
from execution.models import CorrectionPack, Execution, LearnedCorrection, Step
from tests.factories import EDGES, NODES, make_execution, make_picture, make_workflow
from workflows.actions.publish import publish
from workflows.graph import TargetSpec
from workflows.models import WorkflowVersion

LIGHT = {"theme": "light", "size": [1000, 600]}
HERE = [0.1, 0.1, 0.1, 0.05]


def taught_in(version: WorkflowVersion, kind: str, edge_id: str = "", node_id: str = "") -> str:
    """As what that is taught there: for a correction that was learned of it in a run of that version."""
    return taught_as(kind, version.spec(), edge_id=edge_id, node_id=node_id)


def run_of(version: WorkflowVersion, how: Mapping[str, str] | None = None, **fields: Any) -> Execution:
    """A run that did each step of the workflow once; `how` says of some steps what became of them instead of “yes”:
    “failed”, “unsure”, “agreed”, “differed”, “left” (nothing was done)."""
    now = timezone.now()
    execution = make_execution(version=version, state=ExecutionState.COMPLETED, started_at=now, ended_at=now, **fields)
    for index, edge in enumerate(version.spec().edges, 1):
        became = (how or {}).get(edge.edge_id, "yes")
        if became == "left":
            continue
        outcome = {"failed": Outcome.FAILED, "agreed": Outcome.OBSERVED, "differed": Outcome.OBSERVED}.get(
            became, Outcome.SUCCEEDED
        )
        Step.objects.create(
            execution=execution,
            index=index,
            epoch=1,
            phase=StepPhase.CLOSED,
            outcome=outcome,
            success=outcome != Outcome.FAILED,
            mode=execution.mode,
            node_id=edge.source,
            edge_id=edge.edge_id,
            action_type=edge.action_type,
            confidence=0.95,
            verified={"yes": Verified.YES, "unsure": Verified.CANNOT_TELL, "failed": Verified.NO}.get(became, ""),
            agreed={"agreed": True, "differed": False}.get(became),
            ended_at=now,
        )
    return execution


def ward() -> WorkflowVersion:
    """Of a workflow with pictures."""
    nodes = ({**NODES[0], "picture": make_picture(seed=1).digest}, *NODES[1:])
    save = {**EDGES[2]["target"], "picture": make_picture(seed=2).digest}
    workflow = make_workflow(nodes=nodes, edges=(*EDGES[:2], {**EDGES[2], "target": save}), workflow_id="wf_ward")
    return publish(workflow=workflow, user=None)


def shown(version: WorkflowVersion, text: str = "Keep", seed: int = 11, **more: Any) -> LearnedCorrection:
    """One more look of the button, as a coach showed it on a whole screen."""
    target = TargetSpec(
        target_id="save_button", label="Save", text=text, box=(0.1, 0.1, 0.1, 0.05), context_box=(0.2, 0.2, 0.5, 0.5),
        picture=make_picture(seed=seed).digest, context=make_picture(seed=seed + 1, width=90).digest,
    )  # fmt: skip
    said: dict[str, Any] = {"kind": "target", "edge_id": "click_save", "node_id": "save_dialog", "of": "save_button"}
    said |= {"payload": {"target": json.loads(json.dumps(asdict(target)))}, "conditions": LIGHT, "box": list(HERE)}
    return _kept(version, picture=make_picture(seed=seed + 2, width=200).digest, **{**said, **more})


def other_keys(version: WorkflowVersion, **more: Any) -> LearnedCorrection:
    said: dict[str, Any] = {"kind": "params", "edge_id": "open_save", "of": {"keys": "ctrl+s"}}
    return _kept(version, **{**said, "payload": {"params": {"keys": "ctrl+shift+s"}}, **more})


def other_screen(version: WorkflowVersion, seed: int = 21, **more: Any) -> LearnedCorrection:
    picture = make_picture(seed=seed, width=200).digest
    said: dict[str, Any] = {"kind": "node", "node_id": "empty_note", "of": "empty_note", "picture": picture}
    return _kept(version, **{**said, "payload": {"picture": picture, "gone": ["View"]}, "conditions": LIGHT, **more})


def _kept(version: WorkflowVersion, **said: Any) -> LearnedCorrection:
    pack, _made = CorrectionPack.objects.get_or_create(workflow=version.workflow)
    of = taught_in(version, said["kind"], said.get("edge_id", ""), said.get("node_id", ""))
    from_here = {"execution_id": "run_1", "step": 3, "learned_by_name": "zoe", "version_number": version.number}
    return LearnedCorrection.objects.create(pack=pack, **{"taught_as": of, **from_here, **said})
