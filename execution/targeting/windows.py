"""Whether the window in front is the one a target was taught in."""

from __future__ import annotations

from execution.targeting.context import Context
from execution.targeting.signs import Signs
from execution.targeting.titles import related

_SURE = 0.5  # of the neighbours
_SAME_SHAPES = 0.7  # of the controls around: in another language titles and neighbours change alike


def window_problem(context: Context, signs: Signs) -> str:
    """A sentence where another window has the focus than the taught one, and what is around does not say otherwise."""
    taught = context.target.window_title
    now = context.state.window.title if context.state.window else ""
    if not taught or not now or related(taught, now):
        return ""
    known = signs.around.seen >= 2 and signs.around.share >= _SURE
    if known or (context.other_language and (signs.text or 0.0) >= _SURE and (signs.shapes or 0.0) >= _SAME_SHAPES):
        return ""
    return f"the window in front is '{now}', not '{taught}'"
