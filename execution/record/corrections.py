"""Corrections as rows: what a coach showed, each use of it, and how that came out (S6.4).

Every function is called inside the transaction of the change that it belongs to. What may have proved wrong is judged
when its step is closed; a step that nobody closed as its loop meant it leaves a use that nobody knows of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, Protocol

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from execution.choices import (
    CorrectionKind,
    CorrectionState,
    EventKind,
    Feedback,
    Outcome,
    PromptKind,
    ReadBack,
    UseOutcome,
    Verb,
    Verified,
)
from execution.learning.conditions import Conditions
from execution.learning.judging import PARAMS, PLACE, SCREEN, Closed, Use, judged
from execution.learning.overlay import Taught
from execution.learning.standing import standing_of
from execution.learning.taught_as import taught_as
from execution.models import CorrectionPack, CorrectionUse, Decision, Execution, LearnedCorrection, Step, WishRecord
from execution.models.learning import IN_FORCE
from execution.record.events import emit
from execution.record.proving import proved_by, proved_under, said_by, trusted_in
from execution.types import ActionResult, ActionStatus, Box, Choice, CorrectionUsed, DecisionSource, Size
from execution.types import Decision as Answer
from sentences.said import say, to_json
from workflows.graph import GraphSpec, NormBox, TargetSpec, target_from_json
from workflows.models import Correction

BY_PERSON = (DecisionSource.COACH, DecisionSource.PROGRAM)
_DONE_ON_IT = Q(acted=True) | Q(ordered=True)
_ONE_PLACE = 0.5  # of the joint area


class Look(Protocol):
    """What a shown place teaches: the look, and where it is on the screen without the run's data."""

    @property
    def target(self) -> TargetSpec: ...

    @property
    def picture(self) -> str: ...

    @property
    def box(self) -> NormBox: ...

    @property
    def conditions(self) -> Conditions: ...


class ScreenLook(Protocol):
    """What a picked screen teaches: its picture without the run's data, and the texts of the node that it has not."""

    @property
    def picture(self) -> str: ...

    @property
    def gone(self) -> tuple[str, ...]: ...

    @property
    def conditions(self) -> Conditions: ...


class Lesson(Protocol):
    """A correction as it may be kept, without the run's data, and what it teaches."""

    @property
    def correction(self) -> Mapping[str, Any]: ...

    @property
    def feedback(self) -> str: ...

    @property
    def look(self) -> Look | None: ...

    @property
    def params(self) -> Mapping[str, Any]: ...

    @property
    def taught(self) -> Mapping[str, Any]: ...


# --- applied ---------------------------------------------------------------------------------------------------------
def in_force(workflow_id: str, execution: Execution | None = None) -> tuple[Taught, ...]:
    """What runs of the workflow go by, trusted ones first; in `execution` only what others have proved is trusted."""
    rows = list(LearnedCorrection.objects.of_workflow(workflow_id).in_force().with_runs().defer("box"))
    own = proved_by(execution, rows) if execution is not None else frozenset()
    return tuple(replace(as_taught(row), trusted_in=trusted_in(row, own)) for row in rows)


def as_taught(row: LearnedCorrection) -> Taught:
    """The row as it is laid over a graph (`execution.learning.overlay.overlaid`)."""
    target = row.payload.get("target")
    return Taught(
        key=row.key,
        kind=CorrectionKind(row.kind),
        edge_id=row.edge_id,
        node_id=row.node_id,
        of=row.of,
        taught_as=row.taught_as,
        target=target_from_json(target) if target else None,
        params=row.payload.get("params") or {},
        picture=str(row.payload.get("picture") or ""),
        gone=tuple(row.payload.get("gone") or ()),
        said=learned_from(row),
    )


def learned_from(row: LearnedCorrection) -> str:
    """“Learned from run 17, step 3, on 2026-11-23.”"""
    run = row.run if hasattr(row, "run") else _run_of(row)
    on = f"{timezone.localtime(row.learned_at):%Y-%m-%d}"
    return say("record.learned_from", run=run or row.execution_id, step=row.step, on=on)


