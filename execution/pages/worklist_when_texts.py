"""What the page of a list's times says: schedules, starts, the month, and how nights ended (S12.9)."""

from __future__ import annotations

import calendar
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from itertools import islice, takewhile
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Q
from django.utils import timezone
from django.utils.dates import MONTHS, WEEKDAYS_ABBR
from django.utils.formats import date_format, time_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.choices import NightEnd, Rhythm, StartState
from execution.models import ListStart, Schedule, Worklist
from execution.worklists.clock import Start, Timing, in_words, next_starts, starts
from execution.worklists.schedules import timing_of
from sentences.said import worded

LATEST = 6  # starts that are told of with what became of them
MOST_OF_A_MONTH = 2000  # starts that a month is looked through for
_COLOURS = {NightEnd.FINISHED: "green", NightEnd.LEFT: "amber", NightEnd.STOPPED: "red"}
_BADGES = {
    StartState.WAITING: ("blue", "hourglass"),
    StartState.MISSED: ("amber", "alert-triangle"),
    StartState.EMPTY: ("grey", "circle-dashed"),
    StartState.BEGUN: ("running", "player-play"),
}
_ENDS = {NightEnd.FINISHED: "circle-check", NightEnd.LEFT: "alert-triangle", NightEnd.STOPPED: "alert-circle"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A start that is to come."""

    day: str
    at: str
    left_out: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A start that came: what became of it."""

    when: str
    words: str
    colour: str
    icon: str
    reason: str
    about: str


@dataclass(slots=True, kw_only=True)
class Day:
    number: int
    is_of_month: bool
    is_today: bool
    starts: int = 0
    left_out: str = ""
    nights: list[tuple[str, str]] = field(default_factory=list)  # colour and words

    @property
    def title(self) -> str:
        words = [words for _colour, words in self.nights]
        if self.starts:
            words.append(ngettext("%(n)d start", "%(n)d starts", self.starts) % {"n": self.starts})
        if self.left_out:
            words.append(self.left_out)
        return ", ".join(words)


def title_of(timing: Timing) -> str:
    """A schedule in a few words."""
    at = f"{timing.at:%H:%M}"
    if timing.kind == Rhythm.ONCE:
        day = date_format(timing.on, "j F Y") if timing.on else "–"
        return _("On %(day)s at %(at)s") % {"day": day, "at": at}
    if timing.kind == Rhythm.CRON:
        return _("By the rule %(rule)s") % {"rule": timing.rule}
    if timing.kind == Rhythm.WEEKDAYS and timing.weekdays != frozenset(range(7)):
        if timing.weekdays == frozenset(range(5)):
            return _("Monday to Friday at %(at)s") % {"at": at}
        days = ", ".join(str(WEEKDAYS_ABBR[day]) for day in sorted(timing.weekdays) if day in WEEKDAYS_ABBR)
        return _("%(days)s at %(at)s") % {"days": days, "at": at}
    return _("Every day at %(at)s") % {"at": at}


def about_of(schedule: Schedule) -> str:
    """The rest of it, in a line."""
    parts = [schedule.zone]
    if schedule.until:
        window = {"a": f"{schedule.at:%H:%M}", "b": f"{schedule.until:%H:%M}"}
        if schedule.kind == Rhythm.CRON:
            parts.insert(0, _("until %(b)s") % window)
        else:
            parts.insert(0, _("window %(a)s–%(b)s") % window)
    if schedule.country:
        parts.append(_("not on holidays (%(country)s)") % {"country": schedule.country})
    if schedule.takes_files:
        parts.append(_("rows from its folder"))
    return " · ".join(parts)


def told_of(timing: Timing, now: datetime) -> dict[str, Any]:
    """What follows from it: the sentence, ten starts, and what the clocks do to one of the next year."""
    found = next_starts(timing, now)
    ahead = islice(starts(timing, now), 800)
    soon = takewhile(lambda start: start.at - now < timedelta(days=400), ahead)
    notes = list(dict.fromkeys(worded(start.note) for start in soon if start.note))
    return {
        "sentence": worded(in_words(timing)),
        "rule": "" if timing.kind == Rhythm.CRON else timing.rule,
        "notes": notes[:2],
        "starts": [shown(start, timing.zone) for start in found],
    }


def shown(start: Start, zone: str) -> Shown:
    local = start.at.astimezone(ZoneInfo(zone))
    return Shown(
        day=date_format(local, "D j M"),
        at=time_format(local, "H:i"),
        left_out=worded(start.left_out),
        note=worded(start.note),
    )


def starts_that_came(worklist: Worklist, first: date) -> list[ListStart]:
    """Those of the month that is shown, of the one before, and the newest of all, in one question."""
    begins, ends = _month_before(first), _weeks(first)[-1][-1] + timedelta(days=1)
    found = ListStart.objects.filter(schedule__worklist=worklist)
    newest = found.order_by("-told_at", "-pk").values("pk")[:LATEST]
    shown = Q(at__gte=_midnight(begins), at__lt=_midnight(ends)) | Q(pk__in=newest)
    return list(found.filter(shown).select_related("schedule").order_by("at", "pk"))


def latest(came: Iterable[ListStart]) -> list[Told]:
    newest = sorted(came, key=lambda start: (start.told_at, start.pk), reverse=True)
    return [_told(start) for start in newest[:LATEST]]


def _told(start: ListStart) -> Told:
    state = StartState(start.state)
    colour, icon = _BADGES[state]
    words, about = str(state.label), ""
    if start.ended:
        end = NightEnd(start.ended)
        colour, icon, words = _COLOURS[end], _ENDS[end], str(end.label)
        about = ngettext("%(n)d row worked off", "%(n)d rows worked off", start.worked) % {"n": start.worked}
        if start.left:
            about += ", " + ngettext("%(n)d left", "%(n)d left", start.left) % {"n": start.left}
    elif start.is_late and start.began_at:
        about = _("made up at %(at)s") % {"at": time_format(start.began_at.astimezone(_zone(start)), "H:i")}
    when = start.at.astimezone(_zone(start))
    return Told(
        when=f"{date_format(when, 'D j M')} {time_format(when, 'H:i')}",
        words=words,
        colour=colour,
        icon=icon,
        reason=worded(start.reason),
        about=about,
    )


def _zone(start: ListStart) -> ZoneInfo:
    return ZoneInfo(start.schedule.zone)


# --- the month ------------------------------------------------------------------------------------------------------
def month_of(text: str, today: date) -> date:
    """The first day of the month that is named, or of this one."""
    try:
        year, month = (int(part) for part in text.split("-"))
        return date(year, month, 1) if 2000 <= year <= 2100 else today.replace(day=1)
    except ValueError:
        return today.replace(day=1)


def _weeks(first: date) -> list[list[date]]:
    return calendar.Calendar().monthdatescalendar(first.year, first.month)


def _month_before(first: date) -> date:
    return (first - timedelta(days=1)).replace(day=1)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(0), timezone.get_current_timezone())


