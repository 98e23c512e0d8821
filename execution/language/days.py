"""A day as part of a sentence: worded in its reader's language, so that no order of day and month is left open."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.utils.formats import date_format

from sentences.said import Said

DAY = "day.date"


def day_said(day: date) -> str:
    """“5 June 2026”."""
    return Said(DAY, {"iso": day.isoformat()})


def words_of_day(values: Mapping[str, Any]) -> str:
    return date_format(date.fromisoformat(values["iso"]), "j F Y")