def _run_of(row: LearnedCorrection) -> int | None:
    return Execution.objects.filter(execution_id=row.execution_id).values_list("pk", flat=True).first()


# --- learned ---------------------------------------------------------------------------------------------------------
def learn(step: Step, correction: Correction, lesson: Lesson, *, graph: GraphSpec, user: Any, name: str) -> None:
    """Keep what a correction teaches, on trial from the next step on; the act that it orders is its first use."""
    execution, edge = step.execution, graph.edge(step.edge_id)
    pack, _ = CorrectionPack.objects.get_or_create(workflow=execution.version.workflow)
    from_here: dict[str, Any] = {
        "pack": pack,
        "edge_id": step.edge_id,
        "node_id": step.node_id,
        "version_number": execution.version.number,
        "execution_id": execution.execution_id,
        "step": step.index,
        "correction": correction,
        "learned_by": user,
        "learned_by_name": name,
    }
    if lesson.look is not None:
        row = LearnedCorrection.objects.create(
            kind=CorrectionKind.TARGET,
            of=edge.target.target_id if edge and edge.target else "",
            taught_as=taught_as(CorrectionKind.TARGET, graph, edge_id=step.edge_id, node_id=step.node_id),
            payload={"target": asdict(lesson.look.target)},
            conditions=lesson.look.conditions.to_json(),
            picture=lesson.look.picture,
            box=list(lesson.look.box),
            **from_here,
        )
        CorrectionUse.objects.create(
            correction=row, step=step, part=PLACE, ordered=True, box=row.box, conditions=row.conditions
        )
    if lesson.params:
        row = LearnedCorrection.objects.create(
            kind=CorrectionKind.PARAMS,
            of=dict(lesson.taught),
            taught_as=taught_as(CorrectionKind.PARAMS, graph, edge_id=step.edge_id, node_id=step.node_id),
            payload={"params": dict(lesson.params)},
            **from_here,
        )
        CorrectionUse.objects.create(correction=row, step=step, part=PARAMS, ordered=True)


def learn_screen(execution: Execution, graph: GraphSpec, node_id: str, look: ScreenLook) -> None:
    """Keep that a person took a screen for a node. Where it says nothing that the node is known by a person has to say
    what it is known by instead: a look alone would be known too easily."""
    pack, _ = CorrectionPack.objects.get_or_create(workflow=execution.version.workflow)
    if pack.corrections.filter(kind=CorrectionKind.NODE, node_id=node_id, picture=look.picture).exists():
        return  # the same screen, said once more
    node = graph.node(node_id)
    says = node is not None and (not node.texts or set(node.texts) - set(look.gone))
    state = CorrectionState.ON_TRIAL if says else CorrectionState.NEEDS_PERSON
    decision = Decision.objects.filter(prompt__execution=execution, node_id=node_id).first()
    wish = execution.wishes.filter(verb=Verb.RESUME).first()
    who = max((one for one in (decision, wish) if one), key=lambda one: _when(one), default=None)
    LearnedCorrection.objects.create(
        pack=pack,
        kind=CorrectionKind.NODE,
        node_id=node_id,
        of=node_id,
        taught_as=taught_as(CorrectionKind.NODE, graph, edge_id="", node_id=node_id),
        payload={"picture": look.picture, "gone": list(look.gone)},
        picture=look.picture,
        conditions=look.conditions.to_json(),
        version_number=execution.version.number,
        execution_id=execution.execution_id,
        step=execution.next_step,
        learned_by=who.user if who else None,
        learned_by_name=who.name if who else "",
        state=state,
        began_as=state,
        why="" if says else say("record.nothing_left"),
    )


def _when(one: Decision | WishRecord) -> datetime:
    return one.decided_at if isinstance(one, Decision) else one.asked_at


# --- used ------------------------------------------------------------------------------------------------------------
def note_uses(step: Step, learned: Iterable[CorrectionUsed], box: Box | None, size: Size, *, under: Conditions) -> None:
    """What a suggestion stands on, on a screen like that, before anybody is asked about it."""
    where = list(box.normalised(size)) if box is not None else None
    for used in learned:
        CorrectionUse.objects.update_or_create(
            correction_id=id_of(used.key),
            step=step,
            defaults={
                "part": used.part,
                "on_trial": used.on_trial,
                "against": used.against,
                "conditions": under.to_json(),
                "box": None if used.against or used.part != PLACE else where,
            },
        )


