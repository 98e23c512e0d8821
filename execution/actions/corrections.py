"""What a person decides about a correction: try it on, trust it, switch it off; which of two is right (S6.4)."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from audit.models import Verb
from audit.recording import record
from execution.actions.asking import name_of
from execution.choices import CorrectionKind, CorrectionState, Origin
from execution.exceptions import BadDecision
from execution.models import LearnedCorrection, LessonStep
from execution.record.contradictions import contradicting
from execution.record.corrections import settle
from sentences.said import say
from workflows.models import WorkflowVersion
from workflows.permissions import DESIGN, require

BY_A_PERSON = (CorrectionState.ON_TRIAL, CorrectionState.TRUSTED, CorrectionState.OFF)
LONGEST_REASON = 300


def needs_reason(row: LearnedCorrection) -> bool:
    """Whether it is trusted only in spite of something: it breaks what was right, or nobody knows whether it does."""
    return row.checked_at is None or bool(row.breaks)


def put_correction(
    *,
    correction_id: int,
    state: str,
    was: str = "",
    reason: str = "",
    user: Any = None,
    origin: Origin = Origin.PROGRAM,
) -> LearnedCorrection:
    """From now on it is that; what its uses said before counts no more. `was` is the state that the person was shown:
    where it is another by now nothing changes. Raises BadDecision, and PermissionDenied.

    A way that a person went is nothing that a run could do by itself: it is taught, or let be. What is in a version is
    changed there. What breaks something that was right, or was not tried, is trusted for a reason that is kept.
    """
    require(user, DESIGN)
    if state not in BY_A_PERSON:
        raise BadDecision(
            _("A correction is not made “%(state)s” by hand. It can be: %(known)s.")
            % {"state": state, "known": ", ".join(BY_A_PERSON)}
        )
    reason = _reason(reason)
    with transaction.atomic():
        row = locked(correction_id, was)
        if state == CorrectionState.TRUSTED and needs_reason(row) and not reason:
            raise BadDecision(_("Say why it is trusted in spite of what it breaks, or before it was tried."))
        return _put(row, state, user=user, origin=origin, reason=reason)


def choose(
    *, correction_id: int, was: str = "", reason: str = "", user: Any = None, origin: Origin = Origin.PROGRAM
) -> LearnedCorrection:
    """Of those that contradict each other this one is right: what contradicts it is switched off, and it stays what it
    is. Raises BadDecision, and PermissionDenied."""
    require(user, DESIGN)
    reason = _reason(reason)
    with transaction.atomic():
        row = locked(correction_id, was)
        others = contradicting([row]).get(row.pk, [])
        if not others:
            raise BadDecision(_("Nothing contradicts it any more: look again."))
        for other in others:
            gone = locked(other.pk, other.state)
            _put(gone, CorrectionState.OFF, user=user, origin=origin, reason=reason, instead=row)
    return row


def ways_taught(version: WorkflowVersion) -> None:
    """Ways that a lesson was made of, and that taught something, are part of that version."""
    ways = LearnedCorrection.objects.filter(
        pack__workflow=version.workflow_id, kind=CorrectionKind.WAY, state=CorrectionState.NEEDS_PERSON
    )
    for row in ways.filter(payload__has_key="lesson"):
        if not LessonStep.objects.kept().filter(lesson__lesson_id=row.payload["lesson"]).exists():
            continue
        who = version.published_by
        row.state, row.changed_at = CorrectionState.MERGED, timezone.now()
        row.changed_by = who.get_username() if who else ""
        row.why = say("corrections.merged", n=version.number)
        row.save(update_fields=["state", "changed_at", "changed_by", "why"])
        record(
            Verb.CHANGED, user=who, kind="correction", about=str(row.pk), was=CorrectionState.NEEDS_PERSON,
            now=row.state, workflow=version.workflow.workflow_id, version=version.number,
        )  # fmt: skip


def locked(correction_id: int, was: str) -> LearnedCorrection:
    """It, for this transaction; `was` is the state that it must still have. Raises BadDecision."""
    rows = LearnedCorrection.objects.select_for_update(of=("self",)).select_related("pack__workflow")
    row = rows.filter(pk=correction_id).first()
    if row is None:
        raise BadDecision(_("There is no correction with the number %(id)s.") % {"id": correction_id})
    if was and row.state != was:
        raise BadDecision(_("Its state has changed since this page was opened: look again."))
    return row


def _put(
    row: LearnedCorrection,
    state: str,
    *,
    user: Any,
    origin: Origin,
    reason: str,
    instead: LearnedCorrection | None = None,
) -> LearnedCorrection:
    if row.state == CorrectionState.MERGED or (row.kind == CorrectionKind.WAY and state != CorrectionState.OFF):
        raise BadDecision(_("This correction cannot be changed here: it is taught in the workflow."))
    if state != CorrectionState.OFF and row.says_nothing:
        raise BadDecision(_("What it says is no longer kept: show it once more."))
    was, now = row.state, timezone.now()
    row.state, row.began_as, row.since, row.streak, row.proved = state, state, now, 0, []
    row.changed_at, row.changed_by, row.why = now, name_of(user, origin), say_why(reason, instead)
    row.save()
    settle(row)  # nothing was said since: where their own word holds
    record(
        Verb.CHANGED, user=user, who=row.changed_by, origin=origin, kind="correction", about=str(row.pk), was=was,
        now=state, workflow=row.pack.workflow.workflow_id, reason=reason, instead=instead.pk if instead else None,
        breaks=len(row.breaks) or None if state == CorrectionState.TRUSTED else None,
    )  # fmt: skip
    return row


def say_why(reason: str, instead: LearnedCorrection | None = None) -> str:
    """Why it is in its state, as it is kept with it."""
    if instead is not None:
        return say("corrections.instead", n=instead.pk)
    return say("corrections.because", reason=reason) if reason else ""


def _reason(text: str) -> str:
    if len(reason := text.strip()) > LONGEST_REASON:
        raise BadDecision(_("The reason is longer than %(n)d characters.") % {"n": LONGEST_REASON})
    return reason
