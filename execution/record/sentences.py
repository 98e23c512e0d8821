"""What a step does, as a sentence in the reader's language."""

from __future__ import annotations

from execution.models import Step
from workflows.catalogue import ACTIONS
from workflows.words import action_sentence


def step_sentence(step: Step) -> str:
    """Made anew from what the step keeps; a program's own action by the words that it was recorded with."""
    kept = step.suggestion
    if kept.get("action") not in ACTIONS:
        return step.sentence
    params = {**(kept.get("params") or {}), **(kept.get("names") or {})}
    return action_sentence(kept["action"], params, label=(kept.get("target") or {}).get("label"))
