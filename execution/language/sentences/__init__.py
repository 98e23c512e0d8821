"""All sentences about a run by their codes, a file for each room, and how an action is worded (see `sentences`)."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from execution.language.acts import ACT, words_of_act
from execution.language.days import (
    DAY,
    HOLIDAY,
    RULE,
    TIME,
    WEEKDAY_NAMES,
    words_of_day,
    words_of_holiday,
    words_of_rule,
    words_of_time,
    words_of_weekdays,
)
from sentences.base import register, register_worded

register(*(import_module(f"{__name__}.{room.name}").WORDS for room in iter_modules(__path__)))
register_worded(ACT, words_of_act)
register_worded(DAY, words_of_day)
register_worded(WEEKDAY_NAMES, words_of_weekdays)
register_worded(HOLIDAY, words_of_holiday)
register_worded(RULE, words_of_rule)
register_worded(TIME, words_of_time)
