"""Places of a target as numbers that can be: what is taught is divided by some of them (S8.6)."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.graph import NormBox, TargetSpec

LARGEST_SCREEN = 20_000  # pixels, in each direction
SMALLEST_PART = 1 / LARGEST_SCREEN  # a pixel


def has_size(box: NormBox | None) -> bool:
    """Whether it is at least a pixel wide and high, so that a whole can be told from it."""
    return box is not None and min(box[2:]) >= SMALLEST_PART


def can_be(target: TargetSpec) -> bool:
    """Whether no place of it, nor of its further looks, is beyond every screen, or of no size."""
    return all(_can_be(look) for look in target.looks)


def _can_be(look: TargetSpec) -> bool:
    places = [box for box in (look.box, look.context_box, look.window_box, look.scroll_box) if box is not None]
    sizes: Iterable[float] = (*look.window_size, *look.screen_size)
    return (
        all(abs(part) <= LARGEST_SCREEN for box in (*places, look.click) for part in box)
        and all(has_size(box) for box in (look.window_box, look.scroll_box) if box is not None)
        and all(0 <= part <= LARGEST_SCREEN for part in sizes)
    )
