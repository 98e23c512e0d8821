"""Whether the window in front is the one a target was taught in."""

from __future__ import annotations

from execution.language.fuzzy import folded
from execution.targeting.context import Context
from execution.targeting.signs import Signs
from execution.targeting.titles import names_only_a_document, related
from sentences.said import say

_SURE = 0.5  # of the neighbours
_SAME_SHAPES = 0.7  # of the controls around: in another language titles and neighbours change alike


def another_program(context: Context) -> str:
    """A sentence where the window in front is of another program than the taught one; "" where nobody knows.

    What was taught outside of the window in front, as on a task bar, is of no program that is known.
    """
    if _same_program(context) is not False or (context.target.window_box and not context.is_in_window):
        return ""
    window = context.state.window
    return say("targeting.other_program", now=window.app_name if window else "", taught=context.target.app_name)


def same_window(context: Context) -> bool:
    """True where the window in front is known, and is one of the taught program."""
    window = context.state.window
    return bool(window and context.target.window_title and _related(context, window.title))


def window_problem(context: Context, signs: Signs) -> str:
    """A sentence where another window has the focus than the taught one, and what is around does not say otherwise."""
    taught = context.target.window_title
    now = context.state.window.title if context.state.window else ""
    if not taught or not now or _related(context, now):
        return ""
    known = signs.around.seen >= 2 and signs.around.share >= _SURE
    if known or (context.other_language and (signs.text or 0.0) >= _SURE and (signs.shapes or 0.0) >= _SAME_SHAPES):
        return ""
    return say("targeting.other_window", now=now, taught=taught)


def _related(context: Context, now: str) -> bool:
    """Titles of one program; where both name nothing but a document, the program decides."""
    taught = context.target.window_title
    if related(taught, now):
        return True
    return names_only_a_document(taught) and names_only_a_document(now) and _same_program(context) is True


def _same_program(context: Context) -> bool | None:
    """None where either name is not known."""
    window = context.state.window
    taught, now = folded(context.target.app_name).strip(), folded(window.app_name).strip() if window else ""
    return taught == now if taught and now else None
