"""When a list begins: once, daily, on weekdays, by cron; in a time zone, around holidays, right when the clocks change
(S12.9). Pure: what should have begun is worked out from a moment before and one now, never from a timer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import takewhile
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError

from execution.choices import Rhythm, WhileRunning
from execution.language.days import day_said, holiday_said, holidays_of, rule_said, weekdays_said
from sentences.said import by_sentence, listed, say

# A clock that looks each minute is never later than this unless it stood still.
GRACE = timedelta(minutes=2)
SCANNED = timedelta(days=5 * 366)  # as far ahead as starts are looked for: a leap day comes within
MOST_MISSED = 100  # starts of a server that was off for long: the rest is not told one by one


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """When a list begins. Times are those of the clock on the wall in `zone`.

    `weekdays` count from Monday as 0. `country` and `region` are those of whose holidays nothing begins, `not_on` days
    of one's own. From `until` on no row begins; a start that was missed is made up before `make_up_until`, or skipped.
    Both are the next such time after the start.
    """

    kind: Rhythm
    zone: str
    at: time = time(0)
    on: date | None = None
    weekdays: frozenset[int] = frozenset()
    cron: str = ""
    country: str = ""
    region: str = ""
    not_on: frozenset[date] = frozenset()
    until: time | None = None
    make_up_until: time | None = None
    while_running: WhileRunning = WhileRunning.WAIT

    @property
    def rule(self) -> str:
        """The cron expression of any kind."""
        minute_and_hour = f"{self.at.minute} {self.at.hour}"
        if self.kind == Rhythm.CRON:
            return self.cron.strip()
        if self.kind == Rhythm.ONCE and self.on:
            return f"{minute_and_hour} {self.on.day} {self.on.month} *"
        if self.kind == Rhythm.WEEKDAYS:
            return f"{minute_and_hour} * * {','.join(str(day + 1) for day in sorted(self.weekdays))}"
        return f"{minute_and_hour} * * *"


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A moment at which the list begins; `left_out` says why it does not, `note` what the clocks do to it."""

    at: datetime
    left_out: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """What the clock asks for now: a `start` to begin, or one `waiting` for the list to end. `missed` are those that
    begin no more, each with its reason in `left_out`; `is_late`: the start is made up."""

    start: Start | None = None
    waiting: Start | None = None
    missed: tuple[Start, ...] = ()
    is_late: bool = False


# --- what cannot be ----------------------------------------------------------------------------------------------
def problems(timing: Timing) -> list[str]:
    """What is wrong with it, as sentences; empty when nothing is."""
    found = []
    if timing.zone not in available_timezones():
        found.append(say("clock.unknown_zone", zone=timing.zone))
    if timing.kind == Rhythm.ONCE and timing.on is None:
        found.append(say("clock.no_day"))
    if timing.kind == Rhythm.WEEKDAYS and not timing.weekdays:
        found.append(say("clock.no_weekday"))
    elif not timing.weekdays <= frozenset(range(7)):
        found.append(say("clock.unknown_weekday"))
    if timing.country and holidays_of(timing.country, timing.region, 2026) is None:
        found.append(say("clock.unknown_country", country=timing.country, region=timing.region or "–"))
    if not found and timing.kind == Rhythm.CRON:
        found += _cron_problems(timing)
    return found


def _cron_problems(timing: Timing) -> Iterator[str]:
    if len(timing.rule.split()) != 5:
        yield say("clock.not_five_fields")
        return
    try:
        next(CronSim(timing.rule, datetime(2026, 1, 1, tzinfo=UTC)), None)
    except CronSimError as error:
        yield say("clock.unreadable_rule", error=str(error))


# --- starts ------------------------------------------------------------------------------------------------------
def starts(timing: Timing, after: datetime) -> Iterator[Start]:
    """All starts later than `after`, also those that are left out, in order."""
    zone = ZoneInfo(timing.zone)
    simulated = CronSim(timing.rule, after.astimezone(zone))
    for at in simulated:
        if at.astimezone(UTC) <= after:
            continue
        if at - after.astimezone(zone) > SCANNED:
            return
        if timing.kind == Rhythm.ONCE and at.date() != timing.on:
            continue
        yield Start(at=at.astimezone(UTC), left_out=_left_out(timing, at.date()), note=_note(at, simulated))


def next_starts(timing: Timing, after: datetime, count: int = 10) -> list[Start]:
    """The next `count` starts, with those between them that are left out."""
    found: list[Start] = []
    begun = 0
    for start in starts(timing, after):
        found.append(start)
        begun += not start.left_out
        if begun == count:
            break
    return found