def still_in_force(learned: Iterable[CorrectionUsed]) -> bool:
    """Whether all that an act would stand on may still be gone by: meanwhile it may have been switched off, or found to
    break something."""
    keys = {id_of(used.key) for used in learned if not used.against}
    return not keys or LearnedCorrection.objects.filter(pk__in=keys, state__in=IN_FORCE).count() == len(keys)


def note_acts(step: Step, learned: Iterable[CorrectionUsed]) -> None:
    """What the act that is about to be done stands on, as far as it says something of that."""
    acted = [id_of(used.key) for used in learned if used.proved and not used.against]
    step.correction_uses.filter(correction__in=acted).update(acted=True)
    step.correction_uses.exclude(correction__in=acted).update(acted=False)


def corrected(step: Step, decision: Answer, parts: Iterable[str], shown: NormBox | None) -> bool:
    """A coach put something else in the place of what corrections said: judged at once. Whether a correction has said
    the very place that he shows, so that there is nothing to learn of it."""
    agreed = False
    for use in step.correction_uses.filter(ordered=False).select_related("correction"):
        agrees = shown is not None and use.box is not None and is_one_place(use.box, shown)
        closed = Closed(
            outcome=Outcome.NONE,
            verified=Verified.NONE,
            choice=Choice.CORRECT,
            person=decision.source in BY_PERSON,
            corrected=frozenset(parts),
            agrees=agrees,
        )
        agreed |= agrees
        if use.part in closed.corrected:
            _known(use, judged(_use(use), closed))
    return agreed


def seen_undone(step: Step) -> None:
    """The screen shows that what a correction led to was not what was meant: nobody is waited for to switch it off.
    Where a person ordered something else in its place, that is to blame."""
    uses = list(step.correction_uses.filter(_DONE_ON_IT).select_related("correction__pack"))
    ordered = [use for use in uses if use.ordered]
    for use in ordered or uses:
        _known(use, UseOutcome.WRONG)


def close_uses(step: Step, decision: Answer | None, result: ActionResult | None) -> None:
    """How the uses of a step that is closed came out. What was judged before stays, unless a person who was asked
    says that it was done all the same. An act that is to be read back proves nothing right before that was done."""
    of_step = list(step.correction_uses.select_related("correction__pack"))
    uses = [use for use in of_step if use.known_at is None or _said_of(step) == Choice.DONE]
    closed = Closed(
        outcome=Outcome(step.outcome),
        verified=_verified(step),
        choice=decision.choice if decision else None,
        person=decision is not None and decision.source in BY_PERSON,
        touched=step.intent_at is not None and result is not None and result.status is ActionStatus.DONE,
        doubted=step.in_doubt,
        elsewhere=bool(decision and decision.node_id),
    )
    for use in uses:
        outcome = judged(_use(use), closed)
        if outcome is UseOutcome.RIGHT and step.verification.get("read_back") == ReadBack.OPEN:
            outcome = UseOutcome.UNKNOWN
        taken_back = use.known_at is not None and (use.acted or use.ordered)  # of an act in doubt, seen undone
        if outcome is not UseOutcome.UNKNOWN or taken_back:
            _known(use, outcome)
    for use in of_step:
        if use not in uses:
            settle(use.correction, about=step.execution)  # its step can be looked at now


def close_read_back(step: Step) -> None:
    """What the proof of an act, or a person in its place, says of what the act was done on: more than what was known
    when it was closed. What somebody said to be wrong stays so, unless a person says that it was done."""
    said_done = step.success and step.verification.get("read_back") == ReadBack.SAID
    shown = step.prompts.filter(decision__choice=Choice.CORRECT).exists()  # then what was shown is to blame
    closed = Closed(
        outcome=Outcome(step.outcome),
        verified=Verified.YES if step.success else Verified(step.verified),
        choice=Choice.CORRECT if shown else None,
        person=shown,
        doubted=step.in_doubt,
    )
    for use in step.correction_uses.filter(_DONE_ON_IT).select_related("correction__pack"):
        if use.outcome != UseOutcome.WRONG or said_done:
            _known(use, judged(_use(use), closed))


