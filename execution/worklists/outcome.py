"""What the end of a run means for its row, and for its list (S12.2, S12.7, S12.8)."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from execution.choices import EventKind, ExecutionState, Outcome, StepPhase
from execution.language.fuzzy import SEEN
from execution.language.screen_texts import ScreenWords
from execution.models import Execution, Step, WorkItem, Worklist, WorkRun
from execution.models.worklist import OPEN_ITEMS, ItemState, WorklistState, WorkRunKind
from execution.record.attribution import named
from execution.record.kept_screens import state_of
from execution.worklists import reset
from sentences.said import say
from workflows.choices import MAY_SAVE
from workflows.graph import NodeSpec
from workflows.text import fill_known

log = logging.getLogger(__name__)

REACHED = frozenset({ItemState.DONE, ItemState.EXCEPTION})  # a row that came to an end that was taught
_MOVING = (WorklistState.RUNNING, WorklistState.PAUSED)
_NOTHING_SENT = (Outcome.INTERRUPTED, Outcome.REJECTED)
_BY_A_PERSON = (Outcome.MANUAL, Outcome.OBSERVED)
_REFUSED = "turn.not_possible"  # the program answered with a screen that was taught for it
_NOBODY_KNOWS = ("record.ended_in_doubt", "turn.stopped_in_doubt", "turn.ended_in_doubt")
_LONGEST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """What a run came to: the state of its row, and why. `doubt`: nobody knows whether its last act was done."""

    state: ItemState
    reason: str = ""
    saved: bool = False
    doubt: bool = False


def settle_ended() -> int:
    """Settle the runs of rows that have ended and were not yet, such as where a process died in between."""
    left = list(WorkRun.objects.unsettled().values_list("execution__execution_id", flat=True))
    return sum(settle(execution_id) for execution_id in left)


def settle(execution_id: str) -> bool:
    """Keep what the ended run means for its row, once; whether this call did."""
    with transaction.atomic():
        work = (
            WorkRun.objects.select_related("item__worklist", "execution__version__workflow")
            .filter(execution__execution_id=execution_id)
            .first()
        )
        if work is None or not work.execution.is_final:
            return False
        if not WorkRun.objects.filter(pk=work.pk, is_open=True).update(is_open=False):
            return False
        if work.kind == WorkRunKind.RESET:
            _after_reset(work)
        else:
            _after_row(work)
    return True


def end_of(work: WorkRun) -> End:
    """What the ended run means for its row, by its state and its journal."""
    run = work.execution
    if run.state == ExecutionState.COMPLETED:
        if why := refusal_of(run):
            return End(state=ItemState.EXCEPTION, reason=why, saved=may_have_saved(run))
        return End(state=ItemState.DONE)
    saved, doubt, why = may_have_saved(run), is_in_doubt(run), _why(work)
    if doubt:
        return End(state=ItemState.SET_ASIDE, reason=say("worklists.in_doubt", why=why), saved=True, doubt=True)
    if saved:
        return End(state=ItemState.SET_ASIDE, reason=say("worklists.saved", why=why), saved=True)
    if run.state == ExecutionState.STOPPED:
        return End(state=ItemState.SET_ASIDE, reason=why)
    if work.attempt - work.item.tried_before < work.item.worklist.most_attempts:
        return End(state=ItemState.NEW, reason=say("worklists.again_after", why=why))
    return End(state=ItemState.FAILED, reason=why)


def _why(work: WorkRun) -> str:
    run = work.execution
    if run.state == ExecutionState.FAILED:
        return run.error
    if work.unanswered:
        return work.unanswered
    if run.stopped_by:
        return say("worklists.stopped_by", who=named(run.stopped_by, run.stopped_from))
    return say("worklists.stopped")


def values_of(run: Execution) -> list[dict[str, Any]]:
    """What the run brings: the last reading of each value, or of a repetition that of each of its lines."""
    inner = run.version.spec().inner_values
    newest: dict[tuple[str, int], dict[str, Any]] = {}
    for value in run.values_read.select_related("step").order_by("step__index"):
        if value.name not in inner:
            line = int(value.step.suggestion.get("line") or 0)
            newest[value.name, line] = {**value.as_json(), **({"line": line} if line else {})}
    return list(newest.values())


def _after_row(work: WorkRun) -> None:
    item, end, now = work.item, end_of(work), timezone.now()
    WorkRun.objects.filter(pk=work.pk).update(outcome=end.state, reason=end.reason)
    changes: dict[str, Any] = {"saved": end.saved, "ended_at": now}
    if read := values_of(work.execution):
        changes["values"] = read
    if end.state == ItemState.NEW:
        changes["not_before"] = now + timedelta(seconds=item.worklist.retry_after_s)
    if not item.move(end.state, reason=end.reason, **changes):
        log.warning("row %s of %s was no longer running", item.number, item.worklist)
        return
    _count(item, end)
    if end.state != ItemState.DONE and not end.doubt:
        reset.begin(work)
    finish_if_over(item.worklist)


def give_up_row(item: WorkItem, reason: str) -> bool:
    """A row that cannot even begin has failed; False where somebody else has moved it."""
    with transaction.atomic():
        if not item.move(ItemState.FAILED, reason=reason, ended_at=timezone.now()):
            return False
        _count(item, End(state=ItemState.FAILED, reason=reason))
        finish_if_over(item.worklist)
    return True


def _count(item: WorkItem, end: End) -> None:
    """The breaker (S12.8), and an act in doubt, which stops the list at once."""
    worklist = item.worklist
    if end.doubt:
        stand(worklist, say("worklists.doubt_stands", number=item.number, why=end.reason))
        return
    rows = Worklist.objects.filter(pk=worklist.pk)
    if end.state in REACHED:
        rows.update(failed_in_row=0)
    elif end.state != ItemState.NEW:
        rows.update(failed_in_row=F("failed_in_row") + 1)
        worklist.refresh_from_db(fields=["failed_in_row"])
        if worklist.breaker and worklist.failed_in_row >= worklist.breaker:
            words: Mapping[str, Any] = {"n": worklist.failed_in_row, "number": item.number, "why": end.reason}
            stand(worklist, say("worklists.breaker", **words))


def _after_reset(work: WorkRun) -> None:
    reached = work.execution.state == ExecutionState.COMPLETED
    why = "" if reached else _why(work)
    WorkRun.objects.filter(pk=work.pk).update(outcome="reached" if reached else "missed", reason=why)
    if not reached:
        stand(work.item.worklist, say("worklists.reset_failed", number=work.item.number, why=why))


def stand(worklist: Worklist, reason: str) -> None:
    """The list begins no row any more until a person lets it go on; inside the caller's transaction."""
    worklist.move(WorklistState.STANDS, among=_MOVING, reason=reason)


