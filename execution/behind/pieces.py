"""Long work as pieces: what one reads is read before, what it writes is written in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.db import transaction

Place = dict[str, Any]


def _nothing() -> Place:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """`done`: how far it is with it. `write` gives the place to go on from, of which what it does not name stays."""

    done: int
    write: Callable[[], Place] = _nothing


def through(pieces: Iterable[Piece]) -> Place:
    """All of them at once, without a row; gives where it ended."""
    place: Place = {}
    for piece in pieces:
        with transaction.atomic():
            place |= piece.write()
    return place
