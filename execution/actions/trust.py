"""Promotion, decided by people on what is proved; demotion, which needs nobody; and taking either back (S6.8)."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from execution.actions.corrections import LONGEST_REASON
from execution.choices import Origin
from execution.exceptions import NotProved
from execution.learning.promotion import ORDER, RUNGS, Evidence, below, fallen, proposed
from execution.record.standing import drifting, evidence_of, open_corrections, proposal_for
from sentences.said import say, worded
from workflows.actions.trust import change_trust
from workflows.choices import LearningState
from workflows.models import TrustChange, Workflow
from workflows.permissions import DESIGN, require


def promote(*, workflow: Workflow, to: str, user: Any, origin: Origin = Origin.PROGRAM) -> TrustChange:
    """Trust it as far as its runs prove; `to` is what the person was shown. Raises NotProved, and PermissionDenied."""
    require(user, DESIGN)
    evidence = evidence_of(workflow)
    proposal = proposal_for(workflow, evidence)
    if proposal is None or proposal.to != to:
        raise NotProved(_("It is trusted differently by now: look again."))
    if proposal.lacks:
        raise NotProved(worded(proposal.lacks[0]))
    changed = change_trust(
        workflow=workflow,
        to=to,
        was=workflow.learning_state,
        reason=say("standing.promoted"),
        evidence=evidence.sentence(),
        user=user,
        origin=origin,
    )
    if changed is None:
        raise NotProved(_("It is trusted differently by now: look again."))
    return changed


def take_back(*, change: TrustChange, user: Any, reason: str = "", origin: Origin = Origin.PROGRAM) -> TrustChange:
    """As it was before that change, if that was the last one. Raises NotProved, and PermissionDenied.

    Where that is more trust, its runs must prove it as for a promotion, or a person answers for it with a `reason`.
    """
    require(user, DESIGN)
    workflow, evidence, because = change.workflow, "", ""
    newest = TrustChange.objects.filter(workflow=workflow).first()
    if newest is None or newest.pk != change.pk:
        raise NotProved(_("It is trusted differently by now: look again."))
    if not change.is_up:
        known = evidence_of(workflow)
        evidence, because = known.sentence(), reason.strip()
        lacks = _lacks(workflow, LearningState(change.was), known)
        if lacks and (user is None or not because):
            words = _("%(why)s Say why it is to be trusted as before all the same.")
            raise NotProved(words % {"why": worded(lacks[0])})
        if len(because) > LONGEST_REASON:
            raise NotProved(_("The reason is longer than %(n)d characters.") % {"n": LONGEST_REASON})
    said = say("standing.taken_back_because", reason=because) if because else say("standing.taken_back")
    done = change_trust(
        workflow=workflow, to=change.was, was=change.state, reason=said, evidence=evidence, user=user, origin=origin,
        because=because,
    )  # fmt: skip
    if done is None:
        raise NotProved(_("It is trusted differently by now: look again."))
    return done


def _lacks(workflow: Workflow, to: LearningState, evidence: Evidence) -> tuple[str, ...]:
    """What is not proved yet of what that state asks for, from wherever it is."""
    version = workflow.versions.order_by("-number").first()
    proposal = proposed(
        ORDER[ORDER.index(to) - 1],
        evidence,
        corrections=open_corrections(workflow),
        drifting=drifting(workflow, version.spec()) if version else [],
        ask_below=workflow.ask_below,
    )
    return proposal.lacks if proposal else ()


def review(workflow: Workflow) -> TrustChange | None:
    """Trust it less where what its runs showed since the last change says so; called when something went wrong."""
    workflow.refresh_from_db(fields=["learning_state"])
    state = LearningState(workflow.learning_state)
    lower = below(state)
    version = workflow.versions.order_by("-number").first()
    if lower is None or version is None or not RUNGS[state].stays:
        return None
    last = TrustChange.objects.filter(workflow=workflow).first()
    evidence = evidence_of(workflow, since=last.at if last else None)
    reason = fallen(state, evidence)
    return _demote(workflow, lower, reason, evidence.sentence()) if reason else None


def demote_for_drift(workflow: Workflow, what: str) -> TrustChange | None:
    """Trust it less because `what` is no longer as it was."""
    workflow.refresh_from_db(fields=["learning_state"])
    state = LearningState(workflow.learning_state)
    lower = below(state)
    if lower is None or not RUNGS[state].stays:
        return None
    return _demote(workflow, lower, what, evidence_of(workflow).sentence())


def _demote(workflow: Workflow, to: LearningState, reason: str, evidence: str) -> TrustChange | None:
    return change_trust(workflow=workflow, to=to, was=workflow.learning_state, reason=reason, evidence=evidence)
