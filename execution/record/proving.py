"""Under which conditions a correction is trusted, by its uses as rows (S6.4).

What was shown on a dark screen proves nothing of a light one: there it is on trial until some runs proved it there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F

from execution.choices import CorrectionKind, CorrectionState, StepPhase, UseOutcome
from execution.learning.conditions import Conditions, Proof
from execution.learning.standing import standing_under
from execution.models import CorrectionUse, Execution, LearnedCorrection
from execution.signals import correction_proved


def proved_by(execution: Execution, rows: Iterable[LearnedCorrection]) -> frozenset[tuple[int, Conditions | None]]:
    """What that run has itself proved right, and under which conditions."""
    asked = {row.pk: row for row in rows if row.state == CorrectionState.TRUSTED}
    if not asked:
        return frozenset()
    right = CorrectionUse.objects.filter(
        correction__in=asked,
        step__execution=execution,
        outcome=UseOutcome.RIGHT,
        ordered=False,
        used_at__gte=F("correction__since"),
    )
    found = right.order_by().values_list("correction_id", "conditions").distinct()  # a run comes there a thousand times
    return frozenset((pk, _under(asked[pk], conditions)) for pk, conditions in found)


def trusted_in(row: LearnedCorrection, own: Collection[tuple[int, Conditions | None]]) -> frozenset[Conditions | None]:
    """Under which conditions it would be trusted without what the run itself has proved."""
    if row.state != CorrectionState.TRUSTED:
        return frozenset()
    word, enough = _by_word(row), settings.LEARNING_PROVED_AFTER
    return frozenset(
        one.conditions
        for one in proofs_of(row)
        if one.trusted and (one.conditions in word or one.runs - ((row.pk, one.conditions) in own) >= enough)
    )


def proofs_of(row: LearnedCorrection) -> list[Proof]:
    """Under which conditions it was used and how that stands, those used last at the end."""
    return [replace(Proof.from_json(one), conditions=_under(row, one)) for one in row.proved]


def _under(row: LearnedCorrection, conditions: Mapping[str, Any]) -> Conditions | None:
    """None where it holds whatever the screen is like: a parameter is no question of seeing. Where nobody kept them
    they are those of no screen."""
    return None if row.kind == CorrectionKind.PARAMS else Conditions.from_json(conditions)


def _by_word(row: LearnedCorrection) -> set[Conditions | None]:
    """Where a person said that it is to be trusted: as it was learned."""
    return {_under(row, row.conditions)} if row.began_as == CorrectionState.TRUSTED else set()


def proved_under(row: LearnedCorrection, uses: Sequence[CorrectionUse]) -> list[Proof]:
    """Where it is trusted. What came to be proved is tried first on what was right before, and so is it again where
    that is under other conditions than it was trusted under."""
    standings = standing_under(
        CorrectionState(row.began_as), _under(row, row.conditions), said_by(uses, row),
        proved_after=settings.LEARNING_PROVED_AFTER,
    )  # fmt: skip
    trusted = {under for under, one in standings.items() if one.state == CorrectionState.TRUSTED}
    known = _by_word(row) | {one.conditions for one in proofs_of(row) if one.trusted}
    # A run that is under way has shown nothing yet: waited for, nothing is tried where runs follow at once.
    if trusted - known and not _is_tried(row, [use for use in uses if use.outcome != UseOutcome.UNKNOWN]):
        trusted &= known  # proved right, but not yet tried on what was right before, or breaking it
    return [Proof(conditions=c, runs=one.streak, trusted=c in trusted) for c, one in standings.items()]


def said_by(
    uses: Iterable[CorrectionUse], row: LearnedCorrection | None = None
) -> list[tuple[Conditions | None, UseOutcome]]:
    """How they came out, in their order, and under which conditions; without `row` whatever these were.

    A run proves it right once there, however often it came: the same screen on the same day says the same. The act that
    the coach ordered himself proves it wrong, and never right."""
    said, proved_in = list[tuple[Conditions | None, UseOutcome]](), set[tuple[int, Conditions | None]]()
    for use in uses:
        under = _under(row, use.conditions) if row is not None else None
        if use.outcome == UseOutcome.RIGHT:
            if use.ordered or (use.step.execution_id, under) in proved_in:
                continue
            proved_in.add((use.step.execution_id, under))
        said.append((under, UseOutcome(use.outcome)))
    return said


def _is_tried(row: LearnedCorrection, known: Iterable[CorrectionUse]) -> bool:
    """Whether it breaks nothing on stored pictures, those of its own uses among them. What could be tried on nothing
    is not tried; what has not seen its own uses yet is tried again as soon as their steps are closed. A parameter is no
    question of seeing."""
    if row.kind == CorrectionKind.PARAMS:
        return row.checked_at is not None
    untried = [use.step.phase for use in known if not use.tried]
    if row.checked_at is None or StepPhase.CLOSED in untried:
        send = partial(correction_proved.send_robust, sender=LearnedCorrection, correction_id=row.pk)
        transaction.on_commit(send, robust=True)
        return False
    return not untried and not row.breaks and row.checked_on > 0
