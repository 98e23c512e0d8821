"""Sums over days: the same as counting the rows, by any clock and over a change of clocks (S7.3)."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import transaction
from django.db.models import FloatField, IntegerField
from django.test import RequestFactory, override_settings
from hypothesis import given
from hypothesis import strategies as st

from analytics.attention import Known, at_least, items
from analytics.charts import Bar, bars
from analytics.figures import Sums, by_bar, summed
from analytics.models import RunMetric, StepMetric
from analytics.panels import long_time
from analytics.period import Period, period_of, zone_of
from analytics.rollups import RUNS, STEPS, replace
from tests.analytics.steps import undone

ZONES = ("UTC", "Europe/Paris", "America/New_York", "Pacific/Auckland", "Asia/Kathmandu")
CHANGE = datetime(2026, 10, 25, tzinfo=UTC)  # Paris sets its clocks back


def run(n: int, ended: datetime, workflow: str = "wf_a", **fields: Any) -> RunMetric:
    given = {"version": 1, "mode": "automatic", "state": "completed", "seconds": 1.5, **fields}
    return RunMetric(execution_id=f"ex_{n}", workflow_id=workflow, ended_at=ended, **given)


def step(n: int, begun: datetime, workflow: str = "wf_a") -> StepMetric:
    numbers = [f.name for f in StepMetric._meta.concrete_fields if isinstance(f, FloatField | IntegerField)]
    zeros = dict.fromkeys([name for name in numbers if name != "id"], 0)
    given = {**zeros, "workflow_id": workflow, "node_id": "n", "execution_id": "ex_1", "step": n, "success": n % 2}
    return StepMetric(**given, started_at=begun)


def kept(*rows: RunMetric) -> None:
    with transaction.atomic():
        replace(RUNS, (), RunMetric.objects.bulk_create(rows))


@pytest.mark.django_db
@given(
    minutes=st.lists(st.integers(-60 * 24 * 60, 60 * 24 * 20), max_size=30),
    days=st.sampled_from((1, 2, 8, 20, 91)),
    zone=st.sampled_from(ZONES),
    shift=st.integers(0, 20),
)
def test_sums_of_a_period_are_those_of_its_rows(minutes: list[int], days: int, zone: str, shift: int) -> None:
    """Of runs by day, of steps by week and day; before it as well, and in each bar."""
    with undone(), override_settings(TIME_ZONE=zone):
        moments = [CHANGE + timedelta(minutes=one) for one in minutes]
        kept(*(run(n, at, workflow=f"wf_{n % 2}") for n, at in enumerate(moments)))
        replace(STEPS, (), StepMetric.objects.bulk_create([step(n, at) for n, at in enumerate(moments)]))
        period = Period(days=days, until=date(2026, 10, 20) + timedelta(days=shift), zone=ZoneInfo(zone))
        (runs, before) = summed(RUNS, [period, period.before], ("workflow_id",))
        (steps,) = summed(STEPS, [period], ("node_id",), ("steps",))
        local = [at.astimezone(period.zone).date() for at in moments]
        inside = [(n % 2, day) for n, day in enumerate(local) if period.since <= day <= period.last]
        for which in (0, 1):
            assert runs.get((f"wf_{which}",), Sums())["runs"] == sum(one[0] == which for one in inside)
        assert steps.get(("n",), Sums())["steps"] == len(inside)
        earlier = sum(period.before.since <= day < period.since for day in local)
        assert sum(sums["runs"] for sums in before.values()) == earlier
        found = by_bar(RUNS, period, (), ("runs",)).get((), [Sums() for _bar in period.bars])
        drawn = [
            sum(first <= day < first + timedelta(days=period.days_a_bar) for _w, day in inside) for first in period.bars
        ]
        assert [bar["runs"] for bar in found] == drawn


@pytest.mark.django_db
@pytest.mark.parametrize("days", [30, 364])
def test_sums_of_two_periods_take_one_query(days: int, django_assert_num_queries: Any) -> None:
    period = Period(days=days, until=date(2026, 10, 26), zone=ZoneInfo("Europe/Paris"))
    with django_assert_num_queries(1):
        summed(STEPS, [period, period.before], ("node_id",), workflow_id="wf_a")
    with django_assert_num_queries(1):
        by_bar(RUNS, period, (), ("runs",), workflow_id="wf_a")


@pytest.mark.parametrize(
    ("asked", "days"), [("7", 7), ("364", 364), ("", 30), ("0", 30), ("9999", 30), ("²", 30), ("-3", 30), ("401", 30)]
)
def test_a_period_that_is_none_is_the_usual_one(asked: str, days: int) -> None:
    assert period_of(RequestFactory().get("/analytics", {"days": asked})).days == days


@pytest.mark.parametrize("until", ["2026-02-30", "x", "0001-01-01", ""])
def test_a_day_that_is_none_is_today(until: str) -> None:
    request = RequestFactory().get("/analytics", {"until": until})
    assert period_of(request).last == datetime.now(UTC).date()


def test_days_are_those_of_the_installations_clock() -> None:
    request = RequestFactory().get("/analytics", {"until": "2026-10-25", "days": "1"})
    request.COOKIES["timezone"] = "Asia/Tokyo"
    with override_settings(TIME_ZONE="Europe/Paris"):
        period = period_of(request)
    assert (period.begin, period.end - period.begin) == (datetime(2026, 10, 24, 22, tzinfo=UTC), timedelta(hours=25))


def test_a_readers_clock_is_one_that_there_is() -> None:
    request = RequestFactory().get("/")
    request.COOKIES["timezone"] = "Asia%2FTokyo"
    assert str(zone_of(request)) == "Asia/Tokyo"
    request.COOKIES["timezone"] = "../../etc/passwd"
    assert str(zone_of(request)) == "UTC"


# --- what somebody should do ------------------------------------------------------------------------------------------
PERIOD = Period(days=30, until=date(2026, 11, 24), zone=ZoneInfo("UTC"))


def known(**fields: Any) -> Known:
    given = {"workflow_id": "wf", "name": "Order lab", "learning_state": "COACHING", "screens": {"n": "Catalogue"}}
    return Known(**{**given, **fields})


def told(workflow: Known, now: dict[str, int], before: dict[str, int], **screens: dict[str, int]) -> list[str]:
    visits = tuple({("wf", "n"): Sums(screens[name])} if name in screens else {} for name in ("seen", "seen_before"))
    runs = ({("wf",): Sums(now)}, {("wf",): Sums(before)})
    return [item.words for item in items([workflow], runs, visits, PERIOD, may_teach=True)]  # type: ignore[arg-type]


def test_what_fails_more_often_than_before_is_told() -> None:
    well, ill = {"runs": 20, "alone": 19, "failed": 1}, {"runs": 20, "alone": 14, "failed": 6}
    assert told(known(), ill, well) == ["succeeds less often"]
    assert told(known(), well, ill) == []
    assert told(known(), {"runs": 5, "alone": 3, "failed": 2}, well) == []  # too few to say anything


def test_what_seldom_completes_is_told_without_a_period_before() -> None:
    assert told(known(), {"runs": 6, "alone": 2, "stopped": 4}, {}) == ["seldom completes"]
    assert told(known(), {"runs": 3, "alone": 1, "failed": 2}, {}) == []  # too few to say anything
    assert told(known(), {"runs": 8, "alone": 4, "failed": 4}, {}) == []
    well = {"runs": 20, "alone": 19, "failed": 1}
    assert told(known(), {"runs": 20, "alone": 2, "failed": 18}, well) == ["succeeds less often"]  # once


def test_a_short_time_given_back_is_told_in_seconds() -> None:
    assert [long_time(n) for n in (23, 59.4, 59.6, 3600, 36_000)] == ["23 s", "59 s", "1 min", "1.0 h", "10 h"]


def test_a_screen_that_is_less_surely_known_is_told() -> None:
    before = {"recognised": 50, "confidence_millionths": 50 * 980_000}
    now = {"recognised": 12, "confidence_millionths": 12 * 810_000}
    assert told(known(), {}, {}, seen=now, seen_before=before) == ["looks different than before"]
    assert told(known(), {}, {}, seen={**now, "recognised": 3}, seen_before=before) == []
    assert told(known(), {}, {}, seen=before, seen_before=now) == []


def test_open_corrections_are_told_and_keep_trust_back() -> None:
    right = {"suggestions": 214, "accepted": 206, "runs": 20, "alone": 20}
    assert told(known(), right, right) == ["could be trusted with more"]
    assert told(known(corrections=3), right, right) == ["was corrected 3 times since its last version"]
    assert told(known(learning_state="AUTO_CONFIRMED"), right, right) == []
    assert told(known(), {**right, "accepted": 190}, right) == []
    assert told(known(), {**right, "wrong": 1}, right) == ["did a wrong step"]  # and is not trusted with more


def test_the_least_share_is_never_that_of_the_sample() -> None:
    assert at_least(0, 0) == 0
    assert 0.93 < at_least(206, 214) < 206 / 214
    assert at_least(10, 10) < 0.8


# --- drawings ---------------------------------------------------------------------------------------------------------
@given(st.lists(st.tuples(*[st.integers(0, 500)] * 3), min_size=1, max_size=60))
def test_bars_stay_in_their_drawing_and_lead_somewhere(parts: list[tuple[int, ...]]) -> None:
    drawn = bars([Bar(label="d", parts=one, url="/x?a=1&b=2", told="<b>") for one in parts], ("a", "b", "c"), "label")
    assert drawn.count("<a href") == sum(any(one) for one in parts)
    assert "<b>" not in drawn
    for y, height in re.findall(r'rx="1.5"', drawn) and re.findall(
        r'y="([\d.]+)" width="[\d.]+" height="([\d.]+)" rx', drawn
    ):
        assert 7 <= float(y) <= 150.1
        assert float(y) + float(height) <= 151
