"""What a step does, as a sentence that is worded where it is read."""

from __future__ import annotations

from execution.choices import StepPhase
from execution.language.acts import ACT
from execution.models import Step
from sentences.said import Said, from_json
from workflows.catalogue import ACTIONS


def texts_are_gone(step: Step) -> bool:
    """Whether what was seen and meant at this step is no longer kept (S10.4)."""
    return step.phase == StepPhase.CLOSED and not (step.screen or step.recognition or step.suggestion)


def step_sentence(step: Step) -> str:
    """The sentence of what was meant, by its code; a program's own action by the words that it was recorded with."""
    kept = step.suggestion
    meant = from_json(kept.get("sentence"))
    if isinstance(meant, Said):
        return meant
    if kept.get("action") not in ACTIONS:
        return step.sentence
    params = {**(kept.get("params") or {}), **(kept.get("names") or {})}
    return Said(ACT, {"action": kept["action"], "params": params, "target": (kept.get("target") or {}).get("label")})
