"""A day is picked in the calendar that a field opens, month by month; each movement is read before the next (S6.12)."""

from __future__ import annotations

from datetime import date

from execution.perception.changes import find_changes, union
from execution.turn.movements import Movements
from execution.types import Box, ScreenState
from execution.verification.calendars import month_in
from sentences.said import say

_RING = 10  # pixels around a field in which its focus is drawn
MOST_MONTHS = 36  # a birthday is not clicked to month by month: it is asked about


def opened(box: Box, before: ScreenState, after: ScreenState) -> Box | None:
    """Where a calendar came with what was done in the field `box`, whatever else changed; it may stand away from it.

    A month that was on the page all along is none that the field opened.
    """
    changes = find_changes(before.frame.pixels, after.frame.pixels)
    regions = changes.outside([box.grown(_RING, after.frame.size)]).regions if changes else ()
    area = union(list(regions)) if regions else None
    shown = month_in(area, after) if area is not None else None
    if changes is None or shown is None or not changes.touches(shown.title):
        return None
    came = sum(changes.touches(day) for day in shown.days.values())
    return area if came > len(shown.days) / 2 else None


def pick(hands: Movements, day: date, area: Box, state: ScreenState) -> str:
    """Click that day; why it was not clicked, "" if it was. `area` is the calendar's. Raises Stopped."""
    shown = month_in(area, state)
    if shown is None:
        return say("turn.calendar_unread")
    wanted = 12 * day.year + day.month - 1
    if abs(wanted - shown.number) > MOST_MONTHS:
        return say("turn.calendar_far", day=day.isoformat(), n=MOST_MONTHS)
    while shown.number != wanted:
        step = 1 if wanted > shown.number else -1
        mark = shown.later if step > 0 else shown.earlier
        if mark is None:
            return say("turn.calendar_not_turned")
        if why := hands.click_seen(mark, state):
            return why
        state = hands.still()
        after = month_in(area, state)
        if after is None or after.number != shown.number + step:
            return say("turn.calendar_not_turned")
        shown = after
    place = shown.days.get(day.day)
    if place is None or not area.contains(place.center):
        return say("turn.calendar_unread")  # where it must stand is not enough: it was not read there
    return hands.click_seen(place, state)
