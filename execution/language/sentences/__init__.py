"""All sentences about a run by their codes, a file for each room, and how an action is worded (see `sentences`)."""

from __future__ import annotations

from execution.language.acts import ACT, words_of_act
from execution.language.sentences import (
    desktop,
    lesson,
    matching,
    navigation,
    perception,
    program,
    record,
    running,
    targeting,
    turn,
    verification,
)
from sentences.base import register, register_worded

register(
    desktop.WORDS,
    lesson.WORDS,
    matching.WORDS,
    navigation.WORDS,
    perception.WORDS,
    program.WORDS,
    record.WORDS,
    running.WORDS,
    targeting.WORDS,
    turn.WORDS,
    verification.WORDS,
)
register_worded(ACT, words_of_act)
