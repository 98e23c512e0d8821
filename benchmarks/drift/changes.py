"""The kinds of change: what becomes of a page, and what is expected of its targets."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.drift import absent, present, variables
from benchmarks.drift.turn import Change, Turn

KINDS: dict[str, Callable[[Turn], Change | None]] = {
    "moved": present.moved,
    "resized": present.resized,
    "theme": present.theme,
    "icons": present.icons,
    "font": present.font,
    "scale": present.scale,
    "remote": present.remote,
    "language": present.language,
    "renamed": present.rename,
    "order": present.order,
    "twins": present.twins,
    "rows": present.rows,
    "option": variables.option,
    "data": present.data,
    "neighbours": present.neighbours,
    "ambiguous": absent.ambiguous,
    "scrolled": absent.scrolled,
    "disabled": absent.disabled,
    "covered": absent.covered,
    "removed": absent.removed,
    "replaced": absent.replaced,
    "removed redrawn": absent.removed_and_redrawn,
    "replaced redrawn": absent.replaced_and_redrawn,
    "record absent": absent.record_absent,
    "option absent": variables.option_absent,
}