def _left_out(timing: Timing, day: date) -> str:
    if day in timing.not_on:
        return say("clock.own_day")
    if timing.country and day in (holidays_of(timing.country, timing.region, day.year) or ()):
        return say("clock.holiday", name=holiday_said(timing.country, timing.region, day))
    return ""


def _note(at: datetime, rule: CronSim) -> str:
    """What a change of the clocks does to a start at fixed times; `at` is in the zone of the rule."""
    if rule.fixup_tz is None:
        return ""
    if at.minute not in rule.minutes or at.hour not in rule.hours:
        return say("clock.moved", day=day_said(at.date()), at=f"{at:%H:%M}")
    if at.replace(fold=0).utcoffset() != at.replace(fold=1).utcoffset():
        return say("clock.twice", day=day_said(at.date()), at=f"{at:%H:%M}")
    return ""


# --- now -----------------------------------------------------------------------------------------------------------
def due(
    timing: Timing, *, since: datetime, now: datetime, is_running: bool = False, waiting: datetime | None = None
) -> Due:
    """What is to begin now, of the starts later than `since`, which the clock looked at last.

    Only the newest start begins. `waiting` is the one that waits for the end of the list, if there is one: it is not
    late because of that.
    """
    passed = list(takewhile(lambda start: start.at <= now, starts(timing, since)))
    passed = [start for start in passed if not start.left_out]
    if not passed and waiting is not None:
        passed = [Start(at=waiting)]
    elif waiting is not None:
        passed = [Start(at=waiting), *passed]
    if not passed:
        return Due()
    *earlier, newest = passed
    missed = [_missed(start, "clock.missed_next_came") for start in earlier[-MOST_MISSED:]]
    is_late = newest.at != waiting and now - newest.at > GRACE
    if not may_begin(timing, newest.at, now):
        return Due(missed=(*missed, _missed(newest, "clock.missed_window")))
    if is_late and not may_be_made_up(timing, newest.at, now):
        return Due(missed=(*missed, _missed(newest, "clock.missed")))
    if is_running:
        if timing.while_running == WhileRunning.SKIP:
            return Due(missed=(*missed, _missed(newest, "clock.missed_running")))
        return Due(waiting=newest, missed=tuple(missed))
    return Due(start=newest, missed=tuple(missed), is_late=is_late)


def _missed(start: Start, why: str) -> Start:
    return Start(at=start.at, left_out=say(why), note=start.note)


def may_be_made_up(timing: Timing, start: datetime, now: datetime) -> bool:
    return timing.make_up_until is not None and now < _next_time(timing, start, timing.make_up_until)


def window_end(timing: Timing, start: datetime) -> datetime | None:
    """From when on no row begins after this start; None where that is never."""
    return None if timing.until is None else _next_time(timing, start, timing.until)


def may_begin(timing: Timing, start: datetime, now: datetime, *, extended_until: datetime | None = None) -> bool:
    """True if a row may begin now; `extended_until` is a window that a person made longer, for this start alone."""
    end = window_end(timing, start)
    if end is not None and extended_until is not None:
        end = max(end, extended_until)
    return end is None or now < end


def _next_time(timing: Timing, start: datetime, wall: time) -> datetime:
    """The first moment after `start` at which the clock on the wall shows this time, or has just jumped over it."""
    local = start.astimezone(ZoneInfo(timing.zone))
    found = (moment.astimezone(UTC) for moment in CronSim(f"{wall.minute} {wall.hour} * * *", local))
    return next(moment for moment in found if moment > start)


# --- in words ------------------------------------------------------------------------------------------------------
def in_words(timing: Timing) -> str:
    """When the list begins, in a sentence or two."""
    at = f"{timing.at:%H:%M}"
    if timing.kind == Rhythm.ONCE:
        first = say("clock.once", day=day_said(timing.on) if timing.on else "–", at=at, zone=timing.zone)
    elif timing.kind == Rhythm.WEEKDAYS:
        first = say("clock.weekdays", days=weekdays_said(timing.weekdays), at=at, zone=timing.zone)
    elif timing.kind == Rhythm.CRON:
        first = say("clock.by_rule", rule=timing.rule, means=rule_said(timing.rule), zone=timing.zone)
    else:
        first = say("clock.daily", at=at, zone=timing.zone)
    parts = [first]
    if timing.country:
        where = "-".join(part for part in (timing.country, timing.region) if part)
        parts.append(say("clock.not_on_holidays", country=where))
    if timing.not_on:
        parts.append(say("clock.not_on_days", days=listed(day_said(day) for day in sorted(timing.not_on))))
    if timing.until:
        parts.append(say("clock.until", at=f"{timing.until:%H:%M}"))
    if timing.make_up_until:
        parts.append(say("clock.made_up_until", at=f"{timing.make_up_until:%H:%M}"))
    else:
        parts.append(say("clock.not_made_up"))
    return by_sentence(parts)
