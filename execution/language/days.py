"""Days, weekdays and holidays as parts of a sentence: worded in their reader's language, so that no order of day and
month is left open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import Any

import holidays
from cronsim import CronSimError
from cronsim.explain import explain
from django.utils import timezone, translation
from django.utils.dates import WEEKDAYS
from django.utils.formats import date_format, time_format
from django.utils.translation import gettext

from sentences.said import Said

DAY, WEEKDAY_NAMES, HOLIDAY, RULE = "day.date", "day.weekdays", "day.holiday", "day.rule"
TIME = "day.time"


def day_said(day: date) -> str:
    """“5 June 2026”."""
    return Said(DAY, {"iso": day.isoformat()})


def weekdays_said(days: Iterable[int]) -> str:
    """“Monday, Friday”, from numbers that count Monday as 0."""
    return Said(WEEKDAY_NAMES, {"days": sorted(days)})


def holiday_said(country: str, region: str, day: date) -> str:
    """“Christmas Day”."""
    return Said(HOLIDAY, {"country": country, "region": region, "iso": day.isoformat()})


def time_said(at: datetime) -> str:
    """“02:00”, as the reader's clock shows it."""
    return Said(TIME, {"iso": at.isoformat()})


def rule_said(rule: str) -> str:
    """What a cron expression means."""
    return Said(RULE, {"rule": rule})


@lru_cache(maxsize=256)
def holidays_of(country: str, region: str, year: int, language: str = "") -> Mapping[date, str] | None:
    """The holidays of a year with their names; None for a country or region that is not known."""
    try:
        found: Mapping[date, str] = holidays.country_holidays(
            country, subdiv=region or None, years=year, language=language or None
        )
    except NotImplementedError:
        return None
    return dict(found)


def words_of_day(values: Mapping[str, Any]) -> str:
    return date_format(date.fromisoformat(values["iso"]), "j F Y")


def words_of_weekdays(values: Mapping[str, Any]) -> str:
    return ", ".join(str(WEEKDAYS[day]) for day in values["days"])


def words_of_holiday(values: Mapping[str, Any]) -> str:
    """In the reader's language where the country's holidays have names in it."""
    day, country, region = date.fromisoformat(values["iso"]), values["country"], values["region"]
    language = (translation.get_language() or "en")[:2]
    known = getattr(holidays.country_holidays(country), "supported_languages", ())
    named = next((one for one in known if one.startswith(language)), "")
    return (holidays_of(country, region, day.year, named) or {}).get(day, values["iso"])


def words_of_time(values: Mapping[str, Any]) -> str:
    return time_format(timezone.localtime(datetime.fromisoformat(values["iso"])), "H:i")


def words_of_rule(values: Mapping[str, Any]) -> str:
    """Only in English are there words for any rule."""
    if (translation.get_language() or "en").startswith("en"):
        try:
            return explain(values["rule"])
        except CronSimError:
            pass
    return gettext("the next starts show what it means")
