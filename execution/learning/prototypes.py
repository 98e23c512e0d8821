"""Prototypes (S6.6): what a screen looks like by now, never far from what was taught.

Vectors are directions; how far two are apart is the angle between them. A prototype moves by a bounded angle towards
what was seen, and stays within a cone about the taught vector. The cone is narrower than a quarter of the way to the
nearest other screen. So, whatever is seen and however often: the picture that was taught of another screen is three
times as far from this prototype as from its own, and nothing can carry a prototype across (triangle inequality).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

PACE = 0.1  # of the way to what was seen
STRIDE = 0.03  # radians: the most that one screen moves it
REACH = 0.2  # radians: the most that all of them together do; a cosine of 0.98
SHARE = 0.25  # of the way to the nearest other screen


def unit(vector: np.ndarray) -> np.ndarray:
    """Its direction; raises ValueError where it has none."""
    values = np.asarray(vector, np.float64).ravel()
    length = float(np.linalg.norm(values))
    if not np.isfinite(length) or length == 0:
        raise ValueError("This vector has no direction.")
    return values / length


def angle(one: np.ndarray, other: np.ndarray) -> float:
    """In radians; exact also for directions that are nearly the same, which an arc cosine is not."""
    return float(2 * np.arctan2(np.linalg.norm(one - other), np.linalg.norm(one + other)))


def reach(taught: np.ndarray, others: Iterable[np.ndarray]) -> float:
    """How far a prototype may go from what was taught; `others` are the taught vectors of all other screens."""
    here = unit(taught)
    return min((REACH, *(SHARE * angle(here, unit(other)) for other in others)))


def moved(
    prototype: np.ndarray, seen: np.ndarray, *, taught: np.ndarray, others: Iterable[np.ndarray] = ()
) -> np.ndarray:
    """The prototype after a screen was seen and what was done there was verified.

    A screen that is more like another one's picture moves nothing: it is no word about this one.
    """
    here, now, home = unit(prototype), unit(seen), unit(taught)
    known = [unit(other) for other in others]
    if any(angle(now, other) <= angle(now, home) for other in known):
        return _within(here, home, reach(home, known))
    away = angle(here, now)
    return _within(_turned(here, now, min(PACE * away, STRIDE)), home, reach(home, known))


def held(prototype: np.ndarray, *, taught: np.ndarray, others: Iterable[np.ndarray] = ()) -> np.ndarray:
    """The prototype, brought back within its cone where screens were taught meanwhile that leave it less room."""
    home = unit(taught)
    return _within(unit(prototype), home, reach(home, others))


def _within(vector: np.ndarray, home: np.ndarray, most: float) -> np.ndarray:
    away = angle(vector, home)
    return vector if away <= most else _turned(home, vector, most)


def _turned(start: np.ndarray, end: np.ndarray, by: float) -> np.ndarray:
    """`start` turned by that angle towards `end`; as it is where there is no one way there."""
    across = end - float(end @ start) * start
    length = float(np.linalg.norm(across))
    if by <= 0 or length < 1e-12:
        return start
    return unit(np.cos(by) * start + np.sin(by) * (across / length))
