"""A run as it is, for whoever begins to look at it: the live page and the stream begin with the same."""

from __future__ import annotations

from typing import Any

from execution.models import Execution
from execution.record.payloads import prompt_payload, state_payload, step_payload

STEPS = 200


def run_snapshot(execution: Execution, *, with_steps: bool = True) -> dict[str, Any]:
    """Where it stands, its open question and its newest `STEPS`, oldest first; sentences are codes with values.

    Its number is that of the execution as it was fetched: events that follow tell what is newer again.
    """
    asked = execution.prompts.open().select_related("step").defer("step__screen")
    prompt = None if execution.is_final else asked.first()
    newest = list(execution.steps.defer("screen").order_by("-index")[: STEPS if with_steps else 0])
    return {
        "seq": execution.next_seq - 1,
        "execution": {**state_payload(execution), **execution.coaching_stats()},
        "prompt": prompt_payload(prompt) if prompt else None,
        "steps": [step_payload(step) for step in reversed(newest)],
    }
