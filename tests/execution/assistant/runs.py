"""Runs for the assistant's tests: one that failed at step 4 after a correction, and one that asks."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from execution.choices import ExecutionState, Outcome, PromptKind, PromptState, StepPhase, Verified
from execution.models import Decision, Execution, Prompt, Step
from tests.factories import EDGES, VARIABLES, make_execution, make_published

SAVE, SAVE_ALL, CANCEL = [0.6, 0.8, 0.1, 0.05], [0.75, 0.8, 0.1, 0.05], [0.45, 0.8, 0.1, 0.05]
FIELD = [0.1, 0.1, 0.5, 0.05]


def screen(title: str = "Save As", *more: tuple[str, list[float]]) -> dict[str, Any]:
    """A step's screen with three buttons and a field, and `more` texts with their boxes."""
    texts = [("Ada Martin", FIELD), *more]
    buttons = [("Save", SAVE), ("Save All", SAVE_ALL), ("Cancel", CANCEL)]
    return {
        "window": {"window_title": title, "app_name": "notes"},
        "perception": {
            "detected_text": [t for t, _ in [*buttons, *texts]],
            "text_boxes": [b for _, b in [*buttons, *texts]],
        },
        "ui_elements": [{"box": box, "role": "button", "text": text, "confidence": 0.9} for text, box in buttons],
    }


def click(**fields: Any) -> dict[str, Any]:
    """The suggestion to click “Save”, found by its text."""
    return {
        "edge_id": "click_save",
        "action": "click",
        "params": {},
        "target": {"target_id": "save_button", "label": "Save", "text": "Save", "picture": ""},
        "destination": "saved",
        "destination_name": "Note saved",
        "status": "found",
        "rung": "ocr_text",
        "score": 0.97,
        "box": SAVE,
        "point": [0.65, 0.825],
        "message": "",
        "runner_up": {"box": SAVE_ALL, "score": 0.41, "text": "Save All"},
        "evidence": [
            {"rung": "coords_cache", "status": "not_found", "score": None, "note": "no place is remembered for it"},
            {"rung": "ocr_text", "status": "found", "score": 0.97, "note": ""},
        ],
        "can_accept": True,
        **fields,
    }


def typing(**fields: Any) -> dict[str, Any]:
    return {
        "edge_id": "type_patient",
        "action": "type_text",
        "params": {"text": "Ada Martin"},
        "target": None,
        "status": "not_needed",
        "rung": "",
        "box": None,
        "evidence": [],
        "can_accept": True,
        **fields,
    }


def make_step(run: Execution, index: int, outcome: str = Outcome.SUCCEEDED, **fields: Any) -> Step:
    closed = {"phase": StepPhase.CLOSED, "outcome": outcome, "ended_at": timezone.now(), "total_ms": 340.0}
    return Step.objects.create(
        **{"execution": run, "index": index, "epoch": 1, "mode": run.mode, "confidence": 0.96, **closed, **fields}
    )


def answer(step: Step, choice: str, user: Any = None, *, source: str = "coach", **fields: Any) -> Decision:
    prompt = Prompt.objects.create(
        execution=step.execution, step=step, kind=PromptKind.COACHING, message="?", state=PromptState.ANSWERED
    )
    return Decision.objects.create(prompt=prompt, choice=choice, source=source, user=user, **fields)


def make_failed(user: Any = None, **fields: Any) -> Execution:
    """Four steps: typed, keys pressed and corrected by `user`, a text was skipped, the click at step 4 failed."""
    run = make_execution(**fields)
    make_step(
        run, 1, node_id="empty_note", edge_id="type_patient", sentence="Type “Ada Martin”", action_type="type_text",
        suggestion=typing(), verified=Verified.YES, screen=screen("Untitled - Notes"),
    )  # fmt: skip
    second = make_step(
        run, 2, node_id="written_note", edge_id="open_save", sentence="Press ctrl+s", action_type="press_keys",
        suggestion=typing(edge_id="open_save", action="press_keys", params={"keys": "ctrl+s"}),
        verified=Verified.CANNOT_TELL, total_ms=2400.0,
    )  # fmt: skip
    answer(second, "correct", user, feedback="the other shortcut")
    third = make_step(run, 3, Outcome.SKIPPED, node_id="written_note", edge_id="open_save", sentence="Press ctrl+s")
    answer(third, "skip", source="policy")
    make_step(
        run, 4, Outcome.FAILED, node_id="save_dialog", edge_id="click_save", sentence="Click “Save”",
        action_type="click", suggestion=click(), message="The window did not change after the click.", retries=2,
        verified=Verified.NO, screen=screen(), recognition={"match": {"node_id": "save_dialog", "reasons": []}},
    )  # fmt: skip
    now = timezone.now()
    Execution.objects.filter(pk=run.pk).update(
        state=ExecutionState.FAILED, error="Execution ended in state: failed", started_at=now - timedelta(seconds=75),
        ended_at=now, steps_executed=4, steps_succeeded=2, steps_failed=1,
    )  # fmt: skip
    run.refresh_from_db()
    return run


def make_completed(**fields: Any) -> Execution:
    """The same workflow gone through to its end: typed, keys pressed, saved."""
    run = make_execution(**fields)
    acts = (("empty_note", "type_patient"), ("written_note", "open_save"), ("save_dialog", "click_save"))
    for index, (node, edge) in enumerate(acts, start=1):
        make_step(run, index, node_id=node, edge_id=edge, sentence=f"Did {edge}")
    Execution.objects.filter(pk=run.pk).update(state=ExecutionState.COMPLETED, ended_at=timezone.now())
    run.refresh_from_db()
    return run


def make_asking(suggestion: dict[str, Any] | None = None, *, kind: str = PromptKind.COACHING, **fields: Any) -> Prompt:
    """A run that has typed at step 1 and asks at step 2 whether to click “Save”."""
    seen = fields.pop("screen", None) or screen()
    run = make_execution(**fields)
    make_step(run, 1, node_id="empty_note", edge_id="type_patient", sentence="Type “Ada Martin”", suggestion=typing())
    meant = suggestion or click()
    step = make_step(
        run, 2, "", phase=StepPhase.PLANNED, ended_at=None, node_id="save_dialog", edge_id=meant["edge_id"],
        action_type=meant["action"], sentence="Click “Save”", suggestion=meant, screen=seen, total_ms=0.0,
    )  # fmt: skip
    Execution.objects.filter(pk=run.pk).update(
        state=ExecutionState.WAITING_COACHING, desktop=f"here:{run.pk}", started_at=timezone.now(),
        current_node_id="save_dialog",
    )  # fmt: skip
    return Prompt.objects.create(
        execution=run, step=step, kind=kind, message="Click “Save”?",
        deadline_at=timezone.now() + timedelta(seconds=90),
    )  # fmt: skip


def make_secretive(**fields: Any) -> Execution:
    """A failed run whose workflow has a password among its variables, and a masked region over the field."""
    variables = [*VARIABLES, {"name": "password", "label": "Password", "default": "", "required": False}]
    version = make_published(variables=variables, edges=EDGES, masks=[FIELD])
    values = {"patient": "Ada Martin", "password": "hunter2!"}
    return make_failed(version=version, variables=values, **fields)
