"""All sentences about a run by their codes, a file for each room, and how an action is worded (see `sentences`)."""

from __future__ import annotations

from execution.language.acts import ACT, words_of_act
from execution.language.sentences import (
    corrections,
    desktop,
    lesson,
    matching,
    navigation,
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
    corrections.WORDS,
    desktop.WORDS,
    lesson.WORDS,
    matching.WORDS,
    navigation.WORDS,
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
