"""Where the target was the last time, believed only after a look at what is there now (S5.3, S5.4)."""

from __future__ import annotations

from execution.targeting.choice import candidate, is_supported
from execution.targeting.context import CACHE, Context
from execution.targeting.examination import signs_of
from execution.targeting.places import PlaceKey, place_key
from execution.targeting.signs import Signs
from execution.types import Box, Point, ResolveStatus, RungResult
from sentences.said import say, then

_ALIKE = 0.75  # of the picture's score: a remembered place must look as it was taught


def find(context: Context) -> RungResult:
    """The remembered place, if picture, text and surroundings agree there; if they do not, it is forgotten."""
    key = key_of(context)
    if key is None or context.places is None:
        return RungResult(rung=CACHE, status=ResolveStatus.NOT_NEEDED, note=say("targeting.nothing_remembered"))
    kept = context.places.get(key)
    if kept is None:
        return RungResult(rung=CACHE, status=ResolveStatus.NOT_FOUND, note=say("targeting.no_place_remembered"))
    signs = signs_of(_on_screen(kept, context), context)
    problem = signs.against or _problem(signs, context)
    if problem:
        context.places.drop(key)
        return RungResult(
            rung=CACHE,
            status=ResolveStatus.NOT_FOUND,
            score=signs.score,
            candidates=(candidate(signs),),
            note=say("targeting.remembered_problem", problem=problem),
        )
    note = then([say("targeting.remembered"), *signs.support])
    return RungResult(
        rung=CACHE, status=ResolveStatus.FOUND, score=signs.score, candidates=(candidate(signs),), note=note
    )


def remember(context: Context, box: Box) -> None:
    """Keep where the target was found."""
    key = key_of(context)
    if key is not None and context.places is not None:
        corner = _corner(context)
        context.places.put(key, Box(box.x - corner.x, box.y - corner.y, box.w, box.h))


def key_of(context: Context) -> PlaceKey | None:
    """None where nobody remembers. What is looked for by the data of a run stands elsewhere each time."""
    target = context.target
    if context.places is None or not context.workflow_id or not target.target_id or target.row:
        return None
    if context.wanted.exact:
        return None
    return place_key(context.workflow_id, target.target_id, context.state)


def _problem(signs: Signs, context: Context) -> str:
    """A place is only believed on sight: twins elsewhere are not looked for here, so it must stand out by itself."""
    if signs.likeness < _ALIKE:
        return (
            say("targeting.looks_otherwise", look=signs.look.told)
            if signs.look
            else say("targeting.remembered_no_picture")
        )
    if signs.score < context.threshold or not is_supported(signs, context):
        return say("targeting.remembered_too_little")
    if (context.target.alike > 1 or signs.text is None) and (signs.standing or 0.0) < _ALIKE:
        return say("targeting.remembered_twins")
    return ""


def _on_screen(kept: Box, context: Context) -> Box:
    corner = _corner(context)
    return Box(kept.x + corner.x, kept.y + corner.y, kept.w, kept.h)


def _corner(context: Context) -> Point:
    window = context.state.window
    return Point(window.box.x, window.box.y) if window and window.box else Point(0, 0)
