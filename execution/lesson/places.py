"""What people call a thing on which nothing is written and that no label names: by what stands nearest to it."""

from __future__ import annotations

from django.utils.translation import gettext as _

from execution.language.fuzzy import words
from execution.language.volatile import lasting
from execution.targeting.records import names_record
from execution.types import Box, ElementRole, ScreenState, TextLine
from sentences.said import say, worded

ROLES = frozenset(role.value for role in ElementRole) - {"group", "text"}
_FARTHEST = 12.0  # of a line's height
_LEVEL = 0.7
_LONGEST = 40
_ENDS = " .,;:："


def in_words(box: Box, role: str, state: ScreenState) -> str:
    """“small picture right of Name”; where nothing stands near, where on the screen it is."""
    what = worded(say(f"role.{role}" if role in ROLES else "role.place"))
    near = [(_way(box, line), line) for line in state.texts if _tells(line) and not box.contains(line.box.center)]
    told = [(way, line) for way, line in near if way is not None]
    if not told:
        return _("%(what)s at the %(place)s") % {"what": what, "place": _part(box, state)}
    (_far, side), line = min(told, key=lambda one: one[0])
    text = lasting(line.text).strip(_ENDS)[:_LONGEST]
    sides = {
        "right": _("%(what)s right of %(text)s"),
        "below": _("%(what)s below %(text)s"),
        "left": _("%(what)s left of %(text)s"),
        "above": _("%(what)s above %(text)s"),
    }
    return sides[side] % {"what": what, "text": text}


def _tells(line: TextLine) -> bool:
    """Whether it is likely to stand there next time: no number, no name of a person."""
    return len(words(lasting(line.text)).key) > 1 and not names_record(line.text)


def _way(box: Box, line: TextLine) -> tuple[float, str] | None:
    """How far it is, and on which side of the text; labels stand left of things or above them."""
    other, reach = line.box, _FARTHEST * line.box.h
    if abs(other.center.y - box.center.y) <= _LEVEL * max(other.h, box.h):
        if other.right <= box.x + 2:
            return (float(box.x - other.right), "right") if box.x - other.right <= reach else None
        return (1.5 * (other.x - box.right), "left") if 0 <= other.x - box.right <= reach else None
    if not (other.x < box.right and box.x < other.right):
        return None
    if other.bottom <= box.y + 2:
        return (float(box.y - other.bottom), "below") if box.y - other.bottom <= reach else None
    return (1.5 * (other.y - box.bottom), "above") if 0 <= other.y - box.bottom <= reach else None


def _part(box: Box, state: ScreenState) -> str:
    """Which of the nine parts of the screen it is in."""
    across = min(2, 3 * max(0, box.center.x) // state.frame.size.width)
    down = min(2, 3 * max(0, box.center.y) // state.frame.size.height)
    names = (
        (_("top left"), _("top"), _("top right")),
        (_("left"), _("middle"), _("right")),
        (_("bottom left"), _("bottom"), _("bottom right")),
    )
    return names[down][across]
