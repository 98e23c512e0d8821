"""What a run loop tells the terminal: nobody's name where nobody asked for it (S10.4)."""

from __future__ import annotations

import pytest

from execution.choices import ExecutionState, PauseReason, PromptKind
from execution.models import Prompt, Step
from execution.record.patience import Patience
from execution.running.terminal import Terminal
from sentences.said import say, to_json
from tests.factories import make_execution, make_published

pytestmark = pytest.mark.django_db

WHO = "Rossi"


@pytest.mark.parametrize("values", [False, True])
def test_what_was_typed_and_asked_is_told_only_where_it_is_asked_for(*, values: bool) -> None:
    run = make_execution(version=make_published(), state=ExecutionState.WAITING_COACHING, desktop=":1")
    step = Step.objects.create(
        execution=run, index=1, epoch=1, sentence=f"Type “{WHO} Anna”", edge_id="type_patient", node_id="empty_note"
    )
    Prompt.objects.create(execution=run, step=step, kind=PromptKind.TARGET, message=f"Is it {WHO}?")
    told: list[str] = []
    terminal = Terminal(told.append, Patience(), values=values)
    terminal.step(step, run.version.spec())
    terminal.state(run)
    run.state, run.pause_reason = ExecutionState.PAUSED, PauseReason.DIALOG
    run.pause_detail = {"message": to_json(say("turn.value_gone", value=WHO))}
    terminal.state(run)
    run.state, run.error = ExecutionState.FAILED, to_json(say("turn.value_gone", value=WHO))
    terminal.end(run)
    assert len(told) == 4
    assert all((WHO in line) is values for line in told), told
    assert values or "empty_note type_patient" in told[0]
