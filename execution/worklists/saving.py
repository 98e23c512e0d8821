"""What the journal of a run tells about its acts: may a row be done again by itself? (S12.7)

An act that saves counts as done once it was intended, unless the run loop itself wrote that nothing was sent.
"""

from __future__ import annotations

from django.db.models import Q

from execution.choices import EventKind, Outcome, StepPhase
from execution.models import Execution, Step
from workflows.choices import MAY_SAVE

_NOTHING_SENT = (Outcome.INTERRUPTED, Outcome.REJECTED)
_BY_A_PERSON = (Outcome.MANUAL, Outcome.OBSERVED)
_REFUSED = "turn.not_possible"  # the program answered with a screen that was taught for it
_NOBODY_KNOWS = ("record.ended_in_doubt", "turn.stopped_in_doubt", "turn.ended_in_doubt")


def may_have_saved(execution: Execution) -> bool:
    """True if an act of the run that saves may have happened, by the robot or by a person at its desktop."""
    if execution.events.filter(kind=EventKind.CONTROL).exists():
        return True
    acts = execution.steps.filter(effect_class__in=MAY_SAVE)
    acts = acts.filter(Q(intent_at__isnull=False) | Q(outcome__in=_BY_A_PERSON))
    return any(_may_have_happened(step) for step in acts.only("phase", "outcome", "attempts", "message"))


def is_in_doubt(execution: Execution) -> bool:
    """True if the run ended with an act that saves, and nobody said or saw whether it was done."""
    acts = execution.steps.filter(effect_class__in=MAY_SAVE, intent_at__isnull=False)
    return acts.filter(Q(phase=StepPhase.INTENT) | Q(message__code__in=_NOBODY_KNOWS)).exists()


def _may_have_happened(step: Step) -> bool:
    if getattr(step.message, "code", "") == _REFUSED:
        return False
    if step.outcome not in _NOTHING_SENT:
        return True
    return any(tried.get("act_ms") for tried in step.attempts)
