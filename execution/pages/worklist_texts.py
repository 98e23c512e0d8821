"""What the pages of lists say: bars, badges, rows, and the story of one row."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Case, IntegerField, Q, QuerySet, TextField, Value, When
from django.db.models.functions import Cast
from django.utils import timezone
from django.utils.formats import date_format, time_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, npgettext_lazy

from execution.actions.start import earned, resolve_mode
from execution.choices import ExecutionMode
from execution.models import Step, WorkItem, Worklist, WorklistEvent, WorkRun
from execution.models.worklist import ItemState, WorklistEventKind, WorklistState, WorkRunKind
from execution.pages.listing import MOST_CARDS, RunBadge
from execution.worklists.progress import Progress, progress_of_each
from execution.worklists.results_of import value_names
from sentences.said import from_json, worded
from workflows.exceptions import DomainError
from workflows.parsing import whole_number

_ROWS = {
    ItemState.NEW: npgettext_lazy("rows", "new", "new"),
    ItemState.RUNNING: npgettext_lazy("rows", "running", "running"),
    ItemState.DONE: npgettext_lazy("rows", "done", "done"),
    ItemState.EXCEPTION: npgettext_lazy("rows", "exception", "exceptions"),
    ItemState.FAILED: npgettext_lazy("rows", "failed", "failed"),
    ItemState.SET_ASIDE: npgettext_lazy("rows", "set aside", "set aside"),
    ItemState.SKIPPED: npgettext_lazy("rows", "skipped", "skipped"),
    ItemState.CANCELLED: npgettext_lazy("rows", "cancelled", "cancelled"),
}
_LEFT_OUT = npgettext_lazy("rows", "left out", "left out")

SHOWN_COLUMNS, SHOWN_VALUES = 2, 1  # of a row, as many as fit
FILTERS = ("set_aside", "failed", "running", "exception", "done", "new", "skipped", "cancelled")
MOST_HAPPENED = 3

COLOURS = {
    ItemState.NEW: "grey",
    ItemState.RUNNING: "running",
    ItemState.DONE: "green",
    ItemState.EXCEPTION: "amber",
    ItemState.FAILED: "red",
    ItemState.SET_ASIDE: "blue",
    ItemState.SKIPPED: "grey",
    ItemState.CANCELLED: "grey",
}
ICONS = {
    ItemState.NEW: "circle-dashed",
    ItemState.RUNNING: "player-play",
    ItemState.DONE: "circle-check",
    ItemState.EXCEPTION: "alert-triangle",
    ItemState.FAILED: "alert-circle",
    ItemState.SET_ASIDE: "message-question",
    ItemState.SKIPPED: "player-skip-forward",
    ItemState.CANCELLED: "circle-x",
}
LIST_BADGES = {
    WorklistState.READY: ("grey", "circle-dashed"),
    WorklistState.RUNNING: ("blue", "player-play"),
    WorklistState.PAUSED: ("amber", "player-pause"),
    WorklistState.STANDS: ("red", "alert-circle"),
    WorklistState.FINISHED: ("green", "circle-check"),
}
# The order in which a bar shows the states, and that of rows: what needs a person first.
_BAR = (ItemState.DONE, ItemState.EXCEPTION, ItemState.SET_ASIDE, ItemState.FAILED, ItemState.RUNNING, ItemState.NEW)
_FIRST = (ItemState.SET_ASIDE, ItemState.FAILED, ItemState.RUNNING)
LISTS_IN_ORDER = (
    Case(
        *(When(state=state, then=Value(n)) for n, state in enumerate((WorklistState.STANDS, WorklistState.RUNNING))),
        default=Value(9),
        output_field=IntegerField(),
    ),
    "-created_at",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of the bar: its state, how many rows, and where it begins and how wide it is, in per cent."""

    state: str
    words: str
    n: int
    colour: str
    begins: str
    width: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListCard:
    worklist: Worklist
    badge: RunBadge
    parts: Sequence[Part]
    sentence: str  # how many of how many were worked off
    waits: str  # how many need a person
    left: str  # how long it takes, as far as that can be said
    rate: str
    late: str  # what the window would leave
    late_until: datetime | None  # until when rows would have to begin, so that none stays
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    item: WorkItem
    badge: RunBadge
    cells: Sequence[str]
    values: Sequence[str]
    reason: str
    robot: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Try:
    """One run of a row, in words."""

    work: WorkRun
    title: str
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A row that is open: what it holds, what came of it, and each of its runs."""

    row: Row
    data: Sequence[tuple[str, str]]
    values: Sequence[tuple[str, str]]
    tries: Sequence[Try]
    picture: str = ""
    picture_at: str = ""
    mend: int = 0  # the step at which it can be taught what to do
    said: str = ""
    verbs: Sequence[str] = field(default_factory=tuple)
    before: int = 0
    after: int = 0


def list_card(one: Worklist, told: Progress) -> ListCard:
    colour, icon = LIST_BADGES[WorklistState(one.state)]
    return ListCard(
        worklist=one,
        badge=RunBadge(words=str(WorklistState(one.state).label), colour=colour, icon=icon),
        parts=parts(told.counts, told.total),
        sentence=_sentence(told),
        waits=_waits(told),
        left=_left(one, told),
        rate=_("%(n)d rows/h") % {"n": round(told.per_hour)} if told.per_hour else "",
        late=_late(one, told),
        late_until=_next_half_hour(told.ends_at) if told.stays and told.ends_at else None,
        reason=worded(one.reason),
    )


def cards_at_work() -> list[ListCard]:
    """Lists that run, or stand for a reason that a person has to look at: those that stand first."""
    found = Worklist.objects.filter(state__in=(WorklistState.RUNNING, WorklistState.STANDS))
    shown = list(found.select_related("workflow").order_by(*LISTS_IN_ORDER)[:MOST_CARDS])
    told = progress_of_each(shown) if shown else {}
    return [list_card(one, told[one.pk]) for one in shown]


def counted(state: ItemState, n: int) -> str:
    """What so many rows are."""
    return str(_ROWS[state] % n)


def parts(counts: Mapping[str, int], total: int) -> list[Part]:
    others = counts[ItemState.SKIPPED] + counts[ItemState.CANCELLED]
    shown = [(state, counted(state, n), n, COLOURS[state]) for state in _BAR if (n := counts[state])]
    if others:
        shown.append((ItemState.SKIPPED, str(_LEFT_OUT % others), others, "out"))
    told: list[Part] = []
    before = 0
    for state, words, n, colour in shown:
        begins, width = (f"{100 * share / total:.3f}" for share in (before, n))
        told.append(Part(state=state, words=words, n=n, colour=colour, begins=begins, width=width))
        before += n
    return told


def _sentence(told: Progress) -> str:
    if not told.total:
        return _("No row yet")
    words = ngettext("%(n)d of %(m)d row worked off", "%(n)d of %(m)d rows worked off", told.total)
    return words % {"n": told.ended, "m": told.total}


def _waits(told: Progress) -> str:
    if not told.waiting:
        return ""
    words = ngettext("%(n)d row waits for a person", "%(n)d rows wait for a person", told.waiting)
    return words % {"n": told.waiting}


def _left(one: Worklist, told: Progress) -> str:
    if one.state != WorklistState.RUNNING:
        return ""
    if told.left is None or told.ends_at is None:
        return _("Too early to say how long it takes") if told.ended < told.total else ""
    minutes = round(told.left.total_seconds() / 60)
    hours, minutes = divmod(minutes, 60)
    how_long = _("%(h)d h %(m)02d") % {"h": hours, "m": minutes} if hours else _("%(m)d min") % {"m": max(1, minutes)}
    return _("about %(time)s left, ends %(at)s") % {"time": how_long, "at": clock(told.ends_at)}


def _late(one: Worklist, told: Progress) -> str:
    if not told.stays or one.closes_at is None:
        return ""
    words = ngettext(
        "No row begins after %(at)s: about %(n)d row would stay new.",
        "No row begins after %(at)s: about %(n)d rows would stay new.",
        told.stays,
    )
    return words % {"at": clock(one.closes_at), "n": told.stays}


def _next_half_hour(when: datetime) -> datetime:
    whole = when.replace(minute=0, second=0, microsecond=0)
    return next(whole + timedelta(minutes=30 * n) for n in (1, 2, 3) if whole + timedelta(minutes=30 * n) > when)


def clock(when: datetime) -> str:
    return time_format(timezone.localtime(when), "H:i")


def needs_reason(one: Worklist) -> bool:
    """True if whoever starts it has to say why it acts by itself: its workflow has not earned that (S1.3)."""
    try:
        trust = earned(one.workflow, one.at_version().spec())
    except DomainError:
        return False
    automatic = ExecutionMode.AUTOMATIC
    return resolve_mode(one.mode or None, trust) == automatic and resolve_mode(None, trust) != automatic


# --- what happened --------------------------------------------------------------------------------------------------
def happened(one: Worklist) -> list[dict[str, Any]]:
    """The last events that are worth a sentence; rows that were done never are."""
    told: list[dict[str, Any]] = []
    events = WorklistEvent.objects.filter(worklist=one).exclude(kind=WorklistEventKind.ROW, payload__state="done")
    events = events.exclude(kind=WorklistEventKind.ROW, payload__state="running")
    for event in events.order_by("-seq")[: MOST_HAPPENED * 2]:
        if (words := _event_words(event)) and len(told) < MOST_HAPPENED:
            numbers = event.payload.get("numbers") or [event.payload.get("number", 0)]
            told.append({"at": event.at, "words": words, "row": numbers[0] if len(numbers) == 1 else 0})
    return told


def _event_words(event: WorklistEvent) -> str:
    payload = event.payload
    reason = worded(from_json(payload.get("reason")))
    match event.kind:
        case WorklistEventKind.ROW:
            state = ItemState(payload["state"]).label
            words = {"number": payload["number"], "state": state, "why": reason}
            return (_("Row %(number)d, %(state)s: %(why)s") if reason else _("Row %(number)d, %(state)s")) % words
        case WorklistEventKind.ADDED:
            return ngettext("%(n)d row came in", "%(n)d rows came in", payload["n"]) % {"n": payload["n"]}
        case WorklistEventKind.LIST:
            state = WorklistState(payload["state"]).label
            return (
                _("The list is %(state)s: %(why)s") % {"state": state, "why": reason}
                if reason
                else (_("The list is %(state)s") % {"state": state})
            )
        case _:
            numbers = payload.get("numbers", ())
            n = len(numbers)
            if n == 1:
                return _("Row %(number)d: %(why)s") % {"number": numbers[0], "why": reason}
            return ngettext("%(n)d row: %(why)s", "%(n)d rows: %(why)s", n) % {"n": n, "why": reason}


# --- rows -----------------------------------------------------------------------------------------------------------
def found(one: Worklist, *, state: str = "", text: str = "") -> QuerySet[WorkItem]:
    """Rows in the order of the page: those that need a person, failed, running, what is next, then the latest."""
    rows = one.items.select_related("execution__robot")
    if state in ItemState.values:
        rows = rows.filter(state=state)
    if text:
        escaped = json.dumps(text)[1:-1]  # as JSON columns hold what is not ASCII
        rows = rows.annotate(said=Cast("data", TextField()), read=Cast("values", TextField()))
        sought = Q(reference__icontains=text) | Q(reason__icontains=text)
        for form in {text, escaped}:
            sought |= Q(said__icontains=form) | Q(read__icontains=form)
        if (number := whole_number(text)) is not None:
            sought |= Q(number=number)
        rows = rows.filter(sought)
    place = Case(
        *(When(state=first, then=Value(n)) for n, first in enumerate(_FIRST)),
        When(state=ItemState.NEW, priority__gt=0, then=Value(5)),
        When(state=ItemState.NEW, then=Value(7)),
        default=Value(6),
        output_field=IntegerField(),
    )
    newest = Case(When(state=ItemState.NEW, then=None), default="ended_at")
    return rows.alias(place=place).order_by("place", newest.desc(nulls_last=True), "number")


def row_of(item: WorkItem, one: Worklist) -> Row:
    state = ItemState(item.state)
    read = {value["name"]: value["text"] for value in item.values}
    run = item.execution
    return Row(
        item=item,
        badge=RunBadge(words=str(state.label), colour=COLOURS[state], icon=ICONS[state]),
        cells=[str(item.data.get(column, "")) for column in shown_columns(one)],
        values=[read.get(name, "") for name, _label in value_columns(one)],
        reason=worded(item.reason),
        robot=run.robot.name if run and run.robot else "",
    )


def shown_columns(one: Worklist) -> list[str]:
    """What tells a row, beside its reference: columns that the workflow uses first, as many as fit."""
    others = [column for column in one.columns if column not in one.keys] or list(one.columns)
    used = set(one.mapping.values())
    return sorted(others, key=lambda column: column not in used)[:SHOWN_COLUMNS]


def shows_reference(one: Worklist) -> bool:
    """True if the reference says more than the columns that are shown."""
    return not set(one.keys) <= set(shown_columns(one)) if one.keys else True


def value_columns(one: Worklist) -> list[tuple[str, str]]:
    """The values that its workflow reads, as many as fit: name and label."""
    if not hasattr(one, "_value_columns"):
        try:
            graph = one.at_version().spec()
            named = [(name, graph.label_of(name)) for name in value_names(one)]
        except DomainError:
            named = []
        one._value_columns = named[:SHOWN_VALUES]  # type: ignore[attr-defined]
    columns: list[tuple[str, str]] = one._value_columns  # type: ignore[attr-defined]
    return columns


def story_of(item: WorkItem, one: Worklist) -> Story:
    works = list(item.runs.select_related("execution__robot").order_by("pk"))
    last = next((work for work in reversed(works) if work.kind == WorkRunKind.ROW), None)
    picture, step = _last_seen(last)
    waiting = list(one.items.waiting_for_people().order_by("number").values_list("number", flat=True)[:500])
    row = row_of(item, one)
    return Story(
        row=row,
        data=[(column, str(item.data.get(column, ""))) for column in one.columns],
        values=[(_value_title(value), value["text"]) for value in item.values],
        tries=[_try(work) for work in reversed(works)],
        picture=picture if item.state in (ItemState.SET_ASIDE, ItemState.FAILED, ItemState.EXCEPTION) else "",
        picture_at=_step_words(step),
        mend=step.index if step else 0,
        said=_saved_words(item),
        verbs=_verbs(item),
        before=max((n for n in waiting if n < item.number), default=0),
        after=min((n for n in waiting if n > item.number), default=0),
    )


def _value_title(value: Mapping[str, Any]) -> str:
    line = value.get("line")
    return _("%(name)s, line %(n)d") % {"name": value["name"], "n": line} if line else str(value["name"])


def _last_seen(work: WorkRun | None) -> tuple[str, Step | None]:
    """What the run showed last, and the step then."""
    if work is None:
        return "", None
    step = work.execution.steps.order_by("index").last()
    if work.picture:
        return work.picture, step
    return (step.picture_after or step.picture_before, step) if step else ("", None)


def _step_words(step: Step | None) -> str:
    if step is None:
        return ""
    at = time_format(timezone.localtime(step.started_at), "H:i:s")
    return _("%(at)s, step %(n)d") % {"at": at, "n": step.index}


def _saved_words(item: WorkItem) -> str:
    if item.state not in (ItemState.SET_ASIDE, ItemState.FAILED) or not item.attempts:
        return ""
    return _("Something may have been saved.") if item.saved else _("Nothing was saved.")


def _verbs(item: WorkItem) -> tuple[str, ...]:
    match item.state:
        case ItemState.NEW:
            return ("first", "skip", "set_aside")
        case ItemState.SET_ASIDE | ItemState.FAILED | ItemState.EXCEPTION:
            return ("again", "skip")
        case ItemState.SKIPPED | ItemState.CANCELLED:
            return ("again",)
        case _:
            return ()


def _try(work: WorkRun) -> Try:
    run = work.execution
    number = {"n": work.attempt, "run": run.pk}
    title = (
        _("Way back after try %(n)d, run %(run)d") if work.kind == WorkRunKind.RESET else _("Try %(n)d, run %(run)d")
    )
    outcome = worded(work.reason or work.unanswered)
    if not outcome and work.outcome in ItemState.values:
        outcome = str(ItemState(work.outcome).label)
    return Try(work=work, title=title % number, said=_joined((run.robot.name if run.robot else "", outcome)))


def _joined(words: Iterable[str]) -> str:
    said = [word for word in words if word]
    return " · ".join(said) or _("at work")


def when_words(when: datetime | None) -> str:
    """Of today the time alone."""
    if when is None:
        return "–"
    local = timezone.localtime(when)
    return time_format(local, "H:i") if local.date() == timezone.localdate() else date_format(local, "d/m H:i")
