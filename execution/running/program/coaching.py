"""A program's own coach: its callbacks asked about a prompt, its answers recorded as anybody's are (S11.3)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Any

from django.db import connections

from execution.actions.decide import decide
from execution.choices import PromptKind
from execution.exceptions import AlreadyDecided, NothingToDecide
from execution.models import Prompt
from execution.running.program.values import prompt_info
from execution.types import Choice, DecisionSource

log = logging.getLogger(__name__)

Callback = Callable[[str, Mapping[str, Any]], Any]


def consult(callback: Callback, prompt: Prompt, *, own_executor: bool) -> None:
    """Ask in a thread of its own, so that the time-out, a pause and a stop hold while the program thinks."""
    threading.Thread(target=_ask, args=(callback, prompt, own_executor), name=f"coach {prompt.pk}", daemon=True).start()


def _ask(callback: Callback, prompt: Prompt, own_executor: bool) -> None:
    """A callback that raises, or says what is no answer to this question, counts as if nobody had answered in time."""
    try:
        answer = callback(prompt.message, prompt_info(prompt))
        if prompt.kind == PromptKind.CONFIRMATION:
            _decide(prompt, Choice.ACCEPT if answer else Choice.REJECT)
        else:
            more = {"correction": answer.correction, "feedback": answer.feedback or "", "own_executor": own_executor}
            _decide(prompt, answer.choice, **more)
    except Exception:  # the program's own code, in a thread that nobody waits for
        log.exception("the callback for a prompt failed", extra={"execution": prompt.execution.execution_id})
        _decide(prompt, Choice(prompt.timeout_choice or Choice.SKIP))
    finally:
        connections.close_all()


def _decide(prompt: Prompt, choice: Choice, **more: Any) -> None:
    try:
        decide(prompt_id=prompt.pk, choice=choice, source=DecisionSource.PROGRAM, **more)
    except (AlreadyDecided, NothingToDecide):
        log.info("somebody else was first", extra={"execution": prompt.execution.execution_id})
