"""When a list begins by itself: people plan it, switch it off and on, and take it back (S12.9, S12.13)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from audit.models import Verb
from execution.choices import Origin, Rhythm, StartState
from execution.exceptions import BadSchedule, ModeNotEarned
from execution.models import ListStart, Schedule, Worklist
from execution.worklists.actions.asking import may_operate, record_of
from execution.worklists.actions.lists import may_act
from execution.worklists.clock import Timing, next_starts, problems
from execution.worklists.results import KINDS
from execution.worklists.schedules import columns_of
from sentences.said import say, worded

LONGEST_REASON = 300
MOST_SCHEDULES = 20  # of a list


def plan(
    *,
    worklist_id: str,
    timing: Timing,
    schedule_id: str = "",
    days: Mapping[date, str] | None = None,
    takes_files: bool = False,
    is_on: bool = True,
    reason: str = "",
    user: Any = None,
    origin: Origin = Origin.PROGRAM,
) -> Schedule:
    """Keep when the list begins: a new schedule, or the one of that id changed. `days` are those of one's own, each
    with what it is; `reason`: why its runs act by themselves though the workflow has not earned that.

    What was planned before now begins no more. Raises BadSchedule, ModeNotEarned, UnknownSchedule, PermissionDenied.
    """
    may_operate(user)
    worklist = Worklist.objects.by_id(worklist_id)
    check_timing(timing)
    if is_on and may_act(worklist, user=user, reason=reason) and not reason.strip():
        raise ModeNotEarned(
            _("The workflow has not earned to act by itself yet. Say in a sentence why it is to do so now.")
        )
    with transaction.atomic():
        schedule = _one(worklist, schedule_id) if schedule_id else _new(worklist)
        for name, value in columns_of(timing).items():
            setattr(schedule, name, value)
        named = days if days is not None else dict.fromkeys(timing.not_on, "")
        schedule.not_on = {day.isoformat(): str(named.get(day, ""))[:100] for day in sorted(timing.not_on)}
        schedule.takes_files, schedule.is_on = takes_files, is_on
        schedule.reason = reason.strip()[:LONGEST_REASON]
        schedule.language = get_language() or "en"
        _changed(schedule, user)
        schedule.save()
        _leave_waiting(schedule)
        if takes_files:
            give_folder(worklist)
        verb = Verb.CHANGED if schedule_id else Verb.ADDED
        record_of(verb, worklist, user, origin, schedule=schedule.schedule_id, rule=timing.rule, zone=timing.zone)
    return schedule


def check_timing(timing: Timing) -> None:
    """Raises BadSchedule with all that is wrong, and where it would never begin anything."""
    if wrong := problems(timing):
        raise BadSchedule(" ".join(worded(one) for one in wrong))
    if not next_starts(timing, timezone.now(), 1):
        raise BadSchedule(worded(say("clock.is_over" if timing.kind == Rhythm.ONCE else "clock.never")))


def switch(
    *, worklist_id: str, schedule_id: str, is_on: bool, user: Any = None, origin: Origin = Origin.PROGRAM
) -> Schedule:
    """Off, its starts are left out; on again, those that were left out are not made up."""
    may_operate(user)
    worklist = Worklist.objects.by_id(worklist_id)
    with transaction.atomic():
        schedule = _one(worklist, schedule_id)
        if is_on:
            may_act(worklist, user=user, reason=schedule.reason)
        schedule.is_on = is_on
        _changed(schedule, user)
        schedule.save(update_fields=["is_on", "looked_at", "changed_by", "changed_at"])
        _leave_waiting(schedule)
        record_of(Verb.CHANGED, worklist, user, origin, schedule=schedule.schedule_id, on=is_on)
    return schedule


def take_back(*, worklist_id: str, schedule_id: str, user: Any = None, origin: Origin = Origin.PROGRAM) -> None:
    """The schedule and what became of its starts are gone. Raises UnknownSchedule, PermissionDenied."""
    may_operate(user)
    worklist = Worklist.objects.by_id(worklist_id)
    with transaction.atomic():
        _one(worklist, schedule_id).delete()
        record_of(Verb.DELETED, worklist, user, origin, schedule=schedule_id)


def give_folder(worklist: Worklist) -> str:
    """The name of the list's own folder in `in/` and `out/`, which never changes: that of the list may."""
    if not worklist.folder:
        begins = slugify(worklist.name)[:60].strip("-") or "list"
        is_taken = Worklist.objects.filter(folder=begins).exists()
        worklist.folder = f"{begins}-{worklist.worklist_id.removeprefix('list_')}" if is_taken else begins
        worklist.save(update_fields=["folder"])
    return worklist.folder


def keep_files(
    *, worklist_id: str, writes: str, takes_good: bool, user: Any = None, origin: Origin = Origin.PROGRAM
) -> Worklist:
    """`writes`: the kind of the file of results at each end, or nothing; `takes_good`: of a file in its folder the bad
    rows are left out, instead of the whole file. Raises BadSchedule, PermissionDenied."""
    may_operate(user)
    worklist = Worklist.objects.by_id(worklist_id)
    if writes and writes not in KINDS:
        raise BadSchedule(_("Results are written as csv or xlsx, not as “%(kind)s”.") % {"kind": writes})
    with transaction.atomic():
        if writes:
            give_folder(worklist)
        if writes and not worklist.writes:
            worklist.written_at = timezone.now()  # ends before now wrote nothing, and are not asked for
        worklist.writes, worklist.takes_good = writes, takes_good
        worklist.save(update_fields=["writes", "takes_good", "written_at"])
        record_of(Verb.CHANGED, worklist, user, origin, writes=writes, takes_good=takes_good)
    return worklist


def _one(worklist: Worklist, schedule_id: str) -> Schedule:
    return Schedule.objects.filter(worklist=worklist).select_for_update(of=("self",)).by_id(schedule_id)


def _new(worklist: Worklist) -> Schedule:
    if worklist.schedules.count() >= MOST_SCHEDULES:
        raise BadSchedule(_("The list has %(n)d schedules already.") % {"n": MOST_SCHEDULES})
    return Schedule(worklist=worklist)


def _changed(schedule: Schedule, user: Any) -> None:
    schedule.changed_by, schedule.changed_at = user, timezone.now()
    schedule.looked_at = schedule.changed_at


def _leave_waiting(schedule: Schedule) -> None:
    """A start that waited belonged to what was planned before."""
    said = say("clock.was_changed")
    ListStart.objects.filter(schedule=schedule, state=StartState.WAITING).update(
        state=StartState.MISSED, reason=said, told_at=timezone.now()
    )
