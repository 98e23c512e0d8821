"""What happened to lists that somebody may want to be told of, read from rows (S12.10).

Each thing has a key of its own, the same however often it is asked for, so that it is told once.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Max
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
    """All of it since then; `with_values`: some rule may tell values of rows."""
    found = [*_rows(since, with_values=with_values), *_lists(since), *_starts(since), *_files(since), *_running(now)]
    return sorted(found, key=lambda event: (event.at, event.key))


def link_to(worklist: Worklist, number: int = 0) -> str:
    """The one link of a message; whoever follows it logs in first."""
    return f"{settings.SITE_ADDRESS}{reverse('list', args=[worklist.worklist_id])}{f'?row={number}' if number else ''}"


def _event(worklist: Worklist, about: About, key: str, at: datetime, **more: Any) -> Event:
    return Event(
        key=f"{worklist.worklist_id}/{key}",
        about=about,
        list_id=worklist.worklist_id,
        list_name=worklist.name,
        workflow_id=worklist.workflow.workflow_id,
        at=at,
        link=more.pop("link", "") or link_to(worklist),
        **more,
    )


def _told(kind: WorklistEventKind, since: datetime) -> Any:
    found = WorklistEvent.objects.filter(kind=kind, at__gte=since).select_related("worklist__workflow")
    return found.order_by("-at")


def _rows(since: datetime, *, with_values: bool) -> Iterator[Event]:
    """Rows that a person is needed for, as a run left them. One that is so no more was answered."""
    events = list(_told(WorklistEventKind.ROW, since).filter(payload__state=ItemState.SET_ASIDE)[:MOST])
    waiting = WorkItem.objects.waiting_for_people().filter(worklist__in={event.worklist_id for event in events})
    open_ones = {(item.worklist_id, item.number): item for item in waiting.defer("variables", "values")}
    newest: set[tuple[int, int]] = set()
    for event in events:
        key = (event.worklist_id, int(event.payload["number"]))
        item = open_ones.get(key) if key not in newest else None
        newest.add(key)
        yield _event(
            event.worklist,
            About.PERSON_NEEDED,
            f"{event.seq}",
            event.at,
            link=link_to(event.worklist, key[1]),
            rows=(key[1],),
            reason=from_json(event.payload.get("reason")),
            values=_values_of(item) if item is not None and with_values else "",
            answered_at=None if item is not None else event.at,
        )


def _values_of(item: WorkItem) -> str:
    return ", ".join(f"{column}: {value}" for column, value in item.data.items() if value)


def _lists(since: datetime) -> Iterator[Event]:
    events = _told(WorklistEventKind.LIST, since).filter(payload__state__in=list(_OF_A_LIST))
    seen: set[int] = set()
    for event in events[:MOST]:
        state, reason = WorklistState(event.payload["state"]), from_json(event.payload.get("reason"))
        is_newest = event.worklist_id not in seen
        seen.add(event.worklist_id)
        if state == WorklistState.READY and not reason:
            continue  # rows came in, or begin again: nothing to tell
        goes_on = not is_newest or event.worklist.state != state
        answered_at = event.at if state == WorklistState.STANDS and goes_on else None
        told: dict[str, Any] = {"reason": reason, "answered_at": answered_at}
        yield _event(event.worklist, _OF_A_LIST[state], f"{event.seq}", event.at, **told)


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
