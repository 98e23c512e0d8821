"""An act that goes on with the step before it: the second of two quick clicks, the wheel turned further (S6.1)."""

from __future__ import annotations

import time
from dataclasses import replace

from django.db import transaction

from execution.lesson.acts import Act
from execution.lesson.here import Pending

_SLIPPED = 12  # pixels: two clicks so near are of one double click
_TWICE_S = 0.25  # between two clicks: programs take them for a double click up to 0.4 s and more
_ONCE_S = 0.6  # after a click none takes another two for the second and the third of three


def is_second_click(pending: Pending | None, act: Act) -> bool:
    """Whether the step before was a click at the same place."""
    if pending is None or pending.edge.action_type != "click":
        return False
    x, y = pending.step.params.get("x", 0), pending.step.params.get("y", 0)
    return bool(abs(x - act.point.x) + abs(y - act.point.y) <= _SLIPPED)


def second_click(act: Act, clicked_at: float) -> Act:
    """The second of two clicks. Where keeping the first took so long that programs would see two clicks of one each,
    the place is double-clicked anew."""
    since = time.monotonic() - clicked_at
    if since <= _TWICE_S:
        return act
    time.sleep(max(0.0, _ONCE_S - since))
    return replace(act, again=False)


def is_more_scrolling(pending: Pending | None, act: Act) -> bool:
    """Whether the wheel was turned in the step before as well."""
    return act.kind == "scroll" and pending is not None and pending.edge.action_type == "scroll"


def go_on(pending: Pending, act: Act) -> None:
    """The rows of the step before, now that this was done too: a double click, or a longer way of the wheel."""
    edge, step = pending.edge, pending.step
    if act.kind == "scroll":
        edge.params = step.params = {name: edge.params.get(name, 0) + getattr(act, name) for name in ("dy", "dx")}
    else:
        edge.action_type = step.act = act.kind
    with transaction.atomic():
        edge.save(update_fields=["action_type", "params"])
        step.save(update_fields=["act", "params"])
