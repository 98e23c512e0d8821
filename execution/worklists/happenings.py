"""What happened to lists that somebody may want to be told of, read from rows (S12.10).

Each thing has a key of its own, the same however often it is asked for, so that it is told once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Max, QuerySet
from django.urls import reverse

from execution.choices import About, StartState
from execution.models import BroughtFile, ListStart, Robot, WorkItem, Worklist, WorklistEvent
from execution.models.worklist import ItemState, WorklistEventKind, WorklistState
from execution.worklists.claiming import lists_for
from execution.worklists.notices import Event
from execution.worklists.progress import progress_of_each
from sentences.said import from_json, say

LOOKED_BACK = timedelta(days=2)  # longer than quiet hours, a digest and an escalation hold a message back
AWAY_AFTER = timedelta(minutes=2)  # a robot that is started again is not away
MOST = 2000  # things of one kind at a look: the newest

_OF_A_LIST = {
    WorklistState.STANDS: About.STOPPED,
    WorklistState.FINISHED: About.FINISHED,
    WorklistState.READY: About.LEFT,
}


def happened(since: datetime, now: datetime, *, with_values: bool = False) -> list[Event]:
    """All of it since then that somebody may still have to be told of; `with_values`: some rule may tell values of
    rows."""
    found = [*_rows(since, with_values=with_values), *_lists(since), *_starts(since), *_files(since), *_running(now)]
    return sorted(found, key=lambda event: (event.at, event.key))


def link_to(worklist: Worklist, number: int = 0) -> str:
    """The one link of a message; whoever follows it logs in first."""
    return f"{settings.SITE_ADDRESS}{reverse('list', args=[worklist.worklist_id])}{f'?row={number}' if number else ''}"


def _event(worklist: Worklist, about: About, key: str, at: datetime, *, link: str = "", **more: Any) -> Event:
    return Event(
        key=f"{worklist.worklist_id}/{key}",
        about=about,
        list_id=worklist.worklist_id,
        list_name=worklist.name,
        workflow_id=worklist.workflow.workflow_id,
        at=at,
        link=link or link_to(worklist),
        **more,
    )


def _told(kind: WorklistEventKind, since: datetime, **asked: Any) -> QuerySet[WorklistEvent, Any]:
    """List, number, time and payload of each, the newest first; the lists themselves are read once, by their keys."""
    found = WorklistEvent.objects.filter(kind=kind, at__gte=since, **asked).order_by("-at")
    return found.values_list("worklist_id", "seq", "at", "payload")[:MOST]


def _by_key(keys: Iterable[int]) -> dict[int, Worklist]:
    return Worklist.objects.select_related("workflow").in_bulk(set(keys))


def _rows(since: datetime, *, with_values: bool) -> Iterator[Event]:
    """Rows that a person is needed for, as a run left them. Of one that is so no more nobody is told."""
    fields = ("worklist_id", "number", *(("data",) if with_values else ()))
    waiting = WorkItem.objects.waiting_for_people().values_list(*fields)
    open_ones = {(pk, number): data for pk, number, *data in waiting}
    lists = _by_key(pk for pk, _number in open_ones)
    links = {pk: link_to(one) for pk, one in lists.items()}
    events = _told(WorklistEventKind.ROW, since, payload__state=ItemState.SET_ASIDE, worklist__in=lists)
    for pk, seq, at, payload in events.iterator(chunk_size=200) if lists else ():
        if not open_ones:
            return
        number = int(payload["number"])
        data = open_ones.pop((pk, number), None)  # the newest of a row is what it is
        if data is None:
            continue
        yield _event(
            lists[pk],
            About.PERSON_NEEDED,
            f"{seq}",
            at,
            link=f"{links[pk]}?row={number}",
            rows=(number,),
            reason=from_json(payload.get("reason")),
            values=_values_of(data[0]) if data else "",
        )


def _values_of(data: Mapping[str, Any]) -> str:
    return ", ".join(f"{column}: {value}" for column, value in data.items() if value)


def _lists(since: datetime) -> Iterator[Event]:
    events = list(_told(WorklistEventKind.LIST, since, payload__state__in=list(_OF_A_LIST)))
    lists = _by_key(pk for pk, *_rest in events)
    seen: set[int] = set()
    for pk, seq, at, payload in events:
        state, reason = WorklistState(payload["state"]), from_json(payload.get("reason"))
        is_newest = pk not in seen
        seen.add(pk)
        if state == WorklistState.READY and not reason:
            continue  # rows came in, or begin again: nothing to tell
        if state == WorklistState.STANDS and (not is_newest or lists[pk].state != state):
            continue  # it goes on: it was answered
        yield _event(lists[pk], _OF_A_LIST[state], f"{seq}", at, reason=reason)


def _starts(since: datetime) -> Iterator[Event]:
    found = ListStart.objects.filter(state__in=(StartState.MISSED, StartState.EMPTY), told_at__gte=since)
    for start in found.select_related("schedule__worklist__workflow").order_by("-told_at")[:MOST]:
        no_file = start.state == StartState.EMPTY and start.schedule.takes_files
        about = About.NO_FILE if no_file else About.MISSED_START
        yield _event(start.schedule.worklist, about, f"start {start.pk}", start.told_at, reason=start.reason)


def _files(since: datetime) -> Iterator[Event]:
    """A file that was refused, or rows of one. Its name stays here: people name files after patients."""
    found = BroughtFile.objects.filter(at__gte=since).exclude(is_taken=True, bad=0)
    for file in found.select_related("worklist__workflow").order_by("-at")[:MOST]:
        reason = say("notice.rows_left_out", n=file.bad) if file.is_taken else ""
        yield _event(file.worklist, About.FILE_REFUSED, f"file {file.pk}", file.at, reason=reason)


def _running(now: datetime) -> Iterator[Event]:
    """What is so while lists run: too late for the window, or nobody there to work."""
    running = list(Worklist.objects.filter(state=WorklistState.RUNNING).select_related("workflow", "version"))
    if not running:
        return
    progress = progress_of_each(running, now=now)
    for worklist in running:
        if worklist.closes_at and (stays := progress[worklist.pk].stays):
            reason = say("notice.would_stay", n=stays)
            yield _event(worklist, About.LATE, f"late {worklist.closes_at.isoformat()}", now, reason=reason)
    yield from _without_robot(running, now)


def _without_robot(running: list[Worklist], now: datetime) -> Iterator[Event]:
    waiting = {one.pk: one for one in Worklist.objects.with_work(now).filter(pk__in=[one.pk for one in running])}
    at_work = WorkItem.objects.filter(worklist__in=waiting, state=ItemState.RUNNING)
    for pk in {*at_work.values_list("worklist_id", flat=True)}:
        waiting.pop(pk, None)
    for robot in Robot.objects.at_work():
        for served in lists_for(robot):
            waiting.pop(served.pk, None)
    last = Robot.objects.aggregate(last=Max("heartbeat_at"))["last"]
    for worklist in waiting.values():
        since = max(filter(None, (worklist.begun_at, worklist.started_at, last)), default=now)
        if now - since >= AWAY_AFTER:
            key = f"away {since.isoformat(timespec='minutes')}"
            yield _event(worklist, About.ROBOT_AWAY, key, since + AWAY_AFTER)
