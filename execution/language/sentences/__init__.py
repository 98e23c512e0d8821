"""All sentences about a run by their codes, a file for each room, and how an action is worded (see `sentences`)."""

from __future__ import annotations

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
from execution.language.sentences import (
    clock,
    corrections,
    desktop,
    folder,
    intake,
    lesson,
    matching,
    navigation,
    notice,
    perception,
    program,
    record,
    replay,
    running,
    standing,
    targeting,
    turn,
    verification,
    waiting,
    worklists,
)
from sentences.base import register, register_worded

register(
    clock.WORDS,
    corrections.WORDS,
    desktop.WORDS,
    folder.WORDS,
    intake.WORDS,
    lesson.WORDS,
    matching.WORDS,
    navigation.WORDS,
    notice.WORDS,
    perception.WORDS,
    program.WORDS,
    record.WORDS,
    replay.WORDS,
    running.WORDS,
    standing.WORDS,
    targeting.WORDS,
    turn.WORDS,
    verification.WORDS,
    waiting.WORDS,
    worklists.WORDS,
)
register_worded(ACT, words_of_act)
register_worded(DAY, words_of_day)
register_worded(WEEKDAY_NAMES, words_of_weekdays)
register_worded(HOLIDAY, words_of_holiday)
register_worded(RULE, words_of_rule)
register_worded(TIME, words_of_time)