def set_going(worklist: Worklist, *, among: Iterable[str], closes_at: datetime | None) -> bool:
    """Let it begin rows, its breaker counting anew; whether it was in one of these states. Inside the caller's
    transaction."""
    now = timezone.now()
    changes: dict[str, Any] = {"failed_in_row": 0, "closes_at": closes_at, "ended_at": None}
    changes |= {"started_at": worklist.started_at or now}
    if worklist.state in (WorklistState.READY, WorklistState.FINISHED):
        changes["begun_at"] = now
    return worklist.move(WorklistState.RUNNING, among=among, **changes)


def finish_if_over(worklist: Worklist) -> None:
    """A running list is finished once no row is new or running; inside the caller's transaction."""
    if not worklist.items.filter(state__in=OPEN_ITEMS).exists():
        worklist.move(WorklistState.FINISHED, among=_MOVING, ended_at=timezone.now())


# --- what the journal tells of the acts: may a row be done again by itself? (S12.7) -----------------------------------
# An act that saves counts as done once it was intended, unless the run loop itself wrote that nothing was sent.


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


# --- a screen that says why the work is not possible (S12.2) ----------------------------------------------------------
def refusal_of(run: Execution) -> str:
    """Why the work is not possible, with the text read; "" where the run ended as it should."""
    node = run.version.spec().node(run.current_node_id)
    if node is None or not node.exception:
        return ""
    said = _text_read(run, node)
    return say("worklists.not_possible", why=node.exception, text=said) if said else node.exception


def _text_read(run: Execution, node: NodeSpec) -> str:
    """The lines of the last screen that hold what the node is known by; else those that were not there before."""
    steps = run.steps.order_by("-index")[:2]
    screens = [state for step in steps if (state := state_of(step)) is not None]
    if not screens:
        return ""
    lines = screens[0].texts
    values = {name: str(value) for name, value in run.variables.items()}
    wanted = [fill_known(text, values) for text in node.texts]
    said = [line.text for line in lines if any(ScreenWords([line]).seen(text) >= SEEN for text in wanted)]
    if not said and len(screens) > 1:
        before = ScreenWords(screens[1].texts)
        said = [line.text for line in lines if before.seen(line.text) < SEEN]
    return " ".join(dict.fromkeys(said))[:_LONGEST]
