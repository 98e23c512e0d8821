"""When a list begins, also when the clocks change (S12.9)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise, takewhile
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from execution.choices import Rhythm, WhileRunning
from execution.worklists.clock import Due, Timing, due, in_words, may_begin, next_starts, problems, starts, window_end
from sentences.said import worded

PARIS = ZoneInfo("Europe/Paris")
NIGHT = Timing(kind=Rhythm.DAILY, zone="Europe/Paris", at=time(2, 30), until=time(6))


def paris(year: int, month: int, day: int, hour: int = 0, minute: int = 0, fold: int = 0) -> datetime:
    return datetime(year, month, day, hour, minute, tzinfo=PARIS, fold=fold)


def told(timing: Timing, after: datetime, count: int = 3) -> list[str]:
    return [f"{start.at.astimezone(PARIS):%d %H:%M}" for start in next_starts(timing, after, count)]


def test_a_list_begins_every_day() -> None:
    assert told(NIGHT, paris(2026, 6, 5, 2, 30)) == ["06 02:30", "07 02:30", "08 02:30"]
    assert next_starts(NIGHT, paris(2026, 6, 5))[0].at == datetime(2026, 6, 5, 0, 30, tzinfo=UTC)


def test_a_list_begins_on_weekdays() -> None:
    timing = replace(NIGHT, kind=Rhythm.WEEKDAYS, weekdays=frozenset({0, 4, 6}))

    assert told(timing, paris(2026, 6, 5, 12), 4) == ["07 02:30", "08 02:30", "12 02:30", "14 02:30"]


def test_a_list_begins_once() -> None:
    timing = replace(NIGHT, kind=Rhythm.ONCE, on=date(2028, 2, 29))

    assert [start.at for start in starts(timing, paris(2026, 6, 5))] == [paris(2028, 2, 29, 2, 30)]
    assert not list(starts(timing, paris(2028, 2, 29, 2, 30)))


def test_a_list_begins_by_cron() -> None:
    timing = replace(NIGHT, kind=Rhythm.CRON, cron="0 4 1-7 * MON")

    assert told(replace(timing, cron="*/30 22-23 * * *"), paris(2026, 6, 5), 3) == ["05 22:00", "05 22:30", "05 23:00"]
    assert not problems(timing)


# --- the clocks change -------------------------------------------------------------------------------------------
def test_in_march_a_time_that_does_not_come_is_the_first_one_after_it() -> None:
    found = next_starts(NIGHT, paris(2026, 3, 28, 12), 2)

    assert [start.at for start in found] == [paris(2026, 3, 29, 3, 0), paris(2026, 3, 30, 2, 30)]
    assert found[0].note == "On 29 March 2026 the clocks go forward, so this start is at 03:00."
    assert not found[1].note


def test_in_october_a_time_that_comes_twice_is_one_start() -> None:
    found = next_starts(NIGHT, paris(2026, 10, 24, 12), 2)

    assert [start.at for start in found] == [
        datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
        datetime(2026, 10, 26, 1, 30, tzinfo=UTC),
    ]
    assert "02:30 comes twice" in found[0].note
    assert next_starts(NIGHT, paris(2026, 10, 25, 2, 10, fold=1), 1)[0].at == paris(2026, 10, 26, 2, 30)


@pytest.mark.parametrize(
    ("start", "hours"),
    [(paris(2026, 3, 29, 0, 30), 4.5), (paris(2026, 10, 25, 0, 30), 6.5), (paris(2026, 6, 5, 0, 30), 5.5)],
)
def test_a_window_ends_by_the_clock_on_the_wall(start: datetime, hours: float) -> None:
    end = window_end(NIGHT, start.astimezone(UTC))

    assert end == start.astimezone(UTC) + timedelta(hours=hours)


def test_a_window_that_ends_in_the_hour_that_comes_twice_ends_after_its_start() -> None:
    timing = replace(NIGHT, until=time(2, 30))
    second = paris(2026, 10, 25, 2, 10, fold=1).astimezone(UTC)

    assert window_end(timing, second) == paris(2026, 10, 26, 2, 30)


@given(
    st.datetimes(datetime(2025, 1, 1), datetime(2027, 12, 31)),
    st.times(),
    st.sampled_from(["Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"]),
)
def test_every_day_has_one_start_in_any_zone(after: datetime, at: time, zone: str) -> None:
    """Each local day once, at its time or, where the clocks jump over that, right behind the gap."""
    timing = Timing(kind=Rhythm.DAILY, zone=zone, at=at.replace(second=0, microsecond=0))
    found = next_starts(timing, after.replace(tzinfo=UTC), 20)
    days = [start.at.astimezone(ZoneInfo(zone)).date() for start in found]

    assert all(later - earlier == timedelta(days=1) for earlier, later in pairwise(days))
    for start in found:
        local = start.at.astimezone(ZoneInfo(zone))
        assert local.time() == timing.at or start.note


# --- left out ------------------------------------------------------------------------------------------------------
def test_a_holiday_of_the_country_is_left_out_with_its_name() -> None:
    timing = replace(NIGHT, country="FR")
    found = next_starts(timing, paris(2026, 4, 30), 2)

    assert [(f"{start.at:%m-%d}", bool(start.left_out)) for start in found] == [
        ("04-30", False),
        ("05-01", True),
        ("05-02", False),
    ]
    with translation.override("fr"):
        assert worded(found[1].left_out) == "Fête du Travail, jour férié"
    with translation.override("en"):
        assert worded(found[1].left_out) == "Labor Day, a holiday"


def test_a_region_has_holidays_of_its_own_and_so_has_the_house() -> None:
    alsace = replace(NIGHT, country="FR", region="57", not_on=frozenset({date(2026, 12, 27)}))

    assert [bool(start.left_out) for start in next_starts(alsace, paris(2026, 12, 24, 12), 1)] == [
        True,
        True,
        True,
        False,
    ]


# --- now -------------------------------------------------------------------------------------------------------------
def asked(timing: Timing, since: datetime, now: datetime, **more: Any) -> Due:
    return due(timing, since=since.astimezone(UTC), now=now.astimezone(UTC), **more)


def test_a_start_begins_when_its_time_comes() -> None:
    assert asked(NIGHT, paris(2026, 6, 5, 2, 28), paris(2026, 6, 5, 2, 29)) == Due()
    found = asked(NIGHT, paris(2026, 6, 5, 2, 29), paris(2026, 6, 5, 2, 30))
    assert found.start is not None
    assert (found.start.at, found.is_late) == (paris(2026, 6, 5, 2, 30), False)
    assert asked(NIGHT, paris(2026, 6, 5, 2, 30), paris(2026, 6, 5, 2, 31)) == Due()


def test_a_missed_start_is_made_up_until_its_time_or_skipped() -> None:
    kind = replace(NIGHT, make_up_until=time(4))
    before = paris(2026, 6, 5, 1)

    made_up = asked(kind, before, paris(2026, 6, 5, 3, 11))
    assert made_up.start is not None
    assert made_up.is_late
    for timing, now, why in (
        (kind, paris(2026, 6, 5, 4), "did not look"),
        (NIGHT, paris(2026, 6, 5, 3, 11), "did not look"),
        (replace(NIGHT, make_up_until=time(8)), paris(2026, 6, 5, 6), "window was over"),
    ):
        found = asked(timing, before, now)
        assert found.start is None
        assert [why in start.left_out for start in found.missed] == [True]


def test_of_many_missed_starts_only_the_newest_is_made_up() -> None:
    found = asked(replace(NIGHT, make_up_until=time(5)), paris(2026, 6, 1), paris(2026, 6, 4, 3))

    assert found.start is not None
    assert found.start.at == paris(2026, 6, 4, 2, 30)
    assert [start.at for start in found.missed] == [paris(2026, 6, day, 2, 30) for day in (1, 2, 3)]


def test_a_start_on_a_holiday_is_not_missed() -> None:
    assert asked(replace(NIGHT, country="FR"), paris(2026, 5, 1), paris(2026, 5, 1, 12)) == Due()


def test_a_start_while_the_list_runs_waits_or_is_skipped() -> None:
    since, now = paris(2026, 6, 5, 2, 29), paris(2026, 6, 5, 2, 30)
    waits = asked(NIGHT, since, now, is_running=True)
    assert waits.waiting is not None
    assert waits.start is None
    skipped = asked(replace(NIGHT, while_running=WhileRunning.SKIP), since, now, is_running=True)
    assert ["still running" in start.left_out for start in skipped.missed] == [True]

    later = paris(2026, 6, 5, 4)
    begun = asked(NIGHT, now, later, waiting=waits.waiting.at)
    assert begun.start is not None
    assert (begun.start.at, begun.is_late) == (waits.waiting.at, False)
    assert asked(NIGHT, now, later, is_running=True, waiting=waits.waiting.at).waiting == begun.start
    over = asked(NIGHT, now, paris(2026, 6, 5, 6), waiting=waits.waiting.at)
    assert ["window was over" in start.left_out for start in over.missed] == [True]


@given(st.lists(st.integers(1, 3000), min_size=1, max_size=6))
def test_however_often_the_clock_looks_no_start_is_lost_or_begun_twice(minutes: list[int]) -> None:
    timing = replace(NIGHT, until=None, make_up_until=time(4))
    seen = since = paris(2026, 3, 27).astimezone(UTC)
    begun, missed = [], []
    for step in minutes:
        now = seen + timedelta(minutes=step)
        found = due(timing, since=seen, now=now)
        begun += [found.start.at] if found.start else []
        missed += [start.at for start in found.missed]
        seen = now

    assert sorted([*begun, *missed]) == [one.at for one in takewhile(lambda one: one.at <= seen, starts(timing, since))]
    assert len(set(begun)) == len(begun)


def test_a_window_may_be_extended_for_one_night() -> None:
    start, late = paris(2026, 6, 5, 2, 30), paris(2026, 6, 5, 6, 30)

    assert may_begin(NIGHT, start, paris(2026, 6, 5, 5, 59))
    assert not may_begin(NIGHT, start, paris(2026, 6, 5, 6))
    assert may_begin(NIGHT, start, late, extended_until=paris(2026, 6, 5, 7))
    assert not may_begin(NIGHT, start, late, extended_until=paris(2026, 6, 5, 6, 15))
    assert may_begin(replace(NIGHT, until=None), start, late)


# --- what cannot be, and words -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"zone": "Europe/Parys"}, "no time zone"),
        ({"kind": Rhythm.ONCE}, "Choose the day"),
        ({"kind": Rhythm.WEEKDAYS}, "at least one weekday"),
        ({"kind": Rhythm.WEEKDAYS, "weekdays": frozenset({7})}, "from 0"),
        ({"country": "XX"}, "No holidays"),
        ({"country": "FR", "region": "ZZ"}, "No holidays"),
        ({"kind": Rhythm.CRON, "cron": "0 2 * *"}, "five fields"),
        ({"kind": Rhythm.CRON, "cron": "0 25 * * *"}, "cannot be read: Bad hour"),
        ({"kind": Rhythm.CRON, "cron": "0 2 31 2 *"}, "cannot be read"),
    ],
)
def test_what_cannot_be_is_said(changes: dict[str, Any], said: str) -> None:
    assert any(said in one for one in problems(replace(NIGHT, **changes)))
    assert not problems(NIGHT)


def test_it_is_told_in_words() -> None:
    timing = replace(
        NIGHT, kind=Rhythm.WEEKDAYS, weekdays=frozenset({4, 0}), country="FR", not_on=frozenset({date(2026, 12, 24)})
    )

    assert in_words(timing) == (
        "On Monday, Friday at 02:30 (Europe/Paris). Not on holidays (FR). Not on 24 December 2026. No row begins from "
        "06:00 on. A missed start is skipped."
    )
    by_rule = in_words(replace(NIGHT, kind=Rhythm.CRON, cron="0 2 * * 1", until=None, make_up_until=time(4)))
    assert by_rule.startswith("By the rule 0 2 * * 1 in Europe/Paris: At 02:00 on Monday.")
    with translation.override("fr"):
        assert worded(in_words(timing)).startswith("Chaque lundi, vendredi à 02:30 (Europe/Paris).")
        assert "les prochains départs" in worded(by_rule)
