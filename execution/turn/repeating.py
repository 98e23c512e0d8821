"""May the loop do it again by itself? Never what may have happened (S1.16, S9.3).

Values in, an answer out: the loop asks here after an attempt, and whoever takes over a run asks after a crash.
"""

from __future__ import annotations

from execution.types import ActionResult, ActionStatus, Answer, Verification
from execution.verification.facts import TYPED
from workflows.catalogue import SERVER_SIDE_ACTION_TYPES
from workflows.choices import EffectClass

_HARMLESS = frozenset({EffectClass.READ, EffectClass.IDEMPOTENT})


def may_try_again(action_type: str, effect: EffectClass, result: ActionResult, verification: Verification) -> bool:
    """Whether an attempt that came to nothing may be followed by another one without a person's word.

    What the loop does itself has its own time limit and does not get it twice.
    """
    if action_type in SERVER_SIDE_ACTION_TYPES:
        return False
    if result.status is ActionStatus.FAILED and not result.touched:
        return True  # no input was sent
    return may_repeat(effect, verification)


def went_astray(verification: Verification) -> bool:
    """Whether what was typed is seen elsewhere than where it belongs: once more would do it once more."""
    return any(reason.sign == TYPED and reason.score == 0 for reason in verification.evidence)


def is_harmless(effect: EffectClass) -> bool:
    return effect in _HARMLESS


def may_repeat(effect: EffectClass, verification: Verification) -> bool:
    """Whether what may have been done may be done again: it does no harm, or it is seen that nothing was done.

    What a person calls opaque is never repeated, whatever is seen.
    """
    if went_astray(verification):
        return False
    if is_harmless(effect):
        return True
    return effect is EffectClass.OBSERVABLE and verification.untouched and not verification.said


def is_settled(effect: EffectClass, verification: Verification) -> bool:
    """Whether the run may go on although nobody can tell: not where a message came that speaks against it (S1.5)."""
    return verification.answer is Answer.YES or effect is EffectClass.READ or not verification.said
