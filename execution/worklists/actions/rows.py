"""What people make of rows: again, skipped, set aside, first, cancelled (S12.2, S12.13).

Each move is compare-and-set: of the rows that were meant those are moved that still stand as they were meant.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone
from django.utils.translation import gettext as _

from audit.models import Verb
from execution.actions.asking import name_of
from execution.choices import Origin
from execution.exceptions import BadWorklist
from execution.models import Worklist
from execution.models.worklist import ITEM_MOVES, ItemState, WorklistEventKind, WorklistState
from execution.record.attribution import named
from execution.worklists.actions.asking import may_operate, record_of
from execution.worklists.outcome import finish_if_over
from sentences.said import say

AT_ONCE = 500  # rows that are moved in one statement
LONGEST_REASON = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """Rows that were moved, and those that were not: they stand otherwise by now, or something may have been saved."""

    numbers: tuple[int, ...] = ()
    left: tuple[int, ...] = ()
    saved: tuple[int, ...] = ()


def again(
    *, worklist_id: str, numbers: Iterable[int], not_saved: str = "", user: Any = None, origin: Origin = Origin.PROGRAM
) -> Moved:
    """Let rows begin anew. One that may have saved something only if a coach has looked and says `not_saved`, in a
    sentence that is kept with their name. Raises BadWorklist, PermissionDenied."""
    may_operate(user)
    worklist, wanted, looked = (
        Worklist.objects.by_id(worklist_id),
        _numbers(numbers),
        not_saved.strip()[:LONGEST_REASON],
    )
    who = named(name_of(user, origin), origin)
    saved: tuple[int, ...] = ()
    if looked:
        reason = say("worklists.not_saved_by", who=who, why=looked)
    else:
        reason = say("worklists.again_by", who=who)
        kept = worklist.items.filter(number__in=wanted, saved=True, state__in=_from(ItemState.NEW))
        saved = tuple(kept.values_list("number", flat=True))
    with transaction.atomic():
        changes: dict[str, Any] = {"tried_before": F("attempts"), "not_before": None, "saved": False, "ended_at": None}
        moved = _move(worklist, wanted - set(saved), ItemState.NEW, reason, **changes)
        if moved:
            worklist.move(WorklistState.READY, among=[WorklistState.FINISHED], ended_at=None)
            record_of(Verb.CHANGED, worklist, user, origin, did="again", rows=len(moved), not_saved=bool(looked))
    return Moved(numbers=moved, saved=saved, left=tuple(sorted(wanted - set(moved) - set(saved))))


def skip(
    *, worklist_id: str, numbers: Iterable[int], reason: str, user: Any = None, origin: Origin = Origin.PROGRAM
) -> Moved:
    """Leave rows out for good, for a reason. Raises BadWorklist without one, PermissionDenied."""
    if not reason.strip():
        raise BadWorklist(_("Say in a sentence why the rows are skipped."))
    code = "worklists.skipped_by"
    return _by_person(worklist_id, numbers, ItemState.SKIPPED, code, reason, user=user, origin=origin)


def set_aside(
    *, worklist_id: str, numbers: Iterable[int], reason: str = "", user: Any = None, origin: Origin = Origin.PROGRAM
) -> Moved:
    """Keep rows from beginning until a person has looked at them. Raises PermissionDenied."""
    code = "worklists.set_aside_by" if reason.strip() else "worklists.set_aside_by_plainly"
    return _by_person(worklist_id, numbers, ItemState.SET_ASIDE, code, reason, user=user, origin=origin)


def cancel(
    *, worklist_id: str, numbers: Iterable[int] | None = None, user: Any = None, origin: Origin = Origin.PROGRAM
) -> Moved:
    """Take new rows out of the list; without numbers all of them. Raises PermissionDenied."""
    if numbers is None:
        rows = Worklist.objects.by_id(worklist_id).items.filter(state=ItemState.NEW)
        numbers = list(rows.values_list("number", flat=True))
    code = "worklists.cancelled_by"
    return _by_person(worklist_id, numbers, ItemState.CANCELLED, code, "", user=user, origin=origin)


def put_first(*, worklist_id: str, numbers: Iterable[int], user: Any = None, origin: Origin = Origin.PROGRAM) -> Moved:
    """New rows begin before all others of the list. Raises PermissionDenied."""
    may_operate(user)
    worklist, wanted = Worklist.objects.by_id(worklist_id), _numbers(numbers)
    who = named(name_of(user, origin), origin)
    with transaction.atomic():
        new = worklist.items.filter(state=ItemState.NEW)
        highest = new.aggregate(most=Max("priority"))["most"] or 0
        reason = say("worklists.first_by", who=who)
        rows = new.filter(number__in=wanted)
        moved = tuple(rows.order_by("number").values_list("number", flat=True))
        if rows.update(priority=highest + 1, reason=reason):
            told = {"numbers": list(moved), "first": True, "reason": reason}
            worklist.tell(WorklistEventKind.ROWS, told)
            record_of(Verb.CHANGED, worklist, user, origin, did="first", rows=len(moved))
    return Moved(numbers=moved, left=tuple(sorted(wanted - set(moved))))


def _by_person(
    worklist_id: str, numbers: Iterable[int], to: ItemState, code: str, why: str, *, user: Any, origin: Origin
) -> Moved:
    may_operate(user)
    worklist, wanted = Worklist.objects.by_id(worklist_id), _numbers(numbers)
    reason = say(code, who=named(name_of(user, origin), origin), why=why.strip()[:LONGEST_REASON])
    with transaction.atomic():
        moved = _move(worklist, wanted, to, reason, ended_at=timezone.now())
        if moved:
            record_of(Verb.CHANGED, worklist, user, origin, did=to, rows=len(moved))
            finish_if_over(worklist)
    return Moved(numbers=moved, left=tuple(sorted(wanted - set(moved))))


def _move(worklist: Worklist, wanted: Collection[int], to: ItemState, reason: str, **changes: Any) -> tuple[int, ...]:
    """One state after the other, so that each event says what they were; inside the caller's transaction."""
    moved: list[int] = []
    ordered = sorted(wanted)
    for begin in range(0, len(ordered), AT_ONCE):
        for was in sorted(_from(to)):
            rows = worklist.items.filter(number__in=ordered[begin : begin + AT_ONCE], state=was)
            numbers = sorted(rows.select_for_update().values_list("number", flat=True))
            if numbers:
                worklist.items.filter(number__in=numbers, state=was).update(state=to, reason=reason, **changes)
                told = {"numbers": numbers, "was": was, "state": to, "reason": reason}
                worklist.tell(WorklistEventKind.ROWS, told)
                moved.extend(numbers)
    return tuple(sorted(moved))


def _from(to: ItemState) -> frozenset[ItemState]:
    """The states from which people bring a row there: never out of a run."""
    return frozenset(was for was, ways in ITEM_MOVES.items() if to in ways) - {ItemState.RUNNING}


def _numbers(numbers: Iterable[int]) -> set[int]:
    return {int(number) for number in numbers}


# What the doors call them; each takes `worklist_id`, `numbers`, `user` and `origin`, and what it needs besides.
VERBS: Mapping[str, Callable[..., Moved]] = {
    "again": again,
    "skip": skip,
    "set_aside": set_aside,
    "first": put_first,
    "cancel": cancel,
}
