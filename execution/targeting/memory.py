"""The place where a target was the last time: proposed again, and believed only as far as what is seen there (S5.4)."""

from __future__ import annotations

from execution.targeting.context import Context
from execution.targeting.places import PlaceKey, place_key
from execution.types import Box, Point


def key_of(context: Context) -> PlaceKey | None:
    """None where nobody remembers. What is looked for by the data of a run stands elsewhere each time."""
    target = context.target
    if context.places is None or not context.workflow_id or not target.target_id or target.row:
        return None
    if context.wanted.exact or target.number_wanted or context.follows_record:
        return None
    return place_key(context.workflow_id, target.target_id, context.state)


def recall(context: Context) -> Box | None:
    """Where on this screen it was, None where nothing is remembered."""
    key = key_of(context)
    kept = context.places.get(key) if key is not None and context.places is not None else None
    corner = _corner(context)
    return Box(kept.x + corner.x, kept.y + corner.y, kept.w, kept.h) if kept is not None else None


def remember(context: Context, box: Box) -> None:
    """Keep where the target was found."""
    key = key_of(context)
    if key is not None and context.places is not None:
        corner = _corner(context)
        context.places.put(key, Box(box.x - corner.x, box.y - corner.y, box.w, box.h))


def forget(context: Context) -> None:
    key = key_of(context)
    if key is not None and context.places is not None:
        context.places.drop(key)


def _corner(context: Context) -> Point:
    window = context.state.window
    return Point(window.box.x, window.box.y) if window and window.box else Point(0, 0)
