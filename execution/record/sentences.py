"""What an action does, as a sentence in the reader's language."""

from __future__ import annotations

from django.utils.translation import gettext as _

from execution.models import Step
from workflows.catalogue import ACTIONS


def step_sentence(step: Step) -> str:
    """What a step does, in the reader's language; the row keeps the words of the run loop's."""
    suggestion = step.suggestion
    spec = ACTIONS.get(suggestion.get("action", ""))
    if spec is None:
        return step.sentence
    params, target = suggestion.get("params") or {}, suggestion.get("target") or {}
    keys = params.get("keys", "")
    label = target.get("label")
    words = {
        **{p.name: p.default for p in spec.params},
        **params,
        **(suggestion.get("names") or {}),
        "keys": "+".join(map(str, keys)) if isinstance(keys, list | tuple) else keys,
        "target": f"“{label}”" if label else _("the screen"),
    }
    return str(spec.sentence) % words