def calendar_of(came: Iterable[ListStart], timings: Iterable[Timing], first: date, now: datetime) -> dict[str, Any]:
    """Each day of the month: its starts, what is left out, and how its nights ended."""
    weeks = _weeks(first)
    today = timezone.localdate(now)
    days = {
        day: Day(number=day.day, is_of_month=day.month == first.month, is_today=day == today)
        for week in weeks
        for day in week
    }
    here = timezone.get_current_timezone()
    begins, ends = _midnight(weeks[0][0]), _midnight(weeks[-1][-1] + timedelta(days=1))
    for timing in timings:
        ahead = islice(starts(timing, max(now, begins)), MOST_OF_A_MONTH)
        for start in takewhile(lambda one: one.at < ends, ahead):
            _mark(days, start, here)
    for night in came:
        day = days.get(night.at.astimezone(here).date())
        if day and night.ended:
            end = NightEnd(night.ended)
            day.nights.append((_COLOURS[end], str(end.label)))
    before, after = _month_before(first), (first + timedelta(days=31)).replace(day=1)
    return {
        "name": f"{MONTHS[first.month]} {first.year}".capitalize(),
        "heads": [str(WEEKDAYS_ABBR[n]) for n in range(7)],
        "weeks": [[days[day] for day in week] for week in weeks],
        "before": f"{before:%Y-%m}",
        "after": f"{after:%Y-%m}",
    }


def _mark(days: Mapping[date, Day], start: Start, here: Any) -> None:
    day = days.get(start.at.astimezone(here).date())
    if day is None:
        return
    if start.left_out:
        day.left_out = worded(start.left_out)
    else:
        day.starts += 1


def month_before(came: Iterable[ListStart], first: date) -> dict[str, Any]:
    """The nights of the month before, as rows a night."""
    before = _month_before(first)
    begins, ends = _midnight(before), _midnight(first)
    found = [start for start in came if start.ended and begins <= start.at < ends]
    if not found:
        return {}
    finished = sum(start.ended == NightEnd.FINISHED for start in found)
    named = {"month": MONTHS[before.month], "n": len(found), "m": finished}
    words = ngettext("%(month)s: %(n)d night, %(m)d finished", "%(month)s: %(n)d nights, %(m)d finished", len(found))
    return {"words": (words % named).capitalize(), "bars": _bars(found), "width": 10 * max(20, len(found))}


def _bars(found: Sequence[ListStart]) -> list[dict[str, Any]]:
    most = max(max(start.worked for start in found), 1)
    return [
        {
            "x": 10 * place,
            "y": 30 - max(2, round(28 * start.worked / most)),
            "height": max(2, round(28 * start.worked / most)),
            "colour": _COLOURS[NightEnd(start.ended)],
            "words": f"{date_format(timezone.localtime(start.at), 'j M')}: {_told(start).about}",
        }
        for place, start in enumerate(found)
    ]


def next_words(worklist: Worklist, schedules: Iterable[Schedule], now: datetime) -> str:
    """When the list begins next, and in how long."""
    found: dict[datetime, str] = defaultdict(str)
    for schedule in schedules:
        if schedule.is_on:
            for start in next_starts(timing_of(schedule), now, 1):
                if not start.left_out:
                    found[start.at] = schedule.zone
    if not found:
        return _("It begins by hand alone.")
    at = min(found)
    local, today = at.astimezone(ZoneInfo(found[at])), now.astimezone(ZoneInfo(found[at])).date()
    named = {0: _("today"), 1: _("tomorrow")}.get((local.date() - today).days) or date_format(local, "D j M")
    minutes = round((at - now).total_seconds() / 60)
    words = {"day": named, "at": time_format(local, "H:i"), "h": minutes // 60, "m": minutes % 60}
    return _("next start %(day)s %(at)s, in %(h)d h %(m)d min") % words
