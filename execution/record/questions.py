"""The questions of a run: put to people, changed, settled (S1.5, S9.5)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db.models import F
from django.utils import timezone

from execution.choices import EventKind, ExecutionState, PromptKind, PromptState
from execution.models import Prompt, Step
from execution.record.events import emit, emit_state
from execution.record.fence import FencedRun, persistent
from execution.record.payloads import prompt_payload
from execution.signals import call_each


class Questions(FencedRun):
    @persistent
    def ask(
        self,
        step: Step,
        kind: PromptKind,
        message: str,
        *,
        timeout_s: float | None,
        picture: str = "",
        dialog: Mapping[str, Any] | None = None,
    ) -> Prompt:
        """Put a question to a person and move the run to the state that waits for the answer."""
        confirmation = kind is PromptKind.CONFIRMATION
        to = ExecutionState.WAITING_CONFIRMATION if confirmation else ExecutionState.WAITING_COACHING
        with self._fenced() as execution:
            now, again = timezone.now(), _is_asked_again(step)
            prompt = Prompt.objects.create(
                execution=execution,
                step=step,
                kind=kind,
                message=self.hidden.text(message),
                picture=picture or step.picture_before,
                dialog=self.hidden.any(dict(dialog or {})),
                created_at=now,
                deadline_at=now + timedelta(seconds=timeout_s) if timeout_s is not None else None,
            )
            if kind is PromptKind.COACHING and not again:
                self._update(suggestions_made=F("suggestions_made") + 1)
            execution.move(to, fence=self.epoch)
            emit(execution, EventKind.PROMPT, prompt_payload(prompt))
            emit_state(execution)
        call_each(self.on_state, self.execution, of="the run's state")
        return prompt

    @persistent
    def prompt_changed(self, prompt: Prompt, words: str) -> None:
        """What an open question asks about is not any more as it was, or is again: whoever sees it is told."""
        with self._fenced() as execution:
            if Prompt.objects.open().filter(pk=prompt.pk).update(changed=self.hidden.text(words)):
                prompt.refresh_from_db()
                emit(execution, EventKind.PROMPT, prompt_payload(prompt))

    @persistent
    def answered(self, prompt: Prompt, *, withdrawn: bool = False) -> None:
        """The question is settled: the run is running again, and what was waited for it is kept with its step."""
        with self._fenced() as execution:
            prompt.step.save(update_fields=["waited_ms"])
            if withdrawn:
                Prompt.objects.filter(pk=prompt.pk, state=PromptState.OPEN).update(state=PromptState.WITHDRAWN)
            execution.move(ExecutionState.RUNNING, fence=self.epoch)
            emit_state(execution)
        call_each(self.on_state, self.execution, of="the run's state")


def _is_asked_again(step: Step) -> bool:
    """Whether the last coaching question of the run was the same and was withdrawn, by a pause or a restart (S1.13)."""
    last = Prompt.objects.filter(execution=step.execution, kind=PromptKind.COACHING).select_related("step").first()
    if last is None or last.state != PromptState.WITHDRAWN:
        return False
    return (last.step.edge_id, last.step.node_id) == (step.edge_id, step.node_id)
