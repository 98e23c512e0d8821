"""Saying of a step afterwards that it was right or wrong (S6.5)."""

from __future__ import annotations

import logging
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from execution.actions.asking import name_of
from execution.actions.trust import review
from execution.choices import Feedback, Origin, StepPhase
from execution.exceptions import BadMark
from execution.models import Step, StepMark
from execution.record.corrections import mark_uses
from execution.record.prototypes import take_back
from execution.record.sentences import texts_are_gone
from execution.record.values_of_runs import written_of
from execution.signals import step_marked, tell

log = logging.getLogger(__name__)

LONGEST_REASON = 2000


def mark(
    *,
    step: Step,
    feedback: str,
    reason: str = "",
    confidence: float = 1.0,
    user: Any = None,
    origin: Origin = Origin.PROGRAM,
) -> StepMark:
    """Keep what somebody says of a finished step; the newest word about it counts. Raises BadMark.

    Where the run's texts are no longer kept no reason is kept either: nobody knows which of its words are the run's.
    """
    if feedback not in Feedback.values:
        raise BadMark(
            _("“%(feedback)s” is no word for a step. There are: %(known)s.")
            % {"feedback": feedback, "known": ", ".join(Feedback.values)}
        )
    if step.phase != StepPhase.CLOSED:
        raise BadMark(_("This step is not finished yet: nobody can say whether it was right."))
    if not 0 <= confidence <= 1:
        raise BadMark(_("How sure you are is a number from 0 to 1."))
    with transaction.atomic():
        transaction.on_commit(lambda: tell(step_marked, _warn, sender=StepMark, step_id=step.pk), robust=True)
        said = _keep(step, feedback, reason, confidence, user, origin)
        mark_uses(step, feedback)
        if feedback != Feedback.CORRECT:  # what was learned of it, and how far it is trusted, stood on its being right
            take_back(step, name=said.name)
            review(step.execution.version.workflow)
    return said


def _warn(kind: str, message: str) -> None:
    log.warning("%s: %s", kind, message)


def _keep(step: Step, feedback: str, reason: str, confidence: float, user: Any, origin: Origin) -> StepMark:
    written = "" if texts_are_gone(step) else written_of(step.execution, reason.strip())
    return StepMark.objects.create(
        step=step,
        feedback=feedback,
        reason=written[:LONGEST_REASON],
        confidence=confidence,
        user=user,
        name=name_of(user, origin),
        origin=origin,
    )