def mark_uses(step: Step, feedback: str) -> None:
    """What somebody says of the step afterwards counts more than what was seen then (S6.5)."""
    outcome = {Feedback.CORRECT: UseOutcome.RIGHT, Feedback.INCORRECT: UseOutcome.WRONG}.get(Feedback(feedback))
    if outcome is None:
        return
    for use in step.correction_uses.filter(against=False).select_related("correction__pack"):
        if use.acted or use.ordered:
            _known(use, outcome)


def id_of(key: str) -> int:
    return int(key.rpartition("-")[2])


# --- what may be done with it ---------------------------------------------------------------------------------------
@transaction.atomic
def settle(row: LearnedCorrection, *, about: Execution | None = None) -> None:
    """Its state by its uses since a person, or its beginning, said what it is; switched off, that is told. As it is by
    now: it may have been read before a person switched it off."""
    row.refresh_from_db(from_queryset=LearnedCorrection.objects.select_for_update())
    if row.state not in (*IN_FORCE, CorrectionState.OFF) or row.began_as not in IN_FORCE:
        return
    since = row.uses.filter(used_at__gte=row.since).select_related("step").order_by("used_at", "pk")
    uses = list(since.only("outcome", "ordered", "tried", "conditions", "step__execution", "step__phase"))
    first, enough = CorrectionState(row.began_as), settings.LEARNING_PROVED_AFTER
    standing = standing_of(first, (said for _under, said in said_by(uses)), proved_after=enough)
    proved = proved_under(row, uses)
    state = standing.state
    if state in IN_FORCE:
        state = CorrectionState.TRUSTED if any(one.trusted for one in proved) else CorrectionState.ON_TRIAL
    was, row.state, row.streak, row.proved = row.state, state, standing.streak, [one.to_json() for one in proved]
    if was != row.state:
        row.changed_at, row.changed_by = timezone.now(), ""
        row.why = say("record.proved_wrong") if row.state == CorrectionState.OFF else ""
    row.save(update_fields=["state", "streak", "proved", "changed_at", "changed_by", "why"])
    if about is not None and was in IN_FORCE and row.state == CorrectionState.OFF:
        message = say("record.correction_off", learned=learned_from(row))
        emit(about, EventKind.ERROR, {"kind": "correction", "message": to_json(message)})


def _known(use: CorrectionUse, outcome: UseOutcome) -> None:
    use.outcome, use.known_at = outcome, timezone.now()
    use.save(update_fields=["outcome", "known_at"])
    settle(use.correction, about=use.step.execution)


def _use(row: CorrectionUse) -> Use:
    return Use(part=row.part, acted=row.acted, ordered=row.ordered, against=row.against)


def _verified(step: Step) -> Verified:
    """What was seen of it; where a person was asked whether it was done, their word instead. Who stops the run there
    has not seen it done either."""
    said = _said_of(step)
    if said == Choice.DONE:
        return Verified.YES
    return Verified.NO if said else Verified(step.verified)


def _said_of(step: Step) -> str:
    asked = step.prompts.filter(kind=PromptKind.IN_DOUBT, decision__isnull=False).select_related("decision").first()
    return asked.decision.choice if asked else ""


def is_one_place(one: Any, other: Any) -> bool:
    """Whether two boxes, as fractions of the screen, are the same place."""
    scale = 10_000  # fractions of the screen as whole numbers, so that boxes are compared as everywhere
    a, b = (Box(*(round(v * scale) for v in box)) for box in (one, other))
    return a.iou(b) >= _ONE_PLACE or (a.contains(b.center) and b.contains(a.center))


__all__ = [
    "PARAMS", "PLACE", "SCREEN", "as_taught", "close_read_back", "close_uses", "corrected", "in_force", "is_one_place",
    "learn", "learned_from", "mark_uses", "note_acts", "note_uses", "settle",
]  # fmt: skip
